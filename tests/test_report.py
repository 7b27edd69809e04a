"""What the output formats of `lintorch check` promise to people and to programs."""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from running import CHECKOUT, lintorch

from lintorch.core.finding import (
    Applicability,
    Edit,
    Evidence,
    Finding,
    Fix,
    Harm,
    Hazard,
    Note,
    Place,
    Severity,
)
from lintorch.core.profile import EXPORTERS
from lintorch.report import CHECK_FORMATS, FORMATS, Result, write_result
from lintorch.report.formats import OutputFormat
from lintorch.report.result import Repaired
from lintorch.report.wording import write_message, write_notes

if TYPE_CHECKING:
    from typing import Unpack

PATH = "nets/seg.py"
TEXT = "import torch\n\n\ndef forward(x):\n    n = int(x.size(0))\n    return x.view(n, -1)\n"
CALL = Place(PATH, 5, 9, 5, 23)


finding = partial(replace, Finding("LT101", "dynamic-size", "a baked size", Severity.ERROR, CALL))
"""A finding, with what is given in place of its own."""


class Rest(TypedDict, total=False):
    """What a test says of a `Result` besides its findings."""

    withdrawn: tuple[Finding, ...]
    texts: Mapping[str, str]
    repaired: tuple[Repaired, ...]
    unsafe: bool
    show_refuted: bool
    files: int
    notebooks: int
    whole: bool
    models: tuple[str, ...]


def edit(old: str, new: str, text: str = TEXT) -> Edit:
    return Edit(text.index(old), text.index(old) + len(old), new)


SAFE = Fix("keep the size symbolic", (edit("int(x.size(0))", "x.size(0)"),))
UNSAFE = replace(SAFE, applicability=Applicability.UNSAFE)
READ = Note(Evidence.TRACE, "read 2")
DISPLAY = replace(SAFE, applicability=Applicability.DISPLAY)


def shown(
    format: str,
    *findings: Finding,
    color: bool = False,
    width: int | None = None,
    encoding: str = "utf-8",
    **rest: Unpack[Rest],
) -> str:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    rest.setdefault("texts", {PATH: TEXT})
    rest.setdefault("files", 1)
    report = Result(findings, **rest)
    write_result(format, report, out, color=color, width=width)
    out.flush()
    return raw.getvalue().decode(encoding)


def last_line(*findings: Finding, **rest: Unpack[Rest]) -> str:
    return shown("concise", *findings, **rest).splitlines()[-1]


# --- every format


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_every_format_writes_the_same_bytes_twice(format: str) -> None:
    found = finding(fix=SAFE, notes=(READ,), model=f"{PATH}:UNet")
    assert shown(format, found, color=True) == shown(format, found, color=True)


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_every_format_survives_a_stream_that_carries_ascii_only(format: str) -> None:
    found = finding(said="14×14 → 図", place=replace(CALL, path="nets/größe.py"))
    assert shown(format, found, encoding="ascii").isascii()


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_every_format_survives_a_path_that_is_not_unicode(format: str) -> None:
    assert "LT101" in shown(format, finding(place=Place("nets/\udcff.py", 1)))


@pytest.mark.parametrize("format", sorted({*CHECK_FORMATS} - {"full", "grouped"}))
def test_plain_formats_carry_no_colour_and_wrap_nothing(format: str) -> None:
    long = "word " * 100 + "end"
    written = shown(format, finding(said=long), color=True, width=40)
    assert "\x1b" not in written
    assert long in written


@pytest.mark.parametrize("format", CHECK_FORMATS)
def test_brackets_in_a_message_are_kept(format: str) -> None:
    assert "indexed by [list] [/b]" in shown(format, finding(said="indexed by [list] [/b]"))


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'xml'.*full, concise"):
        write_result("xml", Result(), io.StringIO())


COUNT = '''"""How many findings there are."""


def render(report, out, *, color, width):
    out.write(f"{len(report.findings)} found\\n")
'''


