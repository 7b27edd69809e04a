"""`lintorch export --suggest`: the call that exports a model, as text that runs."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

import torch
from running import lintorch

from lintorch.guest.construct.found_settings import FoundSettings
from lintorch.guest.construct.recipe import write_value
from lintorch.guest.export.size_conditions import SizeCondition
from lintorch.guest.suggest.run_program import pick_error
from lintorch.guest.suggest.size_terms import find_terms

NETS = """\
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn


@dataclass
class Config:
    vocabulary: int = 32
    most: int = 64


class Words(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.most = config.most
        self.words = nn.Embedding(config.vocabulary, 8)
        self.places = nn.Embedding(config.most, 8)

    def forward(self, ids, mask=None):
        length = ids.shape[1]
        assert length <= self.most
        logits = self.words(ids) + self.places(torch.arange(length))
        return logits


class Windows(nn.Module):
    def forward(self, image):
        b, c, h, w = image.shape
        return image.view(b, c, h // 4, 4, w // 4, 4).mean((3, 5))


class Baked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, image):
        rows = int(image.shape[2])
        return self.conv(image).reshape(image.shape[0], -1, rows * 4)


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 1)

    def forward(self, levels, mask=None, flip=False):
        made = [self.conv(level) for level in levels]
        return {"high": made[0].flip(-1) if flip else made[0], "low": made[1]}


class Unread(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, mask):
        return self.fc(x)


class Attends(nn.Module):
    def forward(self, words, mask):
        return (words @ words.transpose(1, 2)).masked_fill(mask == 0, -1e9).softmax(-1)


class Sample(NamedTuple):
    words: torch.Tensor
    weights: torch.Tensor


class Weighs(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, sample, *, offset, scale=1.0):
        return self.fc(sample.words) * sample.weights * scale + offset


class Paired(nn.Module):
    def forward(self, batch):
        assert isinstance(batch["pair"], tuple)
        first, second = batch["pair"]
        return first * second + batch["more"][0]


class Prefixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, 8))

    def forward(self, x, mask):
        return torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) * mask[..., None]


class PooledByWidth(nn.Module):

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.head = nn.Linear(4, 2)

    def forward(self, image):
        y = self.conv(image)
        y = nn.functional.avg_pool2d(y, y.size()[3])
        return self.head(y.view(y.size(0), -1))


