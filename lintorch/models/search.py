"""Searches for inputs that a built model runs on, and for the sizes among them that may vary."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from torch import nn

from lintorch.models.guess import Guess, guesses
from lintorch.models.notation import show
from lintorch.models.optional import with_named
from lintorch.models.repair import other_sizes, repairs
from lintorch.trace import feed
from lintorch.trace.record import Input, Model, Site
from lintorch.trace.run import call
from lintorch.trace.site import Files
from lintorch.worker import surroundings
from lintorch.worker.limits import TooSlow, within

_MOST_TRIES = 150
_TRIES_PER_GUESS = 16
_SECONDS_PER_TRY = 20
_MOST_ELEMENTS = 8_000_000
_DEEPEST = 7


@dataclass(frozen=True)
class Fed:
    """What the model runs on; the other sizes at which it runs too, per group of names."""

    inputs: tuple[Input, ...]
    sizes: Mapping[str, int]
    varied: Mapping[str, Mapping[str, int]]


class NotFedError(Exception):
    """Nothing that was tried could be fed. `stage` is "inputs", or "run" where inputs are not to blame."""

    def __init__(self, stage: str, cause: str) -> None:
        super().__init__(cause)
        self.stage = stage


@dataclass(frozen=True)
class _Error:
    """How one try failed."""

    kind: str
    text: str
    site: Site | None

    def __str__(self) -> str:
        where = f" ({self.site.path}:{self.site.row})" if self.site else ""
        return f"{self.kind}: {self.text.strip().partition(chr(10))[0][:300]}{where}"


def search(module: nn.Module, arguments: Mapping[str, Any], files: Files, seconds: float) -> Fed:
    """Inputs that the model runs on. Raises NotFedError."""
    unfeedable = _unfeedable(module)
    if unfeedable:
        raise NotFedError("inputs", unfeedable)
    deadline = time.monotonic() + seconds
    first: tuple[Guess, _Error] | None = None
    kinds = set()
    for guess in _tries(module, arguments, files, deadline):
        if isinstance(guess, Guess):
            return _narrowed(guess, module, deadline)
        first = first or guess
        kinds.add(str(guess[1]))
    if first is None:
        raise NotFedError("inputs", "its forward takes nothing that could be fed")
    if len(kinds) == 1 or first[1].kind in _NOT_FOR_INPUTS:
        raise NotFedError("run", str(first[1]))
    shown = ", ".join(show(given, first[0].sizes) for given in first[0].inputs)
    raise NotFedError("inputs", f"no inputs were found that it runs on; {shown} gave {first[1]}")


def configured(
    module: nn.Module, inputs: tuple[Input, ...], sizes: Mapping[str, int], files: Files
) -> Fed:
    """Inputs as configured. Raises NotFedError where the model does not run on them."""
    error = _error(module, Guess(inputs, dict(sizes)), files)
    if error is not None:
        raise NotFedError("run", str(error))
    model = Model("", "", 0, inputs=inputs, sizes=sizes)
    varied = feed.varied(model, lambda s: _error(module, Guess(inputs, dict(s)), files) is None)
    return Fed(inputs, sizes, varied)


_NOT_FOR_INPUTS = frozenset(
    {"SystemExit", "NameError", "NotImplementedError", "ImportError", "OSError", "MemoryError"}
)


def _tries(
    module: nn.Module, arguments: Mapping[str, Any], files: Files, deadline: float
) -> Iterator[Guess | tuple[Guess, _Error]]:
    """Each failed try, then the guess that works, if one does.

    What errors clearly ask for is tried at once; sizes that are only common are tried last.
    """
    seen: set[object] = set()
    starts = guesses(module, arguments)
    later: list[Guess] = []
    for guess, room in chain(((start, later) for start in starts), _each(later)):
        waiting = [(guess, 0)]
        tries = 0
        while waiting and tries < _TRIES_PER_GUESS:
            guess, depth = waiting.pop(0)
            if guess.key() in seen or guess.elements() > _MOST_ELEMENTS:
                continue
            if len(seen) >= _MOST_TRIES or (seen and time.monotonic() > deadline):
                return
            seen.add(guess.key())
            tries += 1
            error = _error(module, guess, files)
            if error is None:
                yield guess
                return
            yield guess, error
            if error.kind in _NOT_FOR_INPUTS or "allocate memory" in error.text:
                return
            if depth < _DEEPEST:
                better = [*with_named(module, guess, error.text), *repairs(guess, error.text)]
                waiting[:0] = [(other, depth + 1) for other in better]
            if room is not None:
                room += other_sizes(guess, error.text)


def _each(later: list[Guess]) -> Iterator[tuple[Guess, None]]:
    """What has been put off, when it is its turn."""
    for guess in later:
        yield guess, None


def _error(module: nn.Module, guess: Guess, files: Files) -> _Error | None:
    """How the model fails on a guess; None where it runs and gives a tensor back."""
    surroundings.seed()
    try:
        with within(_SECONDS_PER_TRY):
            output = call(module, feed.tensors(guess.inputs, guess.sizes))
    except (Exception, SystemExit, TooSlow) as error:  # whatever user code raises
        return _Error(type(error).__name__, str(error), files.of_error(error))
    if feed.flatten(output):
        return None
    return _Error("ValueError", f"forward gave {type(output).__name__}, and no tensor", None)


def _narrowed(guess: Guess, module: nn.Module, deadline: float) -> Fed:
    """Names only for sizes that may vary; the others become numbers."""

    def runs(sizes: Mapping[str, int]) -> bool:
        if time.monotonic() > deadline:
            return False
        try:
            with within(_SECONDS_PER_TRY):
                call(module, feed.tensors(guess.inputs, sizes))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            return False
        return True

    model = Model("", "", 0, inputs=guess.inputs, sizes=guess.sizes)
    varied = feed.varied(model, runs)
    free = {name for group in varied for name in group.split(",")}
    inputs = tuple(
        replace(
            given,
            shape=tuple(
                guess.sizes[size] if isinstance(size, str) and size not in free else size
                for size in given.shape
            ),
        )
        for given in guess.inputs
    )
    sizes = {name: size for name, size in guess.sizes.items() if name in free}
    kept = {group: {n: s for n, s in at.items() if n in free} for group, at in varied.items()}
    return Fed(inputs, sizes, kept)


def _unfeedable(module: nn.Module) -> str:
    """Why no tensor will do for an argument; "" where tensors may."""
    plain = {"bool": bool, "str": str, "int": int, "float": float}
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.default is not parameter.empty:
            continue
        annotation = parameter.annotation
        name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        if name in plain or parameter.kind is parameter.KEYWORD_ONLY:
            kind = f"is a {name}" if name in plain else "is passed by name only"
            return f"its argument {parameter.name} {kind}: give it a default, or export a wrapper"
    return ""
