"""Fixes go in whole or not at all, in rounds, and never leave a text worse than they found it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintorch.core.finding import Applicability, Edit, Finding, Fix, Place, Severity
from lintorch.fix.apply_edits import apply_fixes
from lintorch.fix.fix_rounds import Settled, settle
from lintorch.fix.idle_imports import add_import

SAFE = frozenset({Applicability.SAFE})


def fix(*edits: tuple[int, int, str]) -> Fix:
    return Fix("", tuple(Edit(*e) for e in edits))


def rewriting(*rules: tuple[str, str, str]) -> Callable[[str], Iterator[Finding]]:
    """A check whose rules each put a replacement in the place of a pattern."""

    def check(text: str) -> Iterator[Finding]:
        for code, pattern, content in rules:
            for match in re.finditer(pattern, text):
                edit = Edit(match.start(), match.end(), match.expand(content))
                row = text.count("\n", 0, match.start()) + 1
                place = Place("m.py", row, match.start() + 1)
                yield Finding(code, code, "", Severity.NOTE, place, fix=Fix("", (edit,)))

    return check


def test_the_first_of_overlapping_fixes_goes_in_whole_and_the_other_not_at_all() -> None:
    first, second, third = fix((0, 3, "x")), fix((2, 4, "y"), (6, 7, "z")), fix((6, 7, "w"))
    result = apply_fixes("abcdefg", [first, second, third])
    assert result.text == "xdefw"
    assert (result.applied, result.skipped) == ((first, third), (second,))


def test_an_import_that_two_fixes_add_goes_in_once_and_a_bracket_twice() -> None:
    text = "import os\na(b)\nc(d)\n"
    shared = (10, 10, "import re\n")
    result = apply_fixes(text, [fix(shared, (12, 13, "x")), fix(shared, (17, 18, "y"))])
    assert result.text == "import os\nimport re\na(x)\nc(y)\n"
    nested = apply_fixes("a(b)", [fix((0, 0, "f("), (4, 4, ")")), fix((2, 2, "g("), (4, 4, ")"))])
    assert nested.text == "f(a(b))"


def test_precedence_is_not_broken_by_fixes_that_touch() -> None:
    assert len(apply_fixes("a", [fix((0, 1, "b + c")), fix((1, 1, ".sum()"))]).skipped) == 1


def test_new_lines_end_as_the_texts_own() -> None:
    assert apply_fixes("a\r\nb\r\n", [fix((3, 3, "x\ny\r\n"))]).text == "a\r\nx\r\ny\r\nb\r\n"


EDITS = st.builds(
    lambda start, length, content: Edit(start, start + length, content),
    st.integers(-1, 22),
    st.integers(-1, 6),
    st.text("xy\n", max_size=3),
)
FIXES = st.lists(st.builds(Fix, st.uuids().map(str), st.lists(EDITS, max_size=3).map(tuple)))


@given(st.text("ab\n", max_size=20), FIXES)
def test_fixes_go_in_whole_and_the_rest_of_the_text_stays(text: str, fixes: list[Fix]) -> None:
    result = apply_fixes(text, fixes)
    assert sorted((*result.applied, *result.skipped), key=id) == sorted(fixes, key=id)
    assert apply_fixes(text, result.applied).text == result.text
    edits = {edit for each in result.applied for edit in each.edits}
    touched = {n for edit in edits for n in range(edit.start, edit.end)}
    grown = sum(len(edit.content) - (edit.end - edit.start) for edit in edits)
    assert len(result.text) == len(text) + grown
    kept = "".join(c for n, c in enumerate(text) if n not in touched and c != "\n")
    left = iter(result.text)
    assert all(c in left for c in kept)


def test_rounds_go_on_until_nothing_is_left() -> None:
    settled = settle("f(f(f(f(x))))\n", rewriting(("A", r"f\((x|g\S*\))\)", r"g(\1)")), SAFE)
    assert settled.text == "g(g(g(g(x))))\n"
    assert len(settled.applied) == 4
    assert (settled.remaining, settled.unsettled) == ((), ())


def test_a_rule_that_breaks_the_text_is_undone_and_named_and_the_others_go_in() -> None:
    rules = rewriting(("A", "old", "new"), ("B", "bad", "b ad"), ("C", r"k=1", "k=1, k=2"))
    settled = settle("old\nbad\nf(k=1)\nold\n", rules, SAFE)
    assert settled.text == "new\nbad\nf(k=1)\nnew\n"
    assert settled.unsettled == ("B", "C")
    assert [f.code for f in settled.remaining] == ["B", "C"]


@pytest.mark.parametrize("grow", ["ab", "b"])
def test_a_rule_that_does_not_settle_is_undone_and_named(grow: str) -> None:
    rules = rewriting(("A", "a", grow), ("B", "b", "a"), ("C", "old", "new"))
    settled = settle("a\nold\n", rules, SAFE)
    assert "new" in settled.text
    assert settled.unsettled
    assert {f.code for f in settled.remaining} <= set(settled.unsettled)


def test_a_fix_that_promises_too_little_is_not_applied() -> None:
    place = Place("m.py", 1)
    shown = Fix("", (Edit(0, 1, "b"),), Applicability.UNSAFE)
    finding = Finding("A", "a", "", Severity.NOTE, place, fix=shown)
    assert settle("a\n", lambda _: [finding], SAFE) == Settled("a\n", remaining=(finding,))


def test_a_text_that_does_not_parse_is_left_alone() -> None:
    assert settle("a b\n", rewriting(("A", "a", "c")), SAFE).text == "a b\n"


IDLE = [
    ("import math\nimport os\n\nmath.old(os)\n", "import os\n\nnew(os)\n"),
    ("import old as o\n\n\no.old\n", "new\n"),
    ("import os\n\nfrom x import (\n    é, old,  # two\n    os as p,\n)\n\n\nold(é, p, os)\n",
     None),
    ("import os\n\nfrom x import (\n    é, old,\n    os as p,\n)\n\n\nold(é, p, os)\n",
     "import os\n\nfrom x import (\n    é, os as p,\n)\n\n\nnew(é, p, os)\n"),
    ("import a\n# for old\nimport old\n\nold()\n", "import a\n# for old\nimport old\n\nnew()\n"),
    ("# all\nimport old\nimport a\n\nold()\n", "# all\nimport a\n\nnew()\n"),
    ("from x import a, old\nold(a)\n", "from x import a\nnew(a)\n"),
    ("import x.old\nimport x\nx.old(x.y)\n", "import x\nnew(x.y)\n"),
    ("import x.old\nx.old(x.y)\n", "import x.old\nnew(x.y)\n"),
    ("from x import old  # noqa: F401\nold\n", "from x import old  # noqa: F401\nnew\n"),
    ("import old  # kept\nold\n", "# kept\nnew\n"),
    ("import old; import os\nold(os)\n", "import os\nnew(os)\n"),
    ("import old;  # alone\nold\n", "import old;  # alone\nnew\n"),
    ("from x import old\n__all__ = ['old']\nold()\n", None),
    ("from x import old\n\n\ndef f(a: 'list[old]'): old()\n", None),
    ("from x import old as old\nold()\n", None),
    ("try:\n    from x import old\nexcept ImportError:\n    old = None\nold()\n", None),
    ("import idle\nfrom x import *\nold\n", "import idle\nfrom x import *\nnew\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), IDLE)
def test_imports_that_fixes_left_idle_go(before: str, after: str | None) -> None:
    result = settle(before, calls_of_old, SAFE)
    assert result.text == (after if after is not None else re.sub(r"\bold\(", "new(", before))
    assert settle(before, calls_of_old, SAFE, path="p/__init__.py").text.startswith(before[:9])


def calls_of_old(text: str) -> Iterator[Finding]:
    """Finds uses of anything named `old`, to be written `new`."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            continue
        named = node.id if isinstance(node, ast.Name) else node.attr
        if named == "old" and isinstance(node.ctx, ast.Load) and node.lineno > 1:
            row = text.split("\n")[node.lineno - 1]
            start = sum(len(line) + 1 for line in text.split("\n")[: node.lineno - 1])
            shift = [
                len(row.encode()[:n].decode()) for n in (node.col_offset, node.end_col_offset or 0)
            ]
            edit = Edit(start + shift[0], start + shift[1], "new")
            if row[shift[0] : shift[1]].endswith("old"):
                place = Place("m.py", node.lineno)
                yield Finding("A", "a", "", Severity.NOTE, place, fix=Fix("", (edit,)))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = 1\n", "import torch\nx = 1\n"),
        ("#!/bin/python\n@d\nclass X: ...\n", "#!/bin/python\nimport torch\n@d\nclass X: ...\n"),
        ('"""Doc."""\n', '"""Doc."""\n\nimport torch\n'),
        ('"""Doc."""\nfrom __future__ import annotations\nx = 1\n',
         '"""Doc."""\nfrom __future__ import annotations\nimport torch\nx = 1\n'),
        ("import (\n", None), ("import os", "import os\nimport torch\n"), ("", "import torch\n"),
    ],
)  # fmt: skip
def test_an_import_is_added_where_it_may_stand(text: str, after: str | None) -> None:
    if after is None:
        with pytest.raises(SyntaxError):
            add_import(text, "import torch")
    else:
        assert apply_fixes(text, [Fix("", (add_import(text, "import torch"),))]).text == after
