"""Every model through every exporter: the value that `export` reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lintorch.core.cell_rows import CellRows
from lintorch.core.finding import Finding, Severity
from lintorch.core.profile import WRITES_ONNX
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.record.shard import WHOLE, Shard
from lintorch.record.timings import ModelTiming
from lintorch.report.forecast import OpsetForecast
from lintorch.report.model_graph import ModelGraph
from lintorch.report.result import Result
from lintorch.report.wording import write_message

OK, DOUBTFUL, LOSSY, WRONG, FAILED = "ok", "doubtful", "lossy", "wrong", "failed"
NOT_EAGER, STOPPED, UNAVAILABLE = "eager fails", "stopped", "unavailable"
STATUSES = (OK, DOUBTFUL, LOSSY, WRONG, FAILED, NOT_EAGER, STOPPED, UNAVAILABLE)


@dataclass(frozen=True)
class Tried:
    """One export that was tried, and what the rules say of it.

    `artifact` and `script` are the files that were written; "" where none was. `target` is the
    runtime release that it is judged for; "" where none is asked for, or the exporter writes no
    ONNX.
    """

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    artifact: str = ""
    script: str = ""
    target: str = ""
    needs: OpsetForecast | None = None
    """The lowest opset and the first releases of runtimes that take what was written; None of no ONNX file."""
    nodes: tuple[int, ...] = ()
    """The nodes of the model's graph at which it goes wrong, by their numbers."""

    @property
    def status(self) -> str:
        """One of `STATUSES`; a model that is itself random runs, and its numbers are not compared.

        What a target cannot run has failed for it, however right the file is; what it may not
        run is doubtful. Of an export that was stopped nothing is known.
        """
        if self.refusal is not None:
            return FAILED
        if self.outcome.stage == "stopped":
            return STOPPED
        if self.outcome.stage == "eager":
            return NOT_EAGER
        if self.outcome.status == OK and self.outcome.loss and self.outcome.loss.is_lossy:
            return LOSSY
        status = OK if self.outcome.status == "random" else self.outcome.status
        return DOUBTFUL if status == OK and self.doubt is not None else status

    @property
    def refusal(self) -> Finding | None:
        """Why the target cannot run what was written; None where it can, or there is no target."""
        written = self.outcome.status in (OK, "random", WRONG)
        grave = (f for f in self.findings if f.target and f.severity is Severity.ERROR)
        return next(grave, None) if written else None

    @property
    def doubt(self) -> Finding | None:
        """Why the target may not run what was written."""
        return next((f for f in self.findings if f.target and f.severity is Severity.WARNING), None)

    @property
    def against(self) -> Finding | None:
        """What the target makes of a file that is right: why it refuses it, or may."""
        return self.refusal or (self.doubt if self.status == DOUBTFUL else None)

    @property
    def told_as(self) -> str:
        """The exporter, and the type if it is not the model's own: `onnx float16`."""
        return f"{self.outcome.exporter} {self.outcome.precision}".strip()

    @property
    def column(self) -> str:
        """What it stands under: the exporter, the type if it is not the model's own, and the target if there is one."""
        exporter = self.told_as
        return f"{exporter} > {self.target}" if self.target else exporter

    def judge_for(self, targets: tuple[str, ...]) -> tuple[Tried, ...]:
        """The same export for each target, with what concerns that target."""
        if not targets or self.outcome.exporter not in WRITES_ONNX or self.outcome.precision:
            return (self,)
        return tuple(
            replace(
                self,
                findings=tuple(f for f in self.findings if f.target in (None, target)),
                target=target,
            )
            for target in targets
        )

    @property
    def message(self) -> str:
        """What the exporter, or the comparison, says."""
        if self.against is not None:
            return write_message(self.against)
        return self.outcome.message or self.outcome.detail


@dataclass(frozen=True)
class Row:
    """A model that ran, or why it did not; a file that cannot be imported has no model either."""

    model: Model | None
    failure: Failure | None = None
    problem: Finding | None = None
    """The finding that the failure is."""
    tried: tuple[Tried, ...] = ()
    place: tuple[int, int] = (0, 0)
    """The project that it is of, and the place in there of its table or file."""
    graph: ModelGraph | None = None
    findings: tuple[Finding, ...] = ()
    """What source, runs and trials say of the lines that it runs, where that was asked for."""
    timing: ModelTiming | None = None
    """How long it takes, where that was asked for."""

    @property
    def path(self) -> str:
        """The file it is in."""
        return (self.model or self.failure or _NOTHING).path

    @property
    def qualname(self) -> str:
        """Its class or factory; "" for a file."""
        return (self.model or self.failure or _NOTHING).qualname


_NOTHING = Failure("", "", 1, "build", "")


@dataclass(frozen=True)
class Before:
    """The record of an earlier run, as JSON holds it, and what it is called."""

    name: str
    record: Mapping[str, Any]


@dataclass(frozen=True)
class Matrix:
    """All rows, in the order they were found; `columns` in the order they were asked for.

    `errors` say what lintorch could not do, `notes` what it was not asked to, one line each.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: int = 0
    """How many were looked through for models."""
    cells: CellRows = field(default_factory=CellRows)
    """Of notebooks, whose rows above count in the modules of their cells, but for those of findings."""
    checked: Result | None = None
    """All findings of the files of the models, and their texts; None where nobody asked for them."""
    before: Before | None = None
    """What it is compared with."""
    shard: Shard = WHOLE
    """Which share of all it is."""
    link: str = ""
    """What the path of a file is put behind so that a browser shows it; "" where nothing is known of that."""

    def count_statuses(self) -> dict[str, int]:
        """How many exports came to each status, in the order of `STATUSES`."""
        counted = Counter(each.status for row in self.rows for each in row.tried)
        return {status: counted[status] for status in STATUSES if counted[status]}
