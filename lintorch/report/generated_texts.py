"""What a decoder's halves generate as they were exported, as JSON holds it and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lintorch.core.profile import enumerate_names
from lintorch.record.decoders import Greedy


def list_generated(texts: Sequence[Greedy]) -> list[dict[str, Any]]:
    """Elements of a trial's `generated`: a prompt each, with its end and every step."""
    return [
        {
            "batch": text.batch,
            "prompt": text.prompt,
            "steps": [
                {
                    "past": step.past,
                    "amount": step.error,
                    "tolerance": step.tolerance,
                    "other_tokens": step.tokens,
                    "without_cache": step.own,
                    "message": step.why or None,
                }
                for step in text.steps
            ],
        }
        for text in texts
    ]


def write_generated(trials: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """`5 steps behind prompts of 5, 8, 3 tokens as eager with its cache`, and how eager itself does without."""
    texts = [(each["exporter"], each.get("generated") or []) for each in trials]
    told: dict[str, dict[str, None]] = {}
    for exporter, generated in texts:
        if generated:
            told.setdefault(_write_texts(generated), {})[exporter] = None
    for text, exporters in told.items():
        yield (f"{enumerate_names([*exporters])}: " if len(told) > 1 else "") + text
    apart = next((place for _, each in texts for place in _list_apart(each)), "")
    if apart:
        yield f"eager itself is off with its cache: {apart}"


def _write_texts(generated: Sequence[Mapping[str, Any]]) -> str:
    prompts = ", ".join(f"{text['batch']}×{text['prompt']}" for text in generated)
    apart = next(_list_parting(generated), "")
    steps = max(len(text["steps"]) for text in generated) - 1
    return f"generated {steps} tokens behind prompts of {prompts}" + (
        f", parts from eager at {apart}" if apart else " as eager does"
    )


def _list_parting(generated: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where what was exported parts from eager, in each text."""
    for text in generated:
        for number, step in enumerate(text["steps"]):
            if step["amount"] is None or step["amount"] > step["tolerance"]:
                off = step["message"] or f"logits off by {step['amount']:.3g}"
                others = f"{step['other_tokens']} of {text['batch']} tokens others"
                yield f"step {number} of {text['batch']}×{text['prompt']} ({off}, {others})"
                break


def _list_apart(generated: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where eager with its cache parts from eager without."""
    for text in generated:
        for number, step in enumerate(text["steps"]):
            own = step["without_cache"]
            if own is not None and own > step["tolerance"]:
                yield (
                    f"from step {number} on of a prompt of {text['prompt']} the logits differ by"
                    f" {own:.3g} from those of the whole text"
                )
                break