def test_a_format_is_one_file_and_one_line(tmp_path: Path) -> None:
    for room in ("lintorch", "rules"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / room, tmp_path / room, ignore=ignored)
    report = tmp_path / "lintorch" / "report"
    (report / "count.py").write_text(COUNT)
    table = (report / "formats.py").read_text()
    last = '    "github": '
    line = '    "count": OutputFormat(check="count", has_summary=True),\n'
    (report / "formats.py").write_text(table.replace(last, line + last))
    (tmp_path / "net.py").write_text("import torch\n\ntorch.symeig(torch.eye(2))\n")
    (tmp_path / "empty").mkdir()
    run = partial(lintorch, "check", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    done = run("--output-format", "count", "net.py")
    assert (done.stdout, done.stderr, done.returncode) == ("1 found\n", "", 1)
    assert run("--output-format", "json", "empty").stderr == "lintorch: no Python files checked\n"
    assert run("--output-format", "count", "empty").stderr == ""
    offered = run("--help").stdout
    listed = "|".join(CHECK_FORMATS).replace("github", "count|github")
    assert f"[{listed}]" in re.sub(r"\s", "", offered)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_modules_of_formats_take_what_they_are_given(format: OutputFormat) -> None:
    for module, first in ((format.check, "report"), (format.export, "record")):
        if module:
            found = inspect.signature(import_module(f"lintorch.report.{module}").render)
            assert list(found.parameters) == [first, "out", "color", "width"]


# --- json

_POSITION = {
    "type": "object",
    "properties": {
        "row": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
    },
    "required": ["row", "column"],
    "additionalProperties": False,
}
_EDIT = {
    "type": "object",
    "properties": {"content": {"type": "string"}, "location": _POSITION, "end_location": _POSITION},
    "required": ["content", "location", "end_location"],
    "additionalProperties": False,
}
_FIX = {
    "type": ["object", "null"],
    "properties": {
        "applicability": {"enum": ["safe", "unsafe", "display"]},
        "message": {"type": "string"},
        "verified": {"type": ["boolean", "null"]},
        "verification": {"type": ["string", "null"]},
        "edits": {"type": "array", "items": _EDIT},
    },
    "required": ["applicability", "message", "verified", "verification", "edits"],
    "additionalProperties": False,
}
_EXPORTERS = {
    "type": "object",
    "propertyNames": {"enum": [*EXPORTERS]},
    "additionalProperties": {
        "enum": ["right", "noisy", "refused", "fails", "wrong-with-warning", "wrong-with-auto",
                 "wrong"]
    },
}  # fmt: skip
_SIZES = {
    "type": ["array", "null"],
    "items": {"type": "array", "items": {"type": "string"}},
    "minItems": 1,
}
_NOTE = {
    "type": "object",
    "properties": {
        "evidence": {"enum": ["source", "trace", "export"]},
        "message": {"type": "string"},
        "model": {"type": ["string", "null"]},
        "exporters": _EXPORTERS,
        "sizes": _SIZES,
    },
    "required": ["evidence", "message", "model", "exporters", "sizes"],
    "additionalProperties": False,
}
_SPAN = {
    "type": "object",
    "properties": {
        "filename": {"type": "string"},
        "cell": {"type": ["integer", "null"]},
        "location": _POSITION,
        "end_location": _POSITION,
    },
    "required": ["filename", "cell", "location", "end_location"],
    "additionalProperties": False,
}
_FINDING = {
    "code": {"type": "string", "pattern": "^LT[0-9]{3}$"},
    "name": {"type": "string"},
    "message": {"type": "string"},
    "remedy": {"type": ["string", "null"]},
    "severity": {"enum": ["error", "warning", "note"]},
    "evidence": {"enum": ["source", "trace", "export"]},
    "filename": {"type": "string", "pattern": r"^[^\\]+$"},
    "cell": {"type": ["integer", "null"]},
    "location": _POSITION,
    "end_location": _POSITION,
    "also": {"type": "array", "items": _SPAN},
    "model": {"type": ["string", "null"]},
    "exporters": _EXPORTERS,
    "sizes": _SIZES,
    "target": {"type": ["string", "null"]},
    "url": {"type": ["string", "null"]},
    "notes": {"type": "array", "items": _NOTE},
    "fix": _FIX,
}
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": _FINDING,
        "required": list(_FINDING),
        "additionalProperties": False,
    },
}


