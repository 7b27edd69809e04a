"""A model is built and fed: by one way after the other until it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from lintorch.guest.construct.make_model import Built, NotAModelError
from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.construct.parameters import name_arguments
from lintorch.guest.feed import search_inputs
from lintorch.guest.feed.begun_state import note_beginning, repeat_beginning
from lintorch.guest.feed.first_training_run import repeat_training_run
from lintorch.guest.feed.plain_forward import take_plain
from lintorch.guest.feed.search_inputs import NotFedError
from lintorch.guest.feed.settle_model import sum_weights
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.imports import named_devices
from lintorch.guest.imports.name_missing import name_missing
from lintorch.guest.imports.user_frames import name_line
from lintorch.guest.model_work import LEAST_SECONDS, ModelWork
from lintorch.guest.process.assumptions import note_assumption
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import format_traceback, is_of_memory
from lintorch.guest.process.isolate import Send
from lintorch.guest.watch.trace_graphs import shorten_error
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import Raised
from lintorch.record.framing import Message
from lintorch.record.input_notation import parse_argument
from lintorch.record.models import FedArgument, Stage

_SEARCH_SHARE = 0.5
"""Of the seconds left: the search ends by then of itself, before the child that it runs in is ended."""
_LARGE_SHARE = 0.2
"""The share of the memory it may take from which a model's weights are large."""


class FeedingMessage(Message):
    """Base of what the process tells that looks for inputs."""


@dataclass(frozen=True)
class InputsFound(FeedingMessage, tag="fed"):
    """The model runs on these."""

    fed: Fed


@dataclass(frozen=True)
class InputsMissing(FeedingMessage, tag="unfed"):
    """Why a model could not be fed, or built."""

    stage: Stage
    cause: str
    output: str = ""
    raised: tuple[Raised, ...] = ()
    limit: str = ""
    traceback: str = ""


def feed_model(
    work: ModelWork,
    makes: Callable[[], Iterator[Built]],
    setting: Mapping[str, Any],
    name: Callable[[nn.Module], ModelIdentity | None],
) -> tuple[ModelWork, Built, Fed] | None:
    """The model, by the `name` it has once built, and what it runs on.

    None where there is neither, which has been told; a model without a name is passed over.
    """
    first: InputsMissing | None = None
    raised: tuple[Raised, ...] = ()
    try:
        for built in makes():
            identity = name(built.module.eval())
            if identity is None:
                return None
            work = replace(work, identity=identity)
            take_plain(built.module, built.example_inputs)
            found = _search_in_child(work, built, setting)
            if _is_too_large(built, found, work):  # without their values, the weights take no room
                built.module.to("meta")
                again = _search_in_child(work, built, setting)
                found = again if isinstance(again, Fed) else found
            if isinstance(found, Fed):
                _note_source(built, found)
                return work, built, replace(found, raised=raised)
            first = first or found
            if built.like.source and found.raised:
                raised += found.raised
                note_assumption(f"not as {built.like.source} builds it, which did not run")
            if clock() + LEAST_SECONDS > work.deadline:
                break
    except BaseException as error:  # whatever user code raises, SystemExit too
        if isinstance(error, NotAModelError) and not setting and not work.options.only:
            return None  # its name is one of a factory, such as get_args
        error = name_missing(error)
        limit = "memory" if is_of_memory(error) else ""
        where = _describe_line(error, work.files)
        first = first or (
            _report_limit(limit, where, work)
            if limit
            else InputsMissing(
                "build", f"{shorten_error(error)}{where}", traceback=format_traceback(error)
            )
        )
    if first is not None:
        work.send_failure(first.stage, first.cause, first.output, first.raised, first.traceback)
    return None


def _note_source(built: Built, fed: Fed) -> None:
    """Say which call of the project the model was built like, and fed like."""
    like = [
        word
        for word, is_like in (("arguments", bool(built.recipe.kwargs)), ("inputs", fed.followed))
        if is_like and built.like.source
    ]
    if like:
        note_assumption(f"{' and '.join(like)} from {built.like.source}")


def _is_too_large(built: Built, found: Fed | InputsMissing, work: ModelWork) -> bool:
    """Whether a model failed for want of memory that its weights take a good part of."""
    weights = sum(each.numel() * each.element_size() for each in built.module.parameters())
    return (
        isinstance(found, InputsMissing)
        and "memory" in found.cause
        and weights > work.options.limits.memory * _LARGE_SHARE
    )


def _search_in_child(
    work: ModelWork, built: Built, setting: Mapping[str, Any]
) -> Fed | InputsMissing:
    """What the model runs on, found in a child."""
    left = work.count_seconds_left()

    def send_inputs(send: Send) -> None:
        before = sum_weights(built.module)
        try:
            if "inputs" in setting:
                fed = search_inputs.check_configured(
                    built.module, *_parse_configured(setting["inputs"], built.module), work.files
                )
            else:
                fed = search_inputs.search_inputs(built, work.files, left * _SEARCH_SHARE)
            moving = sum_weights(built.module) != before
            send(InputsFound(replace(fed, on_cpu=named_devices.find_place(), moving=moving)))
        except NotFedError as error:
            stage, cause = error.stage, str(error)
            send(InputsMissing(stage, cause, "", error.raised, error.limit, error.traceback))

    sent, ending = work.run_step(send_inputs, left, FeedingMessage)
    for parcel in sent:
        match parcel.open_as(FeedingMessage):
            case InputsFound(found):
                named_devices.make_tensors_on_cpu(found.on_cpu)
                repeat_training_run(built.module, found)
                if repeat_beginning(built.module, found.begun):
                    note_beginning(found.begun)
                return found
            case InputsMissing() as failed if failed.limit:
                return _report_limit(failed.limit, failed.cause, work)
            case InputsMissing() as failed:
                return replace(failed, output=ending.output)
    return InputsMissing("stopped", ending.cause or "it sent nothing", ending.output)


def _parse_configured(
    inputs: list[Any], module: nn.Module
) -> tuple[tuple[FedArgument, ...], dict[str, int]]:
    """The configured inputs, by the names of the parameters that they are for."""
    names = name_arguments(module, len(inputs))
    parsed = [parse_argument(written, name) for written, name in zip(inputs, names, strict=True)]
    sizes = {name: size for _, found in parsed for name, size in found.items()}
    return tuple(part for parts, _ in parsed for part in parts), sizes


def _report_limit(limit: str, where: str, work: ModelWork) -> InputsMissing:
    """That a limit was met, as it was set."""
    limits = work.options.limits
    cause = (
        limits.space.describe_overuse(where)
        if limit == "memory"
        else limits.time.describe_timeout(where)
    )
    return InputsMissing("stopped", cause, limit=limit)


def _describe_line(error: BaseException, files: UserLines) -> str:
    site = files.of_error(error)
    return f" ({name_line(site)})" if site else ""
