"""What conditions and errors of a model ask of sizes is read off the line that raised."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files, write_files
from reported import model_of, subject_of

from lintorch.record.input_notation import write_arguments
from lintorch.record.model_options import ModelLimits

HEAD = """
    import torch
    from torch import nn
"""


def feed_models(folder: Path, text: str) -> dict[str, str]:
    """What each model of a file is fed, by class."""
    files = write_files(folder, {"net": HEAD + text})
    reports = examine_files(files, folder, trace=False, limits=ModelLimits(seconds=60))
    assert [report.failure for report in reports if report.failure] == []
    models = {subject_of(report).qualname: model_of(report) for report in reports}
    return {name: str(write_arguments(m.inputs, m.sizes)) for name, m in models.items()}


def test_sizes_are_what_a_condition_asks_for(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Windows(nn.Module):
        def __init__(self, window=50):
            super().__init__()
            self.window, self.conv = window, nn.Conv1d(2, 8, 3)

        def forward(self, x):
            assert x.shape[-1] % self.window == 0, "it should be divided by the window"
            return self.conv(x).mean(-1)


    class Wide(nn.Module):
        def __init__(self, width=72):
            super().__init__()
            self.width, self.conv = width, nn.Conv2d(3, 8, 3)

        def forward(self, x):
            if x.size(3) != self.width:
                raise ValueError("another width")
            return self.conv(x)


    class States(nn.Module):
        def __init__(self, many=3 * 9 * 9):
            super().__init__()
            self.many = many
            self.body = nn.Sequential(nn.Conv2d(4, 3, 4, stride=4), nn.Flatten())

        def forward(self, states):
            found = self.body(states)
            assert found.shape == (states.shape[0], self.many)
            return found


    class Quantiles(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(12, 3)

        def forward(self, state, tau):
            assert state.shape[1] == tau.shape[2]
            return self.net(state[:, None] * tau).transpose(1, 2)
    """,
    )
    assert fed == {
        "Windows": "['float32[batch=2, 2, length=300]']",
        "Wide": "['float32[batch=2, 3, height=72, 72]']",
        "States": "['float32[batch=2, 4, 36, 36]']",
        "Quantiles": "['float32[batch=2, 12]', 'float32[batch=2, sequence=16, 12]']",
    }


def test_a_signal_becomes_as_long_as_what_it_is_added_to(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(1, 8, 50, stride=25)
            self.scale = nn.Parameter(torch.ones(80))

        def forward(self, x):
            return self.scale * self.conv(x)


    class Graph(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 1)
            self.register_buffer("edges", torch.rand(30, 30))

        def forward(self, x):
            return torch.einsum("hi,bcti->bcth", self.edges, self.conv(x))
    """,
    )
    assert "float32[batch=2, 1, 20" in fed["Net"]
    assert fed["Graph"].endswith(", 30]']")


def test_a_view_that_would_cut_through_channels_tells_the_sides(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Digits(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 8, 5, padding=2), nn.MaxPool2d(4))
            self.head = nn.Linear(8 * 6 * 6, 10)

        def forward(self, x):
            return self.head(self.body(x).view(-1, 8 * 6 * 6))


    class Cells(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Conv2d(3, 8, 4, stride=4), nn.Linear(8, 10)

        def forward(self, x):
            return self.head(self.body(x).permute(0, 2, 3, 1).reshape(-1, 8))
    """,
    )
    assert fed == {
        "Digits": "['float32[batch=2, 3, 24, 24]']",
        "Cells": "['float32[batch=2, 3, height=64, width=64]']",
    }


def test_what_takes_one_sample_is_fed_one(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.head = nn.Embedding(30, 16), nn.Linear(16, 1)

        def forward(self, text):
            lengths = self.head(self.words(text)).squeeze().unsqueeze(0)
            rows, steps = lengths.shape
            return lengths * steps
    """,
    )
    assert fed == {"Net": "['int64[1, sequence=16] in 0..28']"}


def test_steps_before_two_axes_are_made_as_long_as_a_window(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Poses(nn.Module):
        def __init__(self, joints=5, features=2):
            super().__init__()
            self.joints, self.features = joints, features
            self.conv = nn.Conv1d(joints * features, 16, 27)

        def forward(self, x):
            assert len(x.shape) == 4
            assert x.shape[-2] == self.joints
            assert x.shape[-1] == self.features
            return self.conv(x.view(x.shape[0], x.shape[1], -1).permute(0, 2, 1))
    """,
    )
    assert "sequence=" in fed["Poses"]
    assert fed["Poses"].endswith(", 5, 2]']")