def as_json(*findings: Finding, **rest: Unpack[Rest]) -> list[dict[str, Any]]:
    elements: list[dict[str, Any]] = json.loads(shown("json", *findings, **rest))
    Draft202012Validator(SCHEMA).validate(elements)
    return elements


def test_json_of_nothing_is_an_empty_array() -> None:
    assert as_json() == []


def test_json_keeps_its_contract_with_everything_given() -> None:
    found = finding(
        fix=UNSAFE, evidence=Evidence.EXPORT, model=os.path.abspath(f"{PATH}:UNet"), target="ort",
        remedy="write x.size(0)", also=(replace(CALL, row=6, end_row=6),),
    )  # fmt: skip
    assert as_json(found) == [
        {
            "code": "LT101",
            "name": "dynamic-size",
            "message": "a baked size; write x.size(0); also in line 6",
            "remedy": "write x.size(0)",
            "severity": "error",
            "evidence": "export",
            "filename": PATH,
            "cell": None,
            "location": {"row": 5, "column": 9},
            "end_location": {"row": 5, "column": 23},
            "also": [
                {
                    "filename": PATH,
                    "cell": None,
                    "location": {"row": 6, "column": 9},
                    "end_location": {"row": 6, "column": 23},
                }
            ],
            "model": f"{PATH}:UNet",
            "exporters": {},
            "sizes": None,
            "target": "ort",
            "url": None,
            "notes": [],
            "fix": {
                "applicability": "unsafe",
                "message": "keep the size symbolic",
                "verified": None,
                "verification": None,
                "edits": [
                    {
                        "content": "x.size(0)",
                        "location": {"row": 5, "column": 9},
                        "end_location": {"row": 5, "column": 23},
                    }
                ],
            },
        }
    ]


HAZARD = Hazard(
    (("torch.export", Harm.REFUSED), ("onnx", Harm.AUTO), ("onnx-legacy", Harm.SILENT),
     ("torchscript-trace", Harm.NOISY)), ("torchscript-script",), Severity.WARNING,
)  # fmt: skip


def test_json_says_by_exporter_what_all_evidence_comes_to() -> None:
    trace = Note(Evidence.TRACE, "was 2", hazard=HAZARD, sizes=(("batch",),))
    trials = [
        finding(
            said=f"{name} says so", evidence=Evidence.EXPORT, exporter=name, tried=harm,
            sizes=((), ("height", "width")), notes=(Note(Evidence.SOURCE, "a size"), trace),
        )
        for name, harm in (("onnx-legacy", Harm.WARNED), ("ncnn", Harm.FAILS))
    ]  # fmt: skip
    known = {
        "torch.export": "refused",
        "onnx": "wrong-with-auto",
        "onnx-legacy": "wrong",
        "torchscript-trace": "noisy",
        "torchscript-script": "right",
    }
    warned, failing = as_json(*trials)
    assert warned["exporters"] == {**known, "onnx-legacy": "wrong-with-warning"}
    assert failing["exporters"] == {**known, "ncnn": "fails"}
    assert list(warned["exporters"]) == list(known)
    assert warned["sizes"] == [[], ["height", "width"], ["batch"]]
    assert warned["message"] == (
        "onnx-legacy says so: silently wrong under onnx where dynamic_shapes leaves a size to Dim.AUTO, which lets the exporter fix it; "
        "refused by torch.export; a needless warning under torchscript-trace"
    )
    said, seen = warned["notes"]
    assert said == {
        "evidence": "source", "message": "a size", "model": None, "exporters": {}, "sizes": None,
    }  # fmt: skip
    assert (seen["exporters"], seen["sizes"]) == (known, [["batch"]])
    assert seen["message"].startswith("was 2: silently wrong under onnx-legacy; ")


