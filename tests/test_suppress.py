"""A suppression silences exactly what it is about, and says so where it is wrong or idle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintorch import suppress
from lintorch.core.finding import Finding, Place, Severity
from lintorch.fix.apply_edits import apply_edits, apply_fixes

NAMES = {"LT003": "unused-suppression", "LT004": "malformed-suppression",
         "LT005": "blanket-suppression", "LT101": "dynamic-size", "LT116": "adaptive-pool"}  # fmt: skip
ALL = frozenset(NAMES)


def finding(row: int, code: str = "LT101", end_row: int = 0) -> Finding:
    place = Place("m.py", row, 1, end_row or row, 2)
    return Finding(code, NAMES[code], f"of row {row}", Severity.WARNING, place)


def applied(
    text: str,
    *findings: Finding,
    enabled: frozenset[str] = ALL,
    decidable: frozenset[str] | None = None,
    withdrawn: Iterable[Finding] = (),
) -> tuple[Finding, ...]:
    return suppress.apply_suppressions(text, "m.py", findings, NAMES, enabled, decidable, withdrawn)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # lintorch: ignore[LT101]\n",
        "x = 1  #lintorch:ignore[ lt116,Dynamic-Size ] -- always 1\n",
        "x = 1  # type: ignore # lintorch: ignore[LT101] # noqa: E501\n",
        "x = 1  # noqa: E501, LT101\n",
        "x = 1; y = '''\n'''  # lintorch: ignore[LT101]\n",
        "x = (\n    2\n)  # lintorch: ignore[LT101]\n",
        "x = 1\n# lintorch: ignore-file[LT101]\n",
    ],
)
def test_a_finding_of_the_first_row_is_silenced(text: str) -> None:
    assert "LT101" not in {f.code for f in applied(text, finding(1), finding(1, "LT116"))}


@pytest.mark.parametrize(
    "text",
    [
        "x = '# lintorch: ignore[LT101]'\n",
        "x = 1  # noqa\n",
        "x = 1  # lintorch: ignore[LT116]\n",
        "x = 1\ny = 2  # lintorch: ignore[LT101]\n",
        "x = 1  # lintorch: ignore\n",
    ],
)
def test_a_finding_of_the_first_row_stands(text: str) -> None:
    assert "LT101" in {f.code for f in applied(text, finding(1))}


@pytest.mark.parametrize(
    ("text", "silenced"),
    [
        ("# lintorch: ignore[LT101]\n\n# more\nx = (\n  1)\ny = 2\n", {4, 5}),
        ("if x:\n    # lintorch: ignore[LT101]\n    y = 1\nz = 2\n", {3}),
        ("f(\n    # lintorch: ignore[LT101]\n    a,\n    b,\n)\n", {3}),
        ("# lintorch: ignore[LT101]\n@d(\n  1)\nclass A(\n  B):\n    x = 1\n", {2, 3, 4, 5}),
        ("x = 1\n# lintorch: ignore[LT101]\n", set()),
        ("f(\n    a,  # lintorch: ignore[LT101]\n    b,\n)\n", {2}),
    ],
)
def test_exactly_these_rows_are_silenced(text: str, silenced: set[int]) -> None:
    for rows in (text, text.replace("\n", "\r\n")):
        every = [finding(row) for row in range(1, text.count("\n") + 1)]
        left = {f.place.row for f in applied(rows, *every) if f.code == "LT101"}
        assert left == {f.place.row for f in every} - silenced


def test_a_finding_of_several_rows_is_silenced_from_each_of_its_header_only() -> None:
    text = "for a in (\n    b,{}\n):\n    f(a){}\n    g(a)\n"
    comment = "  # lintorch: ignore[LT101]"
    assert applied(text.format(comment, ""), finding(1, end_row=5)) == ()
    assert finding(1, end_row=5) in applied(text.format("", comment), finding(1, end_row=5))


PLACES = st.lists(st.sampled_from(["", "a", "b", "x = '#'  ", "f(\n1)  "]), min_size=1, max_size=8)


@given(PLACES, st.data())
def test_exactly_the_findings_of_suppressed_lines_vanish(
    kinds: list[str], data: st.DataObject
) -> None:
    marks = data.draw(
        st.lists(st.sampled_from([None, *NAMES]), min_size=len(kinds), max_size=len(kinds))
    )
    lines = [
        k + (f"  # lintorch: ignore[{m}]" if m and k else "")
        for k, m in zip(kinds, marks, strict=True)
    ]
    text = "\n".join(lines) + "\n"
    ends = [text.count("\n", 0, len("\n".join(lines[: n + 1]))) + 1 for n in range(len(lines))]
    every = [finding(row, code) for row in ends for code in ("LT101", "LT116")]
    gone = {
        (row, mark) for row, mark, kind in zip(ends, marks, kinds, strict=True) if mark and kind
    }
    left = {(f.place.row, f.code) for f in applied(text, *every) if f.code in ("LT101", "LT116")}
    assert left == {(f.place.row, f.code) for f in every} - gone


UNUSED = [
    ("x = 1  # lintorch: ignore[LT101] -- reason\n", "x = 1\n"),
    ("# lintorch: ignore[dynamic-size]\r\nx = 1\r\n", "x = 1\r\n"),
    ("x = 1  # noqa: E501, LT101\n", "x = 1  # noqa: E501\n"),
    ("x = 1  # lintorch: ignore[LT101]  # noqa\n", "x = 1  # noqa\n"),
    ("x = 1  # é  # lintorch: ignore[LT101]", "x = 1  # é"),
    ("x = 1\ny = 1  # lintorch: ignore[LT116,LT101]\n", "x = 1\ny = 1  # lintorch: ignore[LT116]\n"),
    ("x = 1\n# lintorch: ignore-file[LT101]\n", "x = 1\n"),
    ("x = 1  # lintorch: ignore[LT003]\n", "x = 1\n"),
    ("def f():\n    # lintorch: ignore\n    x = 1\n", "def f():\n    x = 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "after"), UNUSED)
def test_an_unused_suppression_is_found_and_removed(text: str, after: str) -> None:
    found = [f for f in applied(text, finding(2, "LT116")) if f.code in ("LT003", "LT005")]
    assert apply_fixes(text, [f.fix for f in found if f.fix]).text == after
    assert [f.code for f in applied(after, finding(2, "LT116")) if f.code != "LT116"] == []


@pytest.mark.parametrize(
    ("comment", "code", "told"),
    [
        ("# lintorch: ignore", "LT005", "ignore[LT101]"),
        ("# lintorch: ignore[]", "LT005", "ignore[LT101]"),
        ("# lintorch: ignore[LT999]", "LT004", "no rule is `LT999`"),
        ("# lintorch: ignore[dynamic-sise]", "LT004", "did you mean `dynamic-size`"),
        ("# lintorch: ignore LT101", "LT004", "ignore[LT101]"),
        ("# lintorch: ignore[LT101", "LT004", "not closed"),
        ("# lintorch: disable=LT101", "LT004", "`disable=LT101` is neither"),
        ("# noqa: LT999", "LT004", "no rule is `LT999`"),
    ],
)
def test_what_suppresses_nothing_is_said(comment: str, code: str, told: str) -> None:
    standing, own = sorted(applied(f"x = 1  {comment}\n", finding(1)), key=lambda f: f.place.column)
    assert (standing.code, own.code) == ("LT101", code)
    assert told in own.said
    row, column, end = own.place.row, own.place.column, own.place.end_column
    assert f"x = 1  {comment}"[column - 1 : end - 1] == comment
    assert row == 1


def test_unused_is_only_said_where_this_run_could_know() -> None:
    text = "x = 1  # lintorch: ignore[LT101]\n"
    assert applied(text, enabled=ALL - {"LT101"}) == ()
    assert applied(text, decidable=ALL - {"LT101"}) == ()
    assert applied(text, withdrawn=[finding(1)]) == ()
    assert applied(text, enabled=ALL - {"LT003"}) == ()


def of_one_cause(row: int) -> Finding:
    return replace(finding(row), cause="the same")


def test_what_silences_the_first_line_of_a_cause_silences_the_others_of_its_function() -> None:
    text = "def f():\n    a{}\n    b{}\n    c\n\ndef g():\n    d\n"
    comment = "  # lintorch: ignore[LT101]"
    every = [of_one_cause(row) for row in (2, 3, 4, 7)]
    assert applied(text.format(comment, ""), *every) == (every[3],)
    assert applied(text.format("", comment), *every) == (every[0], every[2], every[3])


def test_findings_about_suppressions_obey_ignore_file() -> None:
    text = "x = 1  # lintorch: ignore[LT101]\n# lintorch: ignore-file[unused-suppression]\n"
    assert applied(text) == ()


@given(st.text("x()'#\n\\ \t\"[]:", max_size=30), st.integers(0, 30))
def test_no_text_is_too_broken(text: str, at: int) -> None:
    broken = text[:at] + "# lintorch: ignore[LT101]" + text[at:]
    for found in applied(broken, finding(1)):
        assert re.fullmatch(r"LT\d{3}", found.code)


def test_the_code_that_a_rule_was_split_off_suppresses_it_still_with_a_note() -> None:
    text = "x = 1  # lintorch: ignore[dynamic-size]\ny = 2  # lintorch: ignore[LT116]\n"
    former = {"LT116": ("LT101", "dynamic-size")}
    found = [finding(1, "LT116"), finding(2, "LT116")]
    told = suppress.apply_suppressions(text, "m.py", found, NAMES, ALL, former=former)
    assert [(f.code, f.place.row, f.severity) for f in told] == [("LT004", 1, Severity.NOTE)]
    assert told[0].said == "LT101 was split: what is suppressed here is LT116 (adaptive-pool) now"


@pytest.mark.parametrize(
    ("text", "row", "marked"),
    [
        ("x = 1", 1, "x = 1  # lintorch: ignore[LT101]"),
        ("x = 1 \r\n", 1, "x = 1  # lintorch: ignore[LT101]\r\n"),
        ("x = 1  # why\n", 1, "x = 1  # why  # lintorch: ignore[LT101]\n"),
        ("f(\n  1,\n)\n", 2, "f(\n  1,  # lintorch: ignore[LT101]\n)\n"),
        ("x = 1 + \\\n  2\n", 1, "x = 1 + \\\n  2  # lintorch: ignore[LT101]\n"),
        ("x = '''\n'''.y\n", 1, "x = '''\n'''.y  # lintorch: ignore[LT101]\n"),
        ("f('''\n''',\n2)\n", 1, "f('''\n''',\n2)  # lintorch: ignore[LT101]\n"),
        (
            "x = 1  # lintorch: ignore[LT116] as is\n",
            1,
            "x = 1  # lintorch: ignore[LT116, LT101] as is\n",
        ),
        ("x = 1  # noqa: LT116\n", 1, "x = 1  # noqa: LT116  # lintorch: ignore[LT101]\n"),
    ],
)
def test_a_suppression_is_put_where_it_holds(text: str, row: int, marked: str) -> None:
    found = finding(row)
    after = apply_edits(text, suppress.add_comments(text, [found]))
    assert after == marked
    assert found not in applied(after, found)


def test_findings_of_a_line_share_a_suppression() -> None:
    found = finding(1, "LT116"), finding(1), finding(1)
    text = "x = 1\n"
    after = apply_edits(text, suppress.add_comments(text, found))
    assert after == "x = 1  # lintorch: ignore[LT116, LT101]\n"
    assert applied(after, *found) == ()
