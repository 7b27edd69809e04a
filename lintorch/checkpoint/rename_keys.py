"""Guesses which keys of a checkpoint are which of a model, by shapes and order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_MOST_MODULES = 4000
_MOST_RULES = 12
Shape = tuple[int, ...] | None
_Signature = tuple[tuple[str, Shape], ...]


@dataclass(frozen=True)
class Renaming:
    """Keys of the checkpoint with those of the model that they probably are.

    `rules` are the beginnings of keys that make the same of them, in the order to apply them; empty
    where no few do.
    """

    pairs: tuple[tuple[str, str], ...]
    rules: tuple[tuple[str, str], ...] = ()

    def write_lines(self) -> Iterator[str]:
        """The Python lines that rename the keys of `state`."""
        if self.rules:
            yield "renamed = {"
            yield from (f"    {old!r}: {new!r}," for old, new in self.rules)
            yield "}"
            yield "for old, new in renamed.items():"
            yield "    state = {"
            yield "        new + key.removeprefix(old) if key.startswith(old) else key: value"
            yield "        for key, value in state.items()"
            yield "    }"
            return
        yield "renamed = {"
        yield from (f"    {old!r}: {new!r}," for old, new in self.pairs)
        yield "}"
        yield "state = {renamed.get(key, key): value for key, value in state.items()}"


def guess_renaming(given: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> Renaming | None:
    """Pair modules that have tensors of the same names and shapes, in the same order; None for none."""
    here, there = _group_by_module(given), _group_by_module(wanted)
    if not here or not there or max(len(here), len(there)) > _MOST_MODULES:
        return None
    modules = list(_pair_modules(here, there))
    pairs = tuple(
        (_join(old, leaf), _join(new, leaf)) for old, new in modules for leaf, _ in here[old]
    )
    if not pairs:
        return None
    return Renaming(pairs, _find_rules(modules, given, pairs))


def _group_by_module(keys: Mapping[str, Shape]) -> dict[str, _Signature]:
    found: dict[str, list[tuple[str, Shape]]] = {}
    for key, shape in keys.items():
        module, _, leaf = key.rpartition(".")
        found.setdefault(module, []).append((leaf, shape))
    return {module: tuple(sorted(leaves, key=str)) for module, leaves in found.items()}


def _pair_modules(
    here: Mapping[str, _Signature], there: Mapping[str, _Signature]
) -> Iterator[tuple[str, str]]:
    old, new = list(here), list(there)
    signatures = list(here.values()), list(there.values())
    matcher = SequenceMatcher(None, *signatures, autojunk=False)
    paired: set[int] = set()
    taken: set[int] = set()
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            paired.add(block.a + step)
            taken.add(block.b + step)
            yield old[block.a + step], new[block.b + step]
    yield from _pair_unique(
        [(old[n], each) for n, each in enumerate(signatures[0]) if n not in paired],
        [(new[n], each) for n, each in enumerate(signatures[1]) if n not in taken],
    )


def _pair_unique(
    here: Sequence[tuple[str, _Signature]], there: Sequence[tuple[str, _Signature]]
) -> Iterator[tuple[str, str]]:
    """Modules that were moved: of those that look alike there is one on each side."""
    signatures = [each for _, each in here], [each for _, each in there]
    homes = {signature: module for module, signature in there}
    for module, signature in here:
        if signatures[0].count(signature) == 1 == signatures[1].count(signature):
            yield module, homes[signature]


def _find_rules(
    modules: Sequence[tuple[str, str]],
    given: Mapping[str, Shape],
    pairs: Sequence[tuple[str, str]],
) -> tuple[tuple[str, str], ...]:
    """Beginnings that turn each key into its pair and leave the others; none where that takes many."""
    rules = dict.fromkeys(_differing_heads(old, new) for old, new in modules)
    ordered = tuple(sorted(rules, key=lambda rule: -len(rule[0])))
    if len(ordered) > _MOST_RULES or len(ordered) >= len(modules) or any(not o for o, _ in ordered):
        return ()
    expected = {**{key: key for key in given}, **dict(pairs)}
    right = all(_apply(key, ordered) == new for key, new in expected.items())
    return ordered if right else ()


def _differing_heads(old: str, new: str) -> tuple[str, str]:
    """`backbone.layer1.conv` and `encoder.layer1.conv` differ in `backbone.` and `encoder.`."""
    here, there = old.split("."), new.split(".")
    while here and there and here[-1] == there[-1]:
        here.pop()
        there.pop()
    return _head(here), _head(there)


def _head(parts: Sequence[str]) -> str:
    return "".join(f"{part}." for part in parts)


def _apply(key: str, rules: Sequence[tuple[str, str]]) -> str:
    for old, new in rules:
        if key.startswith(old):
            key = new + key.removeprefix(old)
    return key


def _join(module: str, leaf: str) -> str:
    return f"{module}.{leaf}" if module else leaf
