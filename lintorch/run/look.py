"""One look at everything asked for: source, then runs and exports, merged and with suppressions heeded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lintorch.files import Found, Missing, Text, find, read
from lintorch.finding import Evidence, Finding, Place
from lintorch.lint import told
from lintorch.merge import Merged, merge, order
from lintorch.run.linting import lint_files
from lintorch.run.order import Order, Progress
from lintorch.run.scope import Scope
from lintorch.run.sources import Task, engine_finding
from lintorch.suppress import apply, mentions


@dataclass(frozen=True)
class Seen:
    """What a look came to. `texts` holds the files that findings are in."""

    standing: tuple[Finding, ...] = ()
    withdrawn: tuple[Finding, ...] = ()
    texts: Mapping[str, Text] = field(default_factory=dict)
    files: int = 0
    models: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """How the files with findings were linted."""


def look(asked: Order, scope: Scope, progress: Progress) -> Seen:
    """Raises SettingsError or CatalogError; what concerns one path or model is in the outcome."""
    paths, errors = listed_files(asked, scope)
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
        models,
        errors,
        {t.path: replace(t, entered=each.entered) for t, each in zip(tasks, linted, strict=True)},
    )


def listed_files(asked: Order, scope: Scope) -> tuple[list[str], tuple[str, ...]]:
    """The files to look at, and what is wrong with paths that are none."""
    if asked.text is not None:
        return [*asked.paths], ()
    found = list(find(asked.paths, scope.main.excluded, scope.main.root, asked.force_exclude))
    missing = (f for f in found if isinstance(f, Missing))
    errors = tuple(f"{gone.path}: {gone.cause}" for gone in missing)
    return [f.path for f in found if isinstance(f, Found)], errors


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
    if not mentions(text):
        return tuple(findings)
    decidable = _decidable(scope, asked)
    found = tuple(findings)
    try:
        return apply(
            text, path, found, scope.catalog.names, scope.codes(path), decidable, withdrawn
        )
    except Exception as error:  # whatever goes wrong with one file, the others are checked
        message = f"lintorch failed on the comments of this file, none was heeded: {told(error)}"
        return (*found, engine_finding(scope.catalog, "LT009", message, Place(path, 1)))


def _decidable(scope: Scope, asked: Order) -> frozenset[str]:
    """The codes of rules that had a chance to find something in this run."""
    kinds = {Evidence.SOURCE}
    kinds |= {Evidence.TRACE} if asked.runs_models else set()
    kinds |= {Evidence.EXPORT} if asked.exporters else set()
    rules = scope.catalog.rules.values()
    return frozenset(r.code for r in rules if any(d.evidence in kinds for d in r.detectors))
