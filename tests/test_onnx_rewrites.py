"""Rewrites of what ONNX has not, or has otherwise: refused or wrong before, right after, the same in eager mode."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
onnxruntime = pytest.importorskip("onnxruntime")

from lintorch import catalog  # noqa: E402
from lintorch.core.dispatch import index_detectors, lint_subject  # noqa: E402
from lintorch.core.finding import Applicability, Evidence, Finding  # noqa: E402
from lintorch.core.profile import Profile  # noqa: E402
from lintorch.fix.fix_rounds import settle  # noqa: E402
from lintorch.source import Source  # noqa: E402

EVERY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
RULES = index_detectors(catalog.build_catalog().rules.values(), Evidence.SOURCE)
HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.Conv1d(4, 4, 1)
        self.weight = nn.Parameter(torch.rand(4, 6, dtype=torch.cfloat))
        self.square = nn.Parameter(torch.rand(4, 4, dtype=torch.cfloat))
        self.plain = nn.Parameter(torch.rand(7, 5))

    def forward(self, x):
        x = self.norm(x)
        z = torch.fft.rfft(x)
"""
LENGTHS = (16, 32)
REWRITTEN = {
    "a product of complex matrices": ("y = torch.einsum('bcn,cd->bdn', z, self.weight)",),
    "a sum of products over two axes": ("y = torch.einsum('bcn,cd->bd', z, self.weight)",),
    "bmm": ("y = torch.bmm(z.transpose(1, 2), z)",),
    "a channel": ("y = z[:, 0] + z[..., None].sum(-1)[:, 1:2].sum(1)",),
    "functions": ("y = torch.exp(z) + z**2 + torch.square(z)", "y = y.unsqueeze(1)"),
    "a spectrum that is filled": (
        "y = torch.zeros(x.shape[0], 4, x.shape[2] // 2 + 1, dtype=torch.cfloat)",
        "y[:, :, :3] = z[:, :, :3]",
        "y[..., -2:] = 2 * z[..., -2:]",
    ),
    "a spectrum that a loop fills": (
        "y = torch.zeros([x.shape[0], 4, 5], dtype=torch.cfloat)",
        "for n in range(3):",
        "    y[:, :, n] = 2 * z[:, :, n]",
    ),
    "a squeeze of four channels": ("y = x.squeeze(1) * 2",),
    "repeats by a size": ("y = x.mean(2).repeat_interleave(x.shape[2], dim=1)",),
    "an ellipsis for no axes": ("y = torch.einsum('...d,...jd->...j', x[..., :5], self.plain)",),
}  # fmt: skip


def write_model(lines: tuple[str, ...]) -> str:
    behind = ("return torch.view_as_real(y) if y.is_complex() else y",)
    return HEAD + "".join(f"        {line}\n" for line in (*lines, *behind))


def mend(
    text: str, exporter: str = "onnx", path: str = "model.py", opset: int | None = None
) -> str:
    """A text with every fix in it; a second time changes nothing."""
    profile = Profile(frozenset({exporter}), opset=opset)

    def find(text: str) -> list[Finding]:
        found = lint_subject(Source(path, text, profile), RULES)
        return [each for each in found if not each.confirms]

    once = settle(text, find, EVERY).text
    assert settle(once, find, EVERY).text == once
    return once


def build(text: str, name: str = "Net") -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    torch.manual_seed(0)
    return names[name]().eval()


def run_exported(model: Any, given: list[Any]) -> list[Any] | None:
    """What the file gives of each; None where there comes no file, or it does not run."""
    file, axes = io.BytesIO(), {0: torch.export.Dim.DYNAMIC, 2: torch.export.Dim.DYNAMIC}
    try:
        program = torch.onnx.export(model, (given[0],), dynamo=True, verbose=False, dynamic_shapes=(axes,))  # fmt: skip
        program.save(file)
        session = onnxruntime.InferenceSession(file.getvalue())
        return [torch.tensor(session.run(None, {"x": each.numpy()})[0]) for each in given]
    except Exception:  # the many kinds of refusal of the exporter and of ONNX Runtime
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lines", REWRITTEN.values(), ids=REWRITTEN)
def test_the_new_exporter_is_right_after_a_rewrite(lines: tuple[str, ...]) -> None:
    text = write_model(lines)
    model, mended = build(text), build(mend(text))
    torch.manual_seed(1)
    given = [torch.rand(2 + n, 4, length) for n, length in enumerate(LENGTHS)]
    with torch.no_grad():
        wanted = [model(each) for each in given]
        assert all(is_close(mended(each), right) for each, right in zip(given, wanted, strict=True))
    before, after = run_exported(model, given), run_exported(mended, given)
    assert before is None or not all(map(is_close, before, wanted))
    assert after is not None
    assert all(map(is_close, after, wanted))


