"""Limits in words: as they were set, and the setting that raises them."""

from __future__ import annotations

from dataclasses import dataclass


def size_in_words(size: int) -> str:
    """`size` bytes as people write it: "8 GiB"."""
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"


@dataclass(frozen=True)
class Limit:
    """One limit as it was set, and the setting that raises it: ("8 s", "trace-seconds")."""

    amount: str
    setting: str

    def describe_timeout(self, where: str = "") -> str:
        """That the time was up; `where` is a line in parentheses."""
        return f"it did not finish within {self.amount}{where}{self._raised}"

    def describe_overuse(self, where: str = "") -> str:
        """That the memory was used up."""
        return f"it used more than {self.amount} of memory{where}{self._raised}"

    @property
    def _raised(self) -> str:
        return f"; `{self.setting}` raises this limit" if self.setting else ""


def seconds_limit(seconds: float, setting: str = "") -> Limit:
    """A limit of time."""
    return Limit(f"{seconds:g} s", setting)


def memory_limit(size: int, setting: str = "") -> Limit:
    """A limit of memory, in bytes."""
    return Limit(size_in_words(size), setting)
