"""The texts that findings speak of: the very bytes that were linted, held while models run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lintorch.cache import digest_content
from lintorch.core.finding import Finding
from lintorch.files import FileText, has_changed, read_file
from lintorch.run.lint_files import lint_read
from lintorch.run.lint_task import Linted, LintTask


@dataclass(frozen=True)
class HeldTexts:
    """What source says of each file, and the texts of those with findings or suppressions."""

    linted: tuple[Linted, ...] = ()
    texts: Mapping[str, FileText] = field(default_factory=dict)


def hold_texts(
    tasks: Sequence[LintTask], linted: Sequence[Linted], given: Mapping[str, str]
) -> HeldTexts:
    """Read the files with findings; what has changed since it was linted is linted as it is now.

    A cache may hold findings of other bytes too, where a file changed and its size and time of
    change did not.
    """
    texts: dict[str, FileText] = {}
    kept: list[Linted] = []
    for task, each in zip(tasks, linted, strict=True):
        if task.path in given:
            texts[task.path] = FileText(task.path, given[task.path])
        elif each.findings or each.marked:
            found = read_file(task.path)
            if each.content != (digest_content(found.data) if isinstance(found, FileText) else ""):
                each = lint_read(replace(task, entered=each.entered), found)
            if isinstance(found, FileText):
                texts[task.path] = found
        kept.append(each)
    return HeldTexts(tuple(kept), texts)


def reread_after_runs(
    held: HeldTexts, ran: Iterable[Finding]
) -> tuple[dict[str, FileText], frozenset[str]]:
    """The texts, with those of files that runs alone speak of, and which files have changed."""
    texts = dict(held.texts)
    gone = {path for path, text in texts.items() if has_changed(text)}
    linted = {each.path: each.content for each in held.linted}
    for path in {finding.place.path for finding in ran} - texts.keys():
        found = read_file(path)
        if isinstance(found, FileText):
            texts[path] = found
        now = digest_content(found.data) if isinstance(found, FileText) else ""
        if now != linted.get(path, now):
            gone.add(path)
    return texts, frozenset(gone)