def is_close(found: Any, wanted: Any) -> bool:
    return found.shape == wanted.shape and bool(torch.allclose(found, wanted, rtol=1e-3, atol=1e-3))


JOINED = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.down, self.twice = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)

    def forward(self, image):
        high = self.stem(image)
        low = self.twice(self.down(high))
        return {}
"""


def test_what_is_joined_is_resized_but_along_the_axis_it_is_joined_on() -> None:
    text = JOINED.format("high + low, torch.cat((low, high), 1), torch.cat((low, high), 3)")
    mended = mend(text, "torch.export")
    resized = "nn.functional.interpolate(low, size=high.shape[2:])"
    wanted = f"high + {resized}, torch.cat(({resized}, high), 1)"
    alone = "nn.functional.interpolate(low, size=(high.shape[2], low.shape[3]))"
    assert f"torch.cat(({alone}, high), 3)" in mended
    assert wanted in mended
    image = torch.rand(2, 3, 32, 16)
    for found, right in zip(build(mended)(image), build(text)(image), strict=True):
        assert torch.equal(found, right)


ASKED = {
    "type(size) == int": "isinstance(size, (int, torch.SymInt, torch.Tensor))",
    "not type(size) != int": "not not isinstance(size, (int, torch.SymInt, torch.Tensor))",
    "type(size) in (int, float)": "isinstance(size, (int, float, torch.SymInt, torch.SymFloat, torch.Tensor))",
    "isinstance(size, Number)": "isinstance(size, (Number, torch.SymInt, torch.SymFloat, torch.Tensor))",
    'not hasattr(size, "__len__")': "not isinstance(size, (tuple, list))",
    "not isinstance(size, Iterable)": "not isinstance(size, (tuple, list))",
}
ASKING = """from collections.abc import Iterable
from numbers import Number

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(4, 4, 1)

    def forward(self, x):
        size = self.stem(x).shape[2]
        if {}:
            size = (size, size)
        height, width = size
        return nn.functional.interpolate(x, size=(height, width))
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("asked", "wanted"), ASKED.items(), ids=ASKED)
def test_a_question_for_a_class_is_answered_by_exporters_too(asked: str, wanted: str) -> None:
    text = ASKING.format(asked)
    mended = mend(text, "onnx-legacy")
    assert f"        if {wanted}:" in mended
    image = torch.rand(2, 4, 8, 6)
    assert torch.equal(build(mended)(image), build(text)(image))
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        torch.jit.trace(build(text), (image,), check_trace=False)
    traced = torch.jit.trace(build(mended), (image,), check_trace=False)
    assert traced(torch.rand(1, 4, 5, 9)).shape == (1, 4, 5, 5)


ADDED = {
    "p.add(1e-10)": "p.clamp(min=1e-10)",
    "torch.add(p, other=1e-10)": "torch.clamp(p, min=1e-10)",
    "torch.relu(x).add_(1e-10)": "torch.relu(x).clamp_(min=1e-10)",
    "p.add(1e-10, alpha=3)": "p.add(1e-10, alpha=3)",
}


@pytest.mark.parametrize(("added", "wanted"), ADDED.items(), ids=ADDED)
def test_an_epsilon_that_a_call_adds_is_kept(added: str, wanted: str) -> None:
    text = (
        HEAD.replace("z = torch.fft.rfft(x)", "p = torch.relu(x)")
        + f"        return torch.log({added})\n"
    )
    mended = mend(text)
    assert f"torch.log({wanted})" in mended
    x = torch.rand(1, 4, 6)
    assert is_close(build(mended)(x), build(text)(x))


