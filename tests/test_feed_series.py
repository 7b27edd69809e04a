"""Series, graphs and rows are fed as models keep and tell them, and constructors get sequences that fit."""

from __future__ import annotations

from pathlib import Path

import torch
from examining import examine_files, write_files
from reported import model_of, subject_of

from lintorch.guest.construct.found_settings import guess_setting_by_name
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.repair_guess import suggest_repairs
from lintorch.record.input_notation import write_arguments
from lintorch.record.model_options import ModelLimits
from lintorch.record.models import Input

HEAD = """
    import torch
    from torch import nn
"""


def feed_models(folder: Path, text: str, **others: str) -> dict[str, list[str]]:
    """What each model of `net.py` is fed, by class; `others` are files beside it."""
    files = write_files(folder, {"net": HEAD + text, **others})[:1]
    reports = examine_files(files, folder, trace=False, limits=ModelLimits(seconds=60))
    assert [report.failure for report in reports if report.failure] == []
    models = {subject_of(report).qualname: model_of(report) for report in reports}
    return {name: write_arguments(m.inputs, m.sizes) for name, m in models.items()}


def test_a_series_is_as_long_and_as_wide_as_the_model_keeps(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Forecaster(nn.Module):
        def __init__(self, seq_length=48, enc_in=7):
            super().__init__()
            self.seq_length, self.feature_size = seq_length, enc_in
            self.scale = nn.Parameter(torch.ones(enc_in, 4))
            self.last = nn.Linear(seq_length * 4, 12)

        def forward(self, x):
            # x: [Batch, Input length, Channel]
            samples, steps, values = x.shape
            x = x.permute(0, 2, 1).unsqueeze(3) * self.scale[:, None]
            return self.last(x.reshape(samples, values, -1))
    """,
    )
    assert fed == {"Forecaster": ["float32[batch=2, 48, 7]"]}


def test_a_matrix_that_is_said_to_be_of_adjacency_joins_the_nodes_of_the_other_input(
    tmp_path: Path,
) -> None:
    fed = feed_models(
        tmp_path,
        '''
    class Spread(nn.Module):
        """Input should have shape (batch_size, num_nodes, num_steps, num_features)."""

        def __init__(self, num_nodes=9, num_features=5):
            super().__init__()
            self.layer, self.norm = nn.Linear(num_features, 3), nn.BatchNorm2d(num_nodes)

        def forward(self, A_hat, X):
            """
            :param X: Data of shape (batch_size, num_nodes, num_timesteps,
            num_features=in_channels).
            :param A_hat: Normalized adjacency matrix.
            """
            return self.norm(torch.einsum("ij,jklm->kilm", A_hat, self.layer(X).transpose(0, 1)))
    ''',
    )
    (graph, data) = fed["Spread"]
    assert graph == "float32[9, 9]"
    assert data.startswith("float32[batch=2, 9, ")
    assert data.endswith(", 5]")


def test_what_a_function_of_the_project_takes_for_a_tensor_is_one(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    def make_mask(lengths, longest=None):
        count = lengths.shape[0]
        longest = torch.max(lengths).item() if longest is None else longest
        places = torch.arange(0, longest).unsqueeze(0).expand(count, -1)
        return places >= lengths.unsqueeze(1).expand(-1, longest)

    class Speaker(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(30, 8)

        def forward(self, text, src_len, max_src_len=None):
            mask = make_mask(src_len, max_src_len)
            return self.words(text).masked_fill(mask.unsqueeze(-1), 0.0)
    """,
    )
    assert fed["Speaker"][:2] == [
        "int64[batch=2, sequence=16] in 0..28",
        "int64[batch=2] down from sequence",
    ]


