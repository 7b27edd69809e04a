"""Looks at open files together: what each says now, and which of the others it concerns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lintorch.catalog import find_page_urls
from lintorch.core.causes import fold_findings
from lintorch.core.file_views import Stamp, look_anew, stamp_file
from lintorch.core.kept_answers import forget_answers
from lintorch.files import is_notebook
from lintorch.report.rule_page import write_page
from lintorch.run.check_files import CheckedFiles, join_tiers
from lintorch.run.file_texts import HeldTexts
from lintorch.run.fix_files import fix_files
from lintorch.run.lint_file import lint_text
from lintorch.run.lint_task import Linted, LintTask
from lintorch.run.new_findings import keep_new
from lintorch.run.request import CheckRequest, ignore_progress
from lintorch.run.scope import Scope
from lintorch.run.send_home import send_home
from lintorch.server.current_scope import CurrentScope
from lintorch.server.jobs import FixJob, LookJob, ModelClass, ModelsJob, PageJob, Told
from lintorch.server.list_models import list_models

_ENGINE = "LT0"
"""Codes of what lintorch says of itself and of comments: a part of a file shows too little for that."""


@dataclass(frozen=True)
class _Kept:
    """What linting said of a text, and how the files looked that it was read from."""

    task: LintTask
    text: str
    linted: Linted
    stamps: Mapping[str, Stamp]

    def holds(self, task: LintTask, text: str) -> bool:
        """Whether it would say the same again."""
        same = self.task == task and self.text == text
        return same and all(stamp_file(path) == stamp for path, stamp in self.stamps.items())


class OpenFiles:
    """Keeps what was found from look to look; lives in a process of its own."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self._scopes = CurrentScope(request)
        self._kept: dict[str, _Kept] = {}
        self._others: dict[str, str] = {}

    def look(self, job: LookJob) -> Told:
        """What is to be said of a file, of which all other open ones say what they said last."""
        self._see(job)
        scope = self._scopes.scope_for(job.path)
        if scope is None or self._scopes.is_excluded(job.path, scope):
            return Told(problem=self._scopes.problem)
        if job.part is not None:
            return self._look_at_part(job, job.part, scope)
        before = self._said_of_others(job.path)
        seen = self._join([job.path], job, scope)
        found = keep_new(seen, self._request, scope, ignore_progress).standing
        texts = {path: text.text for path, text in seen.texts.items()}
        return Told(
            tuple(f for f in fold_findings(found, texts) if f.place.path == job.path),
            tuple(self._find_outdated(job, scope, before)),
            find_page_urls(scope.catalog.cards.values()),
            self._scopes.problem,
        )

    def fix(self, job: FixJob) -> str | None:
        """The text of a file with all safe fixes in it; None where there is none."""
        scope = self._scopes.scope_for(job.path)
        if scope is None or self._scopes.is_excluded(job.path, scope):
            return None
        seen = self._join([job.path], job, scope)
        own = tuple(f for f in seen.standing if f.place.path == job.path)
        fixed = fix_files(
            replace(seen, standing=own), scope, replace(self._request, fix=True), ignore_progress
        )
        return next((each.after for each in fixed.rewritten if each.path == job.path), None)

    def list_models(self, job: ModelsJob) -> tuple[ModelClass, ...]:
        """The classes of a file that may be run as models; none of a notebook, which is not run."""
        scope = self._scopes.scope_for(job.path)
        if scope is None or is_notebook(job.path) or self._scopes.is_excluded(job.path, scope):
            return ()
        return tuple(list_models(job.path, job.texts[job.path].text))

    def write_page(self, job: PageJob) -> str:
        """A rule's page as Markdown; "" where the word means none."""
        scope = self._scopes.scope_for(os.path.join(os.getcwd(), "any.py"))
        rules = scope.catalog.rules.values() if scope else ()
        word = job.word.lower()
        meant = (rule for rule in rules if word in (rule.code.lower(), rule.name))
        return next((write_page(rule) for rule in meant), "")

    def _see(self, job: LookJob) -> None:
        """See files as they are now; for a part of one, only where others have changed."""
        texts = {p: t.text for p, t in job.texts.items() if not is_notebook(p)}
        others = {path: text for path, text in texts.items() if path != job.path}
        if job.part is None or others != self._others:
            self._others = others
            look_anew(texts)
            forget_answers()

    def _look_at_part(self, job: LookJob, part: str, scope: Scope) -> Told:
        task = replace(scope.make_task(job.path), brief=True)
        linted = lint_text(task, part)
        own = tuple(
            f
            for f in linted.findings
            if f.place.path == job.path and not f.code.startswith(_ENGINE)
        )
        texts = {job.path: job.texts[job.path]}
        held = HeldTexts((replace(linted, findings=own),), texts)
        seen = join_tiers([task], held, (), scope, self._request)
        found = fold_findings(seen.standing, {job.path: texts[job.path].text})
        return Told(
            tuple(f for f in found if not f.code.startswith(_ENGINE)),
            urls=find_page_urls(scope.catalog.cards.values()),
        )

    def _join(self, anew: list[str], job: LookJob | FixJob, scope: Scope) -> CheckedFiles:
        """What all open files say together, those `anew` as they are now."""
        for path in anew:
            self._lint(path, job.texts[path].text, scope)
        paths = [path for path in self._kept if path in job.texts]
        self._kept = {path: self._kept[path] for path in paths}
        tasks = [self._kept[path].task for path in paths]
        linted = send_home([self._kept[path].linted for path in paths], tasks)
        held = HeldTexts(tuple(linted), {path: job.texts[path] for path in paths})
        ran = job.ran if isinstance(job, LookJob) else ()
        own = [n for n, path in enumerate(paths) if path in anew]
        return join_tiers(
            [tasks[n] for n in own],
            replace(held, linted=tuple(linted[n] for n in own)),
            ran,
            scope,
            self._request,
        )

    def _lint(self, path: str, text: str, scope: Scope) -> None:
        task = replace(scope.make_task(path), entered=self._entered(path))
        kept = self._kept.get(path)
        if kept is None or not kept.holds(task, text):
            linted = lint_text(task, text)
            stamps = {each: stamp_file(each) for each in linted.consulted if each != path}
            self._kept[path] = _Kept(task, text, linted, stamps)

    def _entered(self, path: str) -> frozenset[str]:
        """The functions of a file that forward passes of other open files call."""
        calls = (call for kept in self._kept.values() for call in kept.linted.enters)
        return frozenset(name for called, name in calls if called == path)

    def _said_of_others(self, path: str) -> frozenset[object]:
        """What a file says of others: which functions it calls, and what is wrong in them."""
        kept = self._kept.get(path)
        if kept is None:
            return frozenset()
        strays = ((f.place.path, f) for f in kept.linted.findings if f.place.path != path)
        return frozenset((*kept.linted.enters, *strays))

    def _find_outdated(
        self, job: LookJob, scope: Scope, before: frozenset[object]
    ) -> Iterator[str]:
        """The other open files that are to be looked at again."""
        told = before ^ self._said_of_others(job.path)
        concerned = {str(each[0]) for each in told if isinstance(each, tuple)}
        for path, kept in self._kept.items():
            text = job.texts[path].text if path in job.texts else kept.text
            if path != job.path and (path in concerned or not kept.holds(kept.task, text)):
                yield path