def test_json_says_null_for_what_is_not_known() -> None:
    (element,) = as_json(finding())
    unknown = {key for key, value in element.items() if value is None}
    assert unknown == {"cell", "remedy", "model", "sizes", "target", "url", "fix"}


@pytest.mark.parametrize("format", ["json", "json-lines"])
def test_json_holds_what_was_withdrawn_only_on_request(format: str) -> None:
    gone = finding(place=Place(PATH, 3), refuted="14×14 divides by 7")
    told = shown(format, finding(place=Place(PATH, 9)), withdrawn=(gone,))
    assert "refuted" not in told
    assert "divides" not in told
    asked = shown(format, finding(place=Place(PATH, 9)), withdrawn=(gone,), show_refuted=True)
    rows = json.loads(asked) if format == "json" else list(map(json.loads, asked.splitlines()))
    assert [(each["location"]["row"], each["refuted"]) for each in rows] == [
        (3, "14×14 divides by 7"),
        (9, None),
    ]


def test_json_ends_a_place_without_an_end_where_it_starts() -> None:
    (element,) = as_json(finding(place=Place(PATH, 5, 9)))
    assert element["end_location"] == {"row": 5, "column": 9}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_json_counts_the_rows_of_edits_with_any_newline(newline: str) -> None:
    text = f"a = '\x0c\u2028'{newline}b = 1{newline}c = 2{newline}"
    fix = Fix("drop a line", (Edit(text.index("b"), text.index("c"), ""),))
    (element,) = as_json(finding(fix=fix), texts={PATH: text})
    (written,) = element["fix"]["edits"]
    assert written["location"] == {"row": 2, "column": 1}
    assert written["end_location"] == {"row": 3, "column": 1}


@pytest.mark.parametrize("texts", [{}, {PATH: "x\n"}])
def test_json_gives_no_edits_where_their_text_is_unknown_or_stale(texts: dict[str, str]) -> None:
    (element,) = as_json(finding(fix=SAFE), texts=texts)
    assert element["fix"]["edits"] == []


def test_paths_are_relative_below_the_working_directory_and_absolute_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "here" / "a.py", tmp_path / "b.py"
    inside.parent.mkdir()
    monkeypatch.chdir(inside.parent)
    elements = as_json(finding(place=Place(str(inside), 1)), finding(place=Place("../b.py", 1)))
    assert [element["filename"] for element in elements] == ["a.py", outside.as_posix()]


# --- github

ANNOTATION = re.compile(r"::(?P<level>\w+) (?P<properties>[^:]*)::(?P<message>.*)")


def annotation(found: Finding) -> tuple[str, dict[str, str], str]:
    """One finding read as GitHub's runner reads it: split first, unescaped then."""
    (line,) = shown("github", found).splitlines()
    match = ANNOTATION.fullmatch(line)
    assert match, line
    properties = dict(pair.split("=", 1) for pair in match["properties"].split(","))
    unescaped = {key: unquote(value) for key, value in properties.items()}
    return match["level"], unescaped, unquote(match["message"])


def test_github_annotates_the_span() -> None:
    expected = (
        f"::error file={PATH},line=5,endLine=5,col=9,endColumn=23,title=lintorch (LT101)"
        f"::{PATH}:5:9: LT101 a baked size\n"
    )
    assert shown("github", finding()) == expected


def test_github_gives_no_columns_for_several_lines() -> None:
    _, properties, _ = annotation(finding(place=Place(PATH, 5, 9, 6, 3)))
    assert (properties["line"], properties["endLine"]) == ("5", "6")
    assert not {"col", "endColumn"} & set(properties)


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.NOTE, "notice"), (Severity.WARNING, "warning"), (Severity.ERROR, "error")],
)
def test_github_names_severities_its_own_way(severity: Severity, level: str) -> None:
    assert annotation(finding(severity=severity))[0] == level


