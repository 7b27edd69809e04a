"""The keys of a checkpoint against those of a model: what load_state_dict would say, and what it would not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lintorch.checkpoint.merged_branches import compare_forms
from lintorch.checkpoint.prefixes import Prefix, find_prefixes, strip_prefixes
from lintorch.checkpoint.rename_keys import Renaming, guess_renaming
from lintorch.checkpoint.sections import Section

_COUNTER = "num_batches_tracked"
_ORDERS = {2: ((1, 0),), 3: ((2, 1, 0), (0, 2, 1)), 4: ((3, 2, 0, 1), (0, 3, 1, 2))}
"""By the number of axes: from in, out to out, in; from kernel, in, out, and from out, kernel, in, to out, in, kernel."""
Shape = tuple[int, ...] | None
"""Of a tensor; None where the model decides it when it first runs."""


@dataclass(frozen=True)
class OtherShape:
    """A tensor that both have, with shapes that differ."""

    key: str
    here: tuple[int, ...]
    wanted: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The order of the file's axes that gives the model's shape, as other frameworks keep weights; () for none."""
        orders = _ORDERS.get(len(self.here), ()) if len(self.here) == len(self.wanted) else ()
        met = (each for each in orders if tuple(self.here[axis] for axis in each) == self.wanted)
        return next(met, ())


@dataclass(frozen=True)
class Comparison:
    """What becomes of a checkpoint in a model, once the `prefixes` are off its keys.

    `before` counts keys of the model that the checkpoint has as it is. `renaming` is a guess, by shape and order, of how
    keys of one are called in the other.
    """

    matched: tuple[str, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    other_shapes: tuple[OtherShape, ...]
    before: int
    wanted: int
    prefixes: tuple[Prefix, ...] = ()
    added: str = ""
    """What is to be put before all keys instead."""
    renaming: Renaming | None = None
    arrays: int = 0
    """How many of its values are NumPy arrays, which `load_state_dict` refuses."""
    plain: tuple[str, ...] = ()
    """Its keys that hold no tensor, which `load_state_dict` refuses too."""
    paired: bool = False
    """Whether it is a list of pairs, which is to be made a mapping."""
    branches: str = ""
    """What its blocks of branches and the model's differ in, where one of them has them merged."""

    @property
    def left(self) -> tuple[str, ...]:
        """Keys of the model that it lacks even with the renaming."""
        renamed = {new for _, new in self.renaming.pairs} if self.renaming else set()
        return tuple(key for key in self.missing if key not in renamed)

    @property
    def unused(self) -> tuple[str, ...]:
        """Its own keys that the model does not know even with the renaming."""
        renamed = {old for old, _ in self.renaming.pairs} if self.renaming else set()
        return tuple(key for key in self.unexpected if key not in renamed)

    @property
    def turned(self) -> tuple[OtherShape, ...]:
        """Those of other shapes whose axes stand in another order alone."""
        return tuple(each for each in self.other_shapes if each.order)

    @property
    def loads_as_it_is(self) -> bool:
        """Whether `load_state_dict` takes it without a change."""
        changed = self.prefixes or self.added or self.arrays or self.plain or self.paired
        return self.is_whole and not changed

    @property
    def is_whole(self) -> bool:
        """Whether it does once the prefixes are off, arrays are tensors, and what is no tensor is out."""
        return not (self.missing or self.unexpected or self.other_shapes)


def compare_keys(section: Section, model: Mapping[str, Shape]) -> Comparison:
    """What `model.load_state_dict` would say of the weights, by the shapes of both."""
    given = {key: tensor.shape for key, tensor in section.tensors}
    before = sum(key in given for key in model)
    prefixes, added = _fit_prefix(list(given), model)
    shapes = {added + strip_prefixes(key, prefixes): shape for key, shape in given.items()}
    absent = [key for key in model if key not in shapes]
    missing = [key for key in absent if not _is_filled_in(key, section)]
    unexpected = [key for key in shapes if key not in model]
    others = [
        OtherShape(key, shapes[key], wanted)
        for key, wanted in model.items()
        if wanted is not None and key in shapes and not _fits(shapes[key], wanted)
    ]
    wrong = {each.key for each in others}
    matched = [key for key in shapes if key in model and key not in wrong]
    renaming = guess_renaming(
        {key: shapes[key] for key in unexpected}, {key: model[key] for key in absent}
    )
    return Comparison(
        tuple(matched),
        tuple(missing),
        tuple(unexpected),
        tuple(others),
        before,
        len(model),
        prefixes,
        added,
        renaming,
        sum(tensor.kind == "numpy" for _, tensor in section.tensors),
        section.plain,
        section.paired,
        compare_forms(unexpected, missing),
    )


def _fit_prefix(keys: Sequence[str], model: Mapping[str, Shape]) -> tuple[tuple[Prefix, ...], str]:
    """What is to be taken off, or put on, so that most keys are those of the model."""
    tries: list[tuple[tuple[Prefix, ...], str]] = [((), "")]
    found = find_prefixes(keys)
    tries += [(found[:count], "") for count in range(1, len(found) + 1)]
    tries += [((Prefix(text, ""),), "") for text in _list_heads(keys)]
    tries += [((), text) for text in _list_heads(model)]

    def count_met(change: tuple[tuple[Prefix, ...], str]) -> int:
        prefixes, added = change
        return sum(added + strip_prefixes(key, prefixes) in model for key in keys)

    best = max(tries, key=count_met)
    wrappers = tuple(prefix for prefix in found if prefix.wrapper)
    return best if count_met(best) else (wrappers, "")


def _list_heads(keys: Sequence[str] | Mapping[str, Shape]) -> list[str]:
    """The first parts that all keys, or most of them, have: `model.`, `model.net.`."""
    first = next(iter(keys), "").split(".")[:-1]
    heads = [".".join(first[:count]) + "." for count in range(1, min(len(first), 4) + 1)]
    return [head for head in heads if 2 * sum(key.startswith(head) for key in keys) > len(keys)]


def _is_filled_in(key: str, section: Section) -> bool:
    """Whether a batch norm gets its counter where an older file has none."""
    module, _, name = key.rpartition(".")
    return name == _COUNTER and module not in section.versioned


def _fits(here: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Numbers without dimensions had one in torch 0.3."""
    return here == wanted or (wanted == () and here == (1,))
