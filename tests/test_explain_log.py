"""`lintorch explain --log`: which warnings of a tracer matter."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
import torch
from running import lintorch

from lintorch.run.find_checks import find_asked_rows, is_only_check, is_only_layout
from lintorch.run.find_constants import is_same_tensor
from lintorch.run.read_export_log import MOST_BYTES, LogError, read_log

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        assert x.shape[1] == 3
        y = self.conv(x)
        half = int(y.shape[2]) // 2
        return y[:, :, :half]
"""
EXPORT = """
import torch
from net import Net

torch.onnx.export(
    Net(), torch.zeros(1, 3, 32, 32), "net.onnx", dynamo=False, input_names=["x"],
    dynamic_axes={"x": {0: "batch", 2: "height", 3: "width"}},
)
"""
BOOLEAN = "Converting a tensor to a Python boolean might cause the trace to be incorrect. We can't"
INTEGER = "Converting a tensor to a Python integer might cause the trace to be incorrect. We can't"


def _log(folder: str = "") -> str:
    return (
        f"{folder}net.py:12: TracerWarning: {BOOLEAN}\n  assert x.shape[1] == 3\n"
        f"{folder}net.py:14: TracerWarning: {INTEGER}\n  half = int(y.shape[2]) // 2\n"
    )


def _answers(folder: Path, *options: str, stdin: str) -> tuple[int, dict[int, tuple[str, str]]]:
    (folder / "net.py").write_text(NET)
    (folder / "export.py").write_text(EXPORT)
    command = ("explain", "--log", "-", "--output-format", "json", *options)
    done = lintorch(*command, cwd=folder, stdin=stdin)
    assert done.returncode in (0, 1), done.stderr
    answers = json.loads(done.stdout)["answers"]
    return done.returncode, {each["row"]: (each["verdict"], each["why"]) for each in answers}


def test_the_source_tells_what_it_can(tmp_path: Path) -> None:
    code, answers = _answers(tmp_path, stdin=_log())
    assert code == 1
    assert answers[14][0] == "matters"
    assert answers[12][0] == "harmless"
    assert "only checks" in answers[12][1]


def test_what_no_rule_speaks_of_is_not_known_before_a_run(tmp_path: Path) -> None:
    (tmp_path / "norm.py").write_text(
        "import math\n\n\ndef scale(x):\n    return x / math.sqrt(x.shape[1])\n"
    )
    code, answers = _answers(tmp_path, stdin=f"norm.py:5: TracerWarning: {BOOLEAN}\n")
    assert (code, answers[5][0]) == (1, "unknown")
    assert "--trace" in answers[5][1]


CHECKS = """
def forward(x, most):
    assert x.shape[1] <= most, (
        "too long"
    )
    if (
        x.shape[0] > most
    ):
        raise ValueError(most)
    if x.shape[0] > 1:
        raise ValueError(x)
    else:
        x = x + 1
    if x.shape[0] > 2:
        x = x * 2
    assert (n := x.shape[0]) > 1
    return x * n
"""


def test_only_lines_that_do_nothing_but_raise_are_checks() -> None:
    rows = [row for row in range(1, 18) if is_only_check(CHECKS, row)]
    assert rows == [3, 4, 5, 6, 7]
    assert not is_only_check("def f(:", 1)


LAYOUT = """
def forward(x, y):
    if x.shape[0] >= 64:
        x = x.contiguous()
    if x.shape[0] >= 32:
        y = x.contiguous()
    if x.shape[0] >= 16:
        x = x.contiguous() * 2
    return x, y
"""


def test_a_branch_that_only_puts_numbers_in_order_changes_none() -> None:
    assert [row for row in range(1, 10) if is_only_layout(LAYOUT, row)] == [3]
    assert not is_only_layout("def f(:", 1)


ASKED = """
from torch import nn
from torch.nn import functional as F


class Padded(nn.Module):
    def forward(self, x):
        height, width = x.shape[2:]
        odd = (height % 2 == 1) or (width % 2 == 1)
        if odd:
            x = F.pad(x, (0, width % 2, 0, height % 2))
        wide = width > 4096
        if wide:
            raise ValueError(width)
        kept = width > 8 and height > 8
        if kept:
            x = x[:, :, :8]
        return x, kept
"""


