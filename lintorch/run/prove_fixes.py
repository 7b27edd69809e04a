"""Holds the fixes of one file to their promise: safe ones that change what models compute are left out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lintorch.core.codes import FIX_CHANGES_NUMBERS
from lintorch.core.finding import Applicability, Finding, Place
from lintorch.core.text_rows import split_rows
from lintorch.host.reports import Report
from lintorch.run.describe_proof import (
    NO_PIECE,
    describe_equal,
    describe_uncovered,
    describe_verdicts,
)
from lintorch.run.fixed_rows import Rows, is_same_code, list_fixed_rows, stands_alone
from lintorch.run.mend_file import NO_KEYS, FileMending, FixKey, Mended, key_of
from lintorch.run.proof_bench import FileBench, Verdict
from lintorch.run.rule_catalog import engine_finding
from lintorch.run.sift_fixes import any_differs, pass_numbers, sift_fixes

_SAFE = frozenset({Applicability.SAFE})
_MOST_ALONE = 12
"""Unsafe fixes of a file that are tried one by one, at most, where together they change something."""
_SECONDS_ALONE = 60.0
"""For how long: those that are left are told with what they do together."""
_ONLY_COMMENTS = "the code is the same; only comments or spaces change"
Keys = frozenset[FixKey]


@dataclass(frozen=True)
class FixProof:
    """What came of verifying a fix; see `Fix.verified`."""

    verified: bool | None
    told: str
    may_go_in: bool = True
    """Whether it is put in where it is asked for: no safe fix that changes numbers, none that breaks a model or an export."""


@dataclass(frozen=True)
class ProvenFile:
    """The file with the fixes that may go in, and what is known of each fix."""

    mended: Mended
    proofs: dict[tuple[FixKey, int], FixProof]
    """By key of the finding, and its row in the text that it was found in."""
    later: dict[tuple[str, int], FixProof] = field(default_factory=dict)
    """Of a fix that went in behind another of the same lines: by its code, and the rows of the original."""
    defects: tuple[Finding, ...] = ()
    """A finding for each safe fix that was left out."""
    errors: tuple[str, ...] = ()


class FileProof:
    """Tries texts of one file on its models until it is known which fixes change what.

    `whole` is the file with all fixes that are allowed.
    """

    def __init__(
        self,
        mending: FileMending,
        bench: FileBench,
        allowed: frozenset[Applicability],
        whole: Mended,
    ) -> None:
        self._mending, self._bench, self._allowed = mending, bench, allowed
        self._whole = whole
        self._every = frozenset(list_keys(self._whole))

    def prove(self) -> ProvenFile:
        """Safe fixes together, then unsafe ones on top of them; each alone where that differs."""
        safe = frozenset(key for key, fix in _promises(self._whole).items() if fix in _SAFE)
        good, bad = self._sift_safe(safe)
        unsafe = sorted(self._every - safe)
        verdicts = self.try_keys(good) if good else ()
        changed, broken, equal = self._try_unsafe(unsafe, good)
        kept = good | changed.keys() | equal.keys()
        mended = self._mend(kept)
        failed = {**bad, **changed, **broken}
        passed = {**dict.fromkeys(good, verdicts), **equal}
        proofs = self._describe_each(failed, kept, passed)
        return ProvenFile(
            mended,
            proofs,
            self._find_later(proofs),
            tuple(self._report_defect(key, bad[key]) for key in bad),
            tuple(self._tell_broken(key, broken[key]) for key in broken),
        )

    def _sift_safe(self, safe: Keys) -> tuple[Keys, dict[FixKey, tuple[Verdict, ...]]]:
        """Those that change nothing, trial exports with all of them neither; and the others."""
        good, bad = sift_fixes(sorted(safe), self.try_keys, NO_KEYS)
        if not good or not any(each.spoils for each in self.try_keys(good)):
            return good, bad
        good, spoil = sift_fixes(sorted(good), self._try_exports, NO_KEYS)
        return good, {**bad, **spoil}

    def _try_unsafe(
        self, keys: Sequence[FixKey], good: Keys
    ) -> tuple[
        dict[FixKey, tuple[Verdict, ...]],
        dict[FixKey, tuple[Verdict, ...]],
        dict[FixKey, tuple[Verdict, ...]],
    ]:
        """Unsafe fixes that change something, those that break a model or an export, and those that do neither."""
        together = self.try_keys(good | {*keys}) if keys else ()
        if not any_differs(together):
            return {}, {}, dict.fromkeys(keys, together)
        if any(each.spoils for each in together):
            _, spoil = sift_fixes(keys, self._try_exports, good)
            changed, broken, equal = self._try_unsafe([k for k in keys if k not in spoil], good)
            return changed, {**broken, **spoil}, equal
        alone = dict(self._try_alone(keys, good))
        alone |= {key: together for key in keys if key not in alone}
        broken = {key: found for key, found in alone.items() if any(v.broken for v in found)}
        changed = {k: found for k, found in alone.items() if k not in broken and any_differs(found)}
        equal = {k: found for k, found in alone.items() if not any_differs(found)}
        if len(keys) > 1:
            rest = self.try_keys(good | changed.keys() | equal.keys())
            if any(each.broken or each.spoils for each in rest):
                return {}, {**dict.fromkeys([*changed, *equal], rest), **broken}, {}
        return changed, broken, equal

    def _try_alone(
        self, keys: Sequence[FixKey], good: Keys
    ) -> Iterator[tuple[FixKey, tuple[Verdict, ...]]]:
        """What each unsafe fix does, as far as there is time."""
        late = time.monotonic() + _SECONDS_ALONE
        for key in keys[:_MOST_ALONE]:
            yield key, self.try_keys(good | {key}, len(keys) < 2)
            if time.monotonic() > late:
                return

    def try_keys(self, keys: Keys, exporting: bool = True) -> tuple[Verdict, ...]:
        """What models make of the file with these fixes alone; unsteady models are not heard."""
        mended = self._mend(keys)
        if mended.text == self._mending.before:
            return ()
        encode = self._mending.encode_module
        path, before = self._mending.path, self._mending.before
        texts, originals = {path: encode(mended.text)}, {path: encode(before)}
        return self._bench.try_steady(texts, originals, exporting)

    def _try_exports(self, keys: Keys, exporting: bool) -> tuple[Verdict, ...]:
        """What becomes of trial exports, whatever numbers do."""
        return tuple(map(pass_numbers, self.try_keys(keys, exporting)))

    def _mend(self, keys: Keys) -> Mended:
        if keys == self._every:
            return self._whole
        return self._mending.mend(self._allowed, self._every - keys)

    def _describe_each(
        self,
        failed: dict[FixKey, tuple[Verdict, ...]],
        kept: Keys,
        passed: dict[FixKey, tuple[Verdict, ...]],
    ) -> dict[tuple[FixKey, int], FixProof]:
        proofs: dict[tuple[FixKey, int], FixProof] = {}
        for finding, text in self._whole.applied:
            key = key_of(finding, text)
            if key in failed:
                proof = FixProof(False, describe_verdicts(failed[key]), key in kept)
            else:
                proof = self._describe_passed(finding, text, passed.get(key, ()))
            proofs[key, finding.place.row] = proof
        return proofs

    def _find_later(
        self, proofs: Mapping[tuple[FixKey, int], FixProof]
    ) -> dict[tuple[str, int], FixProof]:
        """What is known of fixes of lines that earlier ones have changed, by the rows of the original."""
        before = self._mending.before
        return {
            (finding.code, row): proofs[key_of(finding, text), finding.place.row]
            for finding, text in self._whole.applied
            if finding.fix is not None and text != before
            for rows in list_fixed_rows(before, text, finding.fix.edits)
            for row in rows
        }

    def _describe_passed(
        self, finding: Finding, text: str, verdicts: Sequence[Verdict]
    ) -> FixProof:
        assert finding.fix is not None
        if is_same_code(text, finding.fix.edits):
            return FixProof(True, _ONLY_COMMENTS)
        groups = list_fixed_rows(self._mending.before, text, finding.fix.edits)
        unsteady = self._bench.unsteady
        kept = self._bench.list_kept()
        steady = [each for each in kept if _name_of(each) not in unsteady]
        runs = [each for each in steady if self._bench.runs_any(each, groups)]
        if groups and all(any(self._bench.runs_any(r, [rows]) for r in runs) for rows in groups):
            return FixProof(True, describe_equal(runs, verdicts))
        if len(steady) < len(kept) and not runs:
            return FixProof(None, "; ".join(_tell_unsteady(*each) for each in unsteady.items()))
        return FixProof(None, self._describe_uncovered(groups))

    def _describe_uncovered(self, groups: Sequence[Rows]) -> str:
        """Why nothing is known: of what trains and holds the fix, why it could not be called."""
        rows = frozenset(row for each in groups for row in each)
        above = [row for row in self._bench.uncalled if rows and row <= min(rows)]
        lacking = [each for each in self._bench.failures if "not installed" in each]
        called = [self._bench.uncalled[max(above)]] if above else self._bench.failures
        if not above and rows and stands_alone(self._mending.before, rows):
            return NO_PIECE
        return describe_uncovered([*self._bench.kept.values()], [*lacking, *called])

    def _report_defect(self, key: FixKey, verdicts: Sequence[Verdict]) -> Finding:
        finding, text = self._find_applied(key)
        does = _say_what_changes(verdicts)
        message = (
            f"the safe fix of {finding.code} ({finding.name}) {does}, and was left out; that is a "
            f"defect of the rule: {describe_verdicts(verdicts)}"
        )
        place = replace(finding.place) if text == self._mending.before else self._place_of(key)
        return engine_finding(self._mending.scope.catalog, FIX_CHANGES_NUMBERS, message, place)

    def _tell_broken(self, key: FixKey, verdicts: Sequence[Verdict]) -> str:
        finding, _ = self._find_applied(key)
        why = describe_verdicts(verdicts)
        where = f"{self._mending.path}:{finding.place.row}"
        return f"{where}: the fix of {finding.code} ({finding.name}) was left out: {why}"

    def _place_of(self, key: FixKey) -> Place:
        lines = [line.strip() for line in split_rows(self._mending.before).lines]
        row = lines.index(key[1]) + 1 if key[1] in lines else 1
        return Place(self._mending.path, row)

    def _find_applied(self, key: FixKey) -> tuple[Finding, str]:
        return next(each for each in self._whole.applied if key_of(*each) == key)


def list_rows_to_run(mended: Mended, before: str) -> tuple[Rows, ...]:
    """A set of rows for each statement that fixes change: models that run one of them try the fixes."""
    return tuple(
        rows
        for finding, text in mended.applied
        if finding.fix is not None and not is_same_code(text, finding.fix.edits)
        for rows in list_fixed_rows(before, text, finding.fix.edits)
    )


def _say_what_changes(verdicts: Sequence[Verdict]) -> str:
    if any(each.broken for each in verdicts):
        return "breaks what it promises to keep"
    computes = any(each.changes or each.keys for each in verdicts)
    return "changes what models compute" if computes else "makes an export worse"


def list_keys(mended: Mended) -> Iterable[FixKey]:
    """What its fixes are known by."""
    return (key_of(finding, text) for finding, text in mended.applied)


def _promises(mended: Mended) -> dict[FixKey, Applicability]:
    return {
        key_of(finding, text): finding.fix.applicability
        for finding, text in mended.applied
        if finding.fix is not None
    }


def _name_of(report: Report) -> str:
    return report.model.qualname if report.model is not None else ""


def _tell_unsteady(name: str, failure: str) -> str:
    return failure or f"{name} computes something else each time that it is run"
