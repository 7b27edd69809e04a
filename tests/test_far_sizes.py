"""The sizes that models are run and compared at: their own first, then far smaller and larger ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from examining import examine_files, write_files
from reported import model_of

from lintorch.host.reports import Report
from lintorch.record.outcomes import AS_TRACED

pytest.importorskip("torch")

from lintorch.guest.feed.other_sizes import vary_sizes

NETS = """
import math
import torch
import torch.nn.functional as F
from torch import nn


class Padded(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 8, stride=4)

    def forward(self, sound):
        whole = math.ceil(sound.shape[-1] / 300) * 300
        return self.conv(F.pad(sound, (0, whole - sound.shape[-1])))


class Patches(nn.Module):
    def __init__(self, img_size=112, patch=16):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, patch, patch)
        self.num_patches = (img_size // patch) ** 2
        self.table = nn.Parameter(torch.randn(1, 8, img_size // patch, img_size // patch))

    def forward(self, image):
        image = self.patch(image)
        H, W = image.shape[2:]
        if H * W == self.num_patches:
            return image + self.table
        return image + F.interpolate(self.table, (H, W))


class Best(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.score = nn.Conv2d(3, 1, 1, stride=4)
        self.most = most

    def forward(self, image):
        scores = self.score(image).flatten(1)
        if scores.shape[1] > self.most:
            scores = scores.topk(self.most)[0]
        return scores


def make_best():
    return Best(40)


class Grown(nn.Module):
    def __init__(self, steps=100):
        super().__init__()
        self.words = nn.Embedding(50, 4)
        self.steps = steps
        self.register_buffer("table", torch.arange(steps).float()[:, None])

    def forward(self, tokens):
        count = tokens.shape[1]
        table = torch.arange(count).float()[:, None] if count > self.steps else self.table
        return self.words(tokens) + table[:count]


class Upright(nn.Module):
    def __init__(self):
        super().__init__()
        self.tall = nn.Conv2d(3, 4, (5, 1), padding=(2, 0))
        self.wide = nn.Conv2d(3, 4, (1, 5), padding=(0, 2))

    def forward(self, image):
        height, width = image.shape[-2:]
        return self.tall(image) if height > width else self.wide(image)


class Lying(Upright):
    def forward(self, image):
        return self.tall(image) if max(image.shape[2:]) > image.shape[3] else self.wide(image)


class Paired(nn.Module):
    def forward(self, image):
        if image.shape[0] % 4 == 0:
            image = image - image.view(-1, 4, *image.shape[1:]).mean(1).repeat(4, 1, 1, 1)
        return image * 2 @ image.new_ones(image.shape[-1], 3)


class Quartered(nn.Module):
    def forward(self, image):
        if image.shape[0] % 4:
            return image * 2
        return image - image.view(-1, 4, *image.shape[1:]).mean()


class Grouped(nn.Module):
    def forward(self, image):
        batch = image.shape[0]
        group = min(batch, 4)
        if batch % group:
            group = batch
        spread = image.view(group, -1, *image.shape[1:]).std(0, unbiased=False)
        return image - spread.repeat(group, 1, 1, 1)


class Stepped(nn.Module):
    def forward(self, image):
        width = image.shape[3]
        if width % 8:
            raise ValueError("no multiple of 8")
        return image * 2 if width % 16 == 0 else image * 3


class Attends(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, target, memory):
        return self.attention(target, memory, memory)[0]


class Strided(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 32, stride=32)

    def forward(self, image):
        return self.conv(image)


class Coarse(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, (64, 32), stride=(64, 32))

    def forward(self, image):
        return self.conv(image)


class Parted(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(8, 8)

    def forward(self, x):  # x: [batch, length, 8]
        return self.mix(x) / self.count(x)

    def count(self, x):
        return math.ceil(x.size(1) / 700)


class Blocks(Parted):
    def count(self, x):
        return 1 + x.shape[1] // 900


class Windows(Parted):
    def count(self, x):
        return len(range(0, x.size(1), 400))


class Split(Parted):
    def count(self, x):
        return len(x.split(500, dim=1))


class Cut(Parted):
    def count(self, x):
        return x[:, :300].shape[1]


class Tiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3, padding=1)
        self.mix = nn.Conv2d(64, 64, 3, padding=1)

    def forward(self, image):
        for _ in range(6):
            image = self.mix(image) if image.shape[1] == 64 else self.conv(image)
        return F.avg_pool2d(image, 1 + image.shape[-1] // 4000)


class Heavy(nn.Module):
    def __init__(self, img_size=128):
        super().__init__()
        self.conv = nn.Conv2d(3, 1, 1)

    def forward(self, image):
        image = self.conv(image)
        return image.expand(-1, 70_000, -1, -1)[:, :2] * 2
"""
SIDES = ("height", "width")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    folder = tmp_path_factory.mktemp("sizes")
    files = write_files(folder, {"nets": NETS})
    found = examine_files(files, folder, graphs=False, exporters=("torchscript-trace",))
    return {model_of(report).qualname: report for report in found}


def row_of(code: str) -> int:
    return next(row for row, line in enumerate(NETS.splitlines(), 1) if code in line)


def list_sizes(report: Report, *names: str) -> list[tuple[int, ...]]:
    """The sizes of these names in all runs at named sizes, in order."""
    return [tuple(run.sizes[name] for name in names) for run in report.runs if not run.axis]


def test_a_length_is_varied_beyond_what_padding_hides(reports: dict[str, Report]) -> None:
    (outcome,) = reports["Padded"].outcomes
    assert outcome.status == "wrong"
    assert [each.write_sizes() for each in outcome.wrong_at] == ["length 1025"]
    assert list_sizes(reports["Padded"], "length") == [(256,), (256,), (1025,), (128,)]


def test_a_model_is_traced_at_its_own_size_where_its_branch_is_taken(
    reports: dict[str, Report],
) -> None:
    report = reports["Patches"]
    assert dict(model_of(report).sizes) == {"batch": 2, "height": 112, "width": 112}
    assert list_sizes(report, *SIDES)[2:] == [(225, 281), (56, 84)]
    (outcome,) = report.outcomes
    assert {at.sizes for at in outcome.wrong_at} == {(225, 281), (56, 84)}
    assert AS_TRACED in outcome.compared


@pytest.mark.parametrize(("model", "name"), [("Best", "height"), ("Grown", "sequence")])
def test_both_sides_of_a_comparison_are_run(
    model: str, name: str, reports: dict[str, Report]
) -> None:
    (outcome,) = reports[model].outcomes
    beyond = list_sizes(reports[model], name)[-1]
    assert outcome.status == "wrong"
    assert [at.sizes[:1] for at in outcome.wrong_at] == [beyond]
    assert beyond[0] < 32 if name == "height" else beyond[0] > 100


@pytest.mark.parametrize(
    ("model", "constant", "follows"),
    [
        ("Parted", 700, False),
        ("Blocks", 900, True),
        ("Windows", 400, False),
        ("Split", 500, False),
        ("Cut", 300, True),
    ],
)
def test_a_size_beyond_what_it_is_divided_by_or_cut_at_is_run(
    model: str, constant: int, follows: bool, reports: dict[str, Report]
) -> None:
    (outcome,) = reports[model].outcomes
    (beyond,) = list_sizes(reports[model], "sequence")[-1]
    assert constant < beyond < 1.5 * constant
    assert beyond in {at.sizes_by_name.get("sequence") for at in outcome.compared}
    assert (outcome.status == "ok") == follows
    assert outcome.untried == ()


def test_what_is_too_heavy_beyond_a_constant_is_told(reports: dict[str, Report]) -> None:
    (outcome,) = reports["Tiled"].outcomes
    assert outcome.status == "ok"
    (untried,) = outcome.untried
    assert untried.at.sizes_by_name["width"] > 4000 / 1.5
    assert untried.site is not None
    assert untried.site.row == row_of("image.shape[-1] // 4000")
    assert "too long" in untried.why


@pytest.mark.parametrize("model", ["Upright", "Lying"])
def test_an_image_is_turned_where_the_order_of_its_sides_decides(
    model: str, reports: dict[str, Report]
) -> None:
    (outcome,) = reports[model].outcomes
    assert list_sizes(reports[model], *SIDES)[2:] == [(129, 161), (32, 48), (161, 129)]
    assert [at.sizes for at in outcome.wrong_at] == [(161, 129)]


@pytest.mark.parametrize("model", ["Paired", "Quartered"])
def test_a_multiple_is_run_where_all_other_sizes_leave_a_remainder(
    model: str, reports: dict[str, Report]
) -> None:
    (outcome,) = reports[model].outcomes
    assert [at.write_sizes() for at in outcome.wrong_at] == ["batch 4"]


def test_a_multiple_is_run_on_the_other_side_of_a_comparison_beside(
    reports: dict[str, Report],
) -> None:
    (outcome,) = reports["Grouped"].outcomes
    assert [at.write_sizes() for at in outcome.wrong_at] == ["batch 8"]


def test_what_lies_between_multiples_is_run_where_no_size_leaves_a_remainder(
    reports: dict[str, Report],
) -> None:
    (outcome,) = reports["Stepped"].outcomes
    assert [at.sizes for at in outcome.wrong_at] == [(56, 56)]


@pytest.mark.parametrize(("step", "smaller"), [(1, (65, 97)), (32, (64, 96))])
def test_odd_sizes_are_smaller_where_larger_ones_are_too_heavy(
    step: int, smaller: tuple[int, int]
) -> None:
    def runs(sizes: Mapping[str, int]) -> bool:
        padded = math.prod(math.ceil(sizes[side] / 16) * 16 for side in SIDES)
        return padded <= 2.5 * 128 * 128 and not any(sizes[side] % step for side in SIDES)

    varied = vary_sizes({"height": 128, "width": 128}, runs)
    assert [tuple(each.values()) for each in varied] == [(192, 192), smaller]


def test_two_inputs_with_sizes_of_their_own_are_fed_equal_and_unequal_ones(
    reports: dict[str, Report],
) -> None:
    names = ("sequence", "sequence_memory")
    assert list_sizes(reports["Attends"], "batch", *names) == [
        (2, 16, 16),
        (3, 16, 16),
        (2, 65, 16),
        (2, 8, 8),
        (2, 16, 65),
    ]


def test_no_size_inside_a_model_vanishes_to_one(reports: dict[str, Report]) -> None:
    sizes = list_sizes(reports["Strided"], "batch", *SIDES)
    assert sizes == [(2, 64, 64), (3, 64, 64), (2, 129, 161)]


def test_no_size_inside_a_model_is_one_at_first_that_is_more_at_larger_sizes(
    reports: dict[str, Report],
) -> None:
    model = model_of(reports["Coarse"])
    assert dict(model.sizes) == {"batch": 2, "height": 128, "width": 64}


def test_a_model_that_is_heavy_at_its_own_size_is_varied_round_a_smaller_one(
    reports: dict[str, Report],
) -> None:
    model = model_of(reports["Heavy"])
    assert dict(model.sizes) == {"batch": 2, "height": 64, "width": 64}
    assert model.assumptions == (
        "run at height=64, width=64: at height=128, width=128 it is too heavy to be run many times",
    )
    assert list_sizes(reports["Heavy"], *SIDES)[2:] == [(97, 97), (32, 48)]


def test_a_size_that_another_begins_with_is_no_side_of_it() -> None:
    sizes = {"obs_len": 16, "obs_len_other": 16}
    assert [tuple(each.values()) for each in vary_sizes(sizes)] == [(65, 16), (8, 8), (16, 65)]


def test_a_bound_that_one_export_names_is_crossed_by_the_others(tmp_path: Path) -> None:
    """The question is asked in a package, where a run hears none."""
    files = write_files(
        tmp_path,
        {
            "lib/site-packages/shelf_layers": """
                def scale(x):
                    return x * 2 if x.shape[1] > 512 else x
            """,
            "net": """
                import os
                import sys

                import torch
                from torch import nn

                sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib", "site-packages"))
                from shelf_layers import scale


                class Net(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.mix = nn.Linear(8, 8)

                    def forward(self, x):  # x: [batch, length, 8]
                        return scale(self.mix(x))
            """,
        },
    )
    exporters = ("torchscript-trace", "torch.export")
    (report,) = examine_files(files[1:], tmp_path, graphs=False, exporters=exporters)
    traced, exported = report.outcomes
    assert [each.exporter for each in report.outcomes] == [*exporters]
    assert [limit.condition for limit in exported.limits] == ["sequence <= 512"]
    assert {at.sizes for at in traced.wrong_at} >= {(513,)}
