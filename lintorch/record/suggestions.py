"""The export call that is suggested for a model, and what came of running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lintorch.record.sites import Site


@dataclass(frozen=True)
class FixedSize:
    """A named size that the suggested call leaves fixed, though the model runs at others.

    `site` is the line that makes it so, and `why` what the exporter, or the comparison, says.
    """

    name: str
    size: int
    site: Site | None = None
    why: str = ""


UNWRITTEN = "no program can build the model"
"""What `refused` begins with where an argument cannot be written as text."""


@dataclass(frozen=True)
class Suggestion:
    """A program that builds, feeds and exports one model; `text` is "" where there is none, and `refused` says why.

    `compared` are all named sizes of each comparison with eager, those of the example first.
    `ran` says how the text itself ended, run by a Python of its own: "" where it did what was
    asked of it.
    """

    text: str = ""
    refused: str = ""
    site: Site | None = None
    """The line that makes an exporter refuse the model whatever is fixed."""
    ran: str = ""
    compared: tuple[Mapping[str, int], ...] = ()
    fixed: tuple[FixedSize, ...] = ()
    pruned: tuple[str, ...] = ()
    """Inputs that the exported file does not have, as nothing in the model uses them."""

    @property
    def builds(self) -> bool:
        """Whether a program can build the model; where none can, no exporter was asked."""
        return not self.refused.startswith(UNWRITTEN)

    @property
    def is_good(self) -> bool:
        """Whether there is a call, and it ran."""
        return bool(self.text) and not self.ran