_FILE_NAMES = st.text(alphabet="ab%:,=\r\n 図25A", min_size=1, max_size=20)


@given(message=st.text(alphabet=st.characters(codec="utf-8")), name=_FILE_NAMES)
def test_github_escaping_brings_back_any_message_and_path(message: str, name: str) -> None:
    written = shown("github", finding(said=message, place=Place(f"d/{name}", 1)))
    assert written.count("\n") == 1
    match = ANNOTATION.fullmatch(written[:-1].replace("\x0b", ""))
    if match is None:  # characters that `.` does not match
        match = re.compile(ANNOTATION.pattern, re.DOTALL).fullmatch(written[:-1])
    assert match
    properties = dict(pair.split("=", 1) for pair in match["properties"].split(","))
    assert unquote(properties["file"]) == f"d/{name}"
    said = unquote(written[:-1].split("::", 2)[2])
    assert said == f"d/{name}:1:1: LT101 {message}"


# --- concise and the summary


def test_concise_is_one_line_a_finding_with_the_mark_of_its_fix() -> None:
    lines = shown("concise", finding(fix=SAFE), finding(fix=UNSAFE), finding(fix=DISPLAY))
    assert lines.splitlines()[:3] == [
        f"{PATH}:5:9: error LT101 [*] a baked size (dynamic-size)",
        f"{PATH}:5:9: error LT101 [?] a baked size (dynamic-size)",
        f"{PATH}:5:9: error LT101 a baked size (dynamic-size)",
    ]


def test_concise_keeps_a_message_of_several_lines_on_one() -> None:
    assert "one two (dyn" in shown("concise", finding(said="one\n   two"))


@pytest.mark.parametrize("format", ["concise", "full"])
def test_nothing_passes_where_nothing_or_not_all_was_checked(format: str) -> None:
    assert shown(format, files=0).splitlines()[-1] == "No Python files checked."
    many = shown(format, files=0, notebooks=2).splitlines()[-1]
    assert many == "No Python files checked (2 notebooks are not read)."
    assert shown(format, whole=False).splitlines()[-1] == "No findings in what was checked."


@pytest.mark.parametrize("format", ["concise", "full"])
def test_withdrawn_findings_are_shown_only_on_request(format: str) -> None:
    refuted = finding(refuted="14×14 divides by 7")
    assert "divides" not in shown(format, withdrawn=(refuted,))
    asked = shown(format, withdrawn=(refuted,), show_refuted=True)
    assert "divides" in asked
    assert asked.endswith("All checks passed!\n")


def test_summary_counts_by_severity_and_by_fix() -> None:
    warning = finding(severity=Severity.WARNING)
    assert (
        last_line(finding(fix=SAFE), replace(warning, fix=SAFE), warning)
        == "Found 3 findings (1 error, 2 warnings). [*] 2 fixable with --fix."
    )


@pytest.mark.parametrize(
    ("findings", "fixed", "line"),
    [
        ((), 0, "All checks passed!"),
        ((), 1, "Fixed 1 finding. All checks passed!"),
        ((finding(),), 0, "Found 1 finding (1 error)."),
        ((finding(),), 2, "Fixed 2 findings, 1 remains (1 error)."),
        (
            (finding(fix=UNSAFE),),
            0,
            "Found 1 finding (1 error). 1 fixable with --fix --unsafe-fixes.",
        ),
        (
            (finding(fix=SAFE), finding(fix=UNSAFE)),
            0,
            "Found 2 findings (2 errors). [*] 1 fixable with --fix, 1 more with --fix "
            "--unsafe-fixes.",
        ),
        ((finding(fix=DISPLAY),), 0, "Found 1 finding (1 error)."),
    ],
)
def test_summary_says_what_was_fixed_and_what_can_be(
    findings: tuple[Finding, ...], fixed: int, line: str
) -> None:
    repaired = (Repaired(PATH, (finding(),) * fixed),) if fixed else ()
    assert last_line(*findings, repaired=repaired) == line
    assert shown("full", *findings, repaired=repaired).splitlines()[-1] == line


