"""The version that `torch.__version__` is taken for, so that guards for older ones are decided."""

from __future__ import annotations

import re
from typing import Any

ASSUMED = "2.13.0"
"""The release that lintorch's statements were measured on."""
_NAMES = frozenset(
    {"torch.__version__", "torch.version.__version__", "torch.torch_version.__version__"}
)


class VersionText(str):
    """The text of a version, which compares as torch's own does: by its numbers, with any text."""

    __slots__ = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """What a release is ordered by: `(2, 13)` of `2.13.0+cpu`."""
        plain = re.match(r"v?\d+(\.\d+)*", self)
        found = [int(each) for each in re.findall(r"\d+", plain.group())] if plain else []
        while found and found[-1] == 0:
            found.pop()
        return tuple(found)

    def __lt__(self, other: Any) -> bool:
        return self.numbers < VersionText(other).numbers

    def __le__(self, other: Any) -> bool:
        return self.numbers <= VersionText(other).numbers

    def __gt__(self, other: Any) -> bool:
        return self.numbers > VersionText(other).numbers

    def __ge__(self, other: Any) -> bool:
        return self.numbers >= VersionText(other).numbers

    __eq__, __hash__ = str.__eq__, str.__hash__


def find_version(path: str) -> VersionText | None:
    """What a foreign name is, where it is torch's version."""
    return VersionText(ASSUMED) if path in _NAMES else None


def name_kind(value: object) -> str:
    """The name of the class whose methods a constant has."""
    return "str" if isinstance(value, str) else type(value).__name__
