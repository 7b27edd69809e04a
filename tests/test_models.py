"""Models of real files are found, built and fed without configuration; configuration wins where present."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from examining import examine_files, write_files
from reported import failure_of, model_of, subject_of

from lintorch.host.reports import Report
from lintorch.record.input_notation import write_arguments
from lintorch.record.model_options import ModelLimits

LIMITS = ModelLimits(seconds=60)


def written(folder: Path, **files: str) -> tuple[str, ...]:
    names = {name: re.sub("__(?!init__|$)", "/", name) for name in files}
    return write_files(folder, {names[name]: text for name, text in files.items()})


def found(
    folder: Path,
    files: tuple[str, ...],
    configured: Mapping[str, Mapping[str, object]] | None = None,
    trace: bool = False,
) -> dict[str, Report]:
    """Reports by class, or by file name where the file could not be imported."""
    reports = examine_files(files, folder, configured=configured, trace=trace, limits=LIMITS)
    return {name_of(report): report for report in reports}


def name_of(report: Report) -> str:
    what = subject_of(report)
    return what.qualname or Path(what.path).name


def fed(report: Report) -> list[str]:
    assert report.failure is None, report.failure
    model = model_of(report)
    return write_arguments(model.inputs, model.sizes)


HEAD = """
    import torch
    from torch import nn
