"""What stands beside the first input: targets of a loss, masks of each two steps, ratings of a user; and kept series."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_targets_are_as_the_loss_asks(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Segments(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv2d(3, 1, 3, padding=1)

        def forward(self, sample):
            x, y = sample["image"], sample["gt"]
            found = self.first(x)
            loss = nn.functional.binary_cross_entropy_with_logits(found, y.sigmoid())
            return {"pred": found, "loss": loss}


    class Picks(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.last, self.loss = nn.Embedding(30, 8), nn.Linear(8, 5), nn.CrossEntropyLoss()

        def forward(self, nodes, target):
            found = self.last(self.table(nodes))
            return self.loss(found, target), found
    """,
    )
    image = "float32[batch=2, 3, height=64, width=64]"
    target = "float32[batch=2, 1, height=64, width=64]"
    assert fed["Segments"] == str([{"image": image, "gt": target}])
    assert fed["Picks"].count("int64[batch=2]") == 2


def test_a_mask_that_only_as_many_samples_as_heads_take_tells_of_each_two_steps(
    tmp_path: Path,
) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.first = nn.Embedding(50, 8), nn.Linear(8, 8)

        def forward(self, words, mask):
            batch, steps = words.shape
            found = self.first(self.table(words)).view(batch, steps, 2, 4).transpose(1, 2)
            scores = (found @ found.transpose(2, 3)).masked_fill(mask.unsqueeze(1), -1e9)
            return (scores.softmax(-1) @ found).transpose(1, 2).reshape(batch, steps, 8)


    class Padded(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.first = nn.Embedding(50, 8), nn.Linear(8, 8)

        def forward(self, words, mask):
            return self.first(self.table(words)).masked_fill(mask.unsqueeze(-1), 0)
    """,
    )
    words = "'int64[batch=2, sequence=16] in 0..48'"
    assert fed["Encoder"] == f"[{words}, 'bool[batch=2, sequence=16, sequence=16]']"
    assert fed["Padded"] == f"[{words}, 'bool[batch=2, sequence=16]']"


def test_a_user_has_one_row_of_ratings(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Ratings(nn.Module):
        def __init__(self, num_users=20, num_items=30):
            super().__init__()
            self.users, self.encoder = nn.Embedding(num_users, 6), nn.Linear(num_items, 6)
            self.decoder = nn.Linear(6, num_items)

        def forward(self, user_id, rating_matrix):
            wide = rating_matrix.norm(2, 1).view(-1, 1) @ rating_matrix.norm(2, 0).view(1, -1)
            return self.decoder(self.encoder(rating_matrix / wide) + self.users(user_id))
    """,
    )
    assert fed["Ratings"] == "['int64[batch=2] in 0..19', 'float32[batch=2, 30]']"


def test_a_series_and_a_video_are_as_long_and_wide_as_the_model_keeps(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Segmented(nn.Module):
        def __init__(self, seq_len=24, enc_in=5, seg_len=8):
            super().__init__()
            self.seq_len, self.enc_in, self.seg_len = seq_len, enc_in, seg_len
            self.value, self.rnn = nn.Linear(seg_len, 6), nn.GRU(6, 6, batch_first=True)
            self.place = nn.Parameter(torch.randn(enc_in, 1, 6))

        def forward(self, x):
            batch = x.size(0)
            parts = x.transpose(1, 2).reshape(-1, self.seq_len // self.seg_len, self.seg_len)
            last = self.rnn(self.value(parts))[1]
            return self.rnn(self.place.repeat(batch, 1, 1), last)[0]


    class Scaled(nn.Module):
        def __init__(self, num_features=4):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))

        def forward(self, x):
            centred = x - x.mean(tuple(range(1, x.ndim - 1)), keepdim=True)
            return centred * self.weight + self.bias


    class Video(nn.Module):
        def __init__(self, t_dim=12, img_x=20, img_y=28):
            super().__init__()
            self.t_dim, self.img_x, self.img_y = t_dim, img_x, img_y
            self.first, self.last = nn.Conv3d(1, 2, 3, 2), nn.Linear(2 * 5 * 9 * 13, 3)

        def forward(self, x_3d):
            return self.last(self.first(x_3d).flatten(1))


    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.rnn = nn.Embedding(30, 8), nn.GRU(8, 6, batch_first=True)

        def forward(self, x):
            found = self.rnn(self.table(x))[0]
            return found.view(x.shape[0] * x.shape[1], -1)
    """,
    )
    assert fed["Segmented"] == "['float32[batch=2, 24, 5]']"
    assert fed["Scaled"] == "['float32[batch=2, sequence=16, 4]']"
    assert fed["Video"] == "['float32[batch=2, 1, 12, 20, 28]']"
    assert fed["Rows"] == "['int64[1, sequence=16] in 0..28']"
