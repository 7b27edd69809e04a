"""A decoder exported on trial: the prompt, one step, then both generating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lintorch.guest.decoding.find_form import Found
from lintorch.guest.decoding.generate import PROMPTS, compare_generating
from lintorch.guest.decoding.halves import BEYOND, FIRST, Half, make_halves
from lintorch.guest.decoding.shared_state import share_state
from lintorch.guest.decoding.subject import Subject
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.export.try_exporter import try_export
from lintorch.record.decoders import HALVES, PAST, Greedy, GreedyStep
from lintorch.record.models import Model
from lintorch.record.outcomes import AS_TRACED, Deviation, Outcome

_UNWRITTEN = "programs are written of models as they are, not of their halves"


def try_decoder(
    exporter: str,
    found: Found,
    subject: Subject,
    model: Model,
    folders: Sequence[Path],
    dynamic: bool = True,
    **wanted: Any,
) -> Iterator[Outcome]:
    """What comes of each half; with the step, how both generate. `wanted` is for `try_export`."""
    made: list[Exported] = []
    for half, folder in zip(
        make_halves(found.decoder, found.layout, found.tokens), folders, strict=True
    ):
        kept: list[Exported] = []
        outcome = _try_half(exporter, half, model, folder, kept, dynamic, wanted)
        if kept and outcome.status in ("ok", "wrong"):
            made.append(kept[0])
        if len(made) == len(HALVES) and dynamic:
            outcome = _add_greedy(outcome, found, subject, made)
        yield outcome


class _HalfEager(Eager):
    """Runs only at sizes that go together: a mask is as long as what it masks."""

    def run_at(self, sizes: NamedSizes) -> Any:
        """Raises ValueError where they do not."""
        if sizes.get(BEYOND, sizes.get(PAST, 0) + 1) != sizes.get(PAST, 0) + 1:
            raise ValueError("no step has such sizes")
        return super().run_at(sizes)


def _try_half(
    exporter: str,
    half: Half,
    model: Model,
    folder: Path,
    kept: list[Exported],
    dynamic: bool,
    wanted: dict[str, Any],
) -> Outcome:
    def keep(exported: Exported, job: Job) -> Exported:
        kept.append(exported)
        return exported

    fed = replace(model, inputs=half.inputs, sizes=half.sizes)
    outcome = try_export(
        exporter,
        half.module,
        fed,
        half.varied if dynamic else (),
        train=False,
        directory=folder,
        finish=keep,
        eager=_HalfEager(half.module, fed),
        **wanted,
    )
    unwritten = _UNWRITTEN if outcome.status in ("wrong", "failed") else ""
    return replace(outcome, half=half.name, unwritten=unwritten)


def _add_greedy(
    outcome: Outcome, found: Found, subject: Subject, made: Sequence[Exported]
) -> Outcome:
    """With what comes of generating; wrong where it is, though one step alone is right."""
    runs = share_state(*made) if found.layout is None else (made[0].run, made[1].run)
    tried = (
        compare_generating(found, subject.make_tokens(batch, length), *runs)
        for batch, length in PROMPTS
    )
    greedy = tuple(each for each in tried if each is not None)
    outcome = replace(outcome, greedy=greedy)
    apart = next(((each, step) for each in greedy if (step := each.first_apart)), None)
    if apart is None or outcome.status != "ok":
        return outcome
    detail = "; ".join((_write_apart(*apart), *_list_causes(found, made)))
    return replace(
        outcome,
        status="wrong",
        wrong=(Deviation(AS_TRACED, apart[1].error, apart[1].why),),
        detail="; ".join(part for part in (detail, outcome.detail) if part),
    )


def _list_causes(found: Found, made: Sequence[Exported]) -> Iterator[str]:
    """Why a decoder that keeps its past in itself goes on wrongly."""
    if found.layout is not None:
        return
    if any(each.module is None for each in made):
        yield "the cache stays in the module: what was exported neither takes nor gives it"
    if found.form.positions_are == "start":
        number = FIRST[PAST]
        yield f"{found.form.positions} is a number, {number} in the exported step: make it a tensor"


def _write_apart(greedy: Greedy, step: GreedyStep) -> str:
    number = greedy.steps.index(step)
    place = f"step {number}, behind {step.past} tokens," if number else "the prompt"
    texts = f"generating {greedy.batch} text{'s' * (greedy.batch > 1)} from {greedy.prompt} tokens"
    if step.error is None:
        return f"{texts}, {place} {step.why}"
    return (
        f"{texts}, the logits of {place.rstrip(',')} differ from eager's by {step.error:.3g}"
        f" (tolerance {step.tolerance:.2g}), {step.tokens} of {greedy.batch} tokens are others"
    )