def test_with_unsafe_fixes_what_fix_puts_in_is_marked_and_counted_alike() -> None:
    both = finding(fix=SAFE), finding(fix=UNSAFE)
    assert shown("concise", *both, unsafe=True).count("[*] a baked size") == 2
    assert last_line(*both, unsafe=True) == "Found 2 findings (2 errors). [*] 2 fixable with --fix."


@pytest.mark.parametrize("format", ["concise", "full"])
def test_what_was_mended_is_told_by_file_and_rule(format: str) -> None:
    other = replace(finding(), code="LT601", name="retired-name")
    repaired = (Repaired(PATH, (other, finding(), other), 1), Repaired("b.py", (other,)))
    lines = shown(format, finding(), repaired=repaired).splitlines()
    told = [line for line in lines if line.startswith("Fixed ")]
    assert told == [
        f"Fixed {PATH}: LT101 dynamic-size, LT601 retired-name (2), 1 unused import",
        "Fixed b.py: LT601 retired-name",
        "Fixed 4 findings, 1 remains (1 error).",
    ]
    for machine in ("json", "github"):
        assert shown(machine, finding(), repaired=repaired) == shown(machine, finding())


# --- full


def framed(text: str, place: Place, width: int = 60) -> list[str]:
    """The lines between the header and the evidence: message, then code frame."""
    found = finding(place=place)
    lines = shown("full", found, texts={PATH: text}, width=width).splitlines()
    return lines[2 : lines.index("  evidence: source")]


def underlined(text: str, place: Place, width: int = 60) -> str:
    """What of the code stands above the marks, found by columns of narrow characters."""
    lines = framed(text, place, width)
    (index,) = [i for i, line in enumerate(lines) if "━" in line]
    first, last = lines[index].index("━"), lines[index].rindex("━")
    return lines[index - 1][first : last + 1]


def test_full_underlines_the_span_in_its_context() -> None:
    assert underlined(TEXT, CALL) == "int(x.size(0))"
    frame = "\n".join(framed(TEXT, CALL))
    assert "4 │ def forward(x):" in frame
    assert "6 │     return x.view(n, -1)" in frame


def test_full_underlines_a_line_of_which_no_column_is_known() -> None:
    assert underlined("if x:\n    y = int(x)  \n", Place(PATH, 2, 1)) == "y = int(x)"


def test_full_underlines_behind_tabs() -> None:
    assert underlined("if x:\n\ty =\tint(x)\n", Place(PATH, 2, 6, 2, 12)) == "int(x)"


def test_full_underlines_as_wide_as_the_terminal_shows_wide_characters() -> None:
    line = next(
        line for line in framed("図 = e\u0301 + 図図\n", Place(PATH, 1, 10, 1, 12)) if "━" in line
    )
    assert line.split("│ ")[1] == " " * 9 + "━" * 4


@pytest.mark.parametrize("begin", [1, 30, 100, 190])
def test_full_clips_long_lines_around_the_span(begin: int) -> None:
    text = "a" * (begin - 1) + "bbbbbb" + "c" * 200 + "\n"
    place = Place(PATH, 1, begin, 1, begin + 6)
    assert underlined(text, place) == "bbbbbb"
    assert all(len(line) <= 60 for line in framed(text, place))


def test_full_bars_a_span_of_several_rows_and_cuts_a_long_one() -> None:
    text = "".join(f"row{i}\n" for i in range(1, 31))
    short = "\n".join(framed(text, Place(PATH, 3, 1, 5, 3)))
    assert re.findall(r"┃ (\w+)", short) == ["row3", "row4", "row5"]
    long = "\n".join(framed(text, Place(PATH, 3, 1, 30, 3)))
    assert "row30" not in long
    assert "22 more rows" in long


