"""The one dispatcher: walks a subject, calls the detectors its nodes concern, makes findings of hits."""

from __future__ import annotations

import traceback
from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from lintorch.core.codes import RULE_CRASHED
from lintorch.core.finding import (
    Evidence,
    Finding,
    Fix,
    Harm,
    Hit,
    Place,
    Refuted,
    Severity,
    Sizes,
)
from lintorch.core.fixes_at_home import lend_fixes, seeks_fixes
from lintorch.core.profile import Profile, weigh_hazard
from lintorch.core.rule import Detector, Rule, Yielded

Index = Mapping[Hashable, list[Detector]]


class Subject(Protocol):
    """What rules look at: a parsed file, a run of a model, or a trial export."""

    @property
    def evidence(self) -> Evidence:
        """The kind of evidence that a hit in this subject is."""

    @property
    def profile(self) -> Profile:
        """What the project deploys with."""

    @property
    def model(self) -> str | None:
        """The model that ran, as "file.py:Class"; None for source."""

    @property
    def exporter(self) -> str | None:
        """The exporter that was tried; None for source and traces."""

    @property
    def tried(self) -> Harm | None:
        """How the exporter that was tried treated the model; None where it came out right, or none was."""

    @property
    def sizes(self) -> tuple[Sizes, ...]:
        """The sizes at which a trial export went wrong; () for source and traces."""

    @property
    def awaits_runs(self) -> bool:
        """Whether models are run as well, so that fixes may wait for what a run shows."""

    def walk(self, keys: Container[Hashable]) -> Iterable[tuple[Hashable, Any]]:
        """The nodes whose key is wanted, in order, each with its key."""

    def place(self, node: Any) -> Place:
        """Where in the user's source a node (or a Place, itself) stands."""

    def promised(self, fix: Fix, node: Any) -> Fix:
        """A fix with what it may promise at a node: one that would do harm is only shown."""

    def list_spared(self, node: Any) -> frozenset[str]:
        """The exporters that never come to a node, as code asks who runs it."""

    def find_home(self, path: str) -> Subject | None:
        """Another file, as this subject leads there; None where it cannot be edited."""

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether any of these words occurs at all; a cheap test before detectors run."""


def index_detectors(rules: Iterable[Rule], evidence: Evidence) -> Index:
    """From each key to the detectors that want it; built once per run."""
    table: dict[Hashable, list[Detector]] = defaultdict(list)
    for rule in rules:
        for detector in rule.detectors:
            if detector.evidence is evidence:
                for key in detector.keys:
                    table[key].append(detector)
    return dict(table)


def lint_subject(subject: Subject, detectors: Index) -> Iterator[Finding]:
    """Findings of all detectors over one subject, each once; a detector that raises becomes a finding."""
    held: dict[tuple[str, ...], bool] = {(): True}
    wanted = {}
    for key, listed in detectors.items():
        kept = []
        for each in listed:
            needs = each.needs
            if needs not in held:
                held[needs] = subject.mentions(needs)
            if held[needs]:
                kept.append(each)
        if kept:
            wanted[key] = kept
    if not wanted:
        return
    told: set[Finding] = set()
    for node, detector, hits in _list_hits(subject, wanted):
        for finding in _make_findings(detector, node, hits, subject):
            if finding not in told:
                told.add(finding)
                yield finding


def _list_hits(
    subject: Subject, wanted: Index
) -> Iterator[tuple[Any, Detector, list[Yielded | Exception]]]:
    """What detectors yield or raise, where they do: they are called hundreds of thousands of times, mostly for nothing."""
    for key, node in subject.walk(wanted):
        for detector in wanted[key]:
            hits: list[Yielded | Exception] = []
            try:
                found = [*detector.detect(node, subject)]
                hits += (
                    lend_fixes(detector, node, found, subject) if seeks_fixes(detector) else found
                )
            except RecursionError:
                raise
            except Exception as error:  # any rule may be wrong; none may take the run down
                hits.append(error)
            if hits:
                yield node, detector, hits


def _make_findings(
    detector: Detector, node: Any, hits: Iterable[Yielded | Exception], subject: Subject
) -> Iterator[Finding]:
    for found in hits:
        try:
            if isinstance(found, Exception):
                raise found
            finding = _make_finding(detector.rule, _spare_exporters(found, node, subject), subject)
        except RecursionError:
            raise
        except Exception as error:
            yield _report_crash(detector.rule, error, subject.place(node))
            return
        if finding:
            yield finding


def _spare_exporters(found: Yielded, node: Any, subject: Subject) -> Yielded:
    """What is yielded for a node, without the exporters that never come there."""
    if not isinstance(found, Hit) or not found.harm:
        return found
    spared = subject.list_spared(node)
    if not spared:
        return found
    return replace(found, harm={k: v for k, v in found.harm.items() if k not in spared})


def _make_finding(rule: Rule, found: Yielded, subject: Subject) -> Finding | None:
    bare = Finding(
        rule.code,
        rule.name,
        rule.summary,
        rule.severity,
        subject.place(found.node),
        evidence=subject.evidence,
        model=subject.model,
        exporter=subject.exporter,
        remedy=rule.remedy,
    )
    if isinstance(found, Refuted):
        return replace(bare, refuted=found.reason, target=found.target, settles=found.settles)
    judged = _judge_hit(bare, found, subject)
    if judged is None or judged.fix is None:
        return judged
    return replace(judged, fix=subject.promised(judged.fix, found.node))


def _judge_hit(bare: Finding, hit: Hit, subject: Subject) -> Finding | None:
    """The finding with the hit's words, and with its gravity for the exporters in use."""
    severity, hazard = bare.severity, None
    if hit.harm is not None:
        if not subject.profile.concerns(hit.harm):
            return None
        hazard = subject.profile.judge_harm(hit.harm, severity, hit.severity)
        severity = weigh_hazard(hazard)
    severity = severity if hit.severity is None else hit.severity
    of_exporter = hit.target is None
    return replace(
        bare,
        said=hit.message,
        severity=severity,
        fix=hit.fix,
        confirms=hit.confirms,
        model=hit.model or bare.model,
        exporter=hit.exporter or bare.exporter,
        target=hit.target,
        detail=hit.detail,
        remedy=bare.remedy if hit.remedy is None else hit.remedy,
        cause=hit.cause,
        hazard=hazard,
        tried=hit.tried if hit.tried is not None else subject.tried if of_exporter else None,
        sizes=hit.sizes or (subject.sizes if of_exporter else ()),
        refusal=hit.refusal,
        beside=hit.beside,
    )


def _report_crash(rule: Rule, error: Exception, place: Place) -> Finding:
    message = (
        f"rule {rule.code} ({rule.name}) crashed here and was skipped: {describe_defect(error)}"
    )
    return Finding(RULE_CRASHED, "rule-crashed", message, Severity.ERROR, place)


def describe_defect(error: Exception) -> str:
    """A defect of lintorch in one line: what was raised, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
