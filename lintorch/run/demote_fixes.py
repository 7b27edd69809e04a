"""What becomes of fixes that may not go in: they are shown, and no more is promised."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from lintorch.core.finding import Applicability, Finding
from lintorch.files import FileText
from lintorch.fix.idle_imports import find_rebound
from lintorch.run.importers import Importers
from lintorch.run.scope import Scope


def demote_by_file(
    findings: Iterable[Finding], texts: Mapping[str, FileText], scope: Scope
) -> Iterator[Finding]:
    """The findings of all files, in their order, with fixes held back where something stands against them."""
    importers = Importers(scope)
    for path, group in groupby(findings, lambda finding: finding.place.path):
        if path in texts:
            yield from demote_fixes(group, texts[path].text, scope, importers)
        else:
            yield from group


def demote_fixes(
    findings: Iterable[Finding], text: str, scope: Scope, importers: Importers
) -> Iterator[Finding]:
    """The findings of one file, their fixes held back where something stands against them.

    Against a fix stands that settings leave its rule out, or that it makes something else of a
    name which this one offers in `__all__`, or other files import from it.
    """
    for finding in findings:
        yield _show_only(finding) if _is_held_back(finding, text, scope, importers) else finding


def _is_held_back(finding: Finding, text: str, scope: Scope, importers: Importers) -> bool:
    fix, path = finding.fix, finding.place.path
    if fix is None or fix.applicability is Applicability.DISPLAY:
        return False
    if finding.code not in scope.fixable_codes(path):
        return True
    names = find_rebound(text, fix.edits)
    return bool(names) and (
        os.path.basename(path) == "__init__.py"
        or ("__all__" in text and any(re.search(rf"[\"']{name}[\"']", text) for name in names))
        or bool(importers.names_taken(path, names))
    )


def _show_only(finding: Finding) -> Finding:
    assert finding.fix is not None
    return replace(finding, fix=replace(finding.fix, applicability=Applicability.DISPLAY))
