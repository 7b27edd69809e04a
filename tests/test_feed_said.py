"""What a model is fed has the axes that its comments and docstrings tell, and whole numbers where it looks them up."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from examining import examine_files
from reported import model_of

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.other_sizes import list_lighter_sizes
from lintorch.guest.feed.repair_guess import suggest_repairs
from lintorch.record.models import Input, Model

HEAD = """
import torch
from torch import nn
"""


def feed(folder: Path, text: str) -> dict[str, Input]:
    """What the one model of a file is fed, by name."""
    (folder / "net.py").write_text(HEAD + textwrap.dedent(text))
    (report,) = examine_files([folder / "net.py"], folder, trace=False)
    model: Model = model_of(report)
    return {given.name: given for given in model.inputs if isinstance(given, Input)}


def test_a_comment_tells_ranks_and_which_sizes_are_one(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 8)

            def forward(self, inputs, rel_rec, rel_send):
                # Input shape: [num_sims, num_atoms, num_timesteps, num_dims]
                # rel_rec, rel_send: [num_edges, num_atoms]
                # rel_send: [num_edges, num_atoms]
                x = self.first(inputs).mean(2)
                assert inputs.dim() == 4 and rel_rec.dim() == 2
                return torch.cat([rel_rec @ x, rel_send @ x], -1)
        """,
    )
    assert fed["inputs"].shape[:2] == ("batch", "num_atoms")
    assert fed["inputs"].shape[3] == 4
    assert fed["rel_send"].shape == fed["rel_rec"].shape == ("num_edges", "num_atoms")


def test_a_docstring_tells_ranks(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        '''
        class Filter(nn.Module):
            def forward(self, x, keep):
                """
                Args:
                    x (torch.Tensor): noisy waveforms with the shape of
                        (B, C, T)
                    keep: which to keep, [B, T]
                """
                batch, channels, steps = x.shape
                return x * keep.view(batch, 1, steps)
        ''',
    )
    assert fed["x"].shape == ("batch", 3, "length")
    assert fed["keep"].shape == ("batch", "length")


def test_what_a_part_looks_up_in_a_table_is_a_number_for_each_sample(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Label(nn.Module):
            def __init__(self):
                super().__init__()
                self.table = nn.Embedding(11, 16)

            def forward(self, labels, train):
                return self.table(labels)

        class Denoiser(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(4, 16, 3, padding=1)
                self.label = Label()

            def forward(self, x, y):
                y = self.label(y, self.training)
                return self.stem(x) + y[:, :, None, None]
        """,
    )
    assert fed["y"] == Input("y", "int64", ("batch",), 0, 11)
    assert len(fed["x"].shape) == 4


@pytest.mark.parametrize(
    "options",
    [
        "parser.add_argument('--img_size', default=[94, 24], help='width and height')",
        "parser.add_argument('--height', default=24)\nparser.add_argument('--width', default=94)",
    ],
)
def test_the_sides_that_a_command_line_names_are_tried(tmp_path: Path, options: str) -> None:
    (tmp_path / "LICENSE").touch()
    (tmp_path / "train.py").write_text(
        f"import argparse\nparser = argparse.ArgumentParser()\n{options}\n"
    )
    fed = feed(
        tmp_path,
        """
        class Plates(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 8, 3, padding=1)
                self.wide = nn.AvgPool2d((6, 1), (6, 1))
                self.pool = nn.AvgPool2d((8, 3), (8, 3))

            def forward(self, images):
                x = self.stem(images)
                return self.wide(x)[:, :, :3, :31] + self.pool(x) * torch.ones(3, 31)
        """,
    )
    assert fed["images"].shape[-2:] == (24, 94)


def test_what_is_stacked_is_a_list_as_long_as_the_model_was_built_for(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        HEAD
        + textwrap.dedent("""
        class Between(nn.Module):
            def __init__(self, n_inputs=4):
                super().__init__()
                self.stem = nn.Conv3d(3, 8, 3, padding=1)
                self.fuse = nn.Conv2d(8 * n_inputs, 3, 1)

            def forward(self, images):
                images = torch.stack(images, dim=2)
                found = self.stem(images)
                return self.fuse(torch.cat(torch.unbind(found, 2), 1))
        """)
    )
    (report,) = examine_files([tmp_path / "net.py"], tmp_path, trace=False)
    fed = [given for given in model_of(report).inputs if isinstance(given, Input)]
    assert [given.at for given in fed] == [(0,), (1,), (2,), (3,)]
    assert {given.shape for given in fed} == {("batch", 3, "height", "width")}


def test_arguments_that_are_handed_on_whole_are_those_of_the_method_that_gets_them(
    tmp_path: Path,
) -> None:
    fed = feed(
        tmp_path,
        """
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 4, 3, padding=1)
                self.scale = nn.Linear(5, 4)

            def forward(self, *args, **kwargs):
                if self.training:
                    return self.train_step(*args, **kwargs)
                return self.run(*args, **kwargs)

            def train_step(self, image, code, target):
                return (self.run(image, code) - target).abs().mean()

            def run(self, image, code):
                # code has the shape
                # [batch, features]
                return self.stem(image) * self.scale(code)[:, :, None, None]
        """,
    )
    assert len(fed["image"].shape) == 4
    assert fed["code"].shape == ("batch", 5)


def test_a_length_that_only_rounding_lets_vary_does_not(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Signals(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv1d(1, 4, 8, stride=8)
                self.head = nn.Linear(4 * 21, 2)

            def forward(self, x):
                return self.head(self.stem(x).flatten(1))
        """,
    )
    assert fed["x"].shape[:2] == ("batch", 1)
    assert isinstance(fed["x"].shape[2], int)


