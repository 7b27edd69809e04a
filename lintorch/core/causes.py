"""One finding per cause: what one rule says of several lines of a function is told once, at the first."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from lintorch.core.finding import Applicability, Edit, Evidence, Finding, Fix
from lintorch.core.merge import sort_findings

_OWN = "LT0"
"""Codes of what lintorch says of itself and of comments: each such line is a matter of its own."""

_MOST_NAMED = 3
"""Other files of one cause that are named."""

_PATTERN = 3
"""As many findings of one code in one function, mended in one way, are one pattern."""

_Cause = tuple[object, ...]


def fold_findings(findings: Iterable[Finding], texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """Findings of several files, those of one cause as one that names the other places too.

    What a path has no text for is left as it is.
    """
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_path[finding.place.path].append(finding)
    folded = sort_findings(
        each
        for path, found in by_path.items()
        for group in group_by_cause(found, texts.get(path))
        for each in _fold_group(group)
    )
    return tuple(_tell_outcomes_once(folded))


def fold_old_files(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same, those of whole files that one cause keeps from being read as one: Python 2, mostly."""
    groups: dict[_Cause, list[Finding]] = defaultdict(list)
    for number, each in enumerate(findings):
        old = each.code.startswith(_OWN) and each.cause
        groups[(each.code, each.cause) if old else (number,)].append(each)
    return tuple(map(_fold_files, groups.values()))


