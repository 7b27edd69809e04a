"""The axes of an input by the words that a text has for them: which vary, under which name, and which are numbers."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from torch import nn

from lintorch.guest.construct.found_settings import FoundSettings
from lintorch.guest.feed.model_attributes import read_sides
from lintorch.guest.feed.said_shapes import SaidShape
from lintorch.record.input_notation import FIRST_SIZES

_BATCH = re.compile(r"b|bs|bsz|n|nb|nt|num_sims|(\w*_)?batch(es)?(_?size)?|(num_)?samples?")
_SURE_BATCH = re.compile(r"bs|bsz|(\w*_)?batch(es)?(_?size)?")
"""Words for samples wherever they stand: `(tgt_len, src_len, bsz, dim)`."""
_HEIGHT, _WIDTH = re.compile(r"h|(\w+_)?(h|height)"), re.compile(r"w|(\w+_)?(w|width)")
_DEPTH = re.compile(r"d|z|(\w+_)?depth")
_STEPS = re.compile(
    r"[tls]|ts|\w*len|len_\w+|\w*length|\w*time\w*|\w*seq\w*|\w*steps?|(\w+_)?(frames?|tokens?|words)"
)
_NUMBERED = re.compile(r"_?\d+$")
"""Of the words for two axes of a kind: `T_1`, `T_2`."""
_MANY = re.compile(
    r"[nmpvkje]|(num|n)_\w+|(\w+_)?(nodes?|points?|joints?|atoms?|edges?|vert\w+|pts)"
)
_FEATURES = re.compile(
    r"c|n?feats?|ch|cin|in_c|dim|(\w+_)?(c|ch|channels?|dims?|features?|hidden(_size)?|embed\w*|classes|size)"
)
_SIDE = re.compile(r"s|(\w*_)?(size|sz|res|resolution|side)|(img|image)size")
"""Words for a side of an image that is as high as it is wide."""
_CHANNELS_OF_SERIES = (
    *("feature_size", "enc_in", "n_vars", "num_vars", "num_features", "n_features", "in_features"),
    *("num_channels", "n_channels", "in_channels", "input_size", "input_dim", "in_dim", "c_in"),
)
"""Names by which models keep how many values a step of a series has, the surest first."""
_ARGUMENTS_OF_LETTERS = {
    "c": re.compile(r"in_(channels?|ch|chans?|c|planes)|c_in|n_channels"),
    "v": re.compile(r"(num|n)_?(points?|joints?|nodes?|vert\w+)"),
    "m": re.compile(r"(num|n)_?(persons?|people|bodies|instances)"),
}
"""Arguments of constructors that say how many there are of what a letter stands for."""
_OTHER_SIZE, _FEATURE_SIZE = 16, 8
_SETTINGS = re.compile(r"hps?|h?params?|hyper\w*|cfg|conf(ig)?|opts?|args", re.IGNORECASE)
"""Names that a file has its settings by."""
_DEEPEST_SETTING = 4
"""Settings inside each other among which numbers are looked for."""


class AxisNamer:
    """Names axes for one model: the same word is one size in all of its inputs.

    `known` are numbers that the model has by such names, and `channels` what its first layer takes.
    """

    def __init__(self, module: nn.Module, arguments: Mapping[str, Any], channels: int) -> None:
        self._module, self._arguments, self._channels = module, arguments, channels
        self._kept = read_sides(module, arguments)
        self._named: dict[str, int | str] = {}
        self.sizes: dict[str, int] = {"batch": FIRST_SIZES["batch"]}

    def name_axes(self, axes: SaidShape, whole: bool) -> tuple[int | str, ...]:
        """The shape of one input; `whole` where it holds whole numbers."""
        axes = _name_alike_sides(axes)
        words = [axis.lower().removesuffix("_in") for axis in axes]
        first = -1 if self._is_other(words[0]) else 0
        batch = next((n for n, word in enumerate(words[:2]) if _BATCH.fullmatch(word)), first)
        if batch < 0:
            batch = next((n for n, w in enumerate(words[:-1]) if _SURE_BATCH.fullmatch(w)), batch)
        return tuple(
            "batch" if number == batch else self._name_axis(axes[number], words, number, whole)
            for number in range(len(axes))
        )

    def _is_other(self, word: str) -> bool:
        """Whether a word is for anything but a batch."""
        others = (_STEPS, _MANY, _FEATURES, _HEIGHT)
        is_known = bool(_find_known(word, self._module, self._arguments))
        return is_known or word.isdigit() or any(each.fullmatch(word) for each in others)

    def _name_axis(self, axis: str, words: Sequence[str], number: int, whole: bool) -> int | str:
        word = words[number]
        if word.isdigit():
            return int(word)
        if axis not in self._named:
            self._named[axis] = self._find_axis(axis, words, number, whole)
        return self._named[axis]

    def _find_axis(self, axis: str, words: Sequence[str], number: int, whole: bool) -> int | str:
        word = words[number]
        image = len(words) >= 3 and any(_WIDTH.fullmatch(each) for each in words)
        for pattern, name in ((_HEIGHT, "height"), (_WIDTH, "width"), (_DEPTH, "depth")):
            if image and pattern.fullmatch(word):
                return self._add(name)
        if known := _find_known(axis, self._module, self._arguments):
            return known
        if _STEPS.fullmatch(_NUMBERED.sub("", word)):
            last = number == len(words) - 1 and len(words) > 2 and not whole
            return self._add("length" if last else "sequence")
        if _FEATURES.fullmatch(re.sub("^(num|n)_", "", word)):
            return self._find_series_channels(words, number) or self._channels or _FEATURE_SIZE
        if _MANY.fullmatch(word) or not word.isidentifier():
            return self._add(re.sub(r"^(?=\d)|\W", "_", word))
        return _FEATURE_SIZE

    def _find_series_channels(self, words: Sequence[str], number: int) -> int:
        """How many values each step of a series has, as the model keeps it; 0 of anything else."""
        steps = any(_STEPS.fullmatch(_NUMBERED.sub("", word)) for word in words[:-1])
        if number != len(words) - 1 or not steps:
            return 0
        found = (_find_known(name, self._module, {}) for name in _CHANNELS_OF_SERIES)
        return next(filter(None, found), 0)

    def _add(self, name: str) -> str:
        """A name that no other word has."""
        while name in self._named.values():
            name += "_"
        first = self._kept.get(name) if name in ("sequence", "length") else None
        self.sizes[name] = first or FIRST_SIZES.get(name.strip("_"), _OTHER_SIZE)
        return name


def _name_alike_sides(axes: SaidShape) -> SaidShape:
    """The axes, with two names for the sides of an image that a text calls alike: `(N, 3, image_size, image_size)`."""
    pairs = enumerate(itertools.pairwise(axes))
    for number, (one, other) in pairs if len(axes) > 3 else ():
        if one == other and _SIDE.fullmatch(one.lower()):
            return (*axes[:number], "height", "width", *axes[number + 2 :])
    return axes


def _find_known(word: str, module: nn.Module, arguments: Mapping[str, Any]) -> int:
    """The number that the model, or its constructor, has by that name; 0 where there is none."""
    spelled = {word, word.lower()}
    held = (vars(module).get(name) for name in spelled)
    letter = _ARGUMENTS_OF_LETTERS.get(word.lower())
    given = (
        n for name, n in arguments.items() if name in spelled or (letter and letter.fullmatch(name))
    )
    found = (n for n in (*given, *held) if type(n) is int and n > 0)
    for sign, join in (("+", _add_up), ("*", prod)):
        parts = [part.strip() for part in word.split(sign)]
        if len(parts) > 1:
            return join(int(p) if p.isdigit() else _find_known(p, module, arguments) for p in parts)
    return next(found, 0) or _find_kept_setting(spelled, module) or _find_in_file(spelled, module)


def _add_up(terms: Iterable[int]) -> int:
    """The sum of sizes; 0 where one is not known."""
    known = [*terms]
    return sum(known) if all(known) else 0


def _find_in_file(names: set[str], module: nn.Module) -> int:
    """The number of that name among the settings that the file of a model, or of a part, has: `n_mels` of `hp`."""
    files = {type(part).__module__ for part in nn.Module.modules(module)}
    holders = (
        value
        for file in files
        if not file.startswith("torch.")
        for key, value in vars(sys.modules.get(file, sys)).items()
        if _SETTINGS.fullmatch(key)
    )
    found = {getattr(held, name, None) for held in holders for name in names}
    numbers = {n for n in found if type(n) is int and n > 0}
    return numbers.pop() if len(numbers) == 1 else 0


def _find_kept_setting(names: set[str], module: nn.Module) -> int:
    """The number of that name among settings that the model keeps: `audio.num_freq` of `self.hp`; 0 where several differ."""
    held = [value for value in vars(module).values() if isinstance(value, FoundSettings)]
    found: set[int] = set()
    for _ in range(_DEEPEST_SETTING):
        found |= {
            n for each in held for name, n in each.items() if name in names and type(n) is int
        }
        held = [n for each in held for n in each.values() if isinstance(n, FoundSettings)]
    return found.pop() if len(found) == 1 and min(found) > 0 else 0
