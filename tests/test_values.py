"""What the evaluator makes of a line: files of `values/` say it behind `# value:`, `lintorch explain` shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from running import lintorch

FILES = sorted((Path(__file__).parent / "values").glob("*.py"))
MARK = re.compile(r"# value: (.+)$")


def shown_values(path: Path) -> dict[int, list[str]]:
    """By row, what the name that begins it is given, else what the expression is worth; each that differs once."""
    done = lintorch("explain", path.name, "--output-format", "json", cwd=path.parent)
    assert done.stderr == ""
    lines = path.read_text("utf-8").splitlines()
    found: dict[int, list[str]] = {}
    for context in json.loads(done.stdout):
        line, values = lines[context["row"] - 1].strip(), context["values"]
        given = [v for v in values if v["assigned"] and line.startswith(v["text"])]
        values = given or [v for v in values if not v["assigned"]] or values
        told = found.setdefault(context["row"], [])
        told.extend(each for each in values[0]["values"] if each not in told)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_marked_line_has_the_value_it_says(path: Path) -> None:
    rows = enumerate(path.read_text("utf-8").splitlines(), 1)
    wanted = {row: found[1] for row, line in rows if (found := MARK.search(line))}
    shown = shown_values(path)
    assert {row: ", then ".join(shown.get(row, ["not reached"])) for row in wanted} == wanted
