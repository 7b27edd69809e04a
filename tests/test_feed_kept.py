"""What names, cuts, kept sides and shipped settings say of what a model is built with and fed."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files
from reported import model_of
from test_feed_asked import feed_models

from lintorch.record.model_options import ModelLimits


def test_rows_of_users_and_items_are_one_a_sample(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Factors(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.items = nn.Embedding(20, 8), nn.Embedding(30, 8)

        def forward(self, user_ids, item_ids):
            return (self.users(user_ids) * self.items(item_ids)).sum(-1)


    class Rated(nn.Module):
        def __init__(self, num_users, num_items):
            super().__init__()
            self.users, self.items = nn.Embedding(num_users, 8), nn.Embedding(num_items, 8)

        def forward(self, u_id, i_id):
            return (self.users(u_id) * self.items(i_id)).sum(1)


    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 8)

        def forward(self, tokens):
            return self.table(tokens).sum(1)
    """,
    )
    assert fed == {
        "Factors": "['int64[batch=2] in 0..19', 'int64[batch=2] in 0..29']",
        "Rated": "['int64[batch=2] in 0..127', 'int64[batch=2] in 0..127']",
        "Words": "['int64[batch=2, sequence=16] in 0..18']",
    }


def test_an_axis_that_forward_takes_away_is_one(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Parts(nn.Module):
        def __init__(self):
            super().__init__()
            self.points, self.last = nn.Conv1d(3, 8, 1), nn.Linear(24, 5)

        def forward(self, points, label):
            best = self.points(points).max(2)[0]
            return self.last(torch.cat([best, label.squeeze(1)], 1))
    """,
    )
    assert fed == {"Parts": "['float32[batch=2, 3, length=256]', 'float32[batch=2, 1, 16]']"}


def test_what_a_cut_leaves_nothing_of_becomes_larger(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Coupling(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(8, 8)

        def forward(self, x):
            lower, upper = x[:, :8], x[:, 8:]
            return torch.cat([lower, upper + self.inner(lower)], 1)


    class Viewed(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(12, 16), nn.Linear(21, 3)

        def forward(self, x):
            place, view = x[..., :12], x[..., 12:]
            return self.last(torch.cat([self.first(place), view], -1))
    """,
    )
    assert fed == {"Coupling": "['float32[batch=2, 16]']", "Viewed": "['float32[batch=2, 17]']"}


def test_what_a_view_lacks_is_an_axis_and_what_is_counted_a_number(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Painter(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.map = nn.Linear(2, 36), nn.Conv2d(5, 3, 3)

        def forward(self, slots):
            return self.map(self.wide(slots).view(-1, 5, 6, 6))


    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.state = nn.Linear(8, 4)

        def forward(self, states, action):
            chosen = torch.zeros(action.size(0), 4).scatter_(1, action.unsqueeze(1), 1)
            return self.state(states) + chosen
    """,
    )
    assert fed == {
        "Painter": "['float32[batch=2, 5, 2]']",
        "Step": "['float32[batch=2, 8]', 'int64[batch=2] in 0..1']",
    }


def test_a_board_has_the_sides_that_are_kept(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Policy(nn.Module):
        def __init__(self, side=6):
            super().__init__()
            self.board_height, self.board_width = side, side + 1
            self.conv, self.last = nn.Conv2d(4, 2, 1), nn.Linear(2 * side * (side + 1), 5)

        def forward(self, state):
            rows = self.conv(state).view(-1, 2 * self.board_height * self.board_width)
            return self.last(rows)
    """,
    )
    assert fed == {"Policy": "['float32[batch=2, 4, 6, 7]']"}


def test_numbers_and_groups_are_those_of_the_project(tmp_path: Path) -> None:
    text = """
import torch
from torch import nn
from options import opts


class Volume(nn.Module):
    def __init__(self, maxdisp, cfg):
        super().__init__()
        self.planes = maxdisp // 4
        self.conv = nn.Conv2d(3, cfg.model.planes * opts.times, 3)

    def forward(self, image):
        return self.conv(image)[..., None].expand(-1, -1, -1, -1, self.planes)
"""
    texts = {
        "net.py": text,
        "train.py": "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--maxdisp', type=int, default=48)\n",
        "options.py": "class Options:\n    times = 3\n\nopts = Options()\nraise ValueError('no data')\n",
        "config/main.yaml": "planes: 1\ndefaults:\n  - model: other\n",
        "config/model/net.yaml": "planes: 5\n",
        "README.md": "",
    }
    for name, content in texts.items():
        tmp_path.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath(name).write_text(content, encoding="utf-8")
    limits = ModelLimits(seconds=60)
    (report,) = examine_files([tmp_path / "net.py"], tmp_path, trace=False, limits=limits)
    assert model_of(report).arguments["maxdisp"] == 48
    assert model_of(report).parameters == 15 * (3 * 9 + 1)
