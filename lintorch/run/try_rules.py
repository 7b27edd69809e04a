"""Whether rules hold what their files say: examples, fixes, marked cases and proofs."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lintorch.catalog.rule_folders import walk_files
from lintorch.core.finding import Applicability, Evidence, Finding
from lintorch.core.profile import Profile
from lintorch.core.rule import Rule
from lintorch.core.text_rows import split_rows
from lintorch.files import FileText, read_file
from lintorch.fix.fix_rounds import settle
from lintorch.run.lint_file import lint_text
from lintorch.run.lint_task import LintTask
from lintorch.run.rule_catalog import load_catalog

CASES = "_cases"
"""The folder beside rules whose files hold marked lines; no rule is looked for in it."""
_MARK = "# hit"
_SECONDS = 600
_HEAD = "import warnings\nwarnings.simplefilter('error')\nimport torch\ntorch.manual_seed(0)\n"
_FIXES = frozenset({Applicability.SAFE, Applicability.UNSAFE})


@dataclass(frozen=True)
class TriedRule:
    """What came of one rule: what was tried, and what is not as its file says."""

    rule: Rule
    tried: tuple[str, ...]
    wrong: tuple[str, ...]


def try_rules(folder: str, further: tuple[str, ...] = (), python: str = "") -> Iterator[TriedRule]:
    """Each rule of a folder, tried. `python` runs proofs; "" for none. Raises CatalogError."""
    inside = os.path.realpath(folder)
    folders = tuple(dict.fromkeys((*further, folder)))
    for rule in load_catalog(folders).rules.values():
        first = rule.detectors[0].detect.__code__.co_filename if rule.detectors else ""
        if os.path.realpath(first).startswith(inside + os.sep):
            yield _try_rule(rule, inside, folders, python)


def _try_rule(rule: Rule, folder: str, folders: tuple[str, ...], python: str) -> TriedRule:
    tried: list[str] = []
    wrong: list[str] = []
    reads = any(detector.evidence is Evidence.SOURCE for detector in rule.detectors)
    if rule.bad and reads:
        tried += ["bad", "good"]
        wrong += _try_examples(rule, folders)
    if rule.fix and rule.bad:
        tried.append("fix")
        wrong += _try_fix(rule, folders)
    for path in _list_cases(rule, folder):
        tried.append(os.path.relpath(path, folder).replace(os.sep, "/"))
        wrong += _try_case(rule, path, folders)
    if rule.proof and python:
        tried.append("proof")
        wrong += _try_proof(rule, python)
    return TriedRule(rule, tuple(tried), tuple(wrong))


def _try_examples(rule: Rule, folders: tuple[str, ...]) -> Iterator[str]:
    profile = _read_profile(rule.example_profile)
    if not any(f.code == rule.code for f in _list_all(rule, rule.bad, profile, folders)):
        yield "bad: nothing is found in it"
    for finding in _find(rule, rule.good, profile, folders):
        yield f"good: row {finding.place.row}: {finding.code} {finding.said}"


def _try_fix(rule: Rule, folders: tuple[str, ...]) -> Iterator[str]:
    profile = _read_profile(rule.example_profile)
    fixed = settle(rule.bad, lambda text: _find(rule, text, profile, folders), _FIXES)
    if fixed.text != rule.good:
        yield "fix: what it makes of bad is not good, but:\n" + fixed.text.rstrip("\n")
    promised = {finding.fix.applicability for finding in fixed.applied if finding.fix}
    if promised and promised != {rule.fix}:
        yield f"fix: the rule promises {rule.fix}, the fix {', '.join(sorted(promised))}"


def _list_cases(rule: Rule, folder: str) -> list[str]:
    """`_cases/RULE_NAME*.py`."""
    stem = rule.name.replace("-", "_")
    return [
        path
        for path in walk_files(os.path.join(folder, CASES), (".py",))
        if os.path.basename(path).startswith(stem)
    ]


def _try_case(rule: Rule, path: str, folders: tuple[str, ...]) -> Iterator[str]:
    read, shown = read_file(path), os.path.basename(path)
    if not isinstance(read, FileText):
        yield f"{shown}: {read.cause}"
        return
    lines = split_rows(read.text).lines
    profile = _profile_of_file(lines[0])
    marked = {n for n, line in enumerate(lines, 1) if line.endswith(_MARK)}
    found = {f.place.row for f in _find(rule, read.text, profile, folders, path)}
    yield from (f"{shown}:{row}: is marked, and not found" for row in sorted(marked - found))
    yield from (f"{shown}:{row}: is found, and not marked" for row in sorted(found - marked))


def _try_proof(rule: Rule, python: str) -> Iterator[str]:
    """A proof goes wrong after `bad`, and runs through after `good`."""
    after_good = _run_program(f"{_HEAD}\n{rule.good}\n\n{rule.proof}", python)
    if after_good:
        yield f"proof: goes wrong after good: {after_good}"
    if not _run_program(f"{_HEAD}\n{rule.bad}\n\n{rule.proof}", python):
        yield "proof: runs through after bad"


def _run_program(text: str, python: str) -> str:
    """How a program ends: "" if well, else the last line that it complains in."""
    with tempfile.TemporaryDirectory(prefix="lintorch-") as folder:
        with open(os.path.join(folder, "example.py"), "w", encoding="utf-8") as file:
            file.write(text)
        try:
            done = subprocess.run(
                [python, "example.py"], cwd=folder, capture_output=True, text=True, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return f"not over after {_SECONDS} s"
    told = done.stderr.strip().splitlines()
    return (told[-1] if told else f"exit code {done.returncode}") if done.returncode else ""


def _find(
    rule: Rule, text: str, profile: Profile, folders: tuple[str, ...], path: str = "model.py"
) -> list[Finding]:
    found = _list_all(rule, text, profile, folders, path)
    return [finding for finding in found if not finding.confirms]


def _list_all(
    rule: Rule, text: str, profile: Profile, folders: tuple[str, ...], path: str = "model.py"
) -> list[Finding]:
    """Also what waits for a run."""
    task = LintTask(path, frozenset({rule.code}), profile, folders)
    return list(lint_text(task, text).findings)


def _profile_of_file(first: str) -> Profile:
    """What the first line of a case says: `# profile: …`, `# torch: 2.4`, `# target: …`."""
    exporters = re.search(r"# profile: ([^#]*)", first)
    release = re.search(r"# torch: (\d+)\.(\d+)", first)
    targets = re.search(r"# target: ([^#]*)", first)
    named = tuple(f"target:{name}" for name in targets[1].split()) if targets else ()
    profile = _read_profile((*(exporters[1].split() if exporters else ()), *named))
    return replace(profile, torch=(int(release[1]), int(release[2]))) if release else profile


def _read_profile(words: tuple[str, ...]) -> Profile:
    """`onnx-legacy@10` names an exporter and its opset, `target:tensorrt-8.4` a runtime."""
    targets = tuple(word.partition(":")[2] for word in words if word.startswith("target:"))
    exporters = [word.partition("@") for word in words if not word.startswith("target:")]
    if not exporters:
        return Profile(targets=targets)
    names = frozenset(name for name, _, _ in exporters)
    opset = next((int(opset) for _, _, opset in exporters if opset), None)
    return Profile(names, opset, stated=names, targets=targets)
