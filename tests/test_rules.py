"""Every rule's own examples, and marked lines of case files, hold what the rule promises.

A case file lies at `tests/cases/THEME/RULE_NAME*.py`. A line that ends in `# hit` must get a
finding of that rule, every other line must get none. `# profile: onnx-legacy@9 torchscript-trace`
in its first line sets the exporters in use (and opset) for the file, `# torch: 2.4` the release
that is deployed with, `# target: tensorrt-7.2 rknn-2.1` what is deployed to.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Applicability, Evidence, Finding, Severity
from lintorch.core.profile import Profile
from lintorch.core.rule import Rule
from lintorch.fix.fix_rounds import settle
from lintorch.source import Source

CATALOG = catalog.build_catalog()
RULES = [rule for rule in CATALOG.rules.values() if rule.detectors]
CASES = Path(__file__).parent / "cases"


ALONE = str(Path(tempfile.gettempdir(), "lintorch-alone", "model.py"))
"""A file beside which no other stands that might use what it defines."""


def findings(rule: Rule, text: str, profile: Profile, path: str = ALONE) -> list[Finding]:
    return [each for each in list_all(rule, text, profile, path) if not each.confirms]


def list_all(rule: Rule, text: str, profile: Profile, path: str = ALONE) -> list[Finding]:
    """Also what waits for a run."""
    source = Source(path, text, profile)
    return list(lint_subject(source, index_detectors([rule], Evidence.SOURCE)))


def profile_of(words: tuple[str, ...]) -> Profile:
    targets = tuple(word.partition(":")[2] for word in words if word.startswith("target:"))
    words = tuple(word for word in words if not word.startswith("target:"))
    if not words:
        return Profile(targets=targets)
    names = [word.partition("@")[0] for word in words]
    opsets = [int(word.partition("@")[2]) for word in words if "@" in word]
    stated = frozenset(names)
    opset = opsets[0] if opsets else None
    return Profile(stated, opset, stated=stated, targets=targets)


def profile_of_file(first: str) -> Profile:
    exporters = re.search(r"# profile: ([^#]*)", first)
    release = re.search(r"# torch: (\d+)\.(\d+)", first)
    targets = re.search(r"# target: ([^#]*)", first)
    named = tuple(f"target:{name}" for name in targets[1].split()) if targets else ()
    profile = profile_of((*(exporters[1].split() if exporters else ()), *named))
    return replace(profile, torch=(int(release[1]), int(release[2]))) if release else profile


def with_source_half(rules: list[Rule]) -> list[Rule]:
    return [r for r in rules if any(d.evidence is Evidence.SOURCE for d in r.detectors)]


@pytest.mark.parametrize("rule", with_source_half(RULES), ids=lambda r: r.name)
def test_the_bad_example_is_found_and_the_good_one_is_not(rule: Rule) -> None:
    profile = profile_of(rule.example_profile)
    found = list_all(rule, rule.bad, profile)
    waits = bool(found) and all(each.confirms for each in found)
    assert [f.code for f in found if waits or not f.confirms] == [rule.code]
    assert findings(rule, rule.good, profile) == []


@pytest.mark.parametrize("rule", [r for r in RULES if r.fix], ids=lambda r: r.name)
def test_fixing_the_bad_example_gives_the_good_one(rule: Rule) -> None:
    profile = profile_of(rule.example_profile)
    allowed = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    settled = settle(rule.bad, lambda text: findings(rule, text, profile), allowed)
    assert settled.text == rule.good
    assert {f.fix.applicability for f in settled.applied if f.fix} == {rule.fix}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases where no `conftest.py` lies above them, which would make them tests."""
    return Path(shutil.copytree(CASES, tmp_path_factory.mktemp("elsewhere") / "cases"))


@pytest.mark.parametrize("case", sorted(CASES.rglob("*.py")), ids=lambda p: p.stem)
def test_marked_lines_are_found_and_no_others(case: Path, elsewhere: Path) -> None:
    path = elsewhere / case.relative_to(CASES)
    text = path.read_text(encoding="utf-8")
    rule = next(r for r in RULES if path.stem.replace("_", "-").startswith(r.name))
    profile = profile_of_file(text.partition("\n")[0])
    marked = {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# hit")}
    assert {f.place.row for f in findings(rule, text, profile, str(path))} == marked


@pytest.mark.parametrize("rule", CATALOG.rules.values(), ids=lambda r: r.code)
def test_a_rule_says_why(rule: Rule) -> None:
    assert re.fullmatch(r"LT\d{3}", rule.code)
    assert rule.summary
    assert rule.why.strip()


def test_a_key_that_no_event_has_is_refused() -> None:
    rule = Rule("rules.export.some", code="LT199", summary="some", why="some")
    with pytest.raises(ValueError, match=r"'size\.int' is no operator"):
        rule.trace("size.int")


def reported_by_default(rule: Rule) -> bool:
    return rule.default and rule.severity is not Severity.NOTE and rule.theme != "lintorch"


@pytest.mark.parametrize("rule", [r for r in RULES if reported_by_default(r)], ids=lambda r: r.name)
def test_what_breaks_is_told_with_a_fix_or_with_what_to_write_instead(rule: Rule) -> None:
    profile = profile_of(rule.example_profile)
    found = findings(rule, rule.bad, profile) if rule in with_source_half(RULES) else []
    applied = {Applicability.SAFE, Applicability.UNSAFE}
    for finding in found:
        assert finding.remedy or (finding.fix and finding.fix.applicability in applied)
    assert found or rule.remedy or all(d.evidence is Evidence.EXPORT for d in rule.detectors)


@pytest.mark.parametrize("rule", [r for r in RULES if r.remedy], ids=lambda r: r.name)
def test_a_remedy_is_a_clause_that_can_end_any_message(rule: Rule) -> None:
    assert rule.remedy[0].islower()
    assert not rule.remedy.endswith((".", ";", ","))
    assert len(rule.remedy) <= 120
