"""A model is built and fed: by one way after the other until it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from lintorch.models.building.making import Built
from lintorch.models.building.parameters import named
from lintorch.models.identity import Seen
from lintorch.models.inputs import search
from lintorch.models.inputs.narrow import Fed
from lintorch.models.inputs.search import NotFedError
from lintorch.models.notation import argument
from lintorch.models.work import LEAST_SECONDS, Work
from lintorch.trace import wire
from lintorch.trace.record import Event, Input
from lintorch.trace.rungs import shortened
from lintorch.trace.site import Files
from lintorch.worker.isolate import Send

_SEARCH_SHARE = 0.5
_LARGE = 0.2
"""The share of the memory it may take from which a model's weights are large."""


@dataclass(frozen=True)
class _Failed:
    """Why a model could not be fed, or built."""

    stage: str
    cause: str
    output: str = ""
    raised: tuple[Event, ...] = ()


def fed(
    work: Work,
    makes: Callable[[], Iterator[Built]],
    setting: Mapping[str, Any],
    name: Callable[[nn.Module], Seen | None],
) -> tuple[Work, Built, Fed] | None:
    """The model, by the `name` it has once built, and what it runs on.

    None where there is neither, which has been told; a model without a name is passed over.
    """
    first: _Failed | None = None
    try:
        for built in makes():
            seen = name(built.module.eval())
            if seen is None:
                return None
            work = replace(work, seen=seen)
            found = _found(work, built, setting)
            if _is_too_large(built, found, work):  # without their values, the weights take no room
                built.module.to("meta")
                again = _found(work, built, setting)
                found = again if isinstance(again, Fed) else found
            if isinstance(found, Fed):
                return work, built, found
            first = first or found
            if time.monotonic() + LEAST_SECONDS > work.deadline:
                break
    except BaseException as error:  # whatever user code raises, SystemExit too
        first = first or _Failed("build", _told(error, work.files))
    if first is not None:
        work.fail(first.stage, first.cause, first.output, first.raised)
    return None


def _is_too_large(built: Built, found: Fed | _Failed, work: Work) -> bool:
    """Whether a model failed for want of memory that its weights take a good part of."""
    weights = sum(each.numel() * each.element_size() for each in built.module.parameters())
    return (
        isinstance(found, _Failed)
        and "memory" in found.cause
        and weights > work.options.memory * _LARGE
    )


def _found(work: Work, built: Built, setting: Mapping[str, Any]) -> Fed | _Failed:
    """What the model runs on, found in a child."""

    def feeding(send: Send) -> None:
        try:
            if "inputs" in setting:
                fed = search.configured(
                    built.module, *_given(setting["inputs"], built.module), work.files
                )
            else:
                fed = search.search(built, work.files, work.left() * _SEARCH_SHARE)
            send({"fed": wire.packed(fed)})
        except NotFedError as error:
            send({"unfed": [error.stage, str(error), wire.packed(error.raised)]})

    sent, ending = work.step(feeding, work.left())
    for message in sent:
        if "fed" in message:
            return _received(message["fed"])
        if "unfed" in message:
            stage, cause, raised = message["unfed"]
            return _Failed(stage, cause, ending.output, tuple(map(wire.event, raised)))
    return _Failed("stopped", ending.cause or "it sent nothing", ending.output)


def _received(data: Mapping[str, Any]) -> Fed:
    parts = {name: tuple(map(wire.given, data.get(name, ()))) for name in ("inputs", "named")}
    return Fed(**{**data, **parts})


def _given(inputs: list[Any], module: nn.Module) -> tuple[tuple[Input, ...], dict[str, int]]:
    """The configured inputs, by the names of the parameters that they are for."""
    names = named(module, len(inputs))
    parsed = [argument(written, name) for written, name in zip(inputs, names, strict=True)]
    sizes = {name: size for _, found in parsed for name, size in found.items()}
    return tuple(part for parts, _ in parsed for part in parts), sizes


def _told(error: BaseException, files: Files) -> str:
    site = files.of_error(error)
    where = f" ({site.path}:{site.row})" if site else ""
    return f"{shortened(error)}{where}"
