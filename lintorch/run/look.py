"""One look at everything asked for: source, then runs and exports, merged and with suppressions heeded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lintorch.files import Text, read
from lintorch.finding import Evidence, Finding
from lintorch.merge import Merged, merge, order
from lintorch.run.linting import lint_files
from lintorch.run.listed import list_files
from lintorch.run.order import Order, Progress
from lintorch.run.scope import Scope
from lintorch.run.task import Task


@dataclass(frozen=True)
class Seen:
    """What a look came to. `texts` holds the files that findings are in."""

    standing: tuple[Finding, ...] = ()
    withdrawn: tuple[Finding, ...] = ()
    texts: Mapping[str, Text] = field(default_factory=dict)
    files: int = 0
    notebooks: int = 0
    models: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """How the files with findings were linted."""


def look(asked: Order, scope: Scope, progress: Progress) -> Seen:
    """Raises SettingsError or CatalogError; what concerns one path or model is in the outcome."""
    files = list_files(asked, scope)
    paths, errors = files.paths, files.errors
    given = {path: text for path in paths[:1] if (text := asked.text) is not None}
    tasks = [scope.task(path) for path in paths]
    linted = lint_files(tasks, asked, scope.main.root, given, progress)
    findings = [finding for each in linted for finding in each.findings]
    models: tuple[str, ...] = ()
    if asked.runs_models:
        from lintorch.run.running import run_models

        ran = run_models(paths, findings, asked, scope, progress)
        findings += [f for f in ran.findings if f.code in scope.codes(f.place.path)]
        models, errors = ran.lines, errors + ran.errors
    merged = merge(findings)
    marked = {each.path for each in linted if each.marked}
    texts = _texts({f.place.path for f in merged.standing} | marked, given)
    standing = tuple(_heeded(merged, texts, marked, scope, asked))
    return Seen(
        order(standing),
        merged.withdrawn,
        texts,
        len(paths),
        files.notebooks,
        models,
        errors,
        (*files.notes, *scope.notes),
        {t.path: replace(t, entered=each.entered) for t, each in zip(tasks, linted, strict=True)},
    )


def _texts(paths: Iterable[str], given: Mapping[str, str]) -> dict[str, Text]:
    texts: dict[str, Text] = {}
    for path in paths:
        text = Text(path, given[path]) if path in given else read(path)
        if isinstance(text, Text):
            texts[path] = text
    return texts


def _heeded(
    merged: Merged, texts: Mapping[str, Text], marked: set[str], scope: Scope, asked: Order
) -> Iterator[Finding]:
    """The findings that are not suppressed, and those about suppressions."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in merged.standing:
        by_path[finding.place.path].append(finding)
    for path in sorted({*by_path, *marked}):
        if path in texts:
            text = texts[path].text
            yield from heed(text, path, by_path[path], scope, asked, merged.withdrawn)
        else:
            yield from by_path[path]


def heed(
    text: str,
    path: str,
    findings: Iterable[Finding],
    scope: Scope,
    asked: Order,
    withdrawn: Iterable[Finding] = (),
) -> tuple[Finding, ...]:
    """The findings of one file that its comments do not suppress, and those about the comments."""
    from lintorch.suppress import apply, mentions

    if not mentions(text):
        return tuple(findings)
    decidable = _decidable(scope, asked)
    return apply(
        text,
        path,
        findings,
        scope.catalog.names,
        scope.codes(path),
        decidable,
        withdrawn,
        scope.is_partial(path),
    )


def _decidable(scope: Scope, asked: Order) -> frozenset[str]:
    """The codes of rules that had a chance to find something in this run."""
    kinds = {Evidence.SOURCE}
    kinds |= {Evidence.TRACE} if asked.runs_models else set()
    kinds |= {Evidence.EXPORT} if asked.exporters else set()
    cards = scope.catalog.cards.values()
    return frozenset(card.code for card in cards if card.evidence & kinds)