def test_numbers_by_default_are_made_numbers_of_their_kind(tmp_path: Path) -> None:
    name = "WithNumbers"
    line = "def forward(self, x, alpha=0.5, n=2, *, start=1):"
    body = "x = torch.relu(x)\n        return x[:, start:].reshape(-1, n) * alpha, x * n"
    text = f"import torch\nfrom torch import nn\n\n\nclass {name}(nn.Module):\n    {line}\n        {body}\n"
    mended = mend(text, "onnx-legacy", str(tmp_path / "model.py"))
    made = ["alpha = float(alpha)", "n = int(n)", "start = int(start)"]
    assert sorted(map(str.strip, mended.splitlines()[6:-2])) == made
    x = torch.rand(2, 5)
    assert all(map(torch.equal, build(mended, name)(x), build(text, name)(x)))


ROWS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, bias=True):
        super().__init__()
        self.kernels = nn.Parameter(torch.randn(3, 8 * 2 * 9))
        self.bias = nn.Parameter(torch.randn(3, 8)) if bias else None
        self.chosen = nn.Linear(4, 3)

    def forward(self, x):
        rows, channels, height, width = x.shape
        part = self.chosen(x.mean((2, 3))).softmax(1)
        kernel = (part @ self.kernels).view(rows * 8, 2, 3, 3)
        x = x.reshape(1, -1, height, width)
        if self.bias is None:
            y = nn.functional.conv2d(x, kernel, stride=2, padding=(1, 0), groups=rows * 2)
        else:
            bias = (part @ self.bias).view(-1)
            y = nn.functional.conv2d(x, kernel, bias, 2, padding=(1, 0), groups=rows * 2)
        return y.view(rows, 8, y.shape[2], y.shape[3])
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exporter", ["onnx-legacy", "torchscript-trace"])
def test_a_kernel_for_each_row_is_a_product_with_windows(exporter: str) -> None:
    mended = mend(ROWS, exporter)
    assert mended.count("= convolve_rows(x, kernel") == 2
    images = [torch.rand(size) for size in ((2, 4, 8, 9), (3, 4, 7, 12), (1, 4, 5, 5))]
    model, other = build(ROWS), build(mended)
    assert all(is_close(other(each), model(each)) for each in images)
    assert not is_traced_right(model, images, model)
    assert is_traced_right(other, images, model)


def is_traced_right(model: Any, images: list[Any], right: Any) -> bool:
    traced = torch.jit.trace(model, (images[0],), check_trace=False)
    try:
        return all(is_close(traced(each), right(each)) for each in images)
    except RuntimeError:
        return False


WITHIN = """import torch
from torch import nn


class Glass(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.down, self.up = nn.MaxPool2d(2, 2), nn.Upsample(scale_factor=2)
        self.within = Glass(depth - 1) if depth > 1 else nn.Conv2d(4, 4, 1)

    def forward(self, x):
        high = x * 2
        low = self.up(self.within(self.down(x)))
        return high + low


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 1)
        self.glass = Glass(3)

    def forward(self, image):
        return self.glass(self.stem(image))
"""


def test_a_join_of_unknown_sizes_waits_for_a_run() -> None:
    profile = Profile(frozenset({"torch.export"}))
    found = lint_subject(Source("model.py", WITHIN, profile), RULES)
    waiting = [each for each in found if each.code == "LT138" and each.fix]
    assert {each.confirms for each in waiting} == {True}
    mended = settle(WITHIN, lambda _: waiting, EVERY, 1).text
    assert "return high + nn.functional.interpolate(low, size=high.shape[2:])" in mended
    image = torch.rand(1, 3, 64, 32)
    assert torch.equal(build(mended)(image), build(WITHIN)(image))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [ROWS, HEAD + "        return x.unfold(2, 4, 2) * 2\n"])