def _fold_files(group: Sequence[Finding]) -> Finding:
    head, *others = group
    if not others:
        return head
    named = ", ".join(each.place.path for each in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return replace(head, detail=f"so it is in {named}{more}")


def _tell_outcomes_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """What an exported model raises is told at the first line that it may be about.

    The others say what their source says; what was seen of the export stays among their notes.
    """
    told: set[tuple[str | None, ...]] = set()
    for finding in findings:
        outcome = finding.model, finding.exporter, finding.said, finding.detail
        source = next((n for n in finding.notes if n.evidence is Evidence.SOURCE), None)
        of_trial = finding.evidence is Evidence.EXPORT and finding.exporter and source
        if source is not None and of_trial and outcome in told:
            yield replace(finding, said=source.said, detail=source.detail, tried=None)
        else:
            yield finding
        if of_trial:
            told.add(outcome)


def group_by_cause(findings: Sequence[Finding], text: str | None) -> list[list[Finding]]:
    """The findings of one file, those of one code, function and cause together, the first line first."""
    groups: dict[_Cause, list[Finding]] = defaultdict(list)
    told = sort_findings(_tell_lines_once(findings))
    mended = {_name_cause(each): _cause_of(each) for each in reversed(told) if each.fix}
    for finding in told:
        own = _cause_of(finding)
        groups[own if finding.fix else mended.get(_name_cause(finding), own)].append(finding)
    alike = Counter(_pattern_of(group[0]) for group in groups.values())
    many = any(len(group) > 1 for group in groups.values())
    functions = (
        _outline_functions(text) if many or max(alike.values(), default=0) >= _PATTERN else []
    )
    parts = [
        part for group in groups.values() for part in _split_by_function(group, functions, text)
    ]
    return [*_join_patterns(parts, functions, text)]


def _join_patterns(
    groups: Sequence[list[Finding]], functions: Sequence[range], text: str | None
) -> Iterator[list[Finding]]:
    """Groups that one function has several of, alike but for what is quoted, as one: each question of a loop."""
    alike: dict[_Cause, list[list[Finding]]] = defaultdict(list)
    for number, group in enumerate(groups):
        head = group[0]
        within = _find_function(head, functions)
        told = text is not None and within is not None and head.hazard and not head.notes
        key = (*_pattern_of(head), within) if told else (number,)
        alike[key].append(group)
    for same in alike.values():
        every = [finding for group in same for finding in group]
        clash = same[0][0].fix and _join_fixes([each.fix for each in every if each.fix]) is None
        yield from same if clash or len(same) < _PATTERN else [[*sort_findings(every)]]


def _tell_lines_once(findings: Sequence[Finding]) -> Iterable[Finding]:
    """What source says of one place twice, of two ways there, is told by the graver."""
    gravest: dict[object, Finding] = {}
    for number, each in enumerate(findings):
        of_source = each.evidence is Evidence.SOURCE and each.said
        at = (each.code, each.place, each.said, each.model) if of_source else number
        known = gravest.setdefault(at, each)
        if each.severity > known.severity:
            gravest[at] = each
    return gravest.values()


def _cause_of(finding: Finding) -> _Cause:
    """What findings have in common that may be told as one."""
    if finding.cause:
        return (*_manner_of(finding, safe=False), finding.cause)
    said = finding.said, finding.detail, finding.remedy, finding.sizes, finding.notes
    return (*_manner_of(finding), said)


def _name_cause(finding: Finding) -> _Cause:
    """A cause that a rule names, whether there is a fix for the line or not; one of its own where it names none."""
    if not finding.cause:
        return (id(finding),)
    return (*_manner_of(replace(finding, fix=None)), finding.cause)


def _pattern_of(finding: Finding) -> _Cause:
    """What findings of one pattern have in common, whatever line they quote."""
    return (*_manner_of(finding), finding.remedy)


def _manner_of(finding: Finding, safe: bool = True) -> _Cause:
    """Who says it of whom, how grave it is, and what its fix promises; `safe`: also whether it is safe."""
    promise = finding.fix and (
        finding.fix.applicability if safe else None,
        finding.fix.verified,
        finding.fix.verification,
    )
    who = finding.code, finding.target, finding.model, finding.exporter, finding.evidence
    how = finding.severity, finding.hazard, finding.tried, promise
    return (*who, *how)


def _split_by_function(
    group: list[Finding], functions: Sequence[range], text: str | None
) -> Iterator[list[Finding]]:
    if len(group) == 1 or text is None or group[0].code.startswith(_OWN):
        yield from ([finding] for finding in group)
        return
    within: dict[range | None, list[Finding]] = defaultdict(list)
    for finding in group:
        within[_find_function(finding, functions)].append(finding)
    yield from within.values()


def _find_function(finding: Finding, functions: Sequence[range]) -> range | None:
    """The rows of the innermost function or class around it."""
    holding = [rows for rows in functions if finding.place.row in rows]
    return min(holding, key=len, default=None)


def _outline_functions(text: str | None) -> list[range]:
    """The rows of each function, with those inside of it, and of each class; none of what does not parse."""
    try:
        tree = ast.parse(text or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [*_list_outer(tree, inside=False)]


def _list_outer(node: ast.AST, *, inside: bool) -> Iterator[range]:
    """The rows of classes and of functions below a node that are no helpers of a function."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.expr):
            continue
        kind, within = isinstance(each, ast.ClassDef), inside
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if kind or not inside:
                yield range(each.lineno, (each.end_lineno or each.lineno) + 1)
            within = not kind
        yield from _list_outer(each, inside=within)


def _fold_group(group: Sequence[Finding]) -> Iterator[Finding]:
    """The first finding with the places and edits of all.

    All of them where their edits clash, unless they name one cause: then those that do not clash with
    the first's, and the others are mended when it is asked again.
    """
    head, *others = group
    fixes = [finding.fix for finding in group if finding.fix]
    fix = _join_fixes(fixes)
    if head.cause and fixes and fix is None:
        fix, *more = fixes
        for other in more:
            fix = _join_fixes([fix, other]) or fix
    if not others or (fix is None and head.fix is not None):
        yield from group
        return
    elsewhere = dict.fromkeys(other.place for other in others if other.place != head.place)
    yield replace(head, fix=fix, also=tuple(elsewhere))


def _join_fixes(fixes: Sequence[Fix]) -> Fix | None:
    if not fixes:
        return None
    every = [edit for fix in fixes for edit in dict.fromkeys(fix.edits)]
    edits = tuple(dict.fromkeys(every))
    twice = (edit for edit in edits if every.count(edit) > 1)
    if any(_overlap(first, second) for first, second in combinations(edits, 2)) or any(
        edit.start == edit.end and not edit.content.endswith("\n") for edit in twice
    ):
        return None
    promises = {fix.applicability for fix in fixes}
    weakest = fixes[0].applicability if len(promises) == 1 else Applicability.UNSAFE
    return replace(fixes[0], edits=edits, applicability=weakest)


def _overlap(first: Edit, second: Edit) -> bool:
    return first.start < second.end and second.start < first.end
