"""Every format tells the same findings in the same order, each in the form that its readers take."""

from __future__ import annotations

import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from format_schemas import GITLAB, JUNIT, RDJSON, SARIF
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from published_schemas import SARIF as PUBLISHED
from published_schemas import judge_by
from running import lintorch

from lintorch.core.finding import Edit, Evidence, Finding, Fix, Harm, Hazard, Place, Severity
from lintorch.report import CHECK_FORMATS, Result, write_result

Told = list[tuple[int, str]]
"""Rows and codes, in order."""
BAKED = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        é = "図"; n = int(x.size(0))
        return x.view(n, -1) + len(é)


torch.onnx.export(Net(), (torch.ones(2, 3),), "net.onnx", dynamo=False,
                  dynamic_axes={"x": {0: "batch"}}, input_names=["x"])
"""


def written(form: str, report: Result) -> str:
    out = io.StringIO()
    write_result(form, report, out)
    return out.getvalue()


def _match_lines(pattern: str) -> Callable[[str], Told]:
    def told(text: str) -> Told:
        found = re.finditer(pattern, text, re.M)
        return [(int(each["row"]), each["code"]) for each in found]

    return told


def _in_json(text: str) -> Told:
    return [(each["location"]["row"], each["code"]) for each in json.loads(text)]


def _in_json_lines(text: str) -> Told:
    return _in_json(f"[{','.join(text.splitlines())}]")


def _in_junit(text: str) -> Told:
    names = [case.attrib["name"].split() for case in ElementTree.fromstring(text).iter("testcase")]
    return [(int(name[2].split(":")[0]), name[0]) for name in names if name != ["lintorch"]]


def _in_gitlab(text: str) -> Told:
    issues = json.loads(text)
    return [(each["location"]["positions"]["begin"]["line"], each["check_name"]) for each in issues]


def _in_rdjson(text: str) -> Told:
    return [
        (each["location"]["range"]["start"]["line"], each["code"]["value"])
        for each in json.loads(text)["diagnostics"]
    ]


def _in_sarif(text: str) -> Told:
    return [
        (each["locations"][0]["physicalLocation"]["region"]["startLine"], each["ruleId"])
        for each in json.loads(text)["runs"][0]["results"]
    ]


TOLD: dict[str, Callable[[str], Told]] = {
    "full": _match_lines(r"^(?:note|warning|error) (?P<code>LT\d+) .*:(?P<row>\d+):\d+$"),
    "concise": _match_lines(r":(?P<row>\d+):\d+: (?:note|warning|error) (?P<code>LT\d+) "),
    "grouped": _match_lines(r"^  (?P<row>\d+):\d+ +(?:note|warning|error) +(?P<code>LT\d+) "),
    "json": _in_json,
    "json-lines": _in_json_lines,
    "junit": _in_junit,
    "github": _match_lines(r"^::.*,line=(?P<row>\d+),.*\((?P<code>LT\d+)\)::"),
    "gitlab": _in_gitlab,
    "azure": _match_lines(r"^##vso\[.*;linenumber=(?P<row>\d+);.*;code=(?P<code>LT\d+);\]"),
    "pylint": _match_lines(r":(?P<row>\d+): \[(?P<code>LT\d+)\] "),
    "rdjson": _in_rdjson,
    "sarif": _in_sarif,
    "markdown": _match_lines(
        r"^\| (?:note|warning|error) \| .*:(?P<row>\d+):\d+ \| \[?(?P<code>LT\d+)\b"
    ),
}
_ODD = st.text(alphabet="ab%:;,]=\r\n\t\x1b\x00 <&\"'図é", max_size=12)
_FOUND = st.builds(
    lambda code, said, name, row, severity: Finding(
        code, "some-rule", said, severity, Place(f"d/{name}.py", row, 2, row, 5)
    ),
    st.sampled_from(["LT101", "LT604", "LT903"]),
    _ODD,
    _ODD,
    st.integers(1, 99),
    st.sampled_from(list(Severity)),
)


def test_what_every_format_tells_is_looked_at() -> None:
    assert tuple(TOLD) == CHECK_FORMATS


@given(st.lists(_FOUND, max_size=4))
def test_every_format_tells_the_same_findings_in_the_same_order(found: list[Finding]) -> None:
    report = Result(tuple(found), files=1)
    expected = [(finding.place.row, finding.code) for finding in found]
    for form, told in TOLD.items():
        assert told(written(form, report)) == expected, form


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a model, an inner folder, and a name that addresses have to escape."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "nets").mkdir()
    (folder / "nets" / "a b.py").write_text(BAKED, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def checked(project: Path, form: str) -> str:
    """What `check` writes in the inner folder."""
    done = lintorch("check", "--output-format", form, cwd=project / "nets")
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_every_format_tells_the_same_of_a_real_check(project: Path) -> None:
    told = {form: read(checked(project, form)) for form, read in TOLD.items()}
    assert (7, "LT101") in told["json"]
    assert all(each == told["json"] for each in told.values())


@pytest.mark.parametrize(
    ("form", "schema"), [("gitlab", GITLAB), ("rdjson", RDJSON), ("sarif", SARIF)]
)
def test_a_format_keeps_to_its_schema(project: Path, form: str, schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    judges = [Draft202012Validator(schema), *([judge_by(PUBLISHED)] if form == "sarif" else [])]
    found = Finding(
        "LT101", "dynamic-size", "a baked size", Severity.ERROR, Place("n.py", 1, 1, 1, 4),
        Evidence.EXPORT, "n.py:Net", exporter="onnx",
        fix=Fix("write y", (Edit(0, 3, "y"),)),
        hazard=Hazard((("onnx", Harm.SILENT),), ("torch.export",), Severity.WARNING),
    )  # fmt: skip
    empty, full = Result(), Result((found,), texts={"n.py": "x+1\n"})
    for judge in judges:
        judge.validate(json.loads(checked(project, form)))
        judge.validate(json.loads(written(form, empty)))
        judge.validate(json.loads(written(form, full)))


def test_sarif_describes_rules_models_exporters_and_fixes(project: Path) -> None:
    (run,) = json.loads(checked(project, "sarif"))["runs"]
    (result,) = [each for each in run["results"] if each["ruleId"] == "LT101"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["name"]) == ("LT101", "dynamic-size")
    assert rule["helpUri"].endswith("/export/dynamic-size.md")
    assert "## Better" in rule["help"]["markdown"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "nets/a%20b.py", "uriBaseId": "%SRCROOT%"}
    related = [each["message"]["text"] for each in result["relatedLocations"]]
    assert "under onnx-legacy: wrong-with-warning" in related
    (change,) = result["fixes"][0]["artifactChanges"]
    assert [each["insertedContent"]["text"] for each in change["replacements"]]


def test_sarif_fixes_are_the_fix(project: Path) -> None:
    (run,) = json.loads(checked(project, "sarif"))["runs"]
    (result,) = [each for each in run["results"] if each["ruleId"] == "LT101"]
    rows = BAKED.split("\n")
    (change,) = result["fixes"][0]["artifactChanges"]
    for each in reversed(change["replacements"]):
        at = each["deletedRegion"]
        assert at["startLine"] == at["endLine"]
        row = rows[at["startLine"] - 1]
        new = each["insertedContent"]["text"]
        rows[at["startLine"] - 1] = row[: at["startColumn"] - 1] + new + row[at["endColumn"] - 1 :]
    assert "n = x.size(0)" in "\n".join(rows)


def test_sarif_names_the_model_that_showed_it() -> None:
    found = Finding(
        "LT101", "dynamic-size", "s", Severity.ERROR, Place("n.py", 1), model="m.py:Net"
    )
    (result,) = json.loads(written("sarif", Result((found,))))["runs"][0]["results"]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"].endswith("m.py")
    assert related["logicalLocations"] == [{"fullyQualifiedName": "Net", "kind": "type"}]


def test_columns_of_rdjson_count_bytes(project: Path) -> None:
    (at,) = [
        each["location"]["range"]["start"]
        for each in json.loads(checked(project, "rdjson"))["diagnostics"]
        if each["code"]["value"] == "LT101"
    ]
    line = BAKED.split("\n")[at["line"] - 1].encode()
    assert line[at["column"] - 1 :].startswith(b"int(x.size(0))")


def test_junit_holds_what_its_schema_allows(project: Path) -> None:
    root = ElementTree.fromstring(checked(project, "junit"))
    assert root.tag == "testsuites"
    for each in root.iter():
        required, allowed, children = JUNIT[each.tag]
        assert required <= each.attrib.keys() <= required | allowed
        assert {child.tag for child in each} <= children
    suites = list(root)
    assert int(root.attrib["failures"]) == sum(int(s.attrib["failures"]) for s in suites) > 0
    assert "dynamic-size.md" in str(root.findtext(".//failure"))


def test_annotations_are_named_from_the_repository_and_logged_from_here(project: Path) -> None:
    line = next(each for each in checked(project, "github").splitlines() if "LT101" in each)
    assert "file=nets/a b.py," in line
    assert "::a b.py:7:" in line
    issue = next(each for each in checked(project, "azure").splitlines() if "LT101" in each)
    assert ";sourcepath=nets/a b.py;" in issue.replace("issue type=error", "issue ;")


@given(_ODD, _ODD)
def test_azure_brings_back_any_message_and_path(said: str, name: str) -> None:
    found = Finding("LT101", "r", said, Severity.ERROR, Place(f"d/{name}.py", 1))
    line = written("azure", Result((found,)))[:-1]
    assert "\n" not in line
    head, _, body = line.removeprefix("##vso[task.logissue ").partition("]")
    properties = dict(each.split("=", 1) for each in head.split(";") if each)
    brought = {key: unquote(value.replace("%AZP25", "%25")) for key, value in properties.items()}
    assert brought["sourcepath"] == f"d/{name}.py"
    assert unquote(body.replace("%AZP25", "%25")) == f"d/{name}.py:1:1: LT101 {said}"


def test_a_fingerprint_stays_when_a_line_moves_and_tells_equal_lines_apart() -> None:
    def marks(text: str, *rows: int) -> list[str]:
        found = tuple(
            Finding("LT101", "r", "said", Severity.ERROR, Place("n.py", row)) for row in rows
        )
        issues = json.loads(written("gitlab", Result(found, texts={"n.py": text})))
        return [issue["fingerprint"] for issue in issues]

    before = marks("int(x)\nint(x)\n", 1, 2)
    assert len(set(before)) == 2
    assert marks("import torch\nint(x)\n\n    int(x)\n", 2, 4) == before


def test_every_finding_carries_the_address_of_its_page(project: Path) -> None:
    for each in json.loads(checked(project, "json")):
        assert re.fullmatch(rf"https://.*/docs/rules/\w+/{each['name']}\.md", each["url"])
