"""Asks lintorch whether a program has the hazard of a rule, as its command line would."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lintorch.core.profile import Profile
from lintorch.core.rule import Rule
from lintorch.run.lint_files import lint_files
from lintorch.run.lint_task import LintTask
from lintorch.run.request import Request, ignore_progress
from rewriting.program import MAIN, Program


def finds(rule: Rule, program: Program) -> bool:
    """Whether a finding of the rule stands in any file of the program, for the rule's own profile."""
    texts = {**program.others, MAIN: program.text}
    if not any("torch" in text for text in texts.values()):
        texts[MAIN] += "# torch\n"
    profile = read_profile(rule.example_profile)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.py") for name in texts]
        for path in paths:
            path.write_text(texts[path.stem], encoding="utf-8")
        tasks = [LintTask(str(path), frozenset({rule.code}), profile) for path in paths]
        request = Request(tuple(map(str, paths)), jobs=1, no_cache=True)
        linted = lint_files(tasks, request, folder, {}, ignore_progress)
    return any(finding.code == rule.code for each in linted for finding in each.findings)


def read_profile(words: tuple[str, ...]) -> Profile:
    """The profile that a rule's `example_profile` names; the default one where it names nothing."""
    targets = tuple(word.partition(":")[2] for word in words if word.startswith("target:"))
    named = [word.partition("@") for word in words if not word.startswith("target:")]
    if not named:
        return Profile(targets=targets)
    stated = frozenset(name for name, _, _ in named)
    opset = next((int(number) for _, _, number in named if number), None)
    return Profile(stated, opset, stated=stated, targets=targets)
