"""A checkpoint as it is reported: what is in the file, and what torch will say to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lintorch.checkpoint.dtypes import BYTES
from lintorch.checkpoint.judge_globals import RefusedGlobal, judge_globals, spell_array_type
from lintorch.checkpoint.list_tensors import VisitBudget, as_tensor, list_fields
from lintorch.checkpoint.persistent_storages import count_bytes
from lintorch.checkpoint.prefixes import Prefix, find_prefixes
from lintorch.checkpoint.raw_file import RawFile
from lintorch.checkpoint.recognize import read_file
from lintorch.checkpoint.sections import Section, list_sections, shorten
from lintorch.checkpoint.values import Made, Storage, Table, Tensor

_WEIGHTS = ("weights", "model", "average")
_MOST_PLAIN = 40


class NoSectionError(Exception):
    """No part of the file has the name that was asked for; says which there are."""


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds.

    `chosen` are the weights that a model would be loaded with; None where there are none.
    `obstacles` are what torch.load(weights_only=True) does not take even where all `refused`
    classes and functions are admitted. `plain` are other values at the top, by name.
    """

    path: str
    raw: RawFile
    sections: tuple[Section, ...] = ()
    chosen: Section | None = None
    prefixes: tuple[Prefix, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[RefusedGlobal, ...] = ()
    obstacles: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether there is nothing to tell: torch.load takes it, and the file is whole."""
        return not (self.refused or self.obstacles or self.problems or self.raw.refusal)

    @property
    def is_dangerous(self) -> bool:
        """Whether the file names what can run code."""
        return any(each.verdict == "dangerous" for each in self.refused)


def read_checkpoint(path: str, name: str = "") -> Checkpoint:
    """Read a file, of which the part called `name` is what a model would be loaded with.

    Raises CheckpointError, NoSectionError, or OSError.
    """
    raw = read_file(path)
    sections = tuple(list_sections(raw.root, VisitBudget()))
    chosen = _choose_section(sections, name)
    refused, obstacles = _list_refused(raw)
    keys = [key for key, _ in chosen.tensors] if chosen else []
    problems = (*raw.problems, *_check_extents(sections))
    prefixes = find_prefixes(keys) if len(keys) > 1 else ()
    plain = _list_plain(raw)
    return Checkpoint(path, raw, sections, chosen, prefixes, plain, refused, obstacles, problems)


def count_numbers(tensors: Iterable[tuple[str, Tensor]]) -> int:
    """How many numbers tensors have, shared ones as often as they are named."""
    return sum(tensor.count for _, tensor in tensors)


def measure_bytes(tensors: Iterable[tuple[str, Tensor]]) -> int:
    """What tensors take: each storage once."""
    listed = [tensor for _, tensor in tensors]
    storages = {each.storage.key: each.storage for each in listed if each.storage is not None}
    loose = sum(each.count * BYTES.get(each.dtype, 0) for each in listed if each.storage is None)
    return loose + sum(map(count_bytes, storages.values()))


def count_types(tensors: Iterable[tuple[str, Tensor]]) -> Mapping[str, int]:
    """Tensors by the type of their numbers, the most frequent first."""
    return dict(Counter(tensor.dtype for _, tensor in tensors).most_common())


def list_devices(tensors: Iterable[tuple[str, Tensor]]) -> tuple[str, ...]:
    """The devices that tensors were on when they were saved."""
    return tuple(dict.fromkeys(tensor.device for _, tensor in tensors if tensor.device))


def list_shared(tensors: Iterable[tuple[str, Tensor]]) -> tuple[tuple[str, ...], ...]:
    """Names of tensors that have the same numbers."""
    by_storage: dict[Storage, list[str]] = defaultdict(list)
    for name, tensor in tensors:
        if tensor.storage is not None and tensor.storage.count:
            by_storage[tensor.storage].append(name)
    return tuple(tuple(names) for names in by_storage.values() if names[1:])


def _choose_section(sections: tuple[Section, ...], name: str) -> Section | None:
    """The part that was asked for, else the largest weights that are no average."""
    if name:
        for section in sections:
            if section.name == name and section.tensors:
                return section
        names = ", ".join(each.name for each in sections if each.tensors and each.name)
        raise NoSectionError(f"it has no part {name!r} with tensors: {names or 'only one'}")
    weights = [section for section in sections if section.kind in _WEIGHTS]
    plain = [section for section in weights if section.kind != "average"] or weights
    return max(plain, key=lambda each: count_numbers(each.tensors), default=None)


def _list_refused(raw: RawFile) -> tuple[tuple[RefusedGlobal, ...], tuple[str, ...]]:
    if raw.weights_only is None:
        return (), ()
    refused = judge_globals(raw.weights_only.refused)
    codes = raw.weights_only.array_types if refused else ()
    named = {each.path for each in refused}
    types = [] if "numpy.dtype" not in named else [spell_array_type(code) for code in codes]
    return (*refused, *types), tuple(raw.weights_only.obstacles)


def _check_extents(sections: Iterable[Section]) -> tuple[str, ...]:
    """Tensors that reach beyond their storage."""
    found = []
    for section in sections:
        for name, tensor in section.tensors:
            storage = tensor.storage
            if storage is None or not tensor.stride or not tensor.count:
                continue
            room = count_bytes(storage) // BYTES.get(tensor.dtype, 1)
            last = tensor.offset + sum(
                (n - 1) * s for n, s in zip(tensor.shape, tensor.stride, strict=True)
            )
            if last >= room:
                found.append(f"{name[:80]} reaches beyond its storage, which has {room:,} numbers")
    return tuple(found)


def _list_plain(raw: RawFile) -> dict[str, str]:
    """What stands at the top that is no tensor and holds none."""
    if not isinstance(raw.root, Table):
        return {}
    found = {}
    for key, value in list_fields(raw.root):
        simple = value is None or isinstance(value, (bool, int, float, str))
        if (simple or (isinstance(value, Made) and as_tensor(value) is None)) and value is not None:
            found[key[:80]] = shorten(value)
        if len(found) == _MOST_PLAIN:
            break
    return found
