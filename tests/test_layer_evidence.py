"""What `lintorch check --trace` says of layers and tensors that a model keeps, and of what its layers put out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from examining import examine_files

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding
from lintorch.core.merge import Merged, merge_findings
from lintorch.core.profile import Profile
from lintorch.evidence import Trace
from lintorch.report.wording import write_message
from lintorch.source import Source

HEAD = """import functools
import operator

import torch
import torch.nn.functional as F
from torch import nn


"""
MARK = re.compile(r"# (lost|gone|said|fine)(?:: (.*))?$")
"""What is to be said of a line: found by the run, withdrawn, left as the source says, or nothing."""

LAYERS = '''
class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]  # lost: ran 3 layers in the plain list layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def tower(count):
    layers = []
    for _ in range(count):
        layers.append(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))
    return layers


class Helped(nn.Module):
    """The source cannot tell what the helper gives."""

    def __init__(self):
        super().__init__()
        self.tower = tower(2)  # lost: 72 weights
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.tower:
            x = layer(x)
        return self.head(x)


class Heads:
    def __init__(self):
        self.first = nn.Linear(8, 4)  # lost: ran a Linear with 36 weights made here and


class Elsewhere(nn.Module):
    """An object that is no module holds the layers."""

    def __init__(self):
        super().__init__()
        self.heads = Heads()
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        return self.heads.first(self.body(x))


class Registers(nn.Module):
    """They are registered after all, in a way that the source does not show."""

    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 8)]  # gone: registered when Registers is built
        self.keep("layers")

    def keep(self, name):
        self.kept = nn.ModuleList(vars(self)[name])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        layers = tower(2)
        self.order = layers  # fine
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.order:
            x = layer(x)
        return x


class Squash(nn.Module):
    def __init__(self, power):
        super().__init__()
        self.power = power

    def forward(self, x):
        return x.abs() ** self.power


class Weightless(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.steps = [Squash(2), nn.ReLU(), functools.partial(torch.clamp, max=2.0)]  # fine

    def forward(self, x):
        x = self.body(x)
        for step in self.steps:
            x = step(x)
        return x


class Taught(nn.Module):
    """A frozen teacher is hidden on purpose."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        teacher = nn.Linear(8, 8)
        for weight in teacher.parameters():
            weight.requires_grad = False
        self.teacher = (teacher,)  # fine
        object.__setattr__(self, "other", nn.Linear(8, 8))  # fine

    def forward(self, x):
        return self.body(x) - self.teacher[0](x) + self.other(x)
'''

TENSORS = '''
def window(size):
    return torch.hann_window(size)


class Kernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = torch.ones(3, 3, 3, 3)  # lost: float32[3, 3, 3, 3], met tensors that follow

    def forward(self, image):
        return F.conv2d(image, self.kernel)


class Helped(nn.Module):
    """The source cannot tell that the helper makes a tensor, nor that it meets the input."""

    def __init__(self):
        super().__init__()
        self.window = window(64)  # lost: in mul, and is no buffer
        self.grids = [torch.ones(64, 1), torch.ones(64, 1)]  # lost: in add
        self.norm = nn.BatchNorm2d(3)

    def shaped(self):
        return self.window.view(1, 1, 1, -1).sqrt()

    def forward(self, image: torch.Tensor):
        image = self.norm(image)
        other = image * self.shaped()
        return other + self.grids[0]


class Moves(nn.Module):
    """What forward moves, or takes as an index, can stay."""

    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3, 1, 1) * 2  # fine
        self.shift = window(64)  # fine
        self.order = torch.tensor([2, 1, 0])  # fine
        self.limit = torch.tensor(6.0)  # fine
        self.register_buffer("mean", torch.zeros(3, 1, 1))  # fine

    def forward(self, image: torch.Tensor):
        scale = self.scale.to(image.device)
        image = image[:, self.order] * scale + self.shift.to(image) - self.mean
        return torch.minimum(image, self.limit)


def place(module, given):
    for name, value in list(vars(module).items()):
        if isinstance(value, torch.Tensor):
            setattr(module, name, value.to(given[0].device))


class Placed(nn.Module):
    """A hook moves it, which the source does not see through."""

    def __init__(self):
        super().__init__()
        self.table = torch.ones(64, 64)  # gone: every run moved it
        self.register_forward_pre_hook(place)

    def forward(self, image: torch.Tensor):
        return image + self.table
'''

BIASES = '''
def block(wide, made):
    return [made(3, wide, 3), nn.BatchNorm2d(wide), nn.ReLU()]


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 4, 3),  # lost: BatchNorm2d alone took the [2, 4, 62, 62] of this Conv2d
            nn.BatchNorm2d(4),
            nn.Conv2d(4, 4, 3),  # fine
            nn.ReLU(),
            nn.BatchNorm2d(4),
            nn.Conv2d(4, 4, 3),  # fine
            nn.GroupNorm(2, 4),
        )

    def forward(self, image):
        return self.body(image)


def conv(ins, outs):
    return nn.Conv2d(ins, outs, 1)  # fine