def test_a_signal_that_forward_gives_its_channel_has_none(tmp_path: Path) -> None:
    text = """
    from torch import nn


    class Voice(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.pool = nn.Conv1d(1, 8, 129), nn.MaxPool1d(5000)

        def forward(self, x):
            return self.pool(self.conv(x.unsqueeze(1)))
    """
    assert feed_models(tmp_path, text) == {"Voice": "['float32[batch=2, length=16384]']"}


def test_kernels_that_are_pairs_keep_sizes(tmp_path: Path) -> None:
    text = """
    import torch
    from torch import nn


    class Cell(nn.Module):
        def __init__(self, channels, kernel_size):
            super().__init__()
            self.check(kernel_size)
            kernel_size = (kernel_size if isinstance(kernel_size, list) else [kernel_size])[0]
            padding = kernel_size[0] // 2, kernel_size[1] // 2
            self.conv = nn.Conv2d(2 * channels, channels, kernel_size, padding=padding)

        @staticmethod
        def check(kernel_size):
            several = isinstance(kernel_size, list) and isinstance(kernel_size[0], tuple)
            if not (isinstance(kernel_size, tuple) or several):
                raise ValueError("`kernel_size` must be tuple or list of tuples")

        def forward(self, x):
            state = torch.zeros_like(x)
            for _ in range(2):
                state = state + self.conv(torch.cat([x, state], 1))
            return state
    """
    files = write_files(tmp_path, {"net": HEAD + text})
    (report,) = examine_files(files, tmp_path, trace=False, limits=ModelLimits(seconds=60))
    assert model_of(report).arguments["kernel_size"] == "(3, 3)"


def test_a_window_over_all_of_a_text_tells_its_length(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Words(nn.Module):
        def __init__(self, length=5):
            super().__init__()
            self.words = nn.Embedding(40, 16)
            self.down, self.across = nn.Conv2d(1, 4, (length, 1)), nn.Conv2d(1, 4, (2, 16))
            self.head = nn.Linear(4 * 16 + 4, 3)

        def forward(self, words):
            x = self.words(words).unsqueeze(1)
            found = self.across(x).squeeze(3).amax(2)
            return self.head(torch.cat([self.down(x).view(-1, 4 * 16), found], 1))
    """,
    )
    assert fed["Words"] == "['int64[batch=2, 5] in 0..38']"


def test_joints_and_their_coordinates_are_told_from_both_together(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Poses(nn.Module):
        def __init__(self, frames=27, joints=17):
            super().__init__()
            self.norm = nn.LayerNorm(frames)
            self.places = nn.Parameter(torch.zeros(1, 2 * joints, frames))
            self.head = nn.Conv1d(2 * joints, 3 * joints, 1)

        def forward(self, x):
            b, f, j, c = x.shape
            x = x.reshape(b, f, j * c).permute(0, 2, 1)
            return self.head(self.norm(x + self.places))
    """,
    )
    assert fed["Poses"] == "['float32[batch=2, 27, 17, 2]']"


def test_a_mask_beside_an_image_and_ones_makes_up_the_channels(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Fills(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(5, 8, 3, padding=1)

        def forward(self, image, mask):
            ones = torch.ones(image.size(0), 1, image.size(2), image.size(3))
            return self.conv(torch.cat([image, ones, ones * mask], 1))


    class Gates(nn.Module):
        def __init__(self, inp, oup):
            super().__init__()
            self.squeeze, self.widen = nn.Conv2d(inp, 4, 1), nn.Conv2d(4, oup, 1)

        def forward(self, x):
            identity = x
            gate = self.widen(self.squeeze(x).mean((2, 3), keepdim=True)).sigmoid()
            return identity * gate
    """,
    )
    assert fed["Fills"].count("[batch=2, 3, height=64, width=64]") == 1
    assert fed["Fills"].count("[batch=2, 1, height=64, width=64]") == 1
    assert "height=64, width=64" in fed["Gates"]


def test_the_axis_that_a_condition_names_is_changed_first(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Cells(nn.Module):
        def __init__(self, nodes=21):
            super().__init__()
            self.nodes, self.rows = nodes, nn.Parameter(torch.randn(nodes, 1))
            self.layer = nn.Linear(8, 4)

        def forward(self, source):
            # source: B, T_1, N, D
            assert source.shape[2] == self.nodes
            return self.layer(source[:, -1] * self.rows)
    """,
    )
    assert fed == {"Cells": "['float32[batch=2, sequence=16, 21, 8]']"}


def test_a_chain_of_comparisons_asks_for_each_size(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Square(nn.Module):
        def __init__(self, side=48):
            super().__init__()
            self.side, self.conv = side, nn.Conv2d(3, 8, 3)

        def forward(self, x):
            assert x.shape[2] == x.shape[3] == self.side
            return self.conv(x)
    """,
    )
    assert fed["Square"] == "['float32[batch=2, 3, 48, 48]']"