def test_a_function_that_a_fix_puts_in_is_scripted(text: str, tmp_path: Path) -> None:
    text = text.replace("        z = torch.fft.rfft(x)\n", "")
    mended, path = mend(text, "onnx-legacy"), tmp_path / "mended.py"
    assert mended != text
    path.write_text(mended)
    spec = importlib.util.spec_from_file_location("mended", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    scripted = torch.jit.script(module.Net().eval())
    x = torch.rand(2, 4, 8, 9) if text is ROWS else torch.rand(2, 4, 9)
    assert is_close(scripted(x), build(text)(x))


FROM_END = {
    "x.unfold(-1, 2, 2) * 2 + x[0].unfold(dimension=-1, size=2, step=1).mean()": "x.unfold(2, 2, 2) * 2 + x[0].unfold(dimension=1, size=2, step=1).mean()",
    "x.permute(0, -1, 1) * 2": "x.permute(0, 2, 1) * 2",
    "torch.permute(x, dims=(-1, 0, -2)) * 2": "torch.permute(x, dims=(2, 0, 1)) * 2",
    "x.movedim(-1, 1) * 2": "x.movedim(2, 1) * 2",
    "torch.moveaxis(x, source=[-1, 0], destination=[0, -1]) * 2": "torch.moveaxis(x, source=[2, 0], destination=[0, -1]) * 2",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("called", "mended_call"), FROM_END.items())
def test_axes_are_counted_from_the_front(called: str, mended_call: str, tmp_path: Path) -> None:
    text = HEAD.replace("z = torch.fft.rfft(x)", "x = x.transpose(1, 2).relu()")
    text += f"        return {called}\n"
    mended = mend(text, "onnx-legacy")
    assert f"return {mended_call}\n" in mended
    x = torch.rand(2, 4, 9)
    expected = build(text)(x)
    written = [run_written(build(each), x, tmp_path) for each in (text, mended)]
    assert [is_close(each, expected) for each in written] == [False, True]


def run_written(model: Any, x: Any, folder: Path, varying: tuple[int, ...] = ()) -> Any:
    """What the file of the legacy exporter gives in ONNX Runtime; nothing where it does not run."""
    path = str(folder / "model.onnx")
    axes = {"x": list(varying)}
    torch.onnx.export(model, (x,), path, dynamo=False, input_names=["x"], dynamic_axes=axes)
    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        return torch.as_tensor(session.run(None, {"x": x.numpy()})[0])
    except Exception:  # the many kinds of refusal of ONNX Runtime
        return torch.empty(0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("called", "mended_call"),
    {
        "rows.split(3, 1)": "rows.split([3, 1], 1)",
        "torch.split(rows.relu(), dim=1, split_size_or_sections=3)": "torch.split(rows.relu(), dim=1, split_size_or_sections=[3, 1])",
    }.items(),
)  # fmt: skip
def test_parts_of_a_lost_size_are_written_down(
    called: str, mended_call: str, tmp_path: Path
) -> None:
    text = HEAD.replace("z = torch.fft.rfft(x)", "rows = x.view(-1, 4, x.shape[2])")
    text += f"        return {called}[1] * 2\n"
    mended = mend(text, "onnx-legacy")
    assert f"return {mended_call}[1] * 2\n" in mended
    x = torch.rand(2, 4, 9)
    expected = build(text)(x)
    written = [run_written(build(each), x, tmp_path, (0, 2)) for each in (text, mended)]
    assert [is_close(each, expected) for each in written] == [False, True]


def test_a_mask_of_whole_numbers_is_made_one_of_truths() -> None:
    text = HEAD.replace("z = torch.fft.rfft(x)", "kept = (x < 0.2).byte()")
    text += "        return x * ((x > 0.5) | kept), (x > 0.5) | (x < 0.1).byte()\n"
    mended = mend(text, "onnx-legacy")
    assert "x * ((x > 0.5) | kept.bool()), (x > 0.5) | (x < 0.1).bool()" in mended
    x = torch.rand(2, 4, 9)
    assert torch.equal(build(mended)(x)[0], build(text)(x)[0])
    assert is_written(build(mended), x)
    assert not is_written(build(text), x)


def is_written(model: Any, x: Any) -> bool:
    """Whether the legacy exporter takes a model."""
    try:
        torch.onnx.export(model, (x,), io.BytesIO(), dynamo=False)
    except torch.onnx.OnnxExporterError:
        return False
    return True
