"""Answers what the editor asks: which actions there are, what a rule means, what can be run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from lintorch.server.actions import FIX_ALL, fix_whole_file, is_asked, list_quick_fixes
from lintorch.server.desk import Desk
from lintorch.server.documents import OpenDocument, count_characters, make_position
from lintorch.server.jobs import FixJob, ModelClass, ModelsJob, PageJob
from lintorch.server.session import Session

TRACE, EXPORT = "lintorch.traceModel", "lintorch.exportModel"
_TITLES = {TRACE: "lintorch: trace this model", EXPORT: "lintorch: export this model"}
_WORD = re.compile(r"[\w-]+")
_DIRECTIVE = re.compile(r"#\s*(?:lintorch|noqa)\s*:", re.IGNORECASE)


class Answers:
    """Asks the session's processes what takes time."""

    def __init__(self, desk: Desk, session: Session) -> None:
        self._desk, self._session = desk, session
        self._pages: dict[str, str] = {}

    async def list_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Fixes and suppressions of the range; all fixes of the file where they are asked for."""
        document = self._desk.find_document(params.text_document.uri)
        if document is None:
            return []
        only = [str(getattr(each, "value", each)) for each in params.context.only or ()] or None
        found: list[types.CodeAction] = []
        if is_asked(types.CodeActionKind.QuickFix.value, only):
            findings = self._session.findings_of(document)
            found += list_quick_fixes(document, findings, params, self._desk.units)
        for kind in FIX_ALL if only else ():
            if is_asked(kind, only) and (action := await self._fix_all(document, kind)):
                found.append(action)
        return found

    async def _fix_all(self, document: OpenDocument, kind: str) -> types.CodeAction | None:
        job = FixJob(document.path, self._session.texts())
        answer = await self._session.whole.ask(job)
        after = answer.value if answer else None
        if not isinstance(after, str):
            return None
        return fix_whole_file(document, after, kind, self._desk.units)

    async def explain(self, params: types.HoverParams) -> types.Hover | None:
        """The pages of the rules that a place is about, or of one that a comment names there."""
        document = self._desk.find_document(params.text_document.uri)
        sheet = document.sheet_of(params.text_document.uri) if document else None
        at = params.position
        if document is None or sheet is None or at.line >= len(sheet.lines):
            return None
        line = sheet.lines[at.line]
        words = _find_rule_word(line, count_characters(line, at.character, self._desk.units))
        words = words or self._find_codes(document, params)
        pages = [page for word in words if (page := await self._read_page(word))]
        if not pages:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n---\n".join(pages)))

    def _find_codes(self, document: OpenDocument, params: types.HoverParams) -> Sequence[str]:
        at, found = params.position, []
        for finding in self._session.findings_of(document):
            uri, where = document.place_range(finding.place, self._desk.units)
            if uri == params.text_document.uri and where.start <= at <= where.end:
                found.append(finding.code)
        return list(dict.fromkeys(found))

    async def _read_page(self, word: str) -> str:
        if word not in self._pages:
            answer = await self._session.parts.ask(PageJob(word))
            if answer is None or answer.defect:
                return ""
            self._pages[word] = answer.value
        return self._pages[word]

    async def list_lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Two over each class of the file that may be run as a model."""
        document = self._desk.find_document(params.text_document.uri)
        if document is None:
            return []
        job = ModelsJob(document.path, self._session.texts())
        answer = await self._session.parts.ask(job)
        models: tuple[ModelClass, ...] = (answer.value or ()) if answer else ()
        return [
            types.CodeLens(where, types.Command(title, command, arguments=[document.uri, m.name]))
            for m in models
            for where in [self._find_name(document, m)]
            for command, title in _TITLES.items()
        ]

    def _find_name(self, document: OpenDocument, model: ModelClass) -> types.Range:
        sheet = document.find_sheet(model.row)
        line = sheet.lines[model.row - sheet.first_row]
        column = line.find(model.name) + 1
        ends = (column, column + len(model.name))
        start, end = (make_position(sheet, model.row, each, self._desk.units) for each in ends)
        return types.Range(start, end)


def _find_rule_word(line: str, column: int) -> Sequence[str]:
    """The word at a column of a comment that speaks to lintorch."""
    comment = _DIRECTIVE.search(line)
    if comment is None or column < comment.end():
        return ()
    return [w[0] for w in _WORD.finditer(line) if w.start() <= column <= w.end()]
