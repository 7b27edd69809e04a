"""Lints one text of a file that models of other files lead into."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from lintorch.core.file_views import read_bytes, show_text
from lintorch.core.finding import Finding
from lintorch.core.kept_answers import forget_answers
from lintorch.files import FileText, decode_file, is_notebook
from lintorch.run.lint_file import lint_text
from lintorch.run.lint_task import Linted, LintTask
from lintorch.run.send_home import send_home


def lint_led(task: LintTask, text: str, leads: Sequence[LintTask]) -> tuple[Finding, ...]:
    """What is found in the lines of a file whose text this is, by itself and as the files that lead there show it."""
    own = lint_text(task, text)
    if not leads:
        return send_home([own], [task])[0].findings
    with show_text(task.path, text):
        forget_answers()
        led = [*_lint_each(leads)]
    forget_answers()
    linted, tasks = zip((own, task), *led, strict=True)
    return send_home(linted, tasks)[0].findings


def _lint_each(leads: Sequence[LintTask]) -> Iterator[tuple[Linted, LintTask]]:
    """Notebooks left out, whose cells nobody else imports."""
    for task in leads:
        if os.path.exists(task.path) and not is_notebook(task.path):
            read = decode_file(task.path, read_bytes(task.path))
            if isinstance(read, FileText):
                yield lint_text(task, read.text), task
