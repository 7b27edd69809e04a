"""Models that keep how many samples they take: `x.view(self.batch_size, self.max_len, -1)`, a state made for so many."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.fix_sides import LENGTH_NAMES
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.record.models import Input

_BATCH = re.compile(r"batch_?size|bsz?|batch|n_?batch", re.IGNORECASE)
_LENGTH = re.compile(
    r"(max_?)?(seq(uence)?|sent(ence)?|text|input)?_?(len|length)|time_?steps|window(_size)?"
)
_OF_SIZES = re.compile(
    r"is invalid for input|[Ee]xpected hidden|must match|[Ee]xpected size|must be equal|hidden0 batch size"
)
_MOST = 4096


def try_own_batch(guess: Guess, message: str, module: nn.Module) -> Iterator[Guess]:
    """The guess with as many samples as `forward` reads off the model, and as long as it reads off that beside."""
    if "batch" not in guess.sizes or not _OF_SIZES.search(message):
        return
    kept = _list_numbers_read(module)
    batch = next((n for name, n in kept.items() if _BATCH.fullmatch(name)), None)
    length = next((n for name, n in kept.items() if _LENGTH.fullmatch(name)), None)
    if batch is None or batch == guess.sizes["batch"]:
        return
    lengths = {name: length for name in LENGTH_NAMES if name in guess.sizes and length is not None}
    if lengths:
        yield guess.with_sizes(batch=batch, **lengths)
    yield guess.with_sizes(batch=batch)
    if guess.inputs[0].shape == ("batch",):
        yield guess.with_inputs(tuple(map(_give_samples, guess.inputs))).with_sizes(batch=batch)
    if guess.inputs[0].shape[1:2] == ("sequence",):
        yield guess.with_inputs(tuple(map(_put_steps_first, guess.inputs))).with_sizes(batch=batch)


def _give_samples(given: Input) -> Input:
    """The input with as many samples as there are where it has as many as a sequence is long."""
    shape = tuple("batch" if size in LENGTH_NAMES else size for size in given.shape)
    return replace(given, shape=shape)


def _put_steps_first(given: Input) -> Input:
    """The input with its samples second, as recurrent layers have them where nothing else is said."""
    turned = given.shape[:2] == ("batch", "sequence")
    return replace(given, shape=("sequence", "batch", *given.shape[2:])) if turned else given


def _list_numbers_read(module: nn.Module) -> dict[str, int]:
    """The whole numbers that methods of the model, or of a part of the user's, read off `self`, those of `forward` first."""
    found: dict[str, int] = {}
    for part in nn.Module.modules(module):
        kind: Any = type(part)
        for name in () if kind.__module__.startswith("torch.") else _list_read(kind):
            value = vars(part).get(name)
            if type(value) is int and 0 < value <= _MOST:
                found.setdefault(name, value)
    return found


def find_own_batch(module: nn.Module) -> str:
    """The attribute that says how many samples a model takes; "" where none does."""
    held = vars(module).items()
    return next((n for n, value in held if _BATCH.fullmatch(n) and type(value) is int), "")


@lru_cache(maxsize=256)
def _list_read(kind: Any) -> tuple[str, ...]:
    """The attributes of self that `forward` of a class reads, then those that methods of its own do."""
    own = [n for name, n in vars(kind).items() if inspect.isfunction(n) and name != "__init__"]
    read = (find_attributes_read(method) for method in (kind.forward, *own))
    return tuple(dict.fromkeys(name for each in read for name in each))


def find_attributes_read(method: Any) -> tuple[str, ...]:
    """The attributes of self that a method reads."""
    nodes = ast.walk(parse_source_of(method))
    read = (node for node in nodes if isinstance(node, ast.Attribute))
    return tuple({n.attr: None for n in read if getattr(n.value, "id", "") == "self"})