class Shared(nn.Module):
    """The helper's line makes one layer with a norm behind it, and one without."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(conv(3, 4), nn.BatchNorm2d(4))
        self.last = conv(4, 2)

    def forward(self, image):
        return self.last(self.first(image))


def narrow(ins, outs):
    return nn.Conv2d(ins, outs, 1)  # lost: InstanceNorm2d alone took


class Helped(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = narrow(3, 4), nn.InstanceNorm2d(4)

    def forward(self, image):
        mixed = {"image": self.conv(image)}
        return F.relu(self.norm(mixed["image"]))


class Peeks(nn.Module):
    """What the convolution puts out is read a second time."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))  # gone: body.0 puts out is taken by mean
        hang = operator.methodcaller("register_forward_hook", self.peek)  # which source does not follow
        self.hung = [hang(part) for part in self.body]

    def peek(self, module, given, out):
        self.level = out.mean()

    def forward(self, image):
        return self.body(image) * self.level


class Tokens(nn.Module):
    """The channels that the norm counts are not those of the Linear."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(64, 8)  # fine
        self.norm = nn.BatchNorm1d(3)

    def forward(self, image: torch.Tensor):
        return self.norm(getattr(self, "embed")(image).mean(2))
'''

HALVES = '''
class Half(nn.Module):
    """The source sees the first; the dtype of the others only a run knows."""

    def __init__(self, dtype=torch.float16):
        super().__init__()
        self.dtype = dtype

    def forward(self, image):
        seen = image.half() + 1e-8  # lost: 1e-08 met float16 of shape [2, 3, 64, 64] in add
        image = image.to(self.dtype)
        image = image / (image.abs() + 1e-9)  # lost: in add, where it is 0
        image = image.clamp(min=1e-10)  # lost: 1e-10 met
        wide = (image - 1e6).float()  # lost: infinite
        return seen + image.float() + 1e-12, image + 1e-3, wide, image * 1e-9


class Wide(nn.Module):
    def forward(self, image):
        return image / (image.abs() + 1e-9).clamp(min=1e-12)
'''

SEQUENCES = """
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])  # lost: grows with the batch first: the layer took 2 samples


class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 16, batch_first=True)

    def forward(self, x):
        out, _ = self.rnn(x)
        return out[:, -1]


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 8)
        layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, 1)

    def forward(self, memory: torch.Tensor, target: torch.LongTensor):
        return self.decoder(self.embed(target), memory)  # lost: steps to all of them
"""
FILES = {
    "LT206": LAYERS,
    "LT207": TENSORS,
    "LT507": BIASES,
    "LT306": HALVES,
    "LT416": SEQUENCES,
}


RULES = [catalog.build_catalog().rules[code] for code in FILES]


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Merged:
    """What source and runs of all the files say together."""
    folder = tmp_path_factory.mktemp("models")
    for code, text in FILES.items():
        (folder / f"{code}.py").write_text(HEAD + text, encoding="utf-8")
    names = [str(folder / f"{code}.py") for code in FILES]
    profile = Profile(frozenset({"torch.export"}))
    reports = examine_files(names, folder, graphs=False)
    assert [report.failure for report in reports if report.failure] == []
    subjects = [Trace(r.model, r.runs, r.captures, profile) for r in reports if r.model]
    said = [
        f
        for subject in subjects
        for f in lint_subject(subject, index_detectors(RULES, Evidence.TRACE))
    ]
    for name in names:
        source = Source(name, Path(name).read_text(encoding="utf-8"), profile)
        said += lint_subject(source, index_detectors(RULES, Evidence.SOURCE))
    return merge_findings(said)


def of(findings: Iterable[Finding], code: str) -> dict[int, Finding]:
    """Those of one rule by row."""
    found = [f for f in findings if f.code == code and f.place.path.endswith(f"{code}.py")]
    assert len(found) == len({f.place.row for f in found})
    return {finding.place.row: finding for finding in found}


def marked(text: str, kind: str) -> dict[int, str]:
    """The lines that carry a mark, and what stands in it."""
    found = ((n, MARK.search(line)) for n, line in enumerate((HEAD + text).splitlines(), 1))
    return {n: match[2] or "" for n, match in found if match and match[1] == kind}


@pytest.mark.parametrize("code", FILES)
def test_a_run_finds_what_it_met_and_nothing_else(merged: Merged, code: str) -> None:
    found, wanted = of(merged.standing, code), marked(FILES[code], "lost")
    assert found.keys() == wanted.keys()
    for row, finding in found.items():
        assert finding.evidence is Evidence.TRACE
        assert wanted[row] in write_message(finding)


@pytest.mark.parametrize("code", ["LT206", "LT207", "LT507"])
def test_a_run_withdraws_what_it_proved_harmless(merged: Merged, code: str) -> None:
    found, wanted = of(merged.withdrawn, code), marked(FILES[code], "gone")
    assert wanted
    assert found.keys() == wanted.keys()
    for row, finding in found.items():
        assert wanted[row] in str(finding.refuted)
