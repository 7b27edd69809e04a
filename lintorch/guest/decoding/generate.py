"""Generating greedily: what was exported beside eager with its cache, and that beside eager without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lintorch.guest.decoding.find_form import Found
from lintorch.guest.export.compare_numbers import measure_differences
from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.module_state import copy_module
from lintorch.record.decoders import Greedy, GreedyStep

STEPS = 5
"""Tokens generated behind a prompt."""
PROMPTS = ((2, 5), (3, 8), (1, 3))
"""Batch and length of each prompt: the exported ones, others, and one text alone as most are generated."""
Run = Callable[[Sequence[Any]], list[torch.Tensor]]
"""What was exported, on a value per input."""


@dataclass(frozen=True)
class Sequences:
    """One generated text: tokens, and logits behind each prefix of them, with the cache and without."""

    tokens: torch.Tensor
    whole: tuple[torch.Tensor, ...]
    cached: tuple[torch.Tensor, ...]


def generate_eagerly(found: Found, prompt: torch.Tensor, steps: int = STEPS) -> Sequences:
    """The tokens are those that come out without a cache; the cache is given the same."""
    tokens, whole = prompt, []
    with copy_module(found.decoder.module) as module, torch.no_grad():
        decoder = found.take_module(module)
        for _ in range(steps + 1):
            whole.append(decoder.begin(tokens).logits.clone())
            tokens = torch.cat([tokens, whole[-1].argmax(-1, keepdim=True)], 1)
    with copy_module(found.decoder.module) as module, torch.no_grad():
        cached = tuple(
            _follow_cache(found.take_module(module).begin, found, module, tokens, prompt)
        )
    return Sequences(tokens, tuple(whole), cached)


def _follow_cache(
    begin: Any, found: Found, module: Any, tokens: torch.Tensor, prompt: torch.Tensor
) -> Iterator[torch.Tensor]:
    length, decoder = prompt.shape[1], found.take_module(module)
    answered = begin(prompt)
    yield answered.logits.clone()
    for place in range(length, tokens.shape[1] - 1):
        answered = decoder.go_on(tokens[:, place : place + 1], place, answered.cache)
        yield answered.logits.clone()


def compare_generating(
    found: Found, prompt: torch.Tensor, prefill: Run, step: Run
) -> Greedy | None:
    """What was exported beside eager; None where eager itself does not come to the end."""
    try:
        eager = generate_eagerly(found, prompt)
    except Exception:  # whatever user code raises, beyond its longest text
        return None
    steps: list[GreedyStep] = []
    given = _run_exported(found, eager.tokens, prompt, prefill, step)
    length = prompt.shape[1]
    for number, (whole, cached) in enumerate(zip(eager.whole, eager.cached, strict=True)):
        (own,) = measure_differences([whole], [cached])
        past = length + number - 1 if number else 0
        try:
            logits = next(given)
        except StopIteration:
            break
        except Exception as error:  # of a runtime
            why = f"what was exported raises {summarise_error(error, 1)}"
            steps.append(GreedyStep(past, None, own.tolerance, own=own.amount, why=why))
            break
        (apart,) = measure_differences([cached], [logits])
        others = 0 if apart.amount is None else _count_others(cached, logits)
        steps.append(GreedyStep(past, apart.amount, apart.tolerance, others, own.amount, apart.why))
    return Greedy(prompt.shape[0], length, tuple(steps))


def _run_exported(
    found: Found, tokens: torch.Tensor, prompt: torch.Tensor, prefill: Run, step: Run
) -> Iterator[torch.Tensor]:
    """Logits of each exported step; the tokens are eager's, so that one error does not bring the next."""
    decoder, length = found.decoder, prompt.shape[1]
    with torch.no_grad():
        logits, *cache = prefill([prompt, *decoder.make_beside(prompt, 0).values()])
        yield logits
        for place in range(length, tokens.shape[1] - 1):
            token = tokens[:, place : place + 1].contiguous()
            beside = decoder.make_beside(token, place).values()
            logits, *cache = step([token, *beside, *cache])
            yield logits


def _count_others(eager: torch.Tensor, given: torch.Tensor) -> int:
    """Texts of the batch that go on with another token."""
    return int((eager.argmax(-1) != given.argmax(-1)).sum())
