"""Models that take a state, a list, whole numbers beside fractions, or all samples as one row."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files
from reported import model_of
from test_feed_several import feed_models

from lintorch.record.arguments import TUPLE
from lintorch.record.models import Input


def test_a_state_is_what_the_models_own_method_makes(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Words(nn.Module):
        def __init__(self, layers=2):
            super().__init__()
            self.table, self.out = nn.Embedding(40, 24), nn.Linear(24, 40)
            self.rnns = nn.ModuleList(nn.LSTM(24, 24) for _ in range(layers))

        def forward(self, input, hidden):
            seen, kept = self.table(input), []
            for number, rnn in enumerate(self.rnns):
                seen, state = rnn(seen, hidden[number])
                kept.append(state)
            return self.out(seen), kept

        def init_hidden(self, bsz):
            weight = next(self.parameters())
            return [(weight.new_zeros(1, bsz, 24), weight.new_zeros(1, bsz, 24)) for _ in self.rnns]


    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.rnn, self.out = nn.Embedding(40, 24), nn.GRU(24, 32), nn.Linear(32, 40)

        def init_hidden(self, batch_size=1):
            return torch.zeros(1, batch_size, 32)

        def forward(self, inp, hidden):
            out, hidden = self.rnn(self.table(inp).view(1, -1, 24), hidden)
            return self.out(out.view(-1, 32)), hidden
    """,
    )
    pair = ["float32[1, sequence, 24]"] * 2
    assert fed["Words"] == ["int64[batch, sequence] in 0..38", [pair, pair]]
    assert fed["Step"] == ["int64[batch] in 0..38", "float32[1, batch, 32]"]


def test_what_a_list_takes_up_is_a_list(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Pose(nn.Module):
        def __init__(self, nb_ref_imgs=3):
            super().__init__()
            self.nb_ref_imgs = nb_ref_imgs
            self.conv = nn.Conv2d(3 * (1 + nb_ref_imgs), 8, 3)

        def forward(self, target, others):
            assert len(others) == self.nb_ref_imgs
            seen = [target]
            seen.extend(others)
            return self.conv(torch.cat(seen, 1)).mean((2, 3))
    """,
    )
    image = "float32[batch, 3, height, width]"
    assert fed["Pose"] == [image, [image] * 3]


def test_nodes_and_edges_are_sizes_of_a_graph(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.edge, self.far = nn.Linear(2 * 8 + 1 + 2, 8), nn.Linear(8, 1)
            self.node = nn.Linear(16, 8)

        def forward(self, h, edge_index, coord, edge_attr):
            row, col = edge_index
            apart = coord[row] - coord[col]
            length = (apart**2).sum(1).unsqueeze(1)
            seen = self.edge(torch.cat([h[row], h[col], length, edge_attr], dim=1))
            coord += coord.new_zeros(coord.shape).index_add(0, row, apart * self.far(seen))
            met = h.new_zeros(h.shape).index_add(0, row, seen)
            return self.node(torch.cat([h, met], 1)), coord


    class Graph(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.layer = nn.Linear(4, 8), Layer()

        def forward(self, h, x, edges, vel, edge_attr):
            h, x = self.layer(self.first(h), edges, x + vel, edge_attr)
            return x
    """,
    )
    places = "float32[nodes, 3]"
    edges = ["int64[2, edges] in 0..3", places, "float32[edges, 2]"]
    assert fed["Graph"] == ["float32[nodes, 4]", places, *edges]


def test_places_that_are_written_to_are_fractions(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Moved(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.out = nn.Embedding(20, 8), nn.Linear(8, 8)

        def forward(self, ids, moved):
            moved += self.out(self.table(ids))
            return moved
    """,
    )
    assert [str(each).partition("[")[0] for each in fed["Moved"]] == ["int64", "float32"]


def test_all_samples_in_one_row_are_one(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(40, 8))

        def forward(self, g):
            return self.encoder(g.view(1, -1)).view(-1)
    """,
    )
    assert fed["Whole"] == ["float32[1, 40]"]


def test_a_state_that_stands_beside_an_image_in_one_argument(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.cell = nn.Conv2d(3, 4, 4, stride=4), nn.LSTMCell(4 * 16 * 16, 8)

        def forward(self, inputs):
            image, (hx, cx) = inputs
            x = self.conv(image).view(-1, 4 * 16 * 16)
            return self.cell(x, (hx, cx))
    """,
    )
    assert fed["Policy"] == [
        ["float32[batch, 3, 64, 64]", ["float32[batch, 8]", "float32[batch, 8]"]]
    ]
    (report,) = examine_files([tmp_path / "net.py"], tmp_path, trace=False)
    held = [given.records for given in model_of(report).inputs if isinstance(given, Input)]
    assert held == [(TUPLE,), (TUPLE, TUPLE), (TUPLE, TUPLE)]
