"""What stands beside a map or a signal: masks of its places, queries, levels of noise, and coordinates that are put to its channels."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files, write_files
from test_feed_asked import feed_models


def test_masks_and_queries_beside_a_map_that_becomes_steps(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Places(nn.Module):
        def __init__(self, dim=16):
            super().__init__()
            self.inner = nn.MultiheadAttention(dim, 4)
            self.asked = nn.MultiheadAttention(dim, 4)

        def forward(self, src, mask, query_embed):
            batch, dim, height, width = src.shape
            steps = src.flatten(2).permute(2, 0, 1)
            mask = mask.flatten(1)
            kept = self.inner(steps, steps, steps, key_padding_mask=mask)[0]
            found = self.asked(query_embed, query_embed, query_embed)[0]
            return self.asked(found, kept, kept, key_padding_mask=mask)[0]
    """,
    )
    src, mask, query = fed["Places"][1:-1].split("', ")
    assert src == "'float32[batch=2, 16, height=64, width=64]"
    assert mask == "'bool[batch=2, height=64, width=64]"
    assert query == "'float32[sequence=16, batch=2, 16]'"


def test_a_level_of_noise_meets_a_row_as_a_column(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Rates(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rates", torch.rand(6))
            self.scale, self.inner = 3.0, nn.Linear(6, 8)

        def forward(self, noise_level):
            return self.inner(torch.sin(self.scale * noise_level.float() * self.rates.unsqueeze(0)))


    class Level(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.rates = nn.Conv1d(1, 8, 3, padding=1), Rates()

        def forward(self, audio, noise_level):
            told = self.rates(noise_level)
            return (self.body(audio.unsqueeze(1)) + told.unsqueeze(-1)).mean(1)
    """,
    )
    assert fed["Level"] == "['float32[batch=2, length=256]', 'int64[batch=2, 1] in 0..99']"


def test_coordinates_and_rows_beside_a_map_leave_room_for_them(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Modulated(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.last = nn.Conv2d(34, 8, 3, padding=1), nn.Conv2d(8, 4, 1)

        def forward(self, x, film):
            where = torch.zeros(x.shape[0], 2, *x.shape[2:])
            found = self.stem(torch.cat([x, where], 1))
            scale = film[:, :, :8][:, 0].unsqueeze(2).unsqueeze(3).expand_as(found)
            return self.last(found * scale)
    """,
    )
    first, second = fed["Modulated"][2:-2].split("', '")
    assert first == "float32[batch=2, 32, height=32, width=32]"
    assert second.startswith("float32[batch=2, sequence=16, ")


def test_a_vocabulary_has_the_tables_that_a_constructor_takes_out(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Answers(nn.Module):
        def __init__(self, vocab):
            super().__init__()
            self.words = vocab["answer_idx_to_token"]
            many = len(vocab["question_token_to_idx"])
            assert isinstance(self.words[0], str)
            self.table, self.last = nn.Embedding(many, 8), nn.Linear(8, len(self.words))

        def forward(self, question):
            return self.last(self.table(question).mean(1))
    """,
    )
    assert fed["Answers"].startswith("['int64[batch=2, sequence=16]")


def test_a_model_that_is_fed_by_a_method_is_told_to_take_nothing(tmp_path: Path) -> None:
    text = """
    import torch
    from torch import nn
    class Kept(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.data = nn.Linear(4, 4), None
        def set_data(self, data):
            self.data = data
        def forward(self):
            return self.inner(self.data["x"])
    """
    files = write_files(tmp_path, {"kept": text})
    (report,) = examine_files(files, tmp_path, trace=False)
    assert report.failure is not None
    assert report.failure.cause == "its forward takes nothing that could be fed"


def test_nodes_are_of_each_sample_where_the_matrix_that_joins_them_is(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Joined(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.rand(12, 8))
            self.last = nn.Linear(8, 3)

        def forward(self, x, adj, batch_num_nodes):
            # [batch_size x num_nodes x next_lvl_num_nodes]
            mask = torch.arange(adj.size()[1])[None] < batch_num_nodes[:, None]
            found = torch.matmul(torch.matmul(adj, x), self.weight)
            found = nn.functional.normalize(found, p=2, dim=2) * mask[:, :, None]
            return self.last(found.mean(1))
    """,
    )
    nodes, joined = fed["Joined"][2:-2].split("', '")[:2]
    assert (nodes, joined) == (
        "float32[batch=2, sequence=16, 12]",
        "float32[batch=2, sequence=16, sequence=16]",
    )