"""


def test_inputs_are_inferred_from_layers_names_and_errors(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        nets=HEAD
        + """
    class Gray(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(1, 8, 3)

        def forward(self, x):
            return self.stem(x).mean((2, 3))

    class Flat(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
            self.head = nn.Linear(8 * 16 * 16, 5)

        def forward(self, x):
            return self.head(self.stem(x).flatten(1))

    class Words(nn.Module):
        def __init__(self, vocab_size, d_model):
            super().__init__()
            self.words = nn.Embedding(vocab_size, d_model)
            self.places = nn.Embedding(32, d_model)
            self.mix = nn.TransformerEncoderLayer(d_model, 4, batch_first=True)

        def forward(self, tokens):
            return self.mix(self.words(tokens) + self.places.weight[: tokens.shape[1]])

    class Dice(nn.Module):
        def forward(self, pred, target):
            pred = pred.sigmoid()
            return 1 - 2 * (pred * target).sum() / (pred.sum() + target.sum() + 1)

    class Late(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv2d(4, 4, 1)
            self.up = nn.Linear(2, 4)

        def forward(self, low, high=None):
            if high is None:
                raise ValueError("you have to give high too")
            return self.down(low) + high
    """,
    )
    reports = found(tmp_path, files)
    assert fed(reports["Gray"]) == ["float32[batch=2, 1, height=64, width=64]"]
    assert fed(reports["Flat"]) == ["float32[batch=2, 3, 32, 32]"]
    assert fed(reports["Words"]) == ["int64[batch=2, sequence=16] in 0..126"]
    assert [given.name for given in model_of(reports["Dice"]).inputs] == ["pred", "target"]
    assert [given.name for given in model_of(reports["Late"]).inputs] == ["low", "high"]


def test_parts_of_a_model_that_ran_are_not_reported(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        parts=HEAD
        + """
    class Double(nn.Sequential):
        def __init__(self, cin, cout):
            super().__init__(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU())

    class Unused(nn.Module):
        def __init__(self, in_channels, out_channels):
            super().__init__()
            self.conv = nn.Conv2d(in_channels, out_channels, 1)

        def forward(self, x):
            return self.conv(x)
    """,
        model=HEAD
        + """
    from parts import Double

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = Double(3, 8)

        def forward(self, x):
            return self.one(x)

    class Net(nn.Module):
        def __init__(self, num_classes):
            super().__init__()
            self.inner = Inner()
            self.head = nn.Conv2d(8, num_classes, 1)

        def forward(self, x):
            return self.head(self.inner(x))

    def build_net():
        return Net(num_classes=4)

    class Pictures(torch.utils.data.Dataset):
        def __init__(self, file):
            self.lines = open(file).readlines()

    def get_dataset():
        return Pictures("pictures.csv")

    def get_names():
        names = [line.strip() for line in open("names.txt")]
        return names
    """,
    )
    reports = found(tmp_path, files)
    assert set(reports) == {"Net", "Unused"}
    net = model_of(reports["Net"])
    assert net.path == files[1]
    assert net.arguments == {"factory": "build_net"}
    assert set(net.contains) == {f"{files[1]}:Inner", f"{files[0]}:Double"}
    assert net.parameters == (3 * 8 * 9 + 8) + (8 * 4 + 4)


def test_a_factory_makes_the_class_that_it_returns_and_not_one_that_it_hands_over(
    tmp_path: Path,
) -> None:
    files = written(
        tmp_path,
        nets=HEAD
        + """
    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.conv = nn.Conv2d(width, width, 3, padding=1)

        def forward(self, x):
            return self.conv(x)

    class Stem(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3)

        def forward(self, x):
            return self.conv(x)

    class Net(nn.Module):
        def __init__(self, block, stem):
            super().__init__()
            self.stem = stem
            self.block = block(8)

        def forward(self, x):
            return self.block(self.stem(x))

    def _net(kind, block):
        stem = Stem()
        model = Net(block, stem)
        model.kind = kind
        model = model.float()
        return model

    def net18():
        return _net("18", Block)
    """,
    )
    reports = found(tmp_path, files)
    assert set(reports) == {"Net"}
    assert model_of(reports["Net"]).arguments == {"factory": "net18"}


def test_a_part_whose_model_failed_is_tried_on_its_own(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        model=HEAD
        + """
    class Part(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)

        def forward(self, x):
            return self.conv(x)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = Part()

        def forward(self, x):
            raise KeyError("always")
    """,
    )
    reports = found(tmp_path, files)
    failure = failure_of(reports["Net"])
    assert (failure.stage, failure.path, failure.row) == ("run", files[0], 13)
    assert "KeyError: 'always'" in failure.cause
    assert fed(reports["Part"]) == ["float32[batch=2, 3, height=64, width=64]"]


def test_configuration_wins(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        nets__seg=HEAD
        + """
    class Seg(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.conv = nn.Conv2d(5, width, 1)

        def forward(self, x, scale):
            return self.conv(x) * scale

    def build(width):
        return Seg(width)
    """,
        other=HEAD
        + """
    class Other(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)

        def forward(self, x):
            return self.conv(x)
    """,
    )
    setting: dict[str, object] = {
        "factory": "nets.seg:build",
        "args": {"width": 7},
        "inputs": ["float32[batch, 5, height=40, width=48]", "float32[1]"],
    }
    unwanted: dict[str, object] = {"factory": "other.py:Other"}
    configured = {"segmenter": setting, "elsewhere": unwanted}
    reports = found(tmp_path, files[:1], configured=configured, trace=True)
    assert set(reports) == {"Seg"}
    assert fed(reports["Seg"]) == ["float32[batch=2, 5, height=40, width=48]", "float32[1]"]
    assert model_of(reports["Seg"]).arguments == {"width": 7}
    assert [dict(run.sizes) for run in reports["Seg"].runs] == [
        {"batch": 2, "height": 40, "width": 48},
        {"batch": 3, "height": 40, "width": 48},
        {"batch": 2, "height": 81, "width": 121},
        {"batch": 2, "height": 20, "width": 36},
    ]


def test_wrongly_configured_inputs_are_a_failure_of_that_model(tmp_path: Path) -> None:
    text = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)

        def forward(self, x):
            return self.conv(x)
    """
    files = written(tmp_path, net=HEAD + text)
    setting = {"factory": "net.py:Net", "inputs": ["float32[batch, 9, 8, 8]"]}
    (report,) = found(tmp_path, files, configured={"net": setting}).values()
    failure = failure_of(report)
    assert failure.stage == "run"
    assert "9 channels" in failure.cause
    assert f"{files[0]}:11" in failure.cause


def test_a_package_whose_init_fails_is_passed_over(tmp_path: Path) -> None:
    net = """
    from .layers import Layer

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(3)

        def forward(self, x):
            return self.layer(x)
    """
    layers = """
    class Layer(nn.Conv2d):
        def __init__(self, channels):
            super().__init__(channels, channels, 1)
    """
    files = written(
        tmp_path,
        pkg____init__="from .net import Net\nraise RuntimeError",
        pkg__net=HEAD + net,
        pkg__layers=HEAD + layers,
    )
    reports = found(tmp_path, files[1:])
    assert set(reports) == {"Net"}
    assert fed(reports["Net"]) == ["float32[batch=2, 3, height=64, width=64]"]


def test_a_file_that_cannot_be_imported_names_its_line(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        missing="import torch\n\nfrom torch import absent_name as a\nclass Net(a, b):\n    pass\n",
        broken="import torch\ndef forward(:\n",
    )
    reports = found(tmp_path, files)
    missing, broken = failure_of(reports["missing.py"]), failure_of(reports["broken.py"])
    assert (missing.stage, missing.qualname, missing.row) == ("import", "", 4)
    assert "NameError: name 'b' is not defined" in missing.cause
    assert (broken.stage, broken.row) == ("import", 2)
    assert "SyntaxError" in broken.cause


def test_progress_tells_what_is_done_running_and_left(tmp_path: Path) -> None:
    files = written(tmp_path, net=HEAD + "\n    class Net(nn.Conv2d):\n        pass\n")
    lines: list[str] = []
    examine_files(files, tmp_path, progress=lines.append, trace=False, limits=LIMITS)
    assert lines[0].startswith("starting ")
    assert lines[1:] == [
        f"0 models done; 0 files left; {files[0]}",
        f"0 models done; 0 files left; {files[0]}:Net",
        "1 model done; 0 files left",
    ]


def test_calls_that_the_file_spells_out_are_followed(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        nets=HEAD
        + '''
    class Planned(nn.Module):
        """A net after a plan.

        >>> net = Planned([("conv", 2), ("norm", 4)],
        ...               tail="mean")
        """

        def __init__(self, plan, tail):
            super().__init__()
            (_, cin), (_, cout) = plan
            self.conv = {"conv": nn.Conv2d}[plan[0][0]](cin, cout, 1)
            self.tail = {"mean": torch.mean}[tail]

        def forward(self, x):
            return self.tail(self.conv(x))

    class Grid(nn.Module):
        def __init__(self, layout):
            super().__init__()
            self.rows, self.columns = layout["grid"]

        def forward(self, x):
            x = x.reshape(len(x), self.rows, self.columns, 7)
            return x.sum(-1)

    if __name__ == "__main__":
        rows = 3
        grid = Grid({"grid": (rows, 5)}).eval()
        points = torch.randn(1, rows * 35).to("cpu")
        print(grid(points))
    ''',
    )
    reports = found(tmp_path, files)
    assert fed(reports["Planned"]) == ["float32[batch=2, 2, height=64, width=64]"]
    assert model_of(reports["Planned"]).arguments["tail"] == "mean"
    assert fed(reports["Grid"]) == ["float32[batch=2, 105]"]


def test_nothing_that_an_example_calls_is_run(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        nets=HEAD
        + """
    from pathlib import Path

    class Scaled(nn.Module):
        def __init__(self, scale):
            super().__init__()
            self.scale = scale
            self.conv = nn.Conv2d(3, 4, 1)

        def forward(self, x):
            return self.conv(x) * self.scale

    def smoke():
        return Scaled(Path(__file__).with_name("touched").touch() or 2)
    """,
    )
    assert fed(found(tmp_path, files)["Scaled"])
    assert not (tmp_path / "touched").exists()


def test_arguments_follow_what_the_constructor_asks_of_them(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        nets=HEAD
        + """
    VARIANTS = (("slim-2", 8), ("wide-3", 16))

    class Encoder(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.width = dim
            self.stem = nn.Conv2d(3, dim, 1)

        def forward(self, x):
            return self.stem(x)

    class Staged(nn.Module):
        def __init__(self, image_size, dims, strides):
            super().__init__()
            height, width = image_size
            assert len(dims) == 4, "four stages"
            pairs = zip((3, *dims), dims, strides)
            self.stages = nn.Sequential(*(nn.Conv2d(i, o, 1, s) for i, o, s in pairs))

        def forward(self, x):
            return self.stages(x)

    class Probe(nn.Module):
        def __init__(self, trunk, masking_ratio):
            super().__init__()
            assert 0 < masking_ratio < 1
            self.trunk = trunk
            self.head = nn.Linear(trunk.width, 2)

        def forward(self, x):
            return self.head(self.trunk(x).mean((2, 3)))

    class Picked(nn.Module):
        def __init__(self, variant: str, pretrained=True):
            super().__init__()
            if pretrained:
                raise OSError("no network")
            if variant not in dict(VARIANTS):
                raise ValueError(f"invalid {variant}, must be one of {dict(VARIANTS).keys()}")
            self.conv = nn.Conv2d(3, 4, 1)

        def forward(self, x):
            return self.conv(x)

    class Base(nn.Module):
        def __init__(self, in_channels, depth):
            super().__init__()
            self.convs = nn.Sequential(*(nn.Conv2d(in_channels, in_channels, 1) for _ in range(depth)))

        def forward(self, x):
            return self.convs(x)

    class Derived(Base):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
    """,
    )
    reports = found(tmp_path, files)
    image = ["float32[batch=2, 3, height=64, width=64]"]
    assert fed(reports["Staged"]) == image
    assert fed(reports["Probe"]) == image
    assert fed(reports["Picked"]) == image
    assert model_of(reports["Picked"]).arguments == {"variant": "slim-2", "pretrained": False}
    assert fed(reports["Derived"]) == image


def test_sides_follow_errors_in_proportion(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        nets=HEAD
        + """
    class Pooled(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3, stride=4, padding=1)
            self.up = nn.Upsample((25, 25))

        def forward(self, x):
            x = self.conv(x)
            return torch.cat((x, self.up(x.mean((2, 3), keepdim=True))), 1)

    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv3d(1, 2, 3, padding=1)
            self.pool = nn.MaxPool3d((1, 64, 64))

        def forward(self, x):
            return self.pool(self.conv(x))
    """,
    )
    reports = found(tmp_path, files)
    assert fed(reports["Pooled"]) == ["float32[batch=2, 3, 100, 100]"]
    assert fed(reports["Deep"]) == ["float32[batch=2, 1, depth=32, height=128, width=128]"]


PARTS = """
import os
from torch import nn


class {0}(nn.Conv2d):
    def __init__(self):
        super().__init__(3, 4, 3)
        {1}
"""
WHOLE = """
from part import Part
from torch import nn


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        return self.part(x)
"""


def test_several_files_at_a_time_give_the_same_reports(tmp_path: Path) -> None:
    parts = {"part": ("Part", ""), "alone": ("Alone", ""), "quits": ("Quits", "os._exit(3)")}
    texts = {name: PARTS.format(*given) for name, given in parts.items()}
    files = written(tmp_path, whole=WHOLE, **texts)
    one, three = (
        [
            (name_of(r), r.failure and r.failure.stage)
            for r in examine_files(files, tmp_path, trace=False, limits=LIMITS, processes=count)
        ]
        for count in (1, 3)
    )
    assert one == three
    assert sorted(one) == [("Alone", None), ("Quits", "stopped"), ("Whole", None)]
