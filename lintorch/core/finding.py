"""The values that flow through lintorch: from a Hit that a rule yields to a Finding that is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum

ADVICE = "advice"
"""What selects that which costs something and breaks nothing: notes, and rules that are off by default."""


class Severity(IntEnum):
    """How grave a finding is: costs something, likely breaks, breaks or gives wrong numbers."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


class Evidence(IntEnum):
    """What a finding rests on; each kind outweighs those before it."""

    SOURCE = 0
    TRACE = 1
    EXPORT = 2

    def __str__(self) -> str:
        return self.name.lower()


class Applicability(str, Enum):
    """What a fix promises: same meaning, maybe other numbers, or only to be shown."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"

    def __str__(self) -> str:
        return self.value


class Harm(IntEnum):
    """How an exporter treats a hazard, least grave first."""

    NOISY = 0
    """Right numbers, but a needless warning."""
    REFUSED = 1
    """The export raises."""
    FAILS = 2
    """The export succeeds, and what was exported raises where it runs, at other sizes or data."""
    WARNED = 3
    """Wrong numbers; a warning was the only sign."""
    AUTO = 4
    """Wrong numbers without a warning where sizes are left to `Dim.AUTO`; else right or refused."""
    SILENT = 5
    """Wrong numbers, and nothing says so."""


Sizes = tuple[str, ...]
"""The named sizes that a run changed at once, such as ("height", "width"); () for the first sizes."""


@dataclass(frozen=True, order=True)
class Place:
    """A span of a file: rows and columns from 1, columns in characters, the end exclusive."""

    path: str
    row: int
    column: int = 1
    end_row: int = 0
    end_column: int = 0
    cell: int = 0
    """The cell of a notebook that the rows count in, from 1; 0 in other files."""


OF_PROJECT = "project: "
"""What begins a cause that findings of several files may have in common."""


@dataclass(frozen=True)
class Edit:
    """Put `content` in place of the characters `start` to `end` (offsets into the decoded text)."""

    start: int
    end: int
    content: str


@dataclass(frozen=True)
class Fix:
    """Edits that belong together and what they promise."""

    message: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.SAFE
    verified: bool | None = None
    """Whether models compute the same with it; None where none was run, or none runs what it changes."""
    verification: str = ""
    """What was compared, what came out otherwise, or why nothing could be; "" where nobody asked."""


@dataclass(frozen=True)
class Hit:
    """What a detector yields: a node of its subject, what is wrong there, and maybe a fix.

    `harm` says for which exporters the hazard holds; without it the hazard is nobody's in
    particular and always reported. `severity` is only for hazards whose gravity depends on
    the form found; it outweighs the rule's. A hit that only `confirms` says nothing by itself:
    it joins a source hit on its line, and is dropped where there is none. One of the source waits
    for a run to find something on its lines, where that is not sure without one, and lends that
    its fix and its remedy.

    A source hit may say which `model` (as `file.py:Class`) and `exporter` it is about. What runs
    and trials of that model say under the same code then joins it, wherever they say it.

    `sizes` are those at which a run or trial showed it. A hit on a trial export may say by `tried`
    how the exporter treated the model, where that is not just what the outcome says. A `refusal`
    is told at one line, the first of those that it may be about. What stands `beside` the outcome
    of its trial does not explain that.
    """

    node: object
    message: str
    fix: Fix | None = None
    harm: Mapping[str, Harm] | None = None
    severity: Severity | None = None
    confirms: bool = False
    model: str | None = None
    exporter: str | None = None
    target: str | None = None
    """The runtime it is about; hits on one line about different runtimes are different findings."""
    sizes: tuple[Sizes, ...] = ()
    tried: Harm | None = None
    refusal: bool = False
    beside: bool = False
    detail: str = ""
    """What stands behind the message and a colon, and once where several say the same."""
    remedy: str | None = None
    """What to write instead, in words one can type; None for what the rule says of all its hits."""
    cause: str = ""
    """What several hits of one function have in common, whose messages differ; they are told once."""


@dataclass(frozen=True)
class Refuted:
    """What a detector yields where a run proves the source hit of that line, or model, harmless.

    What a trace proves holds for all exporters. What a trial proves holds for its own exporter, and
    only where the hit has a `Hazard`. `settles` is how many hits of the line it speaks of, 0 for all.
    """

    node: object
    reason: str
    target: str | None = None
    settles: int = 0


@dataclass(frozen=True)
class Hazard:
    """What befalls which exporter in use.

    `fine` are exporters in use that it does not befall. `refused` is the gravity where an export
    is refused, `fixed` the one that outweighs all. Of those `untried` no trial can tell: it exports
    with other sizes than the project may ask for.
    """

    harm: tuple[tuple[str, Harm], ...]
    fine: tuple[str, ...]
    refused: Severity
    fixed: Severity | None = None
    untried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Note:
    """What a weaker or further piece of evidence said, with the fields of the finding that said it."""

    evidence: Evidence
    said: str
    detail: str = ""
    model: str | None = None
    exporter: str | None = None
    hazard: Hazard | None = None
    tried: Harm | None = None
    sizes: tuple[Sizes, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One hazard at one place, with the strongest evidence there is for it.

    Reports make its message of what was `said`, of the `detail` and of its `hazard`.
    """

    code: str
    name: str
    said: str
    severity: Severity
    place: Place
    evidence: Evidence = Evidence.SOURCE
    model: str | None = None
    target: str | None = None
    exporter: str | None = None
    fix: Fix | None = None
    notes: tuple[Note, ...] = ()
    refuted: str | None = None
    """Why a trace withdrew this finding; None where it stands."""
    confirms: bool = False
    """Whether it only strengthens a finding of the source."""
    detail: str = ""
    hazard: Hazard | None = None
    """What befalls the exporters in use; None where it is nobody's in particular."""
    tried: Harm | None = None
    """How the exporter of a trial treated the model; None without one, or where it came out right."""
    sizes: tuple[Sizes, ...] = ()
    """Where a run or trial showed it; () where none did, or none can tell."""
    refusal: bool = False
    """Whether a trial was refused for this line or for another of which the same is said."""
    settles: int = 0
    """How many findings of its line it refutes, where it does; 0 for all."""
    beside: bool = False
    """Whether it tells of something else than why the trial came out as it did."""
    remedy: str = ""
    """What to write instead; it ends the message."""
    cause: str = ""
    """What it has in common with findings of the same function, or project, whose messages differ."""
    also: tuple[Place, ...] = ()
    """Further places where the same is to be said: of the same function, and copies of its lines elsewhere."""
