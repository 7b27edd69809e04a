"""Whether a model is a decoder, by what it does: what it gives back is taken back, and grows by a token."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.decoding.cache_layout import CacheLayout, list_cached, read_layout
from lintorch.guest.decoding.decoder import Decoder, EmptyCache
from lintorch.guest.decoding.held_tensors import list_top_parts
from lintorch.guest.decoding.kept_past import keeps_past
from lintorch.guest.decoding.subject import LENGTH, LONGER, TEXTS, Subject, list_parameters
from lintorch.guest.export.compare_numbers import find_difference
from lintorch.record.decoders import BATCH, PAST, DecoderForm
from lintorch.record.models import Input, PlainArgument

_CACHE = re.compile(r"past|cache|kv|mems?$|present|state|intermediates|incremental")
_FLAG = re.compile(r"^(use|return|output|with)_.*(cache|kv|past|present|intermediates)|^use_cache$")
_MASKS = ("attention_mask",)
_RANGES = ("position_ids", "positions", "pos_ids", "input_pos", "cache_position")
_STARTS = re.compile(
    r"^(start_pos|start|offset|pos_offset|past_len(gth)?|cur_pos|position_offset)$"
)
_PLACES = re.compile(r"pos|mask|offset|start|index|step|length")
_NOTHING: Mapping[str, str | int] = {}
_MOST_PAIRS = 8
"""Arguments and parts of the output that are tried as a cache, of those that could be."""


@dataclass(frozen=True)
class Found:
    """A decoder, and how its cache is laid out; None where the module keeps it."""

    decoder: Decoder
    layout: CacheLayout | None
    tokens: Input

    @property
    def form(self) -> DecoderForm:
        """How it is called."""
        return self.decoder.form

    def lacks_arguments(self) -> bool:
        """Whether forward has an argument, not given, that may say where the tokens stand."""
        given = {self.form.mask, self.form.positions}
        names = {*list_parameters(self.decoder.module)} - given
        return any(_PLACES.search(name) for name in names)

    def take_module(self, module: nn.Module) -> Decoder:
        """The decoder with a copy of its module."""
        return replace(self.decoder, module=module)


def find_form(subject: Subject, written: Mapping[str, str | int] = _NOTHING) -> Found | None:
    """The first way of calling a model in which a step agrees with the whole; else one that runs.

    `written` names arguments, and the part of the output, that are to be taken.
    """
    first: Found | None = None
    for decoder in _list_decoders(subject):
        for found in _try_ways(subject, decoder):
            if any(getattr(found.form, name, value) != value for name, value in written.items()):
                continue
            if found.form.agrees:
                return found
            first = first or found
        if first is None and decoder.form.positions and keeps_past(subject, decoder):
            return Found(decoder, None, subject.tokens)
    return first


def take_form(subject: Subject, form: DecoderForm) -> Found | None:
    """The decoder of a form that is known; None where the model does not take it."""
    for decoder in _list_decoders(subject, form):
        whole = replace(decoder, form=form)
        layout = None if form.part is None else _read_layout(subject, whole)
        if layout is not None or form.part is None:
            return Found(whole, layout, subject.tokens)
    return None


def _list_decoders(subject: Subject, form: DecoderForm | None = None) -> Iterator[Decoder]:
    """With mask and positions as they may be taken, and without."""
    parameters = list_parameters(subject.module)
    forms = [form] if form else [*_list_forms(subject, parameters)]
    fed = {each.name: each for each in subject.inputs}
    cached = [
        name for name, p in parameters.items() if p.default is p.empty and _CACHE.search(name)
    ]
    for each in forms:
        known = {each.tokens, each.mask, each.positions, *cached}
        needed = [
            fed[name]
            for name, p in parameters.items()
            if name in fed
            and name not in known
            and (p.default is p.empty or "decoder" in each.tokens)
        ]
        beside = {g.name: _read_plain(g) for g in needed if isinstance(g, PlainArgument)}
        context = tuple(_name_context(g) for g in needed if isinstance(g, Input))
        decoder = Decoder(subject.module, each, beside, context)
        yield from _list_empty(subject, decoder, cached) if cached else [decoder]


def _list_empty(subject: Subject, decoder: Decoder, cached: list[str]) -> Iterator[Decoder]:
    """With a cache of no token for an argument that has to be given."""
    held = [g for g in subject.inputs if isinstance(g, Input) and g.name == cached[0]]
    batch = subject.tokens.shape[0]
    names = {n for g in held for n in g.shape if isinstance(n, str)} - {batch}
    for name in sorted(names - {subject.tokens.shape[1]}) or sorted(names):
        called = {batch: BATCH, name: PAST}
        if all(set(filter(_is_name, g.shape)) <= {batch, name} for g in held):
            inputs = tuple(
                replace(g, shape=tuple(called.get(size, size) for size in g.shape)) for g in held
            )
            form = replace(decoder.form, cache=cached[0])
            yield replace(decoder, form=form, empty=EmptyCache(inputs))


def _is_name(size: int | str) -> bool:
    return isinstance(size, str)


def _list_forms(subject: Subject, parameters: Mapping[str, Any]) -> Iterator[DecoderForm]:
    flags = tuple(n for n, p in parameters.items() if _FLAG.search(n) and not _is_needed(p))
    masks = ("decoder_attention_mask",) if subject.tokens.name.startswith("decoder") else _MASKS
    mask = next((name for name in masks if name in parameters), "")
    form = DecoderForm(subject.tokens.name, flags=flags, mask=mask)
    ranged = next((name for name in _RANGES if name in parameters), "")
    start = next((name for name in parameters if _STARTS.search(name)), "")
    if ranged:
        ways = ("batch", "range") if ranged.startswith("pos") else ("range", "batch")
        yield from (replace(form, positions=ranged, positions_are=way) for way in ways)
    if start:
        yield replace(form, positions=start, positions_are="start")
    if not (ranged and _is_needed(parameters[ranged])) and not (
        start and _is_needed(parameters[start])
    ):
        yield form


def _is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty


def _try_ways(subject: Subject, decoder: Decoder) -> Iterator[Found]:
    """Each part of what a prompt gives back, put into each argument that may be the cache."""
    try:
        output = _call_prompt(subject, decoder)
    except Exception:  # whatever user code raises
        return
    parts = [key for key, part in list_top_parts(output) if list_cached(part)]
    parts.sort(key=lambda key: not _CACHE.search(str(key)) if isinstance(key, str) else key == 0)
    parameters = list_parameters(subject.module)
    taken = {decoder.form.tokens, decoder.form.mask, decoder.form.positions, *decoder.form.flags}
    names = [n for n, p in parameters.items() if n not in taken and p.default is None]
    names = [decoder.form.cache] if decoder.empty else sorted(names, key=_is_unlikely)
    pairs = [(part, name) for part in parts for name in names]
    for part, name in pairs[:_MOST_PAIRS]:
        tried = replace(decoder, form=replace(decoder.form, cache=name, part=part))
        layout = _read_layout(subject, tried)
        if layout is not None and (agrees := _takes_back(subject, tried, layout)) is not None:
            whole = replace(tried, form=replace(tried.form, agrees=agrees))
            yield Found(whole, layout, subject.tokens)


def _is_unlikely(name: str) -> bool:
    return not _CACHE.search(name)


def _call_prompt(subject: Subject, decoder: Decoder) -> Any:
    """What the module itself gives back for a prompt."""
    tokens, form = subject.make_tokens(TEXTS, LENGTH), decoder.form
    named = {**decoder.beside, **dict.fromkeys(form.flags, True)}
    named |= decoder.make_beside(tokens, 0)
    if form.positions_are == "start":
        named[form.positions] = 0
    if decoder.empty:
        named[form.cache] = decoder.make_nothing(TEXTS)
    with torch.no_grad():
        return subject.module(**{form.tokens: tokens}, **named)


def _read_layout(subject: Subject, decoder: Decoder) -> CacheLayout | None:
    try:
        with torch.no_grad():
            kept = [
                decoder.begin(subject.make_tokens(batch, length)).cache
                for batch, length in ((TEXTS, LENGTH), (TEXTS + 1, LENGTH), (TEXTS, LONGER))
            ]
    except Exception:  # whatever user code raises
        return None
    return read_layout(*kept)


def _takes_back(subject: Subject, decoder: Decoder, layout: CacheLayout) -> bool | None:
    """Whether a step gives what the whole text gives; None where the cache does not grow by it."""
    tokens = subject.make_tokens(TEXTS, LONGER)
    try:
        with torch.no_grad():
            begun = decoder.begin(tokens[:, :LENGTH])
            cache = begun.cache
            for place in range(LENGTH, LONGER):
                step = decoder.go_on(tokens[:, place : place + 1], place, cache)
                cache = step.cache
                if layout.measure_past(layout.list_tensors(cache)) != place + 1:
                    return None
            whole = decoder.begin(tokens)
    except Exception:  # whatever user code raises
        return None
    return find_difference([whole.logits], [step.logits]) is None


def _read_plain(given: PlainArgument) -> Any:
    from lintorch.record.plain_values import evaluate_plain

    return evaluate_plain(given.value, {})


def _name_context(given: Input) -> Input:
    """What an encoder reads: its batch is the batch, its length its own."""
    shape = tuple(
        BATCH if n == 0 else "context" if isinstance(s, str) else s
        for n, s in enumerate(given.shape)
    )
    return replace(given, shape=shape)
