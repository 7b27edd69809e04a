"""A small slice of `benchmarks/fuzz.py`, which runs the same over tens of thousands of files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from running import lintorch

CHECKOUT = Path(__file__).parent.parent
sys.path.append(str(CHECKOUT / "benchmarks"))

from fuzzing import fixed, mutants, worker  # noqa: E402

from lintorch.catalog import build_catalog  # noqa: E402

RULES = build_catalog(()).rules
EXAMPLES = [text for rule in RULES.values() for text in (rule.bad, rule.good) if text]
CASES = [p.read_text("utf-8") for p in sorted((CHECKOUT / "tests/cases").rglob("*.py"))]
SOURCES = [text for text in CASES + EXAMPLES if len(text) < 4000]


def mutant(number: int) -> bytes:
    return mutants.mutant(number, 11, SOURCES)


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_no_damaged_file_makes_lintorch_fail(tmp_path: Path, start: int) -> None:
    place = tmp_path / "mutant.py"
    for number in range(start, start + 50):
        place.write_bytes(mutant(number))
        seen = worker.checked(str(place), frozenset(RULES), every=True)
        assert not seen["failure"], f"mutants.mutant({number}, 11, SOURCES)"


def test_a_carriage_return_ends_a_line(tmp_path: Path) -> None:
    place = tmp_path / "old.py"
    for text in (text for text in SOURCES if "is None" in text):
        place.write_bytes(text.replace("\n", "\r").encode())
        seen = worker.checked(str(place), frozenset(RULES), every=True)
        assert not seen["failure"], text


def test_a_report_is_the_same_for_any_number_of_jobs_and_from_the_cache(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"mutant{number}.py").write_bytes(mutant(number))
    command = ("check", "--select", "ALL", "--output-format", "json")
    alone = lintorch(*command, "--no-cache", "--jobs", "1", cwd=tmp_path)
    assert alone.returncode == 1, alone.stderr
    for options in (("--no-cache", "--jobs", "3"), ("--jobs", "2"), ("--jobs", "2")):
        again = lintorch(*command, *options, cwd=tmp_path)
        assert (again.stdout, again.stderr) == (alone.stdout, alone.stderr), options


def test_fixing_breaks_nothing_and_is_done_after_one_run(tmp_path: Path) -> None:
    for number, text in enumerate(EXAMPLES):
        text = f"# first, {number}\n{text}\n# last\n"
        data = text.replace("\n", "\r\n").encode("utf-8-sig") if number % 3 else text.encode()
        (tmp_path / f"example{number}.py").write_bytes(data)
    before = fixed.contents(tmp_path)
    assert not fixed.fix(tmp_path, jobs=1)
    once = fixed.contents(tmp_path)
    assert not fixed.fix(tmp_path, jobs=1)
    assert sum(once[name] != before[name] for name in before) > 50
    assert not list(fixed.damage(before, once, fixed.contents(tmp_path)))
