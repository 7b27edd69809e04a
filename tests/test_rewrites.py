"""Rewrites of what an exporter cannot follow: refused or wrong before, right after, the same in eager mode."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.export import Dim  # noqa: E402

from lintorch import catalog  # noqa: E402
from lintorch.core.dispatch import index_detectors, lint_subject  # noqa: E402
from lintorch.core.finding import Applicability, Evidence, Finding  # noqa: E402
from lintorch.core.profile import Profile  # noqa: E402
from lintorch.fix.fix_rounds import settle  # noqa: E402
from lintorch.source import Source  # noqa: E402

IN_USE = Profile(frozenset({"torch.export", "onnx", "onnx-legacy", "torchscript-trace"}))
EVERY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
RULES = index_detectors(catalog.build_catalog().rules.values(), Evidence.SOURCE)
HEAD = """import math

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, image):
"""
SIZES = [(2, 3, 16, 16), (3, 3, 24, 16), (5, 3, 17, 31)]


def write_model(*lines: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in lines)


def mend(text: str) -> str:
    """A text with every fix in it; a second time changes nothing."""
    return settle_twice(text, find_hazards)


def settle_twice(text: str, find: Callable[[str], Iterable[Finding]]) -> str:
    once = settle(text, find, EVERY).text
    assert settle(once, find, EVERY).text == once
    return once


def find_hazards(text: str) -> Iterable[Finding]:
    return [each for each in find_waiting(text) if not each.confirms]


def find_waiting(text: str) -> Iterable[Finding]:
    """Also those whose fix waits for a run."""
    return lint_subject(Source("model.py", text, IN_USE), RULES)


def build(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["Net"]()


def is_close(found: Any, wanted: Any) -> bool:
    return bool(torch.allclose(found, wanted, atol=1e-6))


def is_right_at_every_size(model: Any, images: list[Any], wanted: list[Any]) -> bool:
    """Whether `torch.export` takes a model, and its program, saved and loaded, gives what is wanted of all images."""
    axes = dict.fromkeys((0, 2, 3), Dim.DYNAMIC)
    try:
        exported = torch.export.export(model, (images[0],), dynamic_shapes=(axes,))
        file = io.BytesIO()
        torch.export.save(exported, file)
        program = torch.export.load(io.BytesIO(file.getvalue())).module()
        found = [program(image) for image in images]
    except Exception:  # the many kinds of refusal of torch.export
        return False
    return all(map(is_close, found, wanted))


REWRITTEN = [
    ("return F.avg_pool2d(image, image.shape[2:])",),
    ("return F.max_pool2d(image, (image.size(2), image.size(3)))",),
    ("return F.max_pool2d(image, (image.size(2), 1))",),
    ("return F.avg_pool2d(image, (image.size(2), image.size(3)), stride=(image.size(2), image.size(3)))",),
    ("rows = int(image.size()[2:][0])", "return F.avg_pool2d(image, (rows, 1), padding=0)"),
    ("return F.avg_pool2d(image, kernel_size=(1, image.shape[-1]), stride=1)",),
    ("return F.avg_pool2d(image, image.shape[2:], stride=1, padding=0, count_include_pad=False)",),
    ("if image.sum() > 0:", "    image = image * 2", "else:", "    image = -image", "return image"),
    ("if image.max() > 1:", "    return image / 255", "return image + 1"),
    ("if not image.isnan().any():", "    image = image / image.amax()", "return image"),
    ("return image / float(image.abs().max())",),
    ("assert (image < 99).all(), 'too large'", "return image"),
    ("if torch.min(image) < -9 or image.max() > 9:", "    raise ValueError('far')", "return image"),
    ("return torch.stack([torch.relu(image[n]) + 1 for n in range(image.size(0))])",),
    ("out = torch.zeros_like(image)", "for n in range(image.size(0)):", "    out[n] = image[n].exp()", "return out"),
    ("image = F.avg_pool2d(image, 1)", "return image + torch.linspace(-1.0, 1.0, image.shape[3], device=image.device)",),
    ("return image / math.sqrt(image.shape[2])",),
    ("rest = -image.shape[2] % 8", "if rest > 0:", "    image = F.pad(image, (0, 0, 0, rest))", "return image"),
    ("if image.size(2) % 8:", "    image = F.pad(image, (0, 0, 0, 8 - image.size(2) % 8))", "return image"),
    (
        "up = F.interpolate(F.max_pool2d(image, 2), scale_factor=2)",
        "if up.shape[2:] != image.shape[2:]:",
        "    # odd sizes",
        "    up = F.interpolate(up, size=image.shape[2:])",
        "return up + image",
    ),
    (
        "h, w = image.shape[2:]",
        "image = F.interpolate(image, size=(16, 16), mode='bicubic') if h != 16 or w != 16 else image",
        "return image * 2",
    ),
    (
        "n = 16",
        "h, w = image.shape[2:]",
        "if (h, w) != (n, n):",
        "    image = F.interpolate(image, (n, n), mode='bilinear')",
        "return image * 2",
    ),
    ("return image if 16 == image.shape[2] else F.interpolate(image, (16, 16))",),
    (
        "h, w = image.shape[2:]",
        "odd = (h % 2 == 1) or (w % 2 == 1)",
        "if odd:",
        "    image = F.pad(image, (0, w % 2, 0, h % 2))",
        "return image * 2",
    ),
    (
        "h, w = image.shape[2:]",
        "odd = h % 2 == 1",
        "if odd:",
        "    image = F.pad(image, (0, 0, 0, h % 2))",
        "odd = w % 2 != 0",
        "if odd:",
        "    image = F.pad(image, (0, w % 2))",
        "return image * 2",
    ),
    ("h, w = image.shape[2:]", "if h % 8 != 0 or w % 8 > 0:", "    image = F.pad(image, (0, w % 8, h % 8, 0))", "return image * 2"),
    ("h, w = image.shape[2:]", "if h % 8 or w % 4:", "    image = F.pad(image, (0, -w % 4, 0, -h % 8))", "return image * 2"),
    ("n = image.shape[3]", "if n % 8 == 0:", "    return image", "return F.pad(image, (0, 8 - n % 8))"),
    (
        "n = image.shape[3]",
        "m = n / 8",
        "if m.is_integer():",
        "    return image",
        "rest = math.ceil(m) * 8 - n",
        "none = (0,) * 2",
        "return F.pad(image, (0, rest, *none), value=1)",
    ),
    ("n = image.shape[2]", "rest = -n % 8", "if rest == 0:", "    return image", "image = F.pad(image, (0, 0, 0, rest))", "return image"),
    ("n = image.shape[2]", "table = torch.arange(24.0)", "if n < 24:", "    table = table[:n]", "return image * table[:, None]"),
    (
        "n = image.shape[2]",
        "tables = torch.arange(24.0), torch.ones(24, 1)",
        "if 24 > n:",
        "    tables = map(lambda t: t[:n], tables)",
        "a, b = tables",
        "return image * a[:, None] * b",
    ),
    ("rest = 20 - image.shape[2]", "if rest > 0:", "    image = F.pad(image, (0, 0, 0, rest))", "return image"),
    ("h = image.size(2)", "if h < 20:", "    image = F.pad(image, (0, 0, 20 - h, 20 - h))", "return image"),
    ("if 20 >= image.shape[2]:", "    image = F.pad(image, [0, 0, 0, 20 - image.shape[2]])", "return image"),
    ("if 20 - image.shape[2] > 0:", "    image = F.pad(image, [0, 0, 0, 20 - image.shape[2]])", "return image"),
    ("if image.shape[2] > 20:", "    image = image * 2", "return image + 1"),
    ("b, c, h, w = image.shape", "return image * 2 if w > h else image.relu()"),
    ("if image.size(2) % 8 == 0:", "    return image - 1", "return image + 1"),
    ("return image[:, :, : int(image.shape[2] * 0.75)]",),
    ("return image * int(image.shape[2] * image.shape[3] / (image.shape[2] / 2))",),
    ("return F.pad(image, (0, 0, 0, round(image.shape[2] / 3)))",),
    ("h, w = image.shape[2:]", "image = F.pad(image, (0, -w % 8, 0, -h % 8))", "return F.avg_pool2d(image, 1)[..., :h, :w]"),
]  # fmt: skip


@pytest.mark.parametrize("lines", REWRITTEN, ids=lambda lines: lines[0][:40])
def test_what_was_refused_is_right_at_every_size(lines: tuple[str, ...]) -> None:
    torch.manual_seed(0)
    text = write_model(*lines)
    after = mend(text)
    images = [torch.rand(size) for size in SIZES]
    original, mended = build(text), build(after)
    for training in (False, True):
        wanted = [original.train(training)(image) for image in images]
        found = [mended.train(training)(image) for image in images]
        assert all(map(is_close, found, wanted)), after
    assert not is_right_at_every_size(original, images, wanted)
    assert is_right_at_every_size(mended, images, wanted), after
    assert "# odd sizes" in after or "# odd sizes" not in text


WAITING = [
    ("return image + torch.linspace(0, 1, image.size(-1), device=image.device)",),
    ("return torch.stack([row * 2 for row in image])",),
    ("return image.relu()[:, :, :20]",),
    ("y = image.relu()", "return y[:, :, :20]"),
    ("image = F.avg_pool2d(image, 1)", "return image[:, :, :20] + 1"),
    ("return image[..., :20, :] * 2",),
    ("y = sum([image])", "return y[:, :, :20].to(image)"),
]


@pytest.mark.parametrize("lines", WAITING, ids=lambda lines: lines[-1])
def test_a_fix_that_waits_for_a_run_is_right_at_every_size(lines: tuple[str, ...]) -> None:
    text = "import numpy as np\n" + write_model(*lines)
    assert mend(text) == text
    after = settle_twice(text, find_waiting)
    images = [torch.rand(size) for size in SIZES]
    original, mended = build(text), build(after)
    wanted = [original(image) for image in images]
    assert all(map(is_close, map(mended, images), wanted)), after
    assert not is_right_at_every_size(original, images, wanted)
    assert is_right_at_every_size(mended, images, wanted), after


@pytest.mark.parametrize("steps", ["image.size(3)", "image.size(3) // 2"])
def test_one_step_of_a_linspace_is_its_start(steps: str) -> None:
    lines = ("image = F.avg_pool2d(image, 1)", f"return torch.linspace(-1, 2, {steps})")
    after = settle_twice(write_model(*lines), find_waiting)
    assert "arange" in after
    for width in (2, 3, 16) if "//" in steps else (1, 2, 3):
        image = torch.rand(2, 3, 4, width)
        assert is_close(build(after)(image), build(write_model(*lines))(image))


COUNTED = [
    ("return image.relu().view(-1, np.prod(image.shape[1:]))",),
    ("h = F.avg_pool2d(image, 2).size(2)", "more = (h - image.size(2)) // 2", "return F.pad(image, (0, 0, more, 0))"),
    ("n = int(image[0, 0, 0, 0] * 10)", "return image[:, :, : n + 1]"),
    ("return torch.arange(int(image.sum()))",),
    ("n = int((image > 0.5).any())", "return torch.zeros(n, 3)"),
    ("return image * int(image.max() * 9)",),
    ("image = F.avg_pool2d(image, 1)", "return image.flatten(1)[:, : int(np.ceil(image.shape[2] / 8))]"),
    ("return image[:, :, : np.ceil((image.shape[2] - 3) / 2).astype(int)]",),
    ("h = image.shape[2]", "return F.pad(image, (0, 0, 0, int(np.ceil(h / 8) * 8 - h)))"),
]  # fmt: skip


@pytest.mark.parametrize("lines", COUNTED, ids=lambda lines: lines[-1])
def test_a_number_is_the_same_however_it_is_worked_out(lines: tuple[str, ...]) -> None:
    text = "import numpy as np\n" + write_model(*lines)
    after = settle_twice(text, find_waiting)
    assert after != text
    for image in (*map(torch.rand, SIZES), torch.zeros(SIZES[0])):
        wanted, found = build(text)(image), build(after)(image)
        assert wanted.dtype == found.dtype
        assert torch.equal(found, wanted)


def is_traced_right(model: Any, images: list[Any], wanted: list[Any]) -> bool:
    """Whether `torch.jit.trace` of the first image gives what is wanted of all."""
    try:
        program = torch.jit.trace(model, (images[0],), check_trace=False)
        found = [program(image) for image in images]
    except RuntimeError:
        return False
    return all(a.shape == b.shape and is_close(a, b) for a, b in zip(found, wanted, strict=True))


WAITING_TRACED = [
    ("return image / torch.tensor(image.shape).sum()",),
    ("return image / torch.tensor(image.size(), dtype=torch.float32).sum()",),
]


@pytest.mark.parametrize("lines", WAITING_TRACED, ids=lambda lines: lines[-1])
def test_a_fix_that_waits_for_a_run_is_right_when_traced(lines: tuple[str, ...]) -> None:
    text = write_model(*lines)
    assert mend(text) == text
    after = settle_twice(text, find_waiting)
    images = [torch.rand(size) for size in SIZES]
    wanted = [build(text)(image) for image in images]
    assert not is_traced_right(build(text), images, wanted)
    assert is_traced_right(build(after), images, wanted), after


LENT = """import math
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, times=4, kernel=5):
        super().__init__()
        self.times, self.kernel = times, kernel

    def lacking(self, n):
        n = math.ceil((n - self.kernel) / self.times) * self.times + self.kernel
        return n

    def forward(self, image):
        n = image.shape[2]
        return F.pad(image, (0, 0, 0, self.lacking(n) - n))