def test_the_answer_that_a_line_gives_a_name_is_judged_where_it_is_asked(tmp_path: Path) -> None:
    assert find_asked_rows(ASKED, 9) == (10,)
    assert find_asked_rows(ASKED, 15) == ()
    (tmp_path / "pad.py").write_text(ASKED)
    log = "".join(f"pad.py:{row}: TracerWarning: {BOOLEAN}\n" for row in (9, 12))
    _, answers = _answers(tmp_path, stdin=log)
    assert (answers[9][0], answers[12][0]) == ("matters", "harmless")
    assert "odd" in answers[9][1]


def test_a_run_tells_which_matter_and_at_which_sizes(tmp_path: Path) -> None:
    options = ("--trace", "--export", "onnx-legacy")
    code, answers = _answers(tmp_path, *options, stdin=_log("/home/ci/project/"))
    assert code == 1
    assert answers[14][0] == "matters"
    assert "height" in answers[14][1]
    assert answers[12][0] == "harmless"


def test_all_harmless_is_exit_code_0(tmp_path: Path) -> None:
    code, answers = _answers(tmp_path, stdin="nothing of a tracer\n")
    assert (code, answers) == (0, {})


def test_what_is_not_here_or_has_changed_is_not_known(tmp_path: Path) -> None:
    lost = f"/srv/other.py:3: TracerWarning: {BOOLEAN}\n  if x:\n"
    moved = f"net.py:13: TracerWarning: {BOOLEAN}\n  assert x.shape[1] == 3\n"
    inner = f"/v/lib/python3.11/site-packages/torch/nn/functional.py:9: TracerWarning: {BOOLEAN}\n"
    _, answers = _answers(tmp_path, stdin=lost + moved + inner)
    assert {verdict for verdict, _ in answers.values()} == {"unknown"}
    assert "not here" in answers[3][1]
    assert "another one now" in answers[13][1]
    assert "torch's own" in answers[9][1]


