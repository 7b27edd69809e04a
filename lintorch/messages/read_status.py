"""What the number means by which a program tells why it failed: `status 0x12`, `code=3`, `failed -4`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lintorch.messages.message_kinds import parse_toml
from lintorch.messages.recognise import Recognised

_TABLE = Path(__file__).with_name("status_numbers.toml")
_GROUP = "code"
"""The group of a kind's pattern that holds the number."""


@dataclass(frozen=True)
class _Numbers:
    called: str
    meanings: Mapping[str, str]


def describe_status(found: Recognised) -> str:
    """A sentence; "" where the message names no number, or one that is not known."""
    numbers = _load_numbers().get(found.kind.full_name)
    written = found.groups.get(_GROUP, "").lower()
    if numbers is None or not written.lstrip("-").removeprefix("0x").isalnum():
        return ""
    try:
        number = int(written, 16 if "0x" in written else 10)
    except ValueError:
        return ""
    meaning = numbers.meanings.get(str(number))
    return f"{numbers.called} {written} is {meaning}." if meaning else ""


@functools.cache
def _load_numbers() -> Mapping[str, _Numbers]:
    """By the full name of a kind."""
    return {
        kind: _Numbers(each["called"], each["meanings"])
        for each in parse_toml(_TABLE)["status"]
        for kind in each["of"]
    }
