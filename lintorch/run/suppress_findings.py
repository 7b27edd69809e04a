"""What the comments of files make of findings: those that they suppress go, those about them come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from lintorch.core.codes import UNCHECKED_FILE
from lintorch.core.finding import Evidence, Finding, Place
from lintorch.core.merge import Merged
from lintorch.files import FileText
from lintorch.run.request import Request
from lintorch.run.rule_catalog import engine_finding
from lintorch.run.scope import Scope


def suppress_by_file(
    merged: Merged, texts: Mapping[str, FileText], marked: set[str], scope: Scope, request: Request
) -> Iterator[Finding]:
    """The findings that are not suppressed, and those about suppressions."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in merged.standing:
        by_path[finding.place.path].append(finding)
    for path in sorted({*by_path, *marked}):
        if path in texts:
            text = texts[path].text
            yield from suppress_by_comments(
                text, path, by_path[path], scope, request, merged.withdrawn
            )
        else:
            yield from by_path[path]


def suppress_by_comments(
    text: str,
    path: str,
    findings: Iterable[Finding],
    scope: Scope,
    request: Request,
    withdrawn: Iterable[Finding] = (),
) -> tuple[Finding, ...]:
    """The findings of one file that its comments do not suppress, and those about the comments."""
    from lintorch.suppress import apply_suppressions, mentions_suppression

    if not mentions_suppression(text):
        return tuple(findings)
    decidable = _decidable_codes(scope, request)
    found = tuple(findings)
    try:
        return apply_suppressions(
            text,
            path,
            found,
            scope.catalog.names,
            scope.codes_of(path),
            decidable,
            withdrawn,
            scope.is_partial(path),
            scope.catalog.former_names,
        )
    except Exception as error:  # whatever goes wrong with one file, the others are checked
        from lintorch.core.dispatch import describe_defect

        message = f"lintorch failed on the comments of this file, none was heeded: {describe_defect(error)}"
        return (*found, engine_finding(scope.catalog, UNCHECKED_FILE, message, Place(path, 1)))


def _decidable_codes(scope: Scope, request: Request) -> frozenset[str]:
    """The codes of rules that had a chance to find something in this run."""
    kinds = {Evidence.SOURCE}
    kinds |= {Evidence.TRACE} if request.runs_models else set()
    kinds |= {Evidence.EXPORT} if request.models.exporters else set()
    cards = scope.catalog.cards.values()
    return frozenset(card.code for card in cards if card.evidence & kinds)
