"""What errors about cuts, splits, products and rows tell of what several inputs are put together of."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_what_is_split_cut_or_made_one_row_is_as_wide_as_its_parts(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Rays(nn.Module):
        def __init__(self):
            super().__init__()
            self.points, self.views = nn.Linear(3, 8), nn.Linear(5, 8)

        def forward(self, x):
            points, views = torch.split(x, [3, 5], dim=-1)
            return self.points(points) + self.views(views)


    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.state = nn.Linear(4, 4)

        def forward(self, state, adjacency):
            inner = self.state(state)
            return state + adjacency[:, :, :6] @ inner + torch.bmm(adjacency[:, :, 6:], inner)


    class Row(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.GRU(8, 4)

        def forward(self, x):
            return self.cell(x.view(1, 1, -1))[0]
    """,
    )
    assert fed["Rays"] == "['float32[batch=2, 8]']"
    assert fed["Gated"] == "['float32[batch=2, 6, 4]', 'float32[batch=2, 6, 12]']"
    assert fed["Row"] == "['float32[1, 8]']"


def test_the_vector_of_a_speaker_is_as_wide_as_the_text_leaves_room_for(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Speech(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.last = nn.Embedding(20, 8), nn.Linear(32, 4)

        def forward(self, text, speaker_embedding):
            text = self.table(text)
            voice = speaker_embedding[:, None].expand(-1, text.shape[1], -1)
            return self.last(torch.cat([text, voice], 2))
    """,
    )
    assert fed["Speech"] == "['int64[batch=2, sequence=16] in 0..18', 'float32[batch=2, 24]']"


def test_values_beside_what_is_looked_up_are_one_a_field(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Fields(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList([nn.Embedding(20, 4), nn.Embedding(30, 4)])

        def forward(self, index, value):
            rows = [
                (table(index[:, n, :]).sum(1).t() * value[:, n]).t()
                for n, table in enumerate(self.tables)
            ]
            return sum(rows)
    """,
    )
    values = "['int64[batch=2, sequence=16, 2] in 0..19', 'float32[batch=2, sequence_value=16]']"
    assert fed["Fields"] == values


def test_what_the_first_inputs_are_put_together_to_is_shared_among_them(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.both, self.query = nn.Linear(3, 24), nn.Linear(2, 24)

        def forward(self, context_x, context_y, target_x):
            seen = self.both(torch.cat([context_x, context_y], dim=-1))
            batch, steps = seen.size(0), seen.size(1)
            seen = seen.view(batch, steps, 2, 12).mean((1, 2))
            return self.query(target_x).view(batch, target_x.size(1), 2, 12) * seen[:, None, None]
    """,
    )
    assert "float32[batch=2, sequence=16, 2]', 'float32[batch=2, sequence=16, 1]" in fed["Mix"]


def test_both_ends_of_an_edge_have_their_share_of_a_row(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Messages(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(8, 6)
            self.register_buffer("ends", torch.eye(5)[[0, 1, 2, 3]])

        def forward(self, nodes):
            nodes = nodes[:, :, 0::1, :]
            ends = torch.matmul(self.ends, nodes.transpose(1, 2))
            return self.head(torch.cat([ends, ends.flip(2)], dim=-1))
    """,
    )
    assert fed["Messages"] == "['float32[batch=2, 5, height=64, 4]']"