@pytest.mark.parametrize("place", [Place(PATH, 500, 1), Place("elsewhere.py", 1, 1)])
def test_full_shows_no_frame_for_a_place_that_its_text_does_not_reach(place: Place) -> None:
    written = shown("full", finding(place=place))
    assert "a baked size" in written
    assert "│" not in written


@given(
    text=st.text(max_size=200),
    rows=st.tuples(st.integers(0, 12), st.integers(0, 12)),
    columns=st.tuples(st.integers(0, 120), st.integers(0, 120)),
    edits=st.lists(st.tuples(st.integers(0, 220), st.integers(0, 220), st.text(max_size=30))),
    encoding=st.sampled_from(["utf-8", "ascii", "cp1252", "utf-16"]),
    width=st.one_of(st.none(), st.integers(0, 90)),
)
def test_full_shows_any_text_place_and_edit_without_a_crash(
    text: str,
    rows: tuple[int, int],
    columns: tuple[int, int],
    edits: list[tuple[int, int, str]],
    encoding: str,
    width: int | None,
) -> None:
    place = Place(PATH, rows[0], columns[0], rows[1], columns[1])
    fix = Fix("m", tuple(Edit(min(a, b), max(a, b), content) for a, b, content in edits))
    written = shown(
        "full", finding(place=place, fix=fix), texts={PATH: text}, encoding=encoding, width=width
    )
    assert "lintorch rule LT101" in written
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", written)


def test_full_shows_control_characters_instead_of_sending_them() -> None:
    hostile = "x = '\x1b[2J\u202e'\n"
    written = shown(
        "full", finding(said="\x1b[31mred", place=Place(PATH, 1)), texts={PATH: hostile}
    )
    assert "\x1b" not in written
    assert "\u202e" not in written
    assert "␛[31mred" in written


def test_full_never_breaks_a_path() -> None:
    path = "/".join(["a-rather-long-folder"] * 8) + ".py"
    written = shown("full", finding(place=Place(path, 3, 4), said=f"see {path}"), width=40)
    assert f"{path}:3:4" in written.splitlines()[0]
    assert f"  {path}" in written.splitlines()


def test_full_wraps_the_message_to_the_width() -> None:
    lines = shown("full", finding(said="word " * 40), width=50).splitlines()
    assert len([line for line in lines if line.startswith("  word")]) > 3
    assert max(map(len, lines)) <= 50


def test_full_tells_evidence_model_target_and_notes() -> None:
    found = finding(
        evidence=Evidence.TRACE,
        model=f"{PATH}:UNet",
        target="tensorrt-8.6",
        notes=(Note(Evidence.TRACE, "14×14 in"), Note(Evidence.SOURCE, "a literal")),
    )
    lines = shown("full", found).splitlines()
    at = lines.index(f"  evidence: trace of {PATH}:UNet for tensorrt-8.6")
    assert lines[at + 1 : at + 3] == ["    ✓ trace   14×14 in", "    ✓ source  a literal"]


def test_a_message_gives_each_exporter_its_verdict() -> None:
    found = finding(hazard=HAZARD)
    assert write_message(found) == (
        "a baked size: silently wrong under onnx-legacy; silently wrong under onnx where "
        "dynamic_shapes leaves a size to Dim.AUTO, which lets the exporter fix it; refused by torch.export; a needless warning under torchscript-trace; "
        "right under torchscript-script"
    )
    two = replace(HAZARD, harm=(("onnx", Harm.SILENT), ("onnx-legacy", Harm.SILENT)), fine=())
    assert write_message(finding(hazard=two)).endswith("wrong under onnx and onnx-legacy")