class Streamed:
    def __init__(self, net):
        self.first = net.lacking(1)


def stream():
    return Streamed(Net())
"""


def test_a_quotient_that_is_negative_where_something_else_asks_is_right_when_traced() -> None:
    after = mend(LENT)
    assert "(n - self.kernel + self.times - 1) // self.times" in after
    images = [torch.rand(size) for size in SIZES]
    wanted = [build(LENT)(image) for image in images]
    assert not is_traced_right(build(LENT), images, wanted)
    assert is_traced_right(build(after), images, wanted), after


TRACED = [
    ("return image[:, 0, 0, :1] + torch.FloatTensor(image.size(0), 3).fill_(1)",),
    ("k, s = 5, 3", "n = math.ceil((image.size(2) - k) / s) + 1", "return F.pad(image, (0, 0, 0, (n - 1) * s + k - image.size(2)))"),
    ("n = int(math.floor((image.size(2) - 3) / 2)) + 1", "return image[:, :, :n]"),
    ("k = 2", "n = math.ceil(image.size(2) * k)", "return F.interpolate(image, size=(n, 8))"),
    ("side = max(image.shape[-2:])", "return F.pad(image, (0, side - image.size(3), 0, side - image.size(2)))"),
    ("n = min(image.shape[2], image.shape[3], 18)", "return image[:, :, :n]"),
    ("n = max((math.ceil(image.shape[2] / 5) - 1) * 5 + 3 - image.shape[2], 0)", "return F.pad(image, (0, 0, 0, n))"),
    ("def lacking(n, k, s):", "    return max((math.ceil(n / s) - 1) * s + k - n, 0)", "return F.pad(image, (0, lacking(image.shape[3], 3, 5)))"),
    ("n = max(image.size(2), image.size(3), 18)", "return image * n"),
    ("h, w = image.shape[2:]", "side = max(h, w)", "return F.pad(image, (0, side - w, 0, side - h))"),
    ("return image[:, :, : min(image.size(2), image.size(3))]",),
    ("h, w = image.shape[2:]", "return image * (max(w, h - 2) - 1)"),
    ("h, w = image.shape[2:]", "return image[:, :2, :, 0].mT / torch.tensor([h, w])"),
    ("return image[:, :2, :, 0].mT * torch.tensor((image.size(2) // 2, 3), device=image.device)",),
    ("return image * torch.tensor(image.shape[2:], dtype=torch.float32).sum()",),
    ("return image / torch.LongTensor([image.size(2), image.size(3)]).sum()",),
    ("small = image[:, :, :8, :8]", "d = torch.tensor([image.size(2) - 8])", "return F.pad(small, [0, 0, d // 2, d - d // 2])"),
    ("h, w = image.shape[2:]", "if h > w:", "    out = image.exp()", "else:", "    out = -image", "return out"),
    ("return image.mean() * torch.full((2,), float(image.shape[2]))",),
    ("return image / (float(image.shape[2]) / image.shape[3]) + float(image.size(2) - 1) * 0.1",),
    (
        "words = torch.einsum('bchw,bchv->bhv', image, image[..., :1] * torch.ones(image.shape[2])).flatten(1)",
        "n = words.shape[1]",
        "side = int(math.sqrt(n))",
        "return words.view(-1, side, side)",
    ),
    (
        "words = torch.einsum('bchw,bchv->bhv', image, image[..., :1] * torch.ones(image.shape[2])).flatten(1)",
        "h = w = int(words.shape[1] ** 0.5)",
        "return F.max_pool2d(words.reshape(-1, 1, h, w), 2)",
    ),
]  # fmt: skip


@pytest.mark.parametrize("lines", TRACED, ids=lambda lines: lines[-1][:50])
def test_what_a_tracer_fixed_is_right_at_every_size(lines: tuple[str, ...]) -> None:
    torch.manual_seed(0)
    after = mend(write_model(*lines))
    images = [torch.rand(size) for size in SIZES]
    original, mended = build(write_model(*lines)), build(after)
    wanted = [original(image) for image in images]
    found = [mended(image) for image in images]
    same = [a.dtype == b.dtype and torch.equal(a, b) for a, b in zip(found, wanted, strict=True)]
    assert all(same), after
    assert not is_traced_right(original, images, wanted)
    assert is_traced_right(mended, images, wanted), after


WRITTEN = [
    ("y = image * 2", "v = y.view(y.size(0), -1)", "v.mul_(2)", "return y + 1"),
    ("y = image - 1", "y.flatten(1).relu_()", "return y"),
    ("y = image - 1", "y.transpose(1, 2).clamp_(min=-0.25, max=0.5)", "return y"),
    ("y = image - 1", "torch.permute(y, (0, 2, 3, 1)).abs_()", "return {'y': y}"),
    ("y = image - 1", "v = y.view(-1)", "v.mul_(2)", "v.add_(1)", "return y"),
]


@pytest.mark.parametrize("lines", WRITTEN, ids=lambda lines: lines[1])
def test_what_is_written_through_a_view_is_written_to_its_base(lines: tuple[str, ...]) -> None:
    text = write_model(*lines)
    after = mend(text)
    assert not [each for each in find_hazards(after) if each.code == "LT131"], after
    image = torch.randn(SIZES[0], requires_grad=True)
    wanted, found = (build(each)(image) for each in (text, after))
    wanted, found = (each["y"] if isinstance(each, dict) else each for each in (wanted, found))
    slopes = [torch.autograd.grad(each.sum(), image)[0] for each in (wanted, found)]
    assert torch.equal(wanted, found)
    assert torch.equal(*slopes)


KEPT_MEANS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(4, 4)
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("means", torch.zeros(2, 4))

    def forward(self, image):
        features = self.scale(image)
        {}
        return features @ self.means.t() * self.weight.sum()
"""
WRITTEN_BY_DATA = [
    ("self.means.data.copy_(features[:2])", "self.means.copy_(features[:2].detach())"),
    ("self.means.data[0] = features[0] * 2", "self.means[0] = (features[0] * 2).detach()"),
    ("self.means.data += features[:2]", "self.means += features[:2].detach()"),
    ("self.means.data.mul_(0.9)", "self.means.mul_(0.9)"),
    ("self.means.data.mul_(0.9).add_(features[:2], alpha=0.1)", ""),
    ("self.weight.data.clamp_(0, 1)", ""),
]


