"""Layers and branches that are written otherwise: the same bits in eager mode, and right where they were refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from test_rewrites import IN_USE, build, find_hazards, mend, settle_twice

from lintorch.source import Source

torch = pytest.importorskip("torch")

IMAGES = [(2, 4, 16, 16), (3, 4, 24, 16), (1, 4, 8, 32)]
UNPOOL = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.back = nn.MaxUnpool2d({given})

    def forward(self, image: torch.Tensor):
        pooled, places = self.pool(image)
        return self.back(pooled * 2, places{size})
"""
GROWN = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(4, 6, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(6, 4, {given})

    def forward(self, image: torch.Tensor):
        return self.up(self.down(image), output_size=image.{size})
"""
NORM = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.norm = nn.InstanceNorm2d({given})

    def forward(self, image: torch.Tensor):
        return self.norm(self.start(image))
"""
STEPS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Linear(4, 4)
        self.rnn = nn.{layer}(4, 6, {given})
        self.top = nn.GRU(12, 3, batch_first=True, bias=False)

    def forward(self, sound: torch.Tensor):
        out, state = self.rnn(self.front(sound))
        more, last = self.top(out)
        return more, last
"""
WINDOWS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.sides = (16, 16)
        self.scale = self.weigh(16, 16)

    def weigh(self, height, width):
        return torch.full((height, width), 0.5)

    def attend(self, image, scale):
        return image * scale

    def forward(self, image: torch.Tensor):
        height, width = image.shape[2], image.shape[3]
        {branch}
        return y + 1
"""
GENERAL = [
    "if self.sides == (height, width):\n            y = self.attend(image, self.scale)\n        else:\n"
    "            y = self.attend(image, self.weigh(height, width))",
    "if height == 16 and width == 16:\n            y = self.attend(image, self.scale)  # kept\n        else:\n"
    "            y = self.attend(image, self.weigh(height, width))",
    "if height != 16 or width != 16:\n            scale = self.weigh(height, width)\n"
    "            y = self.attend(image, scale)\n        else:\n            y = self.attend(image, self.scale)",
]
LEFT = [
    "if height > 16:\n            y = self.attend(image, self.scale)\n        else:\n"
    "            y = self.attend(image, self.weigh(height, width))",
    "if height == 16:\n            y = self.weigh(height, width)\n        else:\n"
    "            y = self.attend(image, torch.ones(height, width).sum())",
    "if height == 16:\n            y = self.attend(image, 1)  # one\n            y = y + 1\n        else:\n"
    "            y = self.attend(image, self.weigh(height, width))",
]


@pytest.mark.parametrize("size", ["", ", output_size=image.size()"])
@pytest.mark.parametrize("given", ["2", "2, stride=2", "(2, 2)"])
def test_an_unpool_that_tracers_refuse_is_scattered(given: str, size: str) -> None:
    text = UNPOOL.format(given=given, size=size)
    after = mend(text)
    assert "self.back = ScatterUnpool2d(" in after
    assert is_same(build(text), build(after))
    assert not is_traced_right(build(text))
    assert is_traced_right(build(after))


@pytest.mark.parametrize("size", ["size()", "shape[2:]"])
@pytest.mark.parametrize("given", ["3, stride=2, padding=1", "3, 2, 1, groups=2, bias=False"])
def test_a_transposed_convolution_grows_to_the_size_asked_for(given: str, size: str) -> None:
    text = GROWN.format(given=given, size=size)
    after = mend(text)
    assert f"self.up = GrownConvTranspose2d(6, 4, {given})" in after
    original, mended = build(text), build(after)
    mended.load_state_dict(original.state_dict())
    assert is_same(original, mended)
    image = (torch.rand(2, 4, 16, 16),)
    kept, followed = torch.jit.trace(original, image), torch.jit.trace(mended, image)
    for shape in [(1, 4, 17, 16), (3, 4, 8, 21)]:
        image = torch.rand(shape)
        assert kept(image).shape != original(image).shape
        assert torch.allclose(followed(image), original(image), atol=1e-5)


def test_a_norm_that_keeps_statistics_is_exported_at_every_batch() -> None:
    text = NORM.format(given="4, affine=True, track_running_stats=True")
    after = mend(text)
    assert "self.norm = SettledInstanceNorm2d(4, affine=True, track_running_stats=True)" in after
    original, mended = build(text), build(after)
    mended.load_state_dict(original.state_dict())
    for training in (True, False):
        assert is_same(original.train(training), mended.train(training))


GRIDS = """import torch
from torch import nn

GRIDS = {{}}


def shift(flow):
    {key}
        across = torch.arange(flow.shape[3]).expand(flow.shape[0], 1, flow.shape[2], -1)
        GRIDS[{name}] = across / 7
    return flow + GRIDS[{name}]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.flow = nn.Conv2d(4, 2, 3, padding=1)

    def forward(self, image: torch.Tensor):
        return shift(self.flow(image))
"""
KEYS = {
    "a name": ("key", "key = (str(flow.device), str(flow.size()))\n    if key not in GRIDS:"),
    "no name": ("str(flow.shape)", "if str(flow.shape) not in GRIDS:"),
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_grid_kept_by_the_text_of_its_size_is_made_at_each_call(kind: str) -> None:
    name, key = KEYS[kind]
    text = GRIDS.format(key=key, name=name)
    after = mend(text)
    assert "not in GRIDS" not in after
    original, mended = build(text), build(after)
    mended.load_state_dict(original.state_dict())
    assert is_same(original, mended)
    assert not is_traced_right(original)
    assert is_traced_right(mended)


PADDED = """import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, image: torch.Tensor):
        h, w = image.shape[2:]
        padded = False
        if min(h, w) < 16 or h % 16 != 0 or w % 16 != 0:
            padded = True
            # to whole windows
            right = {right}
            below = -h % 16
            image = F.pad(image, (0, right, 0, below))
        image = image + image.mean((2, 3), keepdim=True)
        if padded:
            {cut}
        return image
"""


def test_a_pad_beside_a_flag_is_made_at_every_size_and_cut_back() -> None:
    text = PADDED.format(right="(16 - w % 16) % 16", cut="image = image[:, :, :h, :w]")
    after = mend(text)
    assert "if min(" not in after
    assert "# to whole windows" in after
    original, mended = build(text), build(after)
    assert is_same(original, mended)
    assert not is_traced_right(original)
    assert is_traced_right(mended)


@pytest.mark.parametrize(
    ("right", "cut"),
    [("16 - w % 16", "image = image[:, :, :h, :w]"), ("-w % 16", "image = image + 1")],
    ids=["a width of 16", "a flag for more"],
)
def test_a_pad_beside_a_flag_stays_where_it_may_do_more(right: str, cut: str) -> None:
    assert "if min(" in mend(PADDED.format(right=right, cut=cut))


LAYERS = ["LSTM", "GRU", "RNN"]
GIVEN = ["num_layers=2, batch_first=True, bidirectional=True", "bidirectional=True"]


@pytest.mark.parametrize("given", GIVEN, ids=["deep", "length first"])
@pytest.mark.parametrize("layer", LAYERS)
def test_the_steps_of_a_recurrent_layer_stay_a_loop(layer: str, given: str) -> None:
    """The same bits in eager mode, and torch.export is right at lengths that it refused."""
    text = STEPS.format(layer=layer, given=given)
    after = mend(text)
    assert f"self.rnn = Scanned{layer}(4, 6, {given})" in after
    assert "self.top = ScannedGRU(12, 3, batch_first=True, bias=False)" in after
    original, mended = build(text).eval(), build(after).eval()
    mended.load_state_dict(original.state_dict())
    every, sounds = torch.export.Dim.DYNAMIC, [torch.randn(2, 9, 4), torch.randn(5, 14, 4)]
    with pytest.raises(Exception, match="Constraints violated"):
        torch.export.export(original, (sounds[0],), dynamic_shapes=({0: every, 1: every},))
    exported = torch.export.export(mended, (sounds[0],), dynamic_shapes=({0: every, 1: every},))
    for sound in sounds:
        for found, close, wanted in zip(
            mended(sound), exported.module()(sound), original(sound), strict=True
        ):
            assert torch.equal(found, wanted)
            assert torch.allclose(close, wanted, atol=1e-5)


@pytest.mark.parametrize("given", ["4", "4, affine=True"])
def test_a_norm_without_statistics_stays(given: str) -> None:
    assert mend(NORM.format(given=given)) == NORM.format(given=given)


@pytest.mark.parametrize("sizes", ["(h // 2, w // 2)", "torch.Size([h // 2, w // 2])"])
def test_a_layer_made_of_traced_sizes_takes_them(sizes: str) -> None:
    text = NORM.format(given="4").replace(
        "return self.norm(self.start(image))",
        f"h, w = image.shape[2:]\n        apart = nn.Sequential(nn.Unflatten(2, {sizes}))\n"
        "        return apart(image[:, :, ::2, ::2].flatten(2))",
    )
    after = mend(text)
    assert f"nn.Sequential(UnflattenTo(2, {sizes}))" in after
    assert is_same(build(text), build(after))
    assert not is_traced_right(build(text))
    assert is_traced_right(build(after))


def test_truths_on_a_diagonal_are_made_of_numbers() -> None:
    text = NORM.format(given="4").replace(
        "return self.norm(self.start(image))",
        "return image.masked_fill(torch.eye(image.shape[3], dtype=torch.bool), 0.0)",
    )
    after = mend(text)
    assert "torch.eye(image.shape[3], device=image.device).bool()" in after
    size = torch.rand(2, 4, 9, 9)
    assert torch.equal(build(text)(size), build(after)(size))


def test_bounds_of_two_kinds_are_floats(tmp_path: Path) -> None:
    """The new ONNX exporter refuses the one and writes the other, with the same bits in eager mode."""
    text = NORM.format(given="4").replace(
        "return self.norm(self.start(image))", "return image.clamp(0, 0.5) + image.clip(0.0, max=1)"
    )
    after = mend(text)
    assert "image.clamp(0.0, 0.5) + image.clip(0.0, max=1.0)" in after
    assert is_same(build(text), build(after))
    image = (torch.rand(2, 4, 9, 9),)
    with pytest.raises(Exception, match="clamp"):
        torch.onnx.export(build(text), image, dynamo=True, verbose=False)
    torch.onnx.export(build(after), image, tmp_path / "net.onnx", dynamo=True, verbose=False)


@pytest.mark.parametrize("branch", GENERAL, ids=range(len(GENERAL)))
def test_what_is_done_at_every_size_takes_the_place_of_one_size(branch: str) -> None:
    text = WINDOWS.format(branch=branch)
    after = settle_twice(text, find_hazards)
    assert "if " not in after
    assert ("# kept" in after) == ("# kept" in text)
    assert is_same(build(text), build(after))
    assert not is_traced_right(build(text))
    assert is_traced_right(build(after))


@pytest.mark.parametrize("branch", LEFT, ids=range(len(LEFT)))
def test_a_side_that_does_something_else_stays(branch: str) -> None:
    text = WINDOWS.format(branch=branch)
    assert branch in mend(text)
    assert Source("model.py", text, IN_USE).text == text


def is_same(original: Any, mended: Any) -> bool:
    """Whether outputs and gradients have the same bits."""
    for size in IMAGES:
        images = [torch.rand(size, generator=torch.Generator().manual_seed(0)) for _ in range(2)]
        results = [m(image.requires_grad_()) for m, image in zip((original, mended), images, strict=True)]  # fmt: skip
        for result in results:
            result.square().sum().backward()
        if not torch.equal(*results) or not torch.equal(images[0].grad, images[1].grad):
            return False
    return True


def is_traced_right(model: Any) -> bool:
    """Whether what torch.jit.trace makes of the first image is right at all sizes."""
    images = [torch.rand(size) for size in IMAGES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            traced = torch.jit.trace(model.eval(), (images[0],))
            return all(torch.equal(traced(image), model(image)) for image in images)
        except Exception:  # the many kinds of refusal
            return False


ATTENTION = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, words: torch.Tensor):
        return self.attend(words, words, words)[0]
"""


def test_attention_is_traced_in_operators_of_its_own() -> None:
    """The legacy exporter refused the one operator of its fast path; eager mode takes that still."""
    after = mend(ATTENTION)
    switch = (
        "if torch.jit.is_tracing():\n            torch.backends.mha.set_fastpath_enabled(False)"
    )
    assert f"        {switch}\n        return self.attend" in after
    words, was = torch.randn(2, 5, 4), torch.backends.mha.get_fastpath_enabled()
    model = build(after).eval()
    try:
        with torch.no_grad():
            wanted, taken = model(words), torch.backends.mha.get_fastpath_enabled()
            traced = torch.jit.trace(model, (words,))
    finally:
        torch.backends.mha.set_fastpath_enabled(was)
    assert taken == was
    assert "_native_multi_head_attention" not in str(traced.inlined_graph)
    assert torch.allclose(traced(words), wanted, atol=1e-6)
