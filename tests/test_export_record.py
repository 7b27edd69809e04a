"""The record of an export: as JSON, as Markdown that a comment takes, and beside an earlier one."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running import lintorch
from shown_matrix import HOSTILE, make_matrix, make_row, write

from lintorch.core.finding import Edit, Finding, Fix
from lintorch.report import write_record
from lintorch.report.html.page_index import list_models, make_index
from lintorch.report.join_interpreters import join_interpreters
from lintorch.report.join_shards import ShardsError, join_shards
from lintorch.report.matrix import Before, Matrix, Row
from lintorch.report.matrix_record import make_record
from lintorch.report.read_record import RecordError, read_record
from lintorch.report.record_changes import mark_changes
from lintorch.report.record_markdown import LIMIT
from lintorch.report.source_parts import list_parts
from lintorch.run.code_link import find_code_link


def read(matrix: Matrix) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(write(matrix, "json"))
    return record


def test_json_holds_layers_calls_differences_and_findings_with_their_source() -> None:
    record = read(make_matrix("Net"))
    model, bare = record["models"]
    assert [layer["class"] for layer in model["layers"]] == ["torch.nn.Sequential", "torch.nn.ReLU"]
    assert model["graph"]["runs"] == [{"batch": 2}, {"batch": 3}]
    assert model["graph"]["nodes"][1]["outputs"] == [[[2, 3, 8]], None]
    assert bare["problem"] is None
    wrong = record["trials"][0]
    assert wrong["nodes"] == [1]
    assert wrong["wrong"] == [{"sizes": {"batch": 3}, "amount": 2.5, "message": None}]
    assert [each["amount"] for each in wrong["differences"]] == [1e-6, 2.5]
    (finding,) = (record["findings"][number] for number in model["findings"])
    (change,) = finding["fix"]["diff"]
    assert change["row"] == 6
    assert change["new"] == [change["old"][0].replace("int(x.size(0))", "x.size(0)")]
    assert [(part["row"], part["text"].splitlines()[0]) for part in record["sources"]] == [
        (5, "    def forward(self, x):")
    ]


def test_the_page_has_what_json_has() -> None:
    record = make_record(make_matrix("Net", right=1))
    index, models = make_index(record), list(list_models(record))
    assert [each["name"] for each in index["models"]] == [m["model"] for m in record["models"]]
    assert [trial for each in models for trial in each["trials"]] == record["trials"]
    assert models[0]["findings"] == record["findings"]
    assert models[0]["sources"] == [0]


def test_parts_of_a_file_are_functions_or_the_lines_around() -> None:
    text = "a = 1\n\n\n@b\ndef f():\n    return 1\n\n\nc = 2\n" + "\n" * 20 + "d = 3\n"
    assert list(list_parts(text, [6])) == [(4, "@b\ndef f():\n    return 1")]
    assert [first for first, _ in list_parts(text, [1, 30])] == [1, 27]
    assert list(list_parts("def broken(:\n", [1])) == [(1, "def broken(:\n")]
    assert list(list_parts("", [7])) == []


def test_markdown_links_lines_and_folds_fixes() -> None:
    text = write(replace(make_matrix("Net"), link="https://example.org/blob/abc/"), "markdown")
    assert "| net.py:Net | **wrong by 2.5** | ok |" in text
    assert "* [net.py:6](https://example.org/blob/abc/net.py#L6): LT101 turns a size" in text
    assert "<summary>safe fix of net.py:6: drop int()</summary>" in text
    assert "\n-        batch = int(x.size(0))" in text
    assert text.endswith("3 exports of 1 model: 1 ok, 1 wrong; 1 not exported\n".replace("3", "2"))
    assert "](" not in write(make_matrix("Net"), "markdown")


def test_markdown_shows_names_and_code_as_they_are() -> None:
    text = write(make_matrix(HOSTILE), "markdown")
    before, _, after = text.partition("```diff\n")
    assert "<img" not in before
    assert "<img" in after  # fenced, where it is code


def test_a_fix_that_holds_a_fence_stays_within_its_own() -> None:
    row = make_row("Net")
    (finding,) = row.findings
    fence = replace(finding, fix=Fix("quote it", (Edit(0, 0, '"""\n```\n````\n"""\n'),)))
    text = write(put_finding(make_matrix("Net"), fence), "markdown")
    assert "`````diff\n" in text
    assert "\n`````\n" in text


