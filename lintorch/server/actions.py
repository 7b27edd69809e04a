"""What editors offer at a finding: its fix, all safe fixes of the file, and a suppression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from lsprotocol import types

from lintorch.core.finding import Applicability, Edit, Finding
from lintorch.server.diagnostics import SOURCE
from lintorch.server.documents import OpenDocument, Units
from lintorch.server.suppress_line import suppress_finding

FIX_ALL = ("source.fixAll.lintorch", "notebook.source.fixAll.lintorch")
_UNSAFE = " (unsafe: numbers or behaviour may change)"


def is_asked(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a kind of action is wanted: `source` asks for `source.fixAll.lintorch`, too."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def list_quick_fixes(
    document: OpenDocument,
    findings: Iterable[Finding],
    asked: types.CodeActionParams,
    units: Units,
) -> Iterator[types.CodeAction]:
    """The fixes and suppressions of the findings in a range: safe fixes first, suppressions last."""
    wanted = asked.range.start.line, asked.range.end.line
    near = []
    for finding in findings:
        uri, where = document.place_range(finding.place, units)
        meets = where.start.line <= wanted[1] and wanted[0] <= where.end.line
        if uri == asked.text_document.uri and meets:
            near.append((finding, _find_diagnostic(finding, where, asked)))
    fixable = [each for each in near if _promises(each[0])]
    for finding, shown in sorted(fixable, key=lambda each: _promises(each[0]) is not _SAFE):
        if action := _offer_fix(document, finding, shown, units):
            yield action
    for finding, shown in near:
        if action := _offer_suppression(document, finding, shown, units):
            yield action


_SAFE = Applicability.SAFE


def _promises(finding: Finding) -> Applicability | None:
    """What a fix that may go in promises."""
    fix = finding.fix
    shown_only = fix is None or fix.applicability is Applicability.DISPLAY
    return None if fix is None or shown_only else fix.applicability


def _find_diagnostic(
    finding: Finding, where: types.Range, asked: types.CodeActionParams
) -> list[types.Diagnostic]:
    """What the editor shows of a finding."""
    same = (d for d in asked.context.diagnostics if d.code == finding.code and d.range == where)
    return list(same)


def _offer_fix(
    document: OpenDocument, finding: Finding, shown: list[types.Diagnostic], units: Units
) -> types.CodeAction | None:
    assert finding.fix is not None
    safe = finding.fix.applicability is _SAFE
    changes = document.make_edits(finding.fix.edits, units)
    if not changes:
        return None
    return types.CodeAction(
        f"{SOURCE}: {finding.fix.message}{'' if safe else _UNSAFE}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=shown,
        is_preferred=safe,
        edit=types.WorkspaceEdit(changes=changes),
    )


def _offer_suppression(
    document: OpenDocument, finding: Finding, shown: list[types.Diagnostic], units: Units
) -> types.CodeAction | None:
    edit = suppress_finding(document.text.text, finding)
    changes = document.make_edits([edit], units) if edit else {}
    if not changes:
        return None
    return types.CodeAction(
        f"{SOURCE}: suppress {finding.name} on this line",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=shown,
        edit=types.WorkspaceEdit(changes=changes),
    )


def fix_whole_file(
    document: OpenDocument, after: str, kind: str, units: Units
) -> types.CodeAction | None:
    """The action that makes one text of another; None where it would reach over cells."""
    changes = document.make_edits(list(_compare_texts(document.text.text, after)), units)
    if not changes:
        return None
    edit = types.WorkspaceEdit(changes=changes)
    return types.CodeAction(f"{SOURCE}: fix all", kind=kind, edit=edit)


def _compare_texts(before: str, after: str) -> Iterator[Edit]:
    """Edits of whole rows that make one text of another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for row in old:
        starts.append(starts[-1] + len(row))
    for kind, first, last, begin, end in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            yield Edit(starts[first], starts[last], "".join(new[begin:end]))
