"""What a model is fed has the axes that its comments and docstrings tell, and whole numbers where it looks them up."""

from __future__ import annotations

import textwrap
from pathlib import Path

from examining import examine_files
from reported import model_of

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