def put_finding(matrix: Matrix, finding: Finding) -> Matrix:
    """The same matrix with this finding alone."""
    assert matrix.checked is not None
    rows = (replace(matrix.rows[0], findings=(finding,)), *matrix.rows[1:])
    return replace(matrix, rows=rows, checked=replace(matrix.checked, findings=(finding,)))


@pytest.mark.parametrize(("bad", "right"), [(300, 0), (40, 3000), (0, 5000), (1, 30)])
def test_markdown_is_no_longer_than_a_comment_may_be(bad: int, right: int) -> None:
    text = write(make_matrix(*(f"Net{n}_{'é' * 20}" for n in range(bad)), right=right), "markdown")
    assert len(text.encode()) <= LIMIT
    assert ("Left out, as a comment takes 65,536 characters" in text) == (bad + right > 100)
    assert text.rstrip().endswith("not exported")
    if right > 20:
        assert "models without a fault</summary>" in text


def test_lines_are_linked_where_a_job_says_what_it_works_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath(".git").mkdir()
    tmp_path.joinpath("a b").mkdir()
    monkeypatch.chdir(tmp_path / "a b")
    github = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "abc"}
    assert find_code_link(github) == "https://github.com/o/r/blob/abc/a%20b/"
    gitlab = {"GITLAB_CI": "true", "CI_PROJECT_URL": "https://g.org/o/r", "CI_COMMIT_SHA": "abc"}
    assert find_code_link(gitlab) == "https://g.org/o/r/-/blob/abc/a%20b/"
    assert find_code_link({"GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "abc"}) == ""


def kinds(record: dict[str, Any], before: dict[str, Any]) -> list[tuple[str, bool]]:
    """The changes of a record beside an earlier one, in order, those that are gone last."""
    marked = mark_changes(record, before, "old")
    told = [trial["change"] for trial in marked["trials"] if trial["change"]]
    changes = [(each["kind"], each["worse"]) for each in [*told, *marked["changes"]["gone"]]]
    assert marked["changes"]["worse"] == sum(worse for _, worse in changes)
    return changes


def with_trial(record: dict[str, Any], number: int, **changed: Any) -> dict[str, Any]:
    trials = list(record["trials"])
    trials[number] = {**trials[number], **changed}
    return {**record, "trials": trials}


RIGHT: dict[str, Any] = {"status": "ok", "wrong": [], "message": None, "findings": [], "part": None}
WRONG = [{"sizes": {"batch": 3}, "amount": 0.5, "message": None}]
LIMITS: list[dict[str, Any]] = [{"condition": "batch < 9", "location": None, "wrong_at": []}]


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({}, {}, []),
        ({}, {"seconds": 99.0, "location": None}, []),
        (RIGHT, {}, [("newly wrong", True)]),
        ({}, RIGHT, [("mended", False)]),
        (RIGHT, {"status": "failed", "wrong": []}, [("newly failed", True)]),
        ({"status": "failed"}, {}, [("newly wrong", True)]),
        ({"wrong": WRONG}, {}, [("grew", True)]),
        ({}, {"wrong": WRONG}, []),
        (RIGHT, {**RIGHT, "limits": LIMITS}, [("holds for less", True)]),
        (RIGHT, {**RIGHT, "compared": [{"batch": 2}]}, [("holds for less", True)]),
        ({**RIGHT, "differences": []}, RIGHT, []),
        ({"status": "failed"}, {"status": "failed", "stage": "load"}, [("fails otherwise", False)]),
        ({"status": "failed"}, {"status": "failed", "message": "of 3.14 MB"}, []),
    ],
)
def test_what_changed_is_told_by_kind(
    before: dict[str, Any], now: dict[str, Any], said: list[tuple[str, bool]]
) -> None:
    record = make_record(make_matrix("Net"))
    assert kinds(with_trial(record, 0, **now), with_trial(record, 0, **before)) == said


