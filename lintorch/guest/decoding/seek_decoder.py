"""Looking for a decoder in a child, and having it again in the child that exports it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from torch import nn

from lintorch.guest.decoding.find_form import Found, find_form, take_form
from lintorch.guest.decoding.forgotten_past import find_forgotten_past
from lintorch.guest.decoding.halves import Half, make_halves
from lintorch.guest.decoding.subject import Subject, choose_subject
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process.isolate import Send
from lintorch.guest.watch.make_tensors import is_weightless
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.decoders import DecoderForm
from lintorch.record.events import PastForgotten
from lintorch.record.framing import Message
from lintorch.record.models import DecoderHalf, Model

_SHARE = 0.3
"""Of the time that is left for a model."""


class DecoderMessage(Message):
    """Base of what the process tells that looks for a decoder."""


@dataclass(frozen=True)
class DecoderSeen(DecoderMessage, tag="decoder"):
    """How the model takes a cache, and what its halves are fed."""

    form: DecoderForm
    halves: tuple[DecoderHalf, ...]


def seek_decoder(
    work: ModelWork, module: nn.Module, fed: Fed, setting: Mapping[str, Any]
) -> DecoderSeen | None:
    """The decoder that a model is; None where it is none, or nobody can tell in time."""
    subject = None if is_weightless(module) else choose_subject(module, fed.inputs)
    if subject is None or setting.get("decoder") is False:
        return None
    written = setting.get("decoder")

    def send_form(send: Send) -> None:
        found = find_form(subject, written if isinstance(written, Mapping) else {})
        if found is not None:
            halves = make_halves(found.decoder, found.layout, found.tokens)
            told = (DecoderHalf(half.name, half.inputs, half.sizes) for half in halves)
            send(DecoderSeen(found.form, tuple(told)))

    seconds = work.count_seconds_left() * _SHARE
    sent, _ = work.run_step(send_form, seconds, DecoderMessage)
    seen = [parcel.open_as(DecoderMessage) for parcel in sent]
    return next((each for each in seen if isinstance(each, DecoderSeen)), None)


def take_halves(module: nn.Module, model: Model) -> tuple[Half, ...]:
    """The halves of a model of which the form is known."""
    taken = take_decoder(module, model)
    if taken is None:
        return ()
    found, _ = taken
    return make_halves(found.decoder, found.layout, found.tokens)


def find_fact(module: nn.Module, model: Model, files: UserLines) -> PastForgotten | None:
    """Where a step behind the cache goes wrong, if it does and all that it may ask for is given."""
    taken = take_decoder(module, model)
    if taken is None or taken[0].form.agrees or taken[0].lacks_arguments():
        return None
    with suppress(Exception):  # whatever user code raises
        return find_forgotten_past(*taken, files)
    return None


def take_decoder(module: nn.Module, model: Model) -> tuple[Found, Subject] | None:
    """The decoder of a model of which the form is known."""
    subject = choose_subject(module, model.inputs)
    if subject is None or model.decoder is None:
        return None
    found = take_form(subject, model.decoder)
    return None if found is None else (found, subject)
