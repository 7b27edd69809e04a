"""How the source tier is measured against labelled exports and proven faults: what is counted as what."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from running import CHECKOUT

sys.path.append(str(CHECKOUT / "benchmarks"))

from faults.candidate_edits import list_candidates
from faults.found_faults import check_fault, check_originals
from faults.proven_faults import ProvenFault
from truth.executed import ExecutedModel, read_executed
from truth.labels import Cell
from truth.predictions import ForetoldCell, foretell
from truth.source_findings import CheckedSources, SourceFinding, check_sources
from truth.source_scores import count_by_cause, count_by_rule, score_cells
from truth.source_tables import print_source_tables
from truth.statement_rows import StatementRows, read_statement_rows

FILE = "someone+project/net.py"
SOURCE = """\
    from torch import nn


    class Gate(nn.Module):
        def forward(
            self, x
        ):
            if x.sum() > 0:
                return x.mul(
                    2
                )
            return x


    class Idle(nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                return -x
            return x
"""
BLAMED = f"{FILE}:8"


def label(name: str, rows: str, exporter_path: str, **verdict: Any) -> dict[str, Any]:
    """A model of one input, (B, 3), of which both sizes vary."""
    return {
        "id": name,
        "exec_lines": {FILE: rows},
        "dims": {"B": 2, "S": 3},
        "dims2": {"B": 3, "S": 4},
        "paths": {exporter_path: verdict},
    }


def finding(code: str, *rows: int, message: str = "", **harm: str) -> SourceFinding:
    """What is found under `onnx` and `torchscript_trace`, by their words."""
    words = {name.replace("_", "-"): word for name, word in harm.items()}
    return SourceFinding(code, FILE, frozenset(rows), message, words)


def judge(cell: Cell, *findings: SourceFinding, varied: str = "BS") -> ForetoldCell:
    """One model that executes the rows 8 and 12, exported by `onnx`."""
    model = ExecutedModel("m", {FILE: frozenset({8, 12})}, {"onnx": cell}, frozenset(varied))
    checked = CheckedSources({FILE: findings}, {FILE: StatementRows({}, {})}, 0)
    return next(iter(foretell([model], checked)))


RIGHT = Cell("onnx_dynamo_dyn", True, "ok", frozenset())
WRONG = Cell("onnx_dynamo_dyn", False, "wrong", frozenset({BLAMED}), "wrong at size")
REFUSED = Cell("onnx_dynamo_dyn", False, "error", frozenset({BLAMED}), "no such operator")


def test_a_finding_counts_for_the_models_that_execute_its_line(tmp_path: Path) -> None:
    (tmp_path / "R" / FILE).parent.mkdir(parents=True)
    (tmp_path / "R" / FILE).write_text(dedent(SOURCE))
    labels = [
        label("gate", "8,12", "export_dynb", status="error", where=BLAMED, cause="a branch"),
        label("gate, traced", "8,12", "jit_trace", status="warning"),
        label("idle", "19", "export_dynb", status="ok"),
    ]
    (tmp_path / "truth.jsonl").write_text("\n".join(map(json.dumps, labels)))
    models = list(read_executed(tmp_path / "truth.jsonl"))
    checked = check_sources([FILE, "absent+one/net.py"], (tmp_path / "R",), tmp_path / "keep")
    assert [*checked.statements] == [FILE]
    gate, traced, idle = foretell(models, checked)
    assert [each.place for each in gate.at_blame] == [BLAMED]
    assert traced.said_bad
    assert not idle.said_bad


def test_a_finding_has_all_rows_of_its_statement_and_a_function_the_rows_of_its_def(
    tmp_path: Path,
) -> None:
    (tmp_path / "net.py").write_text(dedent(SOURCE))
    rows = read_statement_rows(tmp_path / "net.py")
    assert rows.widen(10, 10) == {9, 10, 11}
    assert rows.widen(8, 8) == {8}
    assert rows.add_headers(frozenset({12})) == {5, 6, 7, 12}


def test_what_is_said_of_a_file_is_left_open_where_nothing_was_saved() -> None:
    unsaved = finding("LT172", 8, message="F is a call, which is not saved", torchscript_trace="x")
    traced = Cell("jit_trace", True, "ok", frozenset())
    model = ExecutedModel("m", {FILE: frozenset({8})}, {"torchscript-trace": traced}, frozenset())
    checked = CheckedSources({FILE: (unsaved,)}, {FILE: StatementRows({}, {})}, 0)
    (told,) = foretell([model], checked)
    assert (told.foretelling, told.undecided) == ((), (unsaved,))


def test_what_is_said_of_one_class_is_not_said_of_models_that_hold_it() -> None:
    itself = finding("LT114", 8, message="twice where Net itself is exported", onnx="refused")
    checked = CheckedSources({FILE: (itself,)}, {FILE: StatementRows({}, {})}, 0)
    rows, cells = {FILE: frozenset({8})}, {"onnx": RIGHT}
    models = [ExecutedModel("m", rows, cells, frozenset("H"), kind) for kind in ("Net", "Head")]
    assert [each.said_bad for each in foretell(models, checked)] == [True, False]


def test_shares_are_of_cells() -> None:
    silent = finding("LT1", 8, onnx="wrong")
    cells = [
        judge(WRONG, silent),
        judge(REFUSED, silent),
        judge(WRONG, finding("LT2", 12, onnx="refused")),
        judge(REFUSED, finding("LT2", 12, torchscript_trace="wrong")),
        judge(RIGHT, finding("LT2", 12, onnx="fails"), finding("LT3", 30, onnx="fails")),
        judge(RIGHT),
    ]
    score = score_cells(cells)
    assert (score.cells, score.bad) == (6, 4)
    assert str(score.recall) == "3 of 4 (0.75)"
    assert str(score.precision) == "3 of 4 (0.75)"
    assert str(score.silent) == "1 of 2 (0.50)"
    assert (
        str(score_cells([judge(replace(REFUSED, blamed=frozenset()), silent)]).silent)
        == "0 of 0 (-)"
    )
    assert str(score.cells_at_line) == "2 of 4 (0.50)"
    assert str(score.lines) == "1 of 1 (1.00)"
    assert str(score.findings) == "1 of 2 (0.50)"
    assert count_by_rule(cells) == {"LT1": (2, 2, 0), "LT2": (1, 0, 1)}
    assert [str(share) for *_, share in count_by_cause(cells)] == ["1 of 2 (0.50)", "0 of 2 (0.00)"]


def test_what_labels_of_one_batch_size_cannot_decide_is_no_false_alarm() -> None:
    height = finding("LT101", 8, message="the height is the example's", onnx="wrong")
    batch = finding("LT101", 8, message="the batch size is the example's", onnx="wrong")
    branch = finding("LT102", 8, onnx="refused")
    assert not judge(RIGHT, height, varied="B").said_bad
    assert judge(RIGHT, height, varied="B").undecided == (height,)
    assert judge(WRONG, height, varied="B").said_bad
    for known in (batch, branch):
        assert judge(RIGHT, known, varied="B").said_bad
    assert judge(RIGHT, height, varied="BS").said_bad


def test_each_miss_and_false_alarm_is_told(capsys: Any) -> None:
    alarm = finding("LT2", 12, message="a size", onnx="fails")
    print_source_tables([judge(REFUSED), judge(RIGHT, alarm)], details=True)
    told = capsys.readouterr().out
    assert f"m onnx: onnx_dynamo_dyn error: no such operator [{BLAMED}]" in told
    assert f"LT2 fails {FILE}:12 a size" in told
    assert "| onnx | no such operator | 1 of 1 |" in told


def test_candidate_edits_change_one_row_of_what_decides_shapes() -> None:
    text = dedent("""\
        class Net(nn.Module):
            def __init__(self, dim):
                self.stem = nn.Conv2d(3, dim, 3, stride=2)
                self.block = Block(64)

            def forward(self, x):
                print(x.shape, 4)
                return self.stem(x).view(-1, self.heads, 8)
        """)
    found = list_candidates(text, frozenset({"Block"}))
    kinds = {(each.kind, each.row, each.old) for each in found}
    assert kinds == {
        ("channel", 3, "3"),
        ("channel", 3, "dim"),
        ("kernel", 3, "3"),
        ("stride", 3, "2"),
        ("channel", 4, "64"),
        ("heads", 8, "self.heads"),
        ("view", 8, "8"),
    }
    stride = next(each for each in found if each.kind == "stride")
    assert stride.apply(text) == text.replace("stride=2", "stride=1")


def test_what_a_fault_adds_to_the_findings_finds_it(tmp_path: Path) -> None:
    file = "someone+project/net.py"
    (tmp_path / file).parent.mkdir(parents=True)
    text = dedent("""\
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(
                    nn.Linear(8, 16),
                    nn.Linear(16, 4),
                )

            def forward(self, x):
                return self.layers(x)
        """)
    (tmp_path / file).write_text(text)
    before, _ = check_originals(tmp_path, [file])
    edit = next(each for each in list_candidates(text, frozenset()) if each.old == "16")
    fault = ProvenFault("net", (file,), file, edit, "RuntimeError: shapes", sized=False)
    checked = check_fault(tmp_path, fault, before)
    assert not before
    assert checked.found
    assert (tmp_path / file).read_text() == text
    assert not check_fault(tmp_path, replace(fault, edit=replace(edit, content="16")), before).found