def test_a_difference_within_the_tolerance_is_told_and_breaks_nothing() -> None:
    record = make_record(make_matrix("Net"))
    small = [{"sizes": {}, "output": "y", "amount": 1e-6, "tolerance": 1e-3}]
    large = [{**small[0], "amount": 5e-4}]
    old = with_trial(record, 1, differences=small)
    assert kinds(with_trial(record, 1, differences=large), old) == [("grew", False)]
    assert kinds(old, with_trial(record, 1, differences=large)) == []


def test_what_is_new_or_gone_is_told() -> None:
    both, one = make_record(make_matrix("Net", "Next")), make_record(make_matrix("Next"))
    assert kinds(both, one) == [("new", True), ("new", False)]
    assert kinds(one, both) == [("gone", False), ("gone", False)]
    failed = {**one["models"][1], "model": "net.py:Net", "cause": "needs mmcv"}
    broken = {**one, "models": [*one["models"], failed]}
    assert kinds(broken, both) == [("gone", False), ("gone", True)]


@pytest.mark.parametrize("form", ["full", "markdown", "html", "json"])
def test_every_format_tells_changes(form: str) -> None:
    record = make_record(make_matrix("Net"))
    matrix = replace(
        make_matrix("Net", "Next"), before=Before("main.json", with_trial(record, 0, **RIGHT))
    )
    text = write(matrix, form)
    assert "newly wrong" in text
    assert "main.json" in text
    if form in ("full", "markdown"):
        first = text[text.lower().index("since main.json") :].splitlines()
        assert "net.py:Net with onnx: " in first[1] + first[2]
        assert "net.py:6: LT101 turns a size into a constant" in text


def test_a_record_that_an_earlier_release_wrote_can_be_compared(tmp_path: Path) -> None:
    record = json.loads(write(make_matrix("Net"), "json"))
    for trial in record["trials"]:
        for key in ("column", "wrong", "differences", "nodes", "no_repro"):
            del trial[key]
    old = {"models": record["models"], "trials": record["trials"]}
    tmp_path.joinpath("old.json").write_text(json.dumps(old))
    assert kinds(make_record(make_matrix("Net")), read_record(str(tmp_path / "old.json"))) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "this is no JSON"),
        ("[]", "this is not what"),
        ('{"models": [], "trials": [{}]}', "not"),
    ],
)
def test_a_file_that_holds_no_record_is_refused(tmp_path: Path, text: str, why: str) -> None:
    tmp_path.joinpath("old.json").write_text(text)
    with pytest.raises(RecordError, match=why):
        read_record(str(tmp_path / "old.json"))


def test_a_matrix_without_rows_is_written_in_all_formats() -> None:
    for form in ("json", "markdown", "html", "full"):
        assert write(Matrix((), ()), form)
    assert make_index(make_record(Matrix(("onnx",), (Row(None),))))["models"][0]["cells"] == {}


def test_interpreters_stand_beside_each_other_and_each_is_compared_with_the_one_before() -> None:
    wrong = make_record(make_matrix("Net"))
    right = with_trial(wrong, 0, **RIGHT)
    joined = join_interpreters([("2.9", "a", right), ("2.12", "b", right), ("2.13", "c", wrong)])
    names = ["onnx @ 2.9", "onnx @ 2.12", "onnx @ 2.13"]
    assert joined["columns"] == [*names, *(name.replace("onnx", "torch.export") for name in names)]
    changed = [each for each in joined["trials"] if each["change"]]
    assert [(each["column"], each["change"]["kind"]) for each in changed] == [
        ("onnx @ 2.13", "newly wrong")
    ]
    assert changed[0]["change"]["since"] == "2.12"
    assert joined["changes"]["worse"] == 1
    assert [model["model"] for model in joined["models"]] == ["net.py:Net", "bare.py:Bare"]
    out = io.StringIO()
    write_record("full", joined, out)
    told = out.getvalue()
    assert "net.py:6: LT101 turns a size into a constant (2.13)" in told
    assert "net.py:Net with onnx @ 2.13: newly wrong: was ok, now wrong by 2.5; net.py:6" in told


