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
