"""Checks one file after the other, each told on a line of standard input, and answers on a line each."""

from __future__ import annotations

import json
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from lintorch.core.finding import Finding
from lintorch.core.profile import Profile
from lintorch.files import FileText, read_file
from lintorch.run.lint_file import lint_text
from lintorch.run.lint_files import lint_path
from lintorch.run.lint_task import LintTask
from lintorch.run.request import Request
from lintorch.run.rule_catalog import load_catalog
from lintorch.run.scope import Scope
from lintorch.run.suppress_findings import suppress_by_comments

CRASHED = ("LT002", "LT009")


def serve(mutate: Callable[[int], bytes] | None = None, every: bool = False) -> None:
    """Answers until the input ends. What is told is a path, or with `mutate` a mutant's number.

    `every` has files parsed that never mention torch, which lintorch passes over.
    """
    codes = frozenset(load_catalog(()).rules)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "mutant.py")
        for told in map(str.strip, sys.stdin):
            if mutate is not None:
                place.write_bytes(mutate(int(told)))
            print(json.dumps(checked(str(place) if mutate else told, codes, every)), flush=True)


def checked(path: str, codes: frozenset[str], every: bool) -> dict[str, object]:
    """What became of a file: the codes found, the processor's seconds, and what went wrong."""
    before = time.process_time()
    try:
        found = look(path, codes, every)
    except BaseException:  # this is what is looked for
        return {"failure": traceback.format_exc()[-2000:], "codes": {}, "seconds": 0}
    crashes = [f"{f.code}: {f.said}" for f in found if f.code in CRASHED]
    return {
        "codes": Counter(f.code for f in found),
        "seconds": round(time.process_time() - before, 3),
        "failure": crashes[0] if crashes else "",
    }


def look(path: str, codes: frozenset[str], every: bool) -> tuple[Finding, ...]:
    """The findings of a file, its suppressions heeded."""
    task = LintTask(path, codes, Profile())
    linted = lint_path(task)
    text = read_file(path)
    if not isinstance(text, FileText):
        return linted.findings
    if every and "torch" not in text.text:
        linted = lint_text(task, f"{text.text}\n# torch\n")
    request = Request((path,))
    return suppress_by_comments(text.text, path, linted.findings, Scope(request), request)
