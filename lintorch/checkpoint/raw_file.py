"""A file as it was read: its format, what it describes, and where its numbers are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lintorch.checkpoint.values import Value
from lintorch.checkpoint.weights_only import WeightsOnly


@dataclass(frozen=True)
class RawFile:
    """`weights_only` is None where torch.load does not read the file by an unpickler.

    `places` says by storage where its bytes begin in the file, or which entry of the zip file
    holds them.
    """

    format: str
    root: Value = None
    about: Mapping[str, str] = field(default_factory=dict)
    weights_only: WeightsOnly | None = None
    problems: tuple[str, ...] = ()
    refusal: str = ""
    """Why torch.load(weights_only=True) does not take files of this format; "" where it does."""
    advice: str = ""
    """What reads it instead."""
    places: Mapping[str, int | str] = field(default_factory=dict)
    parts: tuple[tuple[str, RawFile], ...] = ()
    """The files that it was put together of, by path; their storages bear the number of the file: `1:0`."""