def test_a_model_that_only_an_earlier_interpreter_runs_is_kept() -> None:
    both, one = make_record(make_matrix("Net", "Next")), make_record(make_matrix("Next"))
    joined = join_interpreters([("old", "a", both), ("new", "b", one)])
    assert [model["model"] for model in joined["models"]][-1] == "net.py:Net"
    assert len(joined["changes"]["gone"]) == 2
    for form in ("json", "markdown", "html", "full"):
        write_record(form, joined, io.StringIO())


def shard(number: int, *names: str, of: int = 2) -> dict[str, Any]:
    """The record of a share, whose models stand at every second place."""
    record = {"shard": f"{number}/{of}", **make_record(make_matrix(*names))}
    models = [
        {**model, "place": [0, number + of * place], "contains": []}
        for place, model in enumerate(record["models"][:-1])
    ]
    return {**record, "models": models}


def test_shards_are_put_back_into_the_order_of_one_run() -> None:
    joined = join_shards([shard(2, "B", "D"), shard(1, "A", "C")])
    assert [model["model"][-1] for model in joined["models"]] == ["A", "B", "C", "D"]
    assert [trial["model"][-1] for trial in joined["trials"]] == [*"AABBCCDD"]
    assert "place" not in joined["models"][0]
    assert [finding["model"] for finding in joined["findings"]] == ["net.py:A"]  # of one line
    assert [model["findings"] for model in joined["models"]] == [[0]] * 4
    assert len(joined["sources"]) == 1


def test_a_part_of_a_model_of_another_shard_is_left_out() -> None:
    user, part = shard(1, "User"), shard(2, "Part", "Other")
    user["models"][0]["contains"] = ["net.py:Part"]
    joined = join_shards([user, part])
    assert [model["model"] for model in joined["models"]] == ["net.py:User", "net.py:Other"]
    assert {trial["model"] for trial in joined["trials"]} == {"net.py:User", "net.py:Other"}


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([shard(1, "A", of=3), shard(3, "B", of=3)], "shard 2/3 missing"),
        ([shard(1, "A"), shard(2, "B"), shard(2, "B")], "a shard is there twice"),
        ([shard(1, "A"), shard(2, "B", of=3)], "not shards of one run"),
        ([shard(1, "A", of=1), make_record(make_matrix("B"))], "not shards of one run"),
        ([make_record(make_matrix("A")), make_record(make_matrix("A"))], "in several of these"),
    ],
)
def test_records_that_are_no_whole_are_refused(records: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(ShardsError, match=why):
        join_shards(records)


def test_one_file_alone_is_written_in_another_format(tmp_path: Path) -> None:
    tmp_path.joinpath("net.json").write_text(write(make_matrix("Net"), "json"))
    tmp_path.joinpath("old.json").write_text(
        json.dumps(with_trial(make_record(make_matrix("Net")), 0, **RIGHT))
    )
    done = lintorch("merge", "net.json", "--output-format", "markdown", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == write(make_matrix("Net"), "markdown")
    asked = ["merge", "net.json", "--compare", "old.json", "--html", "page.html"]
    compared = lintorch(*asked, cwd=tmp_path)
    assert compared.returncode == 1
    assert "since old.json: 1 newly wrong" in compared.stdout
    assert "newly wrong" in tmp_path.joinpath("page.html").read_text("utf-8")
    refused = lintorch("merge", "page.html", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
