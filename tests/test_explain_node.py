"""`lintorch explain MODEL.onnx --node NAME`: the lines that torch itself says made the nodes of real exports."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import helper
from running import interpreter, lintorch

NET = '''import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.act = nn.ReLU()

    def forward(self, x):
        y = self.act(self.conv(x))
        y = y * 2 + x
        y = self.act(y)
        return y / 3


def mix(a, b):
    c = torch.sigmoid(a) * b
    return torch.cat(
        [c, a.tanh()], 1
    )


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block(4), Block(4)])
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(256, 8), nn.LayerNorm(8))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        size = int(x.size(0))
        x = x.view(size, 4, -1).transpose(1, 2)
        x = x.reshape(x.size(0), 4, 8, 8)
        x = self.head(x)
        return mix(*x.chunk(2, 1))
'''  # fmt: skip
PROGRAM = """
import torch
from net import Net

x = torch.randn(2, 4, 8, 8)
torch.onnx.export(Net().eval(), (x,), "new.onnx", dynamo=True, dynamic_shapes=({0: torch.export.Dim("b")},))
old = {"dynamo": False, "input_names": ["x"], "dynamic_axes": {"x": {0: "b"}}}
torch.onnx.export(Net().eval(), (x,), "old.onnx", **old)
torch.onnx.export(Net().eval(), (x,), "told.onnx", verbose=True, **old)
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    (folder / "net.py").write_text(NET)
    (folder / "export.py").write_text(PROGRAM)
    done = subprocess.run([interpreter(), "export.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (folder / "export.py").unlink()
    return folder


def explain(*arguments: object, cwd: Path) -> list[dict[str, Any]]:
    done = lintorch("explain", *arguments, "--output-format", "json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def ask(model: str, names: list[str], cwd: Path) -> list[dict[str, Any]]:
    return explain(model, *(word for name in names for word in ("--node", name)), cwd=cwd)


def rows_by_stack(path: Path) -> dict[str, int]:
    """By node, the last line of net.py in the traceback that the new exporter wrote."""
    found = {}
    for node in onnx.load(path, load_external_data=False).graph.node:
        stack = {each.key: each.value for each in node.metadata_props}
        rows = re.findall(r'net\.py", line (\d+)', stack.get("pkg.torch.onnx.stack_trace", ""))
        if rows:
            found[node.name] = int(rows[-1])
    return found


def rows_by_doc(path: Path) -> dict[str, int]:
    """By node, the innermost line of net.py that `verbose=True` wrote of it."""
    nodes = onnx.load(path).graph.node
    rows = {node.name: re.search(r"net\.py\((\d+)\)", node.doc_string) for node in nodes}
    return {name: int(row[1]) for name, row in rows.items() if row}


STATEMENTS = {21: 20, 22: 20}
"""Rows in which a statement of NET goes on, and where it begins."""


def begin(row: int) -> int:
    return STATEMENTS.get(row, row)


def test_the_new_exporter_says_the_line_itself(exported: Path) -> None:
    expected = rows_by_stack(exported / "new.onnx")
    assert len(expected) > 20
    answers = ask("new.onnx", [*expected], exported)
    assert {each["node"]: each["lines"][0]["row"] for each in answers} == expected
    assert {each["certainty"] for each in answers} == {"certain"}
    assert all(each["torch_operator"] for each in answers)


def test_verbose_exports_of_the_older_exporter_say_it_too(exported: Path) -> None:
    expected = rows_by_doc(exported / "told.onnx")
    assert len(expected) > 40
    answers = ask("told.onnx", [*expected], exported)
    assert {each["node"]: each["lines"][0]["row"] for each in answers} == expected


def test_names_of_the_older_exporter_lead_to_the_line(exported: Path) -> None:
    """What is said to be certain is right, and nearly all the rest."""
    expected = rows_by_doc(exported / "told.onnx")
    answers = ask("old.onnx", [*expected], exported)
    right = {
        each["node"]: begin(each["lines"][0]["row"]) == begin(expected[each["node"]])
        for each in answers
        if each["lines"]
    }
    sure = [right[each["node"]] for each in answers if each["certainty"] == "certain"]
    assert len(sure) > 5
    assert all(sure)
    assert sum(right.values()) >= 0.95 * len(expected)


def test_a_layer_that_is_called_twice_is_told_by_its_number(exported: Path) -> None:
    names = [f"/layers.{block}/{act}/Relu" for block in (0, 1) for act in ("act", "act_1")]
    answers = ask("old.onnx", names, exported)
    assert [each["lines"][0]["row"] for each in answers] == [12, 14, 12, 14]
    assert [each["row"] for each in answers[0]["calls"]] == [33, 12]


def test_a_node_of_a_line_without_a_rule_has_its_line(exported: Path) -> None:
    name = next(
        name
        for name, row in rows_by_doc(exported / "told.onnx").items()
        if row == 35 and "/Reshape" in name
    )
    done = lintorch("explain", "old.onnx", "--node", name, cwd=exported)
    assert done.returncode == 0, done.stderr
    assert "net.py:35" in done.stdout


def test_values_are_asked_for_as_nodes_are(exported: Path) -> None:
    by_name, by_value = ask("old.onnx", ["/Concat", "/Concat_output_0"], exported)
    assert by_name["lines"] == by_value["lines"]


def test_a_line_that_has_moved_is_told_where_it_stands_now(exported: Path, tmp_path: Path) -> None:
    shutil.copy(exported / "new.onnx", tmp_path)
    other = tmp_path / "net.py"
    other.write_text("# moved\n" + NET)
    data = (tmp_path / "new.onnx").read_bytes()
    foreign = data.replace(str(exported).encode(), b"X" * len(str(exported)))
    (tmp_path / "new.onnx").write_bytes(foreign)
    name, row = next(iter(rows_by_stack(exported / "new.onnx").items()))
    (answer,) = ask("new.onnx", [name], tmp_path)
    line = answer["lines"][0]
    assert (line["filename"], line["row"], line["exported_row"]) == ("net.py", row + 1, row)


def test_without_the_source_the_module_is_not_made_up(exported: Path, tmp_path: Path) -> None:
    shutil.copy(exported / "old.onnx", tmp_path)
    done = lintorch("explain", "old.onnx", "--node", "/layers.0/conv/Conv", cwd=tmp_path)
    assert done.returncode == 1
    assert "no model was found" in done.stdout


def test_an_export_made_again_tells_nodes_of_names_that_tell_nothing(exported: Path) -> None:
    told = onnx.load(exported / "told.onnx")
    rows = rows_by_doc(exported / "told.onnx")
    expected = {}
    for number, node in enumerate(told.graph.node):
        name, node.doc_string = node.name, ""
        node.name = f"{node.op_type}_{number}"
        if name in rows and node.op_type != "Constant":
            expected[node.name] = rows[name]
    onnx.save(told, exported / "bare.onnx")
    names = [word for name in expected for word in ("--node", name)]
    answers = explain("bare.onnx", "net.py:Net", "--trace", *names, cwd=exported)
    right = [begin(each["lines"][0]["row"]) == begin(expected[each["asked"]]) for each in answers]
    assert sum(right) >= 0.95 * len(expected)
    assert sum(each["way"] == "export" for each in answers) >= 0.9 * len(expected)


def test_old_names_are_led_to_the_line_by_the_weights_around(exported: Path) -> None:
    """As torch before 1.13 named them; nothing is run."""
    told = onnx.load(exported / "told.onnx")
    rows, expected = rows_by_doc(exported / "told.onnx"), {}
    renamed = {
        value: f"{number}"
        for number, node in enumerate(told.graph.node, 1000)
        for value in node.output
    }
    for number, node in enumerate(told.graph.node, 1000):
        name, node.name, node.doc_string = node.name, f"{node.op_type}_{number}", ""
        for values in (node.input, node.output):
            values[:] = [renamed.get(each, each) for each in values]
        if name in rows and node.op_type in ("Relu", "Conv", "Sigmoid", "Tanh", "Transpose"):
            expected[node.name] = rows[name]
    (exported / "ancient.onnx").write_bytes(told.SerializeToString())
    answers = ask("ancient.onnx", [*expected], exported)
    assert {each["way"] for each in answers} == {"weights"}
    found = {each["asked"]: each["lines"][0]["row"] for each in answers}
    wrong = {name: row for name, row in found.items() if begin(row) != begin(expected[name])}
    assert len(wrong) <= 1, wrong


def write_node(folder: Path, stack: str) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], name="n")
    entry = node.metadata_props.add()
    entry.key, entry.value = "pkg.torch.onnx.stack_trace", stack
    model = helper.make_model(helper.make_graph([node], "g", [], []))
    (folder / "m.onnx").write_bytes(model.SerializeToString())


def test_a_file_opens_no_other_file_than_python_ones(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret words\n")
    write_node(tmp_path, f'File "{tmp_path}/secret.txt", line 1, in forward')
    done = lintorch("explain", "m.onnx", "--node", "n", cwd=tmp_path)
    assert "secret words" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "stack", ["", "File", 'File "a", line 99999999999, in f', "\0\x1b[31m" * 99]
)
def test_whatever_a_node_says_ends_in_an_answer(tmp_path: Path, stack: str) -> None:
    write_node(tmp_path, stack)
    done = lintorch("explain", "m.onnx", "--node", "n", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b[31m" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("m.onnx", "--node", "q"), "m.onnx: it has no node or value 'q'"),
        (("m.onnx",), "name a node of m.onnx by --node"),
        (("--node", "q"), "name the .onnx file"),
        (("gone.onnx", "--node", "q"), "gone.onnx: No such file"),
        (("cut.onnx", "--node", "q"), "cut.onnx: it is cut off"),
        ((".", "--node", "q"), ".: it is no file"),
    ],
)
def test_what_cannot_be_answered_is_one_error(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    write_node(tmp_path, "")
    (tmp_path / "cut.onnx").write_bytes((tmp_path / "m.onnx").read_bytes()[:-9])
    done = lintorch("explain", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4


def test_the_rule_that_speaks_of_the_line_says_what_to_write(tmp_path: Path) -> None:
    source = NET.replace("x.view(size, 4, -1)", "x.view(int(x.size(0)), 4, -1)")
    (tmp_path / "net.py").write_text(source)
    row = source[: source.index("x.view(int(")].count("\n") + 1
    write_node(tmp_path, f'File "{tmp_path}/net.py", line {row}, in forward')
    (answer,) = ask("m.onnx", ["n"], tmp_path)
    assert [each["code"] for each in answer["rules"]] == ["LT101"]
    assert "`int(x.size(0))`" in answer["rules"][0]["message"]
    done = lintorch("explain", "m.onnx", "--node", "n", cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert "LT101" in said
    assert answer["rules"][0]["message"] in said


def test_a_file_of_too_many_fields_ends_in_one_error(tmp_path: Path) -> None:
    (tmp_path / "many.onnx").write_bytes(b"\x08\x01" * (6 * 10**6))
    done = lintorch("explain", "many.onnx", "--node", "n", cwd=tmp_path)
    assert done.returncode == 2
    assert "many.onnx: it has more fields than any model" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


TWINS = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.out = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        OPERATIONS
        return self.out(y)
"""


def write_bare(folder: Path) -> None:
    """A file whose nodes name no module: fc, Relu, out."""
    nodes = [
        helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["a"], name="Gemm_0"),
        helper.make_node("Relu", ["a"], ["b"], name="Relu_1"),
        helper.make_node("Gemm", ["b", "out.weight", "out.bias"], ["c"], name="Gemm_2"),
    ]
    shapes = {"fc.weight": (8, 8), "fc.bias": (8,), "out.weight": (2, 8), "out.bias": (2,)}
    weights = [
        helper.make_tensor(name, onnx.TensorProto.FLOAT, shape, [0.0] * math.prod(shape))
        for name, shape in shapes.items()
    ]
    graph = helper.make_graph(nodes, "g", [], [], initializer=weights)
    (folder / "bare.onnx").write_bytes(helper.make_model(graph).SerializeToString())


def test_where_several_models_fit_no_line_is_told_but_their_files(tmp_path: Path) -> None:
    write_bare(tmp_path)
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(TWINS.replace("OPERATIONS", "y = self.fc(x).relu()"))
    (answer,) = ask("bare.onnx", ["Relu_1"], tmp_path)
    assert (answer["lines"], answer["certainty"]) == ([], "unknown")
    assert "between fc and out" in answer["why"]
    assert "one.py:Net" in answer["why"]
    assert "two.py:Net" in answer["why"]
    (answer,) = explain("bare.onnx", "two.py", "--node", "Relu_1", cwd=tmp_path)
    assert [(each["filename"], each["row"]) for each in answer["lines"]] == [("two.py", 10)]


def test_of_models_with_the_same_names_the_order_of_operations_chooses(tmp_path: Path) -> None:
    write_bare(tmp_path)
    (tmp_path / "one.py").write_text(TWINS.replace("OPERATIONS", "y = self.fc(x).sigmoid().tanh()"))
    (tmp_path / "two.py").write_text(TWINS.replace("OPERATIONS", "y = self.fc(x).relu()"))
    (answer,) = ask("bare.onnx", ["Relu_1"], tmp_path)
    assert [(each["filename"], each["row"]) for each in answer["lines"]] == [("two.py", 10)]


def test_a_model_of_other_operations_tells_no_line(tmp_path: Path) -> None:
    write_bare(tmp_path)
    lines = "y = self.fc(x).sigmoid().tanh().softmax(1).sigmoid().tanh()"
    (tmp_path / "one.py").write_text(TWINS.replace("OPERATIONS", lines))
    (answer,) = ask("bare.onnx", ["Relu_1"], tmp_path)
    assert answer["lines"] == []
    assert "the nearest model, one.py:Net" in answer["why"]