def test_notes_leave_out_a_verdict_that_the_message_gives_and_what_is_said_twice() -> None:
    other = replace(HAZARD, fine=())
    notes = [
        Note(Evidence.SOURCE, "read: a size", hazard=HAZARD),
        Note(Evidence.TRACE, "was 2", hazard=other),
        Note(Evidence.EXPORT, "is off by 1", exporter="onnx"),
        Note(Evidence.EXPORT, "is off by 1", exporter="onnx-legacy"),
    ]
    seen = write_notes(finding(hazard=HAZARD, notes=tuple(notes)))
    assert [said for _, said in seen] == [
        "read: a size",
        write_message(notes[1]),
        "is off by 1",
    ]
    alone = finding(said="is off by 1", evidence=Evidence.EXPORT, notes=tuple(notes[3:]))
    assert write_notes(alone) == []


def test_a_message_ends_in_what_to_write_and_where_else() -> None:
    rows = tuple(replace(CALL, row=row, end_row=row) for row in (5, 7, 9, 9))
    found = finding(remedy="drop int()", also=rows)
    assert write_message(found) == "a baked size; drop int(); also in lines 7 and 9"
    same = finding(said="off", evidence=Evidence.EXPORT, remedy="drop int()",
                   notes=(Note(Evidence.EXPORT, "off"),))  # fmt: skip
    assert write_notes(same) == []


def test_a_detail_stands_behind_a_colon_and_once() -> None:
    seen = Note(Evidence.TRACE, "changed, as the run showed", "others read it")
    notes = (Note(Evidence.SOURCE, "changes it", "others read it"), seen)
    found = finding(said=seen.said, detail="others read it", evidence=Evidence.TRACE, notes=notes)
    assert write_message(found) == "changed, as the run showed: others read it"
    assert [said for _, said in write_notes(found)] == ["changes it", "changed, as the run showed"]
    (_, other) = write_notes(replace(found, detail="nobody reads it"))[0]
    assert other == "changes it: others read it"


def test_full_shows_the_fix_as_a_diff_with_its_promise() -> None:
    fix = Fix("slice", (Edit(0, 0, "import operator\n"), edit("int(x.size(0))", "x.size(0)")))
    lines = shown("full", finding(fix=fix)).splitlines()
    at = lines.index("  fix (safe): slice")
    assert lines[at + 1 : at + 4] == [
        "      + import operator",
        "    5 -     n = int(x.size(0))",
        "      +     n = x.size(0)",
    ]


def test_full_shows_a_deleted_row_alone() -> None:
    fix = Fix("drop", (edit("import torch\n", ""),))
    changed = [
        line for line in shown("full", finding(fix=fix)).splitlines() if re.match(" +1? [-+]", line)
    ]
    assert changed == ["    1 - import torch"]


def test_full_shows_the_change_of_a_row_too_long_for_the_width() -> None:
    text = "a" * 150 + " = old\n"
    fix = Fix("rename", (edit("old", "new", text),))
    written = shown("full", finding(fix=fix, place=Place(PATH, 1)), texts={PATH: text}, width=60)
    assert re.search(r"- …a+ = old", written)
    assert re.search(r"\+ …a+ = new", written)


def test_full_lists_the_models_before_the_summary() -> None:
    models = ("nets/seg.py:UNet  float32[batch, 3]  traced",)
    assert shown("full", models=models, files=2).splitlines() == [
        "Checked 2 files, ran 1 model:",
        "  nets/seg.py:UNet  float32[batch, 3]  traced",
        "",
        "All checks passed!",
    ]


def test_full_says_the_same_words_with_and_without_colour() -> None:
    found = finding(fix=SAFE, notes=(READ,))
    coloured = shown("full", found, color=True)
    assert "\x1b[1;31m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == shown("full", found)


def test_full_draws_with_ascii_where_the_stream_carries_no_more() -> None:
    written = shown("full", finding(notes=(READ,)), encoding="ascii")
    assert "5 |     n = int(x.size(0))" in written
    assert "^" * len("int(x.size(0))") in written
    assert "+ trace   read 2" in written
    assert "?" not in written