def test_the_warnings_of_torch_itself_are_read(tmp_path: Path) -> None:
    path = tmp_path / "traced.py"
    path.write_text("def f(x):\n    return x * int(x.sum())\n")
    space: dict[str, object] = {"__name__": "traced"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.jit.trace(space["f"], torch.ones(2))
    lines = [warnings.formatwarning(w.message, w.category, w.filename, w.lineno) for w in caught]
    log = read_log("".join(lines).encode())
    found = [each for each in log.warnings if each.path == str(path)]
    assert [(each.row, each.kind) for each in found] == [(2, "TracerWarning")]
    assert log.exporter == "torchscript-trace"


@pytest.mark.parametrize(
    "line",
    [
        "/a b/net.py:12: TracerWarning: Converting",
        "2024-05-01T10:00:00.1Z /srv/p/net.py:12: TracerWarning: Converting",
        "2024-05-01 10:00:00 | WARNING | py.warnings | net.py:12: TracerWarning: Converting",
        "\x1b[33m  net.py:12: TracerWarning: Converting\x1b[0m",
        r"C:\work\net.py:12: TracerWarning: Converting",
    ],
)
def test_logs_of_many_programs_are_read(line: str) -> None:
    for data in (line.encode(), line.encode("utf-16")):
        (found,) = read_log(data).warnings
        assert found.path.endswith("net.py")
        assert "|" not in found.path
        assert "2024" not in found.path
        assert found.row == 12


def test_a_log_without_end_is_refused() -> None:
    with pytest.raises(LogError):
        read_log(b" " * (MOST_BYTES + 1))


def test_the_same_warning_is_told_once() -> None:
    (found,) = read_log((f"net.py:12: TracerWarning: {BOOLEAN}\n  if x:\n" * 20).encode()).warnings
    assert (found.times, found.source) == (20, "if x:")


def test_options_that_do_not_fit_are_said(tmp_path: Path) -> None:
    assert lintorch("explain", cwd=tmp_path).returncode == 2
    assert lintorch("explain", "net.py:1", "--trace", cwd=tmp_path).returncode == 2
    done = lintorch("explain", "--log", "lost.log", cwd=tmp_path)
    assert done.stderr == "lintorch: lost.log: No such file or directory\n"


ENDS = {
    "torch.export": (
        'Traceback (most recent call last):\n  File "export.py", line 5, in <module>\n'
        '  File "/v/site-packages/torch/export/__init__.py", line 9, in export\n'
        "torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: Could not guard on u0\n\n"
        'The following call raised this error:\n  File "/srv/net.py", line 12, in forward\n',
        ("/srv/net.py", 12, "GuardOnDataDependentSymNode", "Could not guard on u0"),
    ),
    "onnx": (
        'Traceback (most recent call last):\n  File "export.py", line 5, in <module>\n'
        '  File "/v/site-packages/torch/onnx/_internal/exporter/_core.py", line 9, in export\n'
        "torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model.\n"
        "<class 'torch._dynamo.exc.UserError'>: Consider annotating\n"
        '  File "/srv/net.py", line 12, in forward\n',
        ("/srv/net.py", 12, "UserError", "Consider annotating"),
    ),
    "torchscript-script": (
        'Traceback (most recent call last):\n  File "export.py", line 5, in <module>\n'
        '  File "/v/site-packages/torch/jit/_script.py", line 9, in script\n'
        "RuntimeError: \ncannot statically infer the size:\n"
        '  File "/srv/net.py", line 15\n    x.view(*s)\n           ~ <--- HERE\n',
        ("/srv/net.py", 15, "RuntimeError", "cannot statically infer the size:"),
    ),
}


@pytest.mark.parametrize("exporter", ENDS)
def test_the_error_at_the_end_is_led_back_to_its_line(exporter: str) -> None:
    text, told = ENDS[exporter]
    log = read_log(text.encode())
    (found,) = log.warnings
    assert (found.path, found.row, found.kind, found.text) == told
    assert log.exporter == exporter
    assert found.is_error


_FED = "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Got invalid dimensions for input: x"
_INSTALLED = "/v/lib/python3.11/site-packages/onnxruntime/capi/onnxruntime_inference_collection.py"
CALLERS = {
    "python": (
        'Traceback (most recent call last):\n  File "infer.py", line 4, in <module>\n    main()\n'
        '  File "infer.py", line 9, in main\n    out = session.run(None, feed)\n'
        f'  File "{_INSTALLED}", line 192, in run\n    return self._sess.run()\n',
        ("infer.py", 9, "out = session.run(None, feed)"),
    ),
    "a cell": (
        "InvalidArgument      Traceback (most recent call last)\nCell In[3], line 2\n"
        "      1 x = np.zeros(3)\n----> 2 out = session.run(None, {'x': x})\n\n"
        f"File {_INSTALLED}:192, in InferenceSession.run(self)\n--> 192 return self._sess.run()\n",
        ("Cell In[3]", 2, "out = session.run(None, {'x': x})"),
    ),
    "a cell of old": (
        "InvalidArgument      Traceback (most recent call last)\n"
        "<ipython-input-7-3e93edc5dd8a> in <module>()\n      1 x = np.zeros(3)\n"
        f"----> 2 out = session.run(None, feed)\n\n{_INSTALLED} in run(self)\n--> 192     return 1\n",
        ("<ipython-input-7-3e93edc5dd8a>", 2, "out = session.run(None, feed)"),
    ),
    "a file of IPython": (
        "InvalidArgument      Traceback (most recent call last)\nCell In [1], line 1\n----> 1 go()\n\n"
        "File ~/work/infer.py:12, in go(path)\n     11 x = 1\n---> 12 session.run(None, feed)\n\n"
        f"File {_INSTALLED}:192, in run(self)\n--> 192 return 1\n",
        ("~/work/infer.py", 12, "session.run(None, feed)"),
    ),
    "rich": (
        "╭──────────── Traceback (most recent call last) ────────────╮\n"
        "│ /srv/infer.py:9 in main                                   │\n"
        "│ ❱  9 │   out = session.run(None, feed)                    │\n"
        f"│ {_INSTALLED}:192 in run │\n│ ❱ 192 │   return 1 │\n╰──────╯\n",
        ("/srv/infer.py", 9, "out = session.run(None, feed)"),
    ),
}


@pytest.mark.parametrize("way", CALLERS)
def test_the_line_that_called_a_runtime_is_named(way: str, tmp_path: Path) -> None:
    text, (path, row, source) = CALLERS[way]
    text += f"onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument: {_FED}\n"
    done = lintorch("explain", "--log", "-", "--output-format", "json", stdin=text, cwd=tmp_path)
    (answer,) = json.loads(done.stdout)["answers"]
    assert answer["error"] == "invalid-dimensions"
    assert answer["caller"] == {"filename": path, "row": row, "source": source}


def test_what_to_write_instead_of_the_line_that_raised_is_told(tmp_path: Path) -> None:
    refused = (
        'Traceback (most recent call last):\n  File "net.py", line 14, in forward\n'
        '  File "/v/site-packages/torch/export/_trace.py", line 9, in _export\n'
        "torch._dynamo.exc.UserError: Constraints violated (height)!\n"
    )
    code, answers = _answers(tmp_path, stdin=refused)
    assert code == 1
    assert answers[14][0] == "matters"
    assert "write" in answers[14][1]


TENSORS = """
import torch


class Net(torch.nn.Module):
    def __init__(self, size):
        self.size, self.seen = size, 0

    def forward(self, x, n=3):
        a = torch.tensor([1, self.size * 2 - 1], device=x.device)
        b = torch.tensor(self.seen)
        c = torch.tensor([x.shape[0], 2])
        d = torch.tensor(n)
        e = torch.tensor([0.5, 0.25]) * torch.as_tensor(x.shape[1])
        f = torch.tensor([[1, 2], [3, 4]])
        self.seen = self.seen + 1
        return a
"""


def test_a_tensor_of_numbers_that_never_change_is_a_constant() -> None:
    rows = TENSORS.splitlines()
    found = [row.split()[0] for n, row in enumerate(rows, 1) if is_same_tensor(TENSORS, n)]
    assert found == ["a", "f"]
    assert not is_same_tensor("def f(:", 1)


def test_the_constant_of_a_warning_is_harmless(tmp_path: Path) -> None:
    said = "torch.tensor results are registered as constants in the trace. You can safely ignore"
    (tmp_path / "made.py").write_text(TENSORS)
    row = 1 + TENSORS.splitlines().index(
        "        a = torch.tensor([1, self.size * 2 - 1], device=x.device)"
    )
    log = f"made.py:{row}: TracerWarning: {said}\n  a = torch.tensor\n"
    _, answers = _answers(tmp_path, stdin=log)
    assert answers[row][0] == "harmless"


MASKED = """import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, x):
        n = int(x.shape[1])
        return x @ torch.tril(torch.ones(n, n))
"""


def test_a_size_that_no_run_changed_is_not_called_harmless(tmp_path: Path) -> None:
    (tmp_path / "masked.py").write_text(MASKED)
    said = "Converting a tensor to a Python integer might cause the trace to be incorrect"
    log = f"masked.py:7: TracerWarning: {said}\n  n = int(x.shape[1])\n"
    options = ("--trace", "--export", "torchscript-trace")
    _, answers = _answers(tmp_path, *options, stdin=log)
    assert answers[7][0] in ("unknown", "matters")


FAILED_TEST = """
____________________________ test_onnx ____________________________
test_export.py:4: in test_onnx
    torch.onnx.export(Net(), (x,), path)
/env/lib/python3.11/site-packages/torch/onnx/_internal/exporter/_core.py:1200: in export
    raise _errors.ConversionError: If the translation fails.
net.py:13: in forward
    if y.sum() > 0:
E   torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model
E   <class 'torch.fx.GuardOnDataDependentSymNode'>: Could not guard on Eq(u0, 1)
=========================== short test summary info ===========================
FAILED test_export.py::test_onnx - ValueError: not this
"""


@pytest.mark.parametrize("stamp", ["", "2025-09-19T10:00:22.4220000Z "])
def test_the_error_of_a_failed_test_in_a_log_of_ci_is_read(stamp: str) -> None:
    log = "\n".join(stamp + line for line in FAILED_TEST.splitlines())
    error = read_log(log.encode()).error
    assert error
    assert (error.path, error.row, error.kind) == ("net.py", 13, "GuardOnDataDependentSymNode")


SIZES = "RuntimeError: The size of tensor a (9) must match the size of tensor b (16) at non-singleton dimension 1\n"


@pytest.mark.parametrize("named", [True, False])
def test_a_folder_with_very_many_files_is_looked_at_beside_what_the_log_names(
    tmp_path: Path, named: bool
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(1001):
        (many / f"f{number}.py").touch()
    (tmp_path / "net.py").write_text(NET)
    log = 'Traceback (most recent call last):\n  File "net.py", line 14, in forward\n' * named
    done = lintorch("explain", "--log", "-", cwd=tmp_path, stdin=log + SIZES)
    assert ("LT101" in done.stdout, "1002 files lie below" in done.stderr) == (True, True)
    assert ("net.py" in done.stdout) is named
