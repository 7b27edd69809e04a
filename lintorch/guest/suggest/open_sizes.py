"""Which of a model's sizes an export can leave open: as many as come out right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import UserFile, find_site_in_text
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.shape_constraints import list_fixed_sizes
from lintorch.guest.export.size_conditions import SizeCondition, name_conditions
from lintorch.guest.export.size_guards import GuardLog
from lintorch.guest.export.try_exporter import run_exporter
from lintorch.guest.export.verdict_on_export import judge_export
from lintorch.record.outcomes import Outcome
from lintorch.record.sites import Site
from lintorch.record.suggestions import FixedSize

_IDLE = "forward itself refuses every other size that was tried, with those above as they are"
MakeJob = Callable[[Any, frozenset[str]], Job]
"""From a copy of the module, and the names of the sizes that are open, to the export."""


@dataclass(frozen=True)
class Attempt:
    """One export with some sizes open. `blamed` are those of them that it could not keep so."""

    open: frozenset[str]
    outcome: Outcome
    conditions: tuple[SizeCondition, ...] = ()
    blamed: frozenset[str] = frozenset()
    site: Site | None = None

    @property
    def is_right(self) -> bool:
        """Whether it gives eager's numbers wherever it was compared."""
        return self.outcome.status in ("ok", "random")


@dataclass
class Attempts:
    """Exports of one model with one exporter, each judged at the sizes that it leaves open."""

    exporter: str
    make_job: MakeJob
    module: Any
    eager: Eager
    others: Sequence[NamedSizes]
    user_file: UserFile
    is_late: Callable[[], bool]
    made: dict[frozenset[str], Attempt] = field(default_factory=dict)

    def export_with(self, names: frozenset[str]) -> Attempt:
        """The export in which these sizes are open, and all others those of the example."""
        if names not in self.made:
            self.made[names] = self._export(names)
        return self.made[names]

    def list_sizes(self, names: frozenset[str]) -> list[NamedSizes]:
        """The sizes to compare at where only these vary, as far as the model itself takes them."""
        return [at for at in self._list_varied(names) if self._runs_at(at)]

    def list_idle(self, names: frozenset[str]) -> frozenset[str]:
        """Those of these sizes that the model takes no other value of while all but these are as in the example."""
        first = self.eager.model.sizes
        varied = {n for at in self._list_varied(names) for n in names if at[n] != first[n]}
        taken = {n for at in self.list_sizes(names) for n in names if at[n] != first[n]}
        return frozenset(varied - taken)

    def _list_varied(self, names: frozenset[str]) -> list[NamedSizes]:
        first = self.eager.model.sizes
        found = [{n: at[n] if n in names else first[n] for n in first} for at in self.others]
        return [at for number, at in enumerate(found) if at != first and at not in found[:number]]

    def _runs_at(self, sizes: NamedSizes) -> bool:
        try:
            self.eager.list_numbers_at(sizes)
        except Exception:  # whatever user code raises
            return False
        return True

    def _export(self, names: frozenset[str]) -> Attempt:
        heard: list[BaseException] = []
        with copy_module(self.module) as copied:
            job = replace(self.make_job(copied, names), guards=GuardLog())
            made = run_exporter(self.exporter, job, self.user_file, heard.append)
        fixed = frozenset(name for error in heard for name in list_fixed_sizes(error, job))
        if isinstance(made, Outcome):
            return Attempt(names, made, blamed=fixed & names, site=made.site)
        outcome = judge_export(self.exporter, made, self.eager, self.list_sizes(names), False)
        changed = frozenset(name for each in outcome.wrong for name in each.at.changed)
        conditions = name_conditions(job)
        stack = next((each.stack for each in conditions if each.names & changed), "")
        site = find_site_in_text(stack, self.user_file) if stack else None
        return Attempt(names, outcome, conditions, changed & names, site)


def find_open_sizes(attempts: Attempts, names: frozenset[str]) -> tuple[Attempt, list[FixedSize]]:
    """The attempt that is right with the most of these open, and the sizes fixed for it, each with its reason.

    Where none is right, the last one. A size that an exporter names is fixed at once; where several
    may be to blame, each is tried alone first.
    """
    fixed: list[FixedSize] = []
    sizes = attempts.eager.model.sizes
    while True:
        attempt = attempts.export_with(names)
        idle = attempts.list_idle(names) if attempt.is_right and fixed else frozenset()
        if idle and not attempts.is_late():
            fixed += (FixedSize(name, sizes[name], None, _IDLE) for name in sorted(idle))
            names -= idle
            continue
        if attempt.is_right or not names or attempts.is_late():
            return attempt, fixed
        blamed = _find_culprits(attempts, attempt)
        why = attempt.outcome.message or attempt.outcome.detail
        fixed += (FixedSize(name, sizes[name], attempt.site, why) for name in sorted(blamed))
        names -= blamed


def _find_culprits(attempts: Attempts, attempt: Attempt) -> frozenset[str]:
    """Of the sizes that an export could not keep open: one without which it is right, else all of them."""
    blamed = attempt.blamed or attempt.open
    if len(blamed) > 1 and (attempt.outcome.status == "wrong" or not attempt.blamed):
        for name in sorted(blamed):
            if attempts.is_late():
                break
            if attempts.export_with(attempt.open - {name}).is_right:
                return frozenset({name})
    return blamed