class Halves(nn.Module):
    def forward(self, x):
        b, s, c = x.shape
        return x.view(b, s // 2, 2, c).sum(2)


def run():
    Prefixed()(torch.randn(2, 6, 8), torch.ones(2, 7))
    Paired()({"pair": (torch.randn(2, 8), torch.randn(2, 8)), "more": [torch.randn(2, 8)]})
    Weighs()(Sample(torch.randn(2, 8), torch.randn(2, 4)), offset=torch.randn(2, 4), scale=2.0)
    Halves()(torch.randn(2, 6, 8))
    PooledByWidth()(torch.randn(2, 3, 32, 32))
    Attends()(torch.randn(2, 12, 8), torch.ones(2, 12, 12))
    Words(Config(most=48))(torch.randint(0, 32, (2, 16)), None)
    Baked()(torch.randn(2, 3, 32, 32))
    Pyramid()([torch.randn(2, 4, 16, 16), torch.randn(2, 4, 8, 8)], None, True)
    Unread()(torch.randn(2, 8), torch.randn(2, 8))
"""
ROW_OF_SIZE = NETS[: NETS.index("int(image.shape[2])")].count("\n") + 1


def ask(folder: Path, exporter: str, *models: str) -> dict[str, Any]:
    """What is suggested for these models of a fresh project, by their names."""
    folder.joinpath("nets.py").write_text(NETS)
    only = [word for name in models for word in ("--model", name)]
    asked = ("--to", exporter, "--suggest", "--output-format", "json")
    done = lintorch("export", "nets.py", *asked, *only, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    trials = json.loads(done.stdout)["trials"]
    return {trial["model"].partition(":")[2]: trial for trial in trials}


def run_text(program: str, folder: Path) -> None:
    """As pasted into the project's folder, by a Python that knows nothing of lintorch."""
    done = subprocess.run(
        [sys.executable, "-"], input=program, text=True, cwd=folder, capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_relations_and_bounds_of_sizes_are_declared(tmp_path: Path) -> None:
    found = ask(tmp_path, "torch.export", "Words", "Windows")
    words, windows = (found[name]["suggestion"] for name in ("Words", "Windows"))
    assert "Config(most=48)" in words["program"]
    assert "max=48" in words["program"]
    assert 'dynamic_shapes={"ids": {0: batch, 1: ' in words["program"]
    assert 'height = 4 * Dim("_height")' in windows["program"]
    assert words["ran"]
    assert windows["ran"]
    assert len(windows["compared"]) > 2
    run_text(windows["program"], tmp_path)
    assert (tmp_path / "Windows.pt2").stat().st_size


def test_as_few_sizes_are_fixed_as_can_be_and_the_line_is_named(tmp_path: Path) -> None:
    baked = ask(tmp_path, "torch.export", "Baked")["Baked"]["suggestion"]
    assert {each["name"] for each in baked["fixed"]} <= {"height", "width"}
    assert ROW_OF_SIZE in [each["location"]["row"] for each in baked["fixed"]]
    assert "0: batch" in baked["program"]


def test_a_size_that_forward_takes_no_other_of_stays_too(tmp_path: Path) -> None:
    pooled = ask(tmp_path, "torch.export", "PooledByWidth")["PooledByWidth"]["suggestion"]
    assert pooled["ran"]
    assert "0: batch" in pooled["program"]
    run_text(pooled["program"], tmp_path)


def test_nested_inputs_have_an_entry_each(tmp_path: Path) -> None:
    program = ask(tmp_path, "onnx", "Pyramid")["Pyramid"]["suggestion"]["program"]
    assert '"levels": [{0: "batch"' in program
    assert '"mask": None' in program
    assert '"flip": None' in program
    assert '2: "height_levels_1"' in program
    assert 'output_names=["high", "low"]' in program
    run_text(program, tmp_path)


def test_a_size_that_inputs_share_has_one_dim(tmp_path: Path) -> None:
    found = ask(tmp_path, "torch.export", "Attends")["Attends"]["suggestion"]
    shared = re.search(r'"mask": \{0: batch, 1: (\w+), 2: \1\}', found["program"])
    assert shared, found["program"]
    assert {at[shared[1]] for at in found["compared"]} == {6, 12, 49}


def test_what_the_file_does_not_take_is_said(tmp_path: Path) -> None:
    unread = ask(tmp_path, "onnx-legacy", "Unread")["Unread"]
    assert unread["pruned"] == ["mask"]
    assert "dynamic_axes={" in unread["suggestion"]["program"]
    assert unread["suggestion"]["ran"]


@pytest.mark.parametrize("exporter", ["torch.export", "onnx-legacy"])
def test_keywords_and_named_tuples_go_through_a_wrapper(tmp_path: Path, exporter: str) -> None:
    weighs = ask(tmp_path, exporter, "Weighs")["Weighs"]["suggestion"]
    call = "Sample(words=sample_words, weights=sample_weights), offset=offset, scale=2.0"
    assert call in weighs["program"]
    assert weighs["ran"]
    run_text(weighs["program"], tmp_path)


def test_a_size_of_one_input_that_follows_that_of_another_is_declared_so(tmp_path: Path) -> None:
    prefixed = ask(tmp_path, "torch.export", "Prefixed")["Prefixed"]["suggestion"]
    assert '"mask": {0: batch, 1: length + 1}' in prefixed["program"]
    assert prefixed["ran"]
    assert {(at["length"], at["length_mask"]) for at in prefixed["compared"]} > {(6, 7), (12, 13)}


@pytest.mark.parametrize("exporter", ["torch.export", "onnx-legacy"])
def test_a_tuple_in_a_mapping_stays_one(tmp_path: Path, exporter: str) -> None:
    paired = ask(tmp_path, exporter, "Paired")["Paired"]["suggestion"]
    written = " ".join(paired["program"].split())
    assert re.search(r"\"pair\": ?\(|'pair': ?\(", written), written
    assert "'more': [" in written
    assert paired["ran"]
    run_text(paired["program"], tmp_path)


def test_an_equality_of_two_sizes_that_says_only_that_one_is_even_ties_nothing(
    tmp_path: Path,
) -> None:
    halves = ask(tmp_path, "onnx", "Halves")["Halves"]["suggestion"]
    assert "# sequence: a multiple of 2" in halves["program"]


FIXED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(x)


if __name__ == "__main__":
    torch.onnx.export(Net().eval(), torch.randn(2, 8), "net.onnx", dynamo=True)
"""


def test_sizes_that_the_projects_own_export_fixes_are_open_in_the_suggested_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "net.py").write_text(FIXED)
    asked = ("--to", "onnx", "--suggest", "--output-format", "json")
    done = lintorch("export", "net.py", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (trial,) = json.loads(done.stdout)["trials"]
    assert '"x": {0: "batch"}' in trial["suggestion"]["program"]
    assert len(trial["suggestion"]["compared"]) > 1
    assert len(trial["compared"]) == 1


def test_arguments_of_a_command_line_are_written_as_the_namespace_that_they_are() -> None:
    given = Namespace(sizes=[3, 4], name="a", inner=SimpleNamespace(rate=0.5))
    written = write_value(given, lambda module, name: name)
    assert written == "Namespace(sizes=[3, 4], name='a', inner=SimpleNamespace(rate=0.5))"
    with pytest.raises(ValueError, match="Namespace cannot be written"):
        write_value(Namespace(**{"no name": 1}))


def test_a_file_that_imports_from_its_folder_is_imported_as_part_of_it(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    model.joinpath("parts.py").write_text("from torch import nn\n\nPart = nn.ReLU\n")
    model.joinpath("net.py").write_text(
        "import torch\nfrom torch import nn\n\nfrom .parts import Part\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.conv = nn.Conv2d(3, 4, 3)\n        self.part = Part()\n\n"
        "    def forward(self, x):\n        return self.part(self.conv(x))\n"
    )
    asked = ("--to", "torch.export", "--suggest", "--output-format", "json")
    done = lintorch("export", "model/net.py", *asked, cwd=tmp_path)
    (trial,) = json.loads(done.stdout)["trials"]
    assert "from model.net import Net" in trial["suggestion"]["program"], done.stderr
    assert trial["suggestion"]["ran"]
    run_text(trial["suggestion"]["program"], tmp_path)


def test_a_size_that_is_left_out_between_others_is_no_bound() -> None:
    names = frozenset({"height"})
    fits = SizeCondition("", names, "", True, lambda at: at["height"] // 4 % 2 == 0)
    sizes, others = {"height": 64}, [{"height": 129}, {"height": 33}]
    (term,) = find_terms(names, sizes, others, [fits], lambda at: fits.holds(at))
    assert (term.low, term.high, term.gap) == (2, None, 68)
    assert term.describe() == "not all: not 68"
    (term,) = find_terms(names, sizes, [], [fits], lambda at: fits.holds(at))
    assert term.high is not None


def test_layers_made_by_partial_and_settings_of_a_file_are_written() -> None:
    norm = functools.partial(torch.nn.LayerNorm, eps=1e-6)
    scope = {"named": lambda module, name: getattr(sys.modules[module], name)}
    made = eval(write_value(norm), scope)
    assert (made.func, made.keywords) == (norm.func, norm.keywords)
    settings = FoundSettings({"width": 8, "inner": FoundSettings({"depth": 2}), "made": object()})
    guessed = settings.num_layers
    made = eval(write_value(settings), scope)
    assert (made.width, made["inner"].depth, made.num_layers) == (8, 2, guessed)
    assert not hasattr(made, "made")


def test_the_error_of_a_program_is_no_line_of_its_frames() -> None:
    told = ["Traceback (most recent call last):", '  File "a.py", line 1', "    import PIL.Image"]
    assert pick_error([*told, "ModuleNotFoundError: No module named 'PIL'"]).startswith("Module")


def test_settings_of_a_file_are_said_to_be_of_that_file(tmp_path: Path) -> None:
    settings = {"model_width": 6, "kernel_width": 3, "out_width": 5}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    (tmp_path / "settled.py").write_text(
        "from torch import nn\n\n\nclass Settled(nn.Module):\n"
        "    def __init__(self, h):\n        super().__init__()\n"
        "        self.conv = nn.Conv1d(h.model_width, h.out_width, h.kernel_width)\n\n"
        "    def forward(self, x):\n        return self.conv(x)\n"
    )
    asked = ("--to", "torch.export", "--suggest", "--output-format", "json")
    done = lintorch("export", "settled.py", *asked, cwd=tmp_path)
    (trial,) = json.loads(done.stdout)["trials"]
    program = trial["suggestion"]["program"]
    assert re.search(r"put your own: h \(here from \S*config\.json\)", program)
