"""What the server asks of its own processes, and what these tell; both cross a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lintorch.core.finding import Finding
from lintorch.files import FileText


@dataclass(frozen=True)
class LookJob:
    """Look at one of the open files.

    `texts` are those of all open files by absolute path, `ran` what runs of models said of this
    one. Where there is a `part`, only that is linted: the same text with the rest made blank.
    """

    path: str
    texts: Mapping[str, FileText]
    ran: tuple[Finding, ...] = ()
    part: str | None = None


@dataclass(frozen=True)
class FixJob:
    """Fix one of the open files as `check --fix` does."""

    path: str
    texts: Mapping[str, FileText]


@dataclass(frozen=True)
class ModelsJob:
    """List the classes of one of the open files that may be run as models."""

    path: str
    texts: Mapping[str, FileText]


@dataclass(frozen=True)
class PageJob:
    """The page of the rule that a code or a name means."""

    word: str


@dataclass(frozen=True)
class RunJob:
    """Run one model of a file as it lies on disk, and export it where `exports` says so.

    `known` is what is said of the file already.
    """

    path: str
    qualname: str
    exports: bool
    known: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class ModelClass:
    """A class of a file that may be run as a model, and the row of its name."""

    name: str
    row: int


@dataclass(frozen=True)
class Told:
    """What a look came to.

    `again` are other open files of which something else may hold now. A `problem` is what kept
    settings from being read; what was valid before holds then.
    """

    findings: tuple[Finding, ...] = ()
    again: tuple[str, ...] = ()
    urls: Mapping[str, str] = field(default_factory=dict)
    """By code, the address of its rule's page."""
    problem: str = ""


@dataclass(frozen=True)
class Ran:
    """What running a model came to: findings, and lines that say how it went."""

    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