@pytest.mark.parametrize(("line", "wanted"), WRITTEN_BY_DATA)
def test_a_write_through_data_is_seen_and_the_next_step_still_goes_back(
    line: str, wanted: str
) -> None:
    text = KEPT_MEANS.format(line)
    after = mend(text)
    assert after == KEPT_MEANS.format(wanted or line)
    book = build(after)
    for _ in range(2):
        book(torch.randn(3, 4)).sum().backward()
    assert not book.means.requires_grad


GIVEN_BACK = [
    ("v = y.view(y.size(0), -1)", "v.mul_(2)", "return y, v"),
    ("y.view(y.size(0), -1).mul_(image.flatten(1))", "return y + 1"),
    ("y.view(y.size(0), 3, -1)[:, 0] = 0", "return y + 1"),
    ("v = torch.flatten(y, 1)", "v += image.flatten(1)", "return y + 1"),
    ("v = y.permute(0, 2, 3, 1)", "v[..., 0] = image[:, 0]", "return y + 1"),
    ("v = y.transpose(1, 2)", "v[:, 0].add_(1)  # the first row", "return y + 1"),
    ("first, second, third = y.split([1, 1, 1], dim=1)", "second.exp_()", "return y + 1"),
    ("v = y[:, 1]", "v += 1", "v[:, 2:4] = 0", "return y + 1"),
    ("v = y[..., 1:, :]", "v.sub_(image[:, :, 1:])", "return y + 1"),
    ("y[:, 1:][:, 0] = 0", "return y + 1"),
    ("v = y.unsqueeze(1)", "v.clamp_(0, 0.5); w = v + 1", "return y + w.squeeze(1)"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lines", GIVEN_BACK, ids=lambda lines: lines[0][:40])
def test_a_tensor_takes_back_what_was_written_to_its_view(lines: tuple[str, ...]) -> None:
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    text = write_model("y = image * 2", *lines)
    after = mend(text)
    assert not [each for each in find_hazards(after) if each.code == "LT131"], after
    assert after.count("#") == text.count("#")
    image = torch.randn(SIZES[0], requires_grad="split" not in text)
    wanted, found = (build(each)(image) for each in (text, after))
    both = [each[0] if isinstance(each, tuple) else each for each in (wanted, found)]
    assert torch.equal(*both)
    if image.requires_grad:
        slopes = [torch.autograd.grad(each.sum(), image)[0] for each in both]
        assert torch.equal(*slopes)
    file = io.BytesIO()
    model, names = build(after), ["image"]
    torch.onnx.export(model, (image,), file, dynamo=False, input_names=names)
    session = onnxruntime.InferenceSession(file.getvalue())
    (exported, *_) = session.run(None, {"image": image.detach().numpy()})
    torch.testing.assert_close(torch.tensor(exported), both[0].detach())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("larger", ["max(h, w)", "max(1 - h, h - w) + w", "h + w - min(h, w)"])
def test_the_larger_size_is_right_in_onnx_where_the_difference_is_negative(larger: str) -> None:
    """torch.export takes whole multiples out of a quotient, and ONNX rounds what is left towards zero."""
    pytest.importorskip("onnxscript")
    onnxruntime = pytest.importorskip("onnxruntime")
    lines = ("h, w = image.shape[2:]", f"n = {larger}", "return F.pad(image, (0, n - w, 0, n - h))")
    model, file = build(mend(write_model(*lines))), io.BytesIO()
    axes = {2: Dim.DYNAMIC, 3: Dim.DYNAMIC}
    torch.onnx.export(model, (torch.rand(2, 3, 64, 48),), file, dynamo=True, dynamic_shapes=(axes,))
    session = onnxruntime.InferenceSession(file.getvalue())
    for height, width in ((64, 48), (41, 67), (50, 50), (50, 51)):
        image = torch.rand(2, 3, height, width)
        (exported,) = session.run(None, {"image": image.numpy()})
        wanted = build(write_model(*lines))(image)
        torch.testing.assert_close(torch.tensor(exported), wanted)


TRANSLATED = [
    "return image.mT + 1",
    "return (image * 2).mT",
    "return torch.fliplr(image) - image.flipud()",
    "return torch.msort(image + 1)",
    "return image * torch.count_nonzero(image - 0.5)",
    "return 2 * image.diff()",
    "return torch.diff(image).relu()",
    "return 3 * torch.erfc(image + 1)",
    "return F.scaled_dot_product_attention(image, image, image, is_causal=image.size(2) > 1)",
    "return 2 * torch.diag_embed(image + 1)",
    "return torch.diag(image.mean((0, 1, 3)), 0) @ image",
    "return image.masked_fill(~torch.isposinf(image).logical_not(), 0)",
    "return 3 + torch.trunc(image) * image",
    "return image * torch.zeros(image.shape[0], 1, 1, 1).uniform_(0, 1).ceil()",
    "return torch.diag(image.mean((0, 1), keepdim=True).view(image.shape[2], -1)) * 2",
]


def is_taken_by_legacy(model: Any) -> bool:
    axes = {"image": {0: "batch", 2: "height"}}
    image = torch.rand(SIZES[0])
    try:
        torch.onnx.export(
            model,
            (image,),
            io.BytesIO(),
            dynamo=False,
            input_names=["image"],
            dynamic_axes=axes,
        )
    except Exception:  # the many kinds of refusal of the legacy exporter
        return False
    return True


@pytest.mark.parametrize("line", TRANSLATED)
def test_what_the_legacy_exporter_refused_is_taken(line: str) -> None:
    pytest.importorskip("onnx")
    original, after = build(write_model(line)), mend(write_model(line))
    mended, image = build(after), torch.rand(SIZES[2], requires_grad=True)
    wanted, found = original(image), mended(image)
    torch.testing.assert_close(found, wanted)
    slopes = [torch.autograd.grad(each.sum(), image)[0] for each in (wanted, found)]
    torch.testing.assert_close(*slopes)
    assert not is_taken_by_legacy(original)
    assert is_taken_by_legacy(mended), after


LEFT = [
    # operators that are given more than a tensor
    ("return torch.diff(image, dim=1)",),
    ("return torch.diff(image * 2)",),
    ("return image.count_nonzero(dim=1)",),
    ("return image.mH",),
    # sides of different shapes, sides that are sizes, several questions
    ("if image.shape[2] > 20:", "    image = image.mean(1)", "return image"),
    ("h, w = image.shape[2:]", "h = h * 2 if h > w else h", "return image[:, :, :h]"),
    ("if image.shape[2] > 20 and image.shape[3] > 20:", "    image = image * 2", "return image"),
    ("n = image.shape[3]", "if n % 8 == 0:", "    return image", "return F.pad(image, (1, 8 - n % 8))"),
    ("n = image.shape[3]", "if n % 8 == 0:", "    return image", "return F.pad(image * 2, (0, 8 - n % 8))"),
    ("n = image.shape[3]", "if n % 8 == 0:", "    return image", "return F.pad(image, (0, 8 - n % 8), 'reflect')"),
    ("n = image.shape[3]", "if n < 20:", "    image = image[..., :n] * 2", "return image"),
    ("n = image.shape[3]", "if n < 20:", "    image = image[..., 1:n]", "return image"),
    # a base that has another name now, a write in a loop, one whose result is used
    ("y = image * 2", "v = y.view(-1)", "y, z = image + 1, y", "v.mul_(2)", "return y, z"),
    ("y = image * 2", "for n in range(2):", "    v = y.view(-1)", "    v.mul_(2)", "    y = y + v.sum()", "return y"),
    ("y = image * 2", "return y, y.view(-1).mul_(2)"),
    # what is worked out twice would be long, or is no whole number
    ("n = max(image.size(2) * 3 + image.size(3) * 5 - 7, image.size(3) * 9)", "return image[:, :, :n]"),
    ("return image * max(image.size(2) / 3, image.size(3) / 2)",),
    ("return image * torch.tensor([image.size(2) / 2, 1.0]).sum()",),
    ("return image * torch.tensor([[image.size(2), 3]]).sum()",),
    # a window that is padded, and one of another tensor
    ("return F.avg_pool2d(image, image.shape[2:], padding=1)",),
    ("return F.avg_pool2d(F.pad(image, (1, 1, 1, 1)), image.shape[2:])",),
    # sides of different shapes, and what is no tensor
    ("if image.sum() > 0:", "    image = image.mean(1)", "return image"),
    ("if image.sum() > 0:", "    image = image * self.scale", "return image"),
    ("if image.sum() > 0:  # bright", "    image = -image", "return image"),
    # a row is reduced by itself
    ("return torch.stack([row / row.max() for row in image])",),
    ("return torch.stack([row * 2 for row in image], 1)",),
    # two sides of a pad hang on one test, and a pad that crops
    (
        "if image.size(2) % 8 or image.size(3) % 8:",
        "    image = F.pad(image, (0, 8 - image.size(3) % 8, 0, 8 - image.size(2) % 8))",
        "return image",
    ),
    (
        "if image.size(2) < 20 and image.size(3) < 99:",
        "    image = F.pad(image, (0, 0, 0, 20 - image.size(2)))",
        "return image",
    ),
    ("if image.size(2) < 20:", "    image = F.pad(image, (0, 0, 0, 24 - image.size(2)))", "return image"),
    ("h = image.size(2)", "if h < 20:", "    image = F.pad(image, (0, 0, 20 - h, (20 - h) * 2))", "return image"),
    # a pad of which the test asks for one side
    ("h, w = image.shape[2:]", "if h % 2 == 1:", "    image = F.pad(image, (0, w % 2, 0, h % 2))", "return image"),
    ("h, w = image.shape[2:]", "if h % 3 == 1:", "    image = F.pad(image, (0, 0, 0, h % 3))", "return image"),
    # resized to another size than is asked for, or by a factor
    ("return F.interpolate(image, (24, 24)) if image.shape[2] != 16 else image",),
    ("return F.interpolate(image, (16, 16)) if image.shape[2] != 16 else image + 1",),
    # a factor that has no exact fraction
    ("return image[:, :, : int(image.shape[2] * 0.3)]",),
]  # fmt: skip


@pytest.mark.parametrize("lines", LEFT, ids=lambda lines: lines[0][:40])
def test_what_may_mean_something_else_is_left_as_it_is(lines: tuple[str, ...]) -> None:
    assert mend(write_model(*lines)) == write_model(*lines)


@pytest.mark.parametrize("kind", ["Avg", "Max"])
@pytest.mark.parametrize("size", ["7", "(3, 5)", "[2, 6]", "(None, 4)"])
def test_cells_are_those_of_the_pool(kind: str, size: str) -> None:
    """Also where one cell shares items with the next, and of an image without a batch."""
    text = write_model(f"return F.adaptive_{kind.lower()}_pool2d(image, {size})")
    after = mend(text)
    assert "Cells(" in after
    for shape in (*SIZES, (3, 5, 9)):
        image = torch.randn(shape, requires_grad=True)
        wanted, found = build(text)(image), build(after)(image)
        torch.testing.assert_close(found, wanted)
        slopes = [torch.autograd.grad(each.sum(), image)[0] for each in (wanted, found)]
        torch.testing.assert_close(*slopes)


@pytest.mark.parametrize("kind", ["Avg", "Max"])
def test_cells_of_three_axes_are_those_of_the_pool(kind: str) -> None:
    text = write_model(f"return F.adaptive_{kind.lower()}_pool3d(image, (2, None, 5))")
    after = mend(text)
    assert "Cells3d(" in after
    images = [torch.randn(shape) for shape in [(2, 3, 6, 8, 7), (3, 3, 8, 9, 11), (3, 5, 9, 21)]]
    wanted = [build(text)(image) for image in images]
    torch.testing.assert_close([build(after)(image) for image in images], wanted)
    assert is_traced_right(build(after), images[:2], wanted[:2])


def test_one_class_serves_all_pools_of_a_file() -> None:
    pools = ", ".join(f"F.adaptive_avg_pool2d(image, {n})" for n in (2, 3))
    after = mend(write_model(f"return {pools}, F.adaptive_avg_pool1d(image.mean(3), 6)"))
    assert after.count("class AverageCells") == 1
    assert "AverageCells((None, 6))(image.mean(3))" in after
    known = after.replace("AverageCells(3)", "nn.AdaptiveAvgPool2d(3)")
    assert mend(known).count("class AverageCells") == 1


RESIZED = [
    "F.interpolate(image, scale_factor=0.5, mode='bilinear', antialias=True)",
    "F.interpolate(image, (7, 23), mode='bicubic', antialias=True, align_corners=False)",
    "F.interpolate(image, image.shape[2:], mode='nearest-exact')",
    "F.interpolate(image.relu(), size=(5, 9), mode='nearest-exact')",
    "F.interpolate(image, scale_factor=1.7, mode='nearest-exact')",
    "F.interpolate(image, scale_factor=1.5, mode='bicubic', antialias=True, recompute_scale_factor=True)",
]


@pytest.mark.parametrize("call", RESIZED)
def test_a_resize_that_an_exporter_lacks_is_written_out(call: str) -> None:
    text = write_model(f"return {call}")
    after = mend(text)
    assert "interpolate(" not in after.rpartition("class Net")[2]
    for shape in (*SIZES, (1, 3, 40, 7)):
        image = torch.randn(shape, requires_grad=True)
        wanted, found = build(text)(image), build(after)(image)
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
        slopes = [torch.autograd.grad(each.sum(), image)[0] for each in (wanted, found)]
        torch.testing.assert_close(*slopes, rtol=1e-5, atol=1e-5)
    images = [torch.rand(size) for size in SIZES]
    wanted = [build(text)(image) for image in images]
    assert is_traced_right(build(after), images, wanted)


RECURRENT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 1)
        self.rnn = nn.LSTM(4, 6, num_layers=2, dropout=0.5, bidirectional=True)

    def forward(self, sound):
        steps = self.conv(sound).permute(2, 0, 1)
        out, state = self.rnn(steps)
        # back to the channels
        return out.permute(1, 2, 0)
"""


def turn_steps(text: str) -> str:
    """A text with its fixes, where torch.export is not in use."""
    used = Profile(frozenset({"onnx", "onnx-legacy", "torchscript-trace"}))
    return settle_twice(text, lambda each: lint_subject(Source("model.py", each, used), RULES))


def test_a_recurrent_layer_runs_over_batch_first_input() -> None:
    """The same bits, dropout and gradients too."""
    after = turn_steps(RECURRENT)
    assert "batch_first=True" in after
    assert "out = out.transpose(0, 1)\n        # back" in after
    sound = torch.randn(3, 1, 9, requires_grad=True)
    found = []
    for text in (RECURRENT, after):
        torch.manual_seed(1)
        model = build(text)
        out = [model.train(training)(sound) for training in (False, True)]
        given = [sound, *model.parameters()]
        found.append([*out, *torch.autograd.grad(sum(each.sum() for each in out), given)])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_a_layer_that_runs_at_two_places_stays() -> None:
    twice = RECURRENT.replace("# back to the channels", "again, state = self.rnn(steps)")
    assert turn_steps(twice) == twice
    unknown = RECURRENT.replace("self.conv(sound).permute(2, 0, 1)", "sound.values")
    assert turn_steps(unknown) == unknown


ON_A_GPU = [
    ("return image + torch.ones(image.shape[3], device='cuda')",),
    ("return image * torch.arange(image.shape[3]).cuda()",),
    ("return image + torch.eye(3).to('cuda').sum()",),
    ("return image + torch.zeros(image.shape[2:]).to(device='cuda:0')",),
    ("device = torch.device('cuda')", "return image - torch.full((3, 1, 1), 0.5, device=device)"),
    ("more = image.new_zeros(3, 1, 1, device='cuda')", "return image + more"),
    ("return self.conv(image.cuda())",),
    ("image = image.cuda(non_blocking=True)", "return self.conv(image)"),
    ("image = image.to('cuda')", "return self.conv(image) * torch.ones(4, 1, 1, device='cuda')"),
    ("return self.conv(image.relu().cuda(0))",),
]


def write_convolving(*lines: str) -> str:
    begin = "def __init__(self):\n        super().__init__()\n        self.conv = nn.Conv2d(3, 4, 1)\n\n    "
    return write_model(*lines).replace("def forward", f"{begin}def forward")


@pytest.mark.parametrize("lines", ON_A_GPU, ids=lambda lines: lines[0][:50])
def test_what_names_a_gpu_runs_wherever_the_model_is(lines: tuple[str, ...]) -> None:
    text = write_convolving(*lines)
    after = mend(text)
    assert "cuda" not in after
    torch.manual_seed(0)
    model = build(after).eval()
    here = text.replace("cuda:0", "cpu").replace("'cuda'", "'cpu'")
    original = build(
        here.replace(".cuda(", ".cpu(")
        .replace("non_blocking=True", "")
        .replace(".cpu(0)", ".cpu()")
    )
    original.load_state_dict(model.state_dict())
    images = [torch.rand(size) for size in SIZES]
    wanted = [original(image) for image in images]
    assert all(torch.equal(model(image), each) for image, each in zip(images, wanted, strict=True))
    assert is_right_at_every_size(model, images, wanted)
    assert is_traced_right(model, images, wanted)


MADE_ANEW = {
    "scale = torch.tensor([0.5, 0.2, 0.1], device=image.device)|return self.conv(image * scale[:, None, None])": "self.scale",
    "return self.conv(image) * torch.arange(4, device=image.device)[:, None, None]": "self.arange",
    "steps = torch.zeros(image.shape[3], device=image.device)|return self.conv(image) + steps": "image.new_zeros(",
    "return self.conv(image + torch.full((3, 1, 1), 0.5, device=image.device))": "self.full",
    "return self.conv(image + torch.ones((image.size(2), 1), device=image.device))": "image.new_ones(",
}
WRITTEN_TO = [
    "mask = torch.zeros(3, 1, 1, device=image.device)|mask[0] = 1|return self.conv(image * mask)",
    "scale = torch.ones(3, 1, 1)|self.last = scale|return self.conv(image * scale)",
    "scale = torch.tensor(image.shape, device=image.device)|return self.conv(image) * scale",
    "none = torch.zeros(image.size(2), dtype=torch.int64, device=image.device)|return self.conv(image) + none[:, None]",
]


@pytest.mark.parametrize("body", MADE_ANEW)
def test_what_is_made_of_constants_becomes_a_buffer(body: str) -> None:
    text = write_convolving(*body.split("|"))
    after = settle_twice(text, lambda now: [e for e in find_waiting(now) if e.code == "LT133"])
    assert MADE_ANEW[body] in after
    torch.manual_seed(0)
    original, mended = build(text), build(after)
    mended.load_state_dict(original.state_dict())
    images = [torch.rand(size) for size in SIZES]
    assert all(torch.equal(mended(image), original(image)) for image in images)


@pytest.mark.parametrize("body", WRITTEN_TO)
def test_what_is_written_to_or_varies_is_made_anew(body: str) -> None:
    text = write_convolving(*body.split("|"))
    after = settle_twice(text, lambda now: [e for e in find_waiting(now) if e.code == "LT133"])
    assert "register_buffer" not in after
    assert text.count("dtype=") == after.count("dtype=")


KEPT_ON_A_GPU = [
    ("return image.relu().cuda() + torch.ones(3, 1, 1, device='cuda')",),
    ("image = [each.cuda() for each in image]", "return image[0] + torch.ones(1, device='cuda')"),
    ("return torch.cat(image) + torch.ones(1, device='cuda')",),
    ("return image[0] + torch.ones(1, device='cuda')",),
    ("return torch.ones(1, device=DEVICE) + image",),
]


@pytest.mark.parametrize("lines", KEPT_ON_A_GPU, ids=lambda lines: lines[0][:50])
def test_no_device_is_written_where_none_is_sure(lines: tuple[str, ...]) -> None:
    text = "DEVICE = 'cuda'\n" + write_model(*lines)
    assert mend(text) == text