def test_a_sequence_whose_ends_are_asked_for_has_something_between_and_is_a_list(
    tmp_path: Path,
) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Coder(nn.Module):
        def __init__(self, dims, others=None):
            super().__init__()
            self.dims = dims
            if others:
                assert others[0] == dims[-1]
            self.others = others or dims[::-1]
            wide = self.others[:-1] + [self.others[-1] * 2]
            assert dims[0] > 0
            wide = self.dims[:-1] + [dims[-1] * 2]
            self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(wide[:-1], wide[1:]))

        def forward(self, x):
            for layer in self.layers:
                kept = x = layer(x)
            return kept
    """,
    )
    assert fed == {"Coder": ["float32[batch=2, 16]"]}


def test_states_in_halves_get_the_axis_of_layers_that_an_lstm_asks_for() -> None:
    halves = [Input("state", "float32", ("batch", 12), at=(half,)) for half in (0, 1)]
    word = Input("word", "float32", ("batch", 8))
    said = "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors"
    first = next(suggest_repairs(Guess((word, *halves), {"batch": 2}), said))
    assert [given.shape for given in first.inputs] == [
        ("batch", 8),
        (1, "batch", 12),
        (1, "batch", 12),
    ]


def test_a_cell_is_fed_as_many_samples_as_its_state_has(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Cell(nn.Module):
        def __init__(self, batch_size=12):
            super().__init__()
            self.batch_size = batch_size
            self.cell = nn.LSTMCell(6, 9)
            self.hidden = self.begin()

        def begin(self):
            return torch.zeros(self.batch_size, 9), torch.zeros(self.batch_size, 9)

        def forward(self, x):
            return self.cell(x, self.hidden)[0]
    """,
    )
    assert fed == {"Cell": ["float32[12, 6]"]}


def test_frames_that_a_loop_takes_in_turn_are_as_many_as_it_takes(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Foretelling(nn.Module):
        def __init__(self, total_length=13):
            super().__init__()
            self.total_length = total_length
            self.step = nn.Conv2d(1, 1, 3, padding=1)

        def forward(self, frames_tensor):
            # [batch, length, height, width, channel]
            frames = frames_tensor.permute(0, 1, 4, 2, 3)
            told = []
            for t in range(self.total_length - 1):
                told.append(self.step(frames[:, t]))
            told = torch.stack(told, 1).permute(0, 1, 3, 4, 2)
            return told, ((told - frames_tensor[:, 1:]) ** 2).mean()
    """,
    )
    ((frames,),) = fed.values()
    assert frames.startswith("float32[batch=2, 13, ")


def test_beside_an_image_a_mask_and_edges_have_one_channel() -> None:
    shapes = {"image": 3, "edges": 3, "masks": 3}
    given = [
        Input(name, "float32", ("batch", channels, "height", "width"))
        for name, channels in shapes.items()
    ]
    guess = Guess.of_arguments(given, {"batch": 2, "height": 64, "width": 64})
    error = "expected input[2, 6, 64, 64] to have 4 channels, but got 6 channels instead"
    first = next(suggest_repairs(guess, error))
    assert [each.shape[1] for each in first.inputs] == [3, 1, 1]


def test_settings_of_files_and_types_are_what_their_names_say() -> None:
    names = ("PATH", "save_dir", "pretrained_file", "profile", "dtypeFloat", "dtype_long")
    made = [guess_setting_by_name(name) for name in names]
    assert made == ["", "", "", 8, torch.float32, torch.int64]


def test_points_are_rows_and_arguments_are_words_of_a_list_or_vocabularies(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    WIDTHS = {"res18": 4, "res50": 8}

    class Points(nn.Module):
        def __init__(self):
            super().__init__()
            self.each = nn.Sequential(nn.Linear(3, 8), nn.ELU())
            self.all = nn.Linear(8, 5)

        def forward(self, points):
            return self.all(self.each(points).sum(dim=1))

    class Chosen(nn.Module):
        def __init__(self, backbone):
            super().__init__()
            assert backbone in WIDTHS
            self.layer = nn.Linear(WIDTHS[backbone], 2)

        def forward(self, x):
            return self.layer(x)

    class Worded(nn.Module):
        def __init__(self, word_dict, tag_to_ix):
            super().__init__()
            self.words = nn.Embedding(len(word_dict), 4)
            self.tags = nn.Linear(4, len(tag_to_ix.keys()))

        def forward(self, words):
            return self.tags(self.words(words))
    """,
        train="""
    from argparse import ArgumentParser
    parser = ArgumentParser()
    parser.add_argument("--backbone", default="res50")
    """,
    )
    assert fed == {
        "Points": ["float32[batch=2, sequence=16, 3]"],
        "Chosen": ["float32[batch=2, 8]"],
        "Worded": ["int64[batch=2, sequence=16] in 0..10"],
    }