def test_a_length_that_a_part_keeps_is_fed(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Steps(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.seq_len = 5
                self.lstm = nn.LSTM(width, 6, batch_first=True)
                self.weigh = nn.Linear(self.seq_len, 2)

            def forward(self, x):
                x = self.lstm(x)[0].transpose(1, 2)
                return self.weigh(x)

        class Whole(nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = Steps(3)

            def forward(self, series):
                return self.steps(series)
        """,
    )
    assert fed["series"].shape[1:] == (5, 3)


def test_several_arguments_that_are_joined_are_no_list(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Actor(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(6, 2)

            def forward(self, *inputs):
                return self.layer(torch.cat(inputs, dim=1))
        """,
    )
    assert fed["inputs"].shape == ("batch", 6)


def test_the_names_that_a_size_is_taken_apart_into_tell_its_axes(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Joints(nn.Module):
            def __init__(self, num_person=2, in_channels=3, places=18):
                super().__init__()
                self.norm = nn.BatchNorm1d(in_channels * places)
                self.head = nn.Linear(num_person, 4)

            def forward(self, x):
                N, C, T, V, M = x.size()
                x = x.permute(0, 4, 3, 1, 2).contiguous().view(N * M, V * C, T)
                x = self.norm(x)
                return self.head(x.view(N, M, -1).mean(2))
        """,
    )
    assert fed["x"].shape[:3] == ("batch", 3, "sequence")
    assert fed["x"].shape[3:] == (18, 2)


def test_what_picks_rows_of_a_buffer_is_a_number_for_each_sample(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Score(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("sigmas", torch.linspace(1, 0.1, 7))
                self.stem = nn.Conv2d(3, 3, 3, padding=1)

            def forward(self, x, y):
                used = self.sigmas[y].view(x.shape[0], *([1] * len(x.shape[1:])))
                return self.stem(x) / used
        """,
    )
    assert fed["y"] == Input("y", "int64", ("batch",), 0, 7)
    assert fed["x"].shape == ("batch", 3, "height", "width")


def test_a_heavy_model_is_tried_with_one_side_alone_smaller() -> None:
    found = list(list_lighter_sizes({"batch": 2, "height": 384, "width": 201}))
    assert found[0]["height"] < 384
    assert {"batch": 2, "height": 96, "width": 201} in found[1:]


def test_rows_that_forward_takes_apart_are_as_wide_as_the_model_says(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Mixer(nn.Module):
            def __init__(self, agents=3, width=12):
                super().__init__()
                self.agents, self.width = agents, width
                self.weights = nn.Linear(width, agents)

            def forward(self, values, states):
                count = values.size(0)
                weights = self.weights(states.reshape(-1, self.width)).view(-1, self.agents, 1)
                values = values.view(-1, 1, self.agents)
                return torch.bmm(values, weights).view(count, -1, 1)
        """,
    )
    assert fed["values"].shape == ("batch", "sequence", 3)
    assert fed["states"].shape == ("batch", "sequence", 12)


def test_rows_that_stay_rows_have_no_steps(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Critic(nn.Module):
            def __init__(self, width=12):
                super().__init__()
                self.width, self.layer = width, nn.Linear(width, 1)

            def forward(self, states):
                return self.layer(states.view(-1, self.width))
        """,
    )
    assert fed["states"].shape == ("batch", 12)


def test_a_volume_outgrows_the_window_of_a_pool() -> None:
    volume = Input("x", "float32", ("batch", 3, "depth", "height", "width"))
    guess = Guess((volume,), {"batch": 2, "depth": 32, "height": 64, "width": 64})
    said = "input image (T: 4 H: 2 W: 2) smaller than kernel size (kT: 2 kH: 7 kW: 7)"
    first = next(suggest_repairs(guess, said))
    assert first.sizes == {"batch": 2, "depth": 32, "height": 224, "width": 224}


def test_axes_are_read_with_stars_between_them_and_sides_that_are_alike(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.last = nn.Embedding(20, 8), nn.Linear(40, 4)

        def forward(self, images, words, lengths):
            \"\"\"Inputs:
            images: features, a tensor of dimension (batch_size, map_size, map_size, 32)
            words = indices of words    [batch * len_w]
            lengths: a tensor of dimension (batch_size, 1)
            \"\"\"
            lengths, order = lengths.squeeze(1).sort(0, descending=True)
            rows = self.table(words[order])
            mean = images[order].flatten(1, 2).mean(1, keepdim=True)
            both = torch.cat([rows, mean.expand(-1, rows.shape[1], -1)], 2)
            return self.last(both)[:, : max(lengths.tolist())]
    """,
    )
    assert fed["images"].shape == ("batch", "height", "width", 32)
    assert fed["words"].shape == ("batch", "sequence")
    assert (fed["lengths"].shape, fed["lengths"].longest) == (("batch", 1), "sequence")


def test_axes_in_two_kinds_of_brackets_that_add_up_what_settings_tell(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        '''
        class Step(nn.Module):
            def __init__(self, covariates=4):
                super().__init__()
                self.covariates = covariates
                self.table = nn.Embedding(30, 6)
                self.cell = nn.LSTM(1 + covariates + 6, 12, 3)

            def forward(self, x, idx, hidden, cell):
                """
                Args:
                    x ([1, batch_size, 1+covariates]): the last value and what is known of it
                    idx ([1, batch_size]): one number of a series
                    hidden ([3, batch_size, 12]): of the step before
                    cell ([3, batch_size, 12]): of the step before
                """
                joined = torch.cat((x, self.table(idx)), 2)
                return self.cell(joined, (hidden, cell))[0]
        ''',
    )
    assert fed["x"].shape == (1, "batch", 5)
    assert (fed["x"].dtype, fed["idx"].dtype) == ("float32", "int64")
    assert fed["idx"].shape == (1, "batch")
    assert fed["hidden"].shape == fed["cell"].shape == (3, "batch", 12)


def test_what_is_taken_apart_after_it_was_looked_up_is_a_row_of_words(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Sentence(nn.Module):
            def __init__(self, width=12):
                super().__init__()
                self.width = width
                self.table = nn.Embedding(40, width)
                self.head = nn.Linear(width, 3)

            def forward(self, words):
                batch = words.size(0)
                words = self.table(words)
                words = words.view(-1, self.width)
                return self.head(words).view(batch, -1, 3)
        """,
    )
    assert fed["words"].shape == ("batch", "sequence")


def test_rows_of_which_the_steps_are_asked_for_have_steps_of_their_own(tmp_path: Path) -> None:
    fed = feed(
        tmp_path,
        """
        class Compare(nn.Module):
            def __init__(self, width=12):
                super().__init__()
                self.width = width
                self.first = nn.Linear(width, width)

            def forward(self, one, other):
                steps = one.size(1)
                seen = self.first(one.view(-1, self.width)).view(-1, steps, self.width)
                beside = self.first(other.view(-1, self.width)).view(-1, other.size(1), self.width)
                return torch.bmm(seen, beside.transpose(1, 2))
        """,
    )
    assert fed["one"].shape[0] == fed["other"].shape[0] == "batch"
    assert fed["one"].shape[2] == fed["other"].shape[2] == 12
    assert isinstance(fed["one"].shape[1], str)
    assert fed["one"].shape[1] != fed["other"].shape[1]
