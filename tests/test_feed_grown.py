"""Steps that grow to what a model keeps, nodes beside layers, pairs in a constructor, and starts behind one too large."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_steps_grow_until_what_is_made_of_them_is_as_long_as_a_mask(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Pyramid(nn.Module):
        def __init__(self, steps=168):
            super().__init__()
            self.mask = torch.zeros(1, steps + steps // 4 + steps // 16 + 1)
            self.inner = nn.Linear(7, 4)

        def forward(self, x):
            batch, steps, width = x.shape
            assert steps > 8
            x = self.inner(x)
            scales = [x, x[:, : steps // 4], x[:, : steps // 16], x[:, :1]]
            return torch.cat(scales, 1).mean(-1) + self.mask
    """,
    )
    assert models["Pyramid"] == "['float32[batch=2, 168, 7]']"


def test_what_multiplies_rows_for_a_layer_joins_them(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Hops(nn.Module):
        def __init__(self, width=9):
            super().__init__()
            self.first, self.last = nn.Linear(width, 6), nn.Linear(6, 3)

        def forward(self, A, x):
            degree = A.sum(1)
            assert degree.min() > 0 and len(A) == len(x)
            x = self.first(torch.mm(A, x)).relu()
            return self.last(torch.mm(A, x))
    """,
    )
    assert models["Hops"] == "['float32[nodes=16, nodes=16] in 0..1', 'float32[nodes=16, 9]']"


def test_tables_and_dropouts_are_made_up_as_a_constructor_takes_them_apart(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Columns(nn.Module):
        def __init__(self, emb_dims, layer_sizes, layer_dropouts):
            super().__init__()
            self.tables = nn.ModuleList([nn.Embedding(n, width) for n, width in emb_dims])
            width = sum(width for n, width in emb_dims)
            self.layers = nn.ModuleList(nn.Linear(width, size) for size in layer_sizes)
            self.drops = nn.ModuleList(nn.Dropout(share) for share in layer_dropouts)

        def forward(self, columns):
            x = torch.cat([table(columns[:, n]) for n, table in enumerate(self.tables)], 1)
            return sum(drop(layer(x)).mean(1) for layer, drop in zip(self.layers, self.drops))
    """,
    )
    assert models["Columns"].startswith("['int64[batch=2, sequence=16] in 0..")


def test_a_start_that_meets_the_limit_of_memory_ends_no_search(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Squares(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.image = nn.Linear(5, 4), nn.Conv2d(3, 4, 1)

        def forward(self, x):
            if x.dim() == 4:
                return torch.empty(1 << 44) + self.image(x).mean()
            return self.inner(x)
    """,
    )
    assert models["Squares"].startswith("['float32[batch=2")


def test_a_loss_is_given_a_class_for_each_row_and_a_mask_the_steps_of_its_text(
    tmp_path: Path,
) -> None:
    models = feed_models(
        tmp_path,
        """
    class Words(nn.Module):
        def __init__(self, words=50):
            super().__init__()
            self.table, self.last = nn.Embedding(words, 8), nn.Linear(8, words)
            self.loss = nn.CrossEntropyLoss()

        def forward(self, inputs, targets):
            found = self.last(self.table(inputs)).flatten(0, 1)
            return self.loss(found, targets), found


    class Captions(nn.Module):
        def __init__(self, words=50):
            super().__init__()
            self.stem, self.table = nn.Conv2d(3, 8, 3), nn.Embedding(words, 8)
            self.places, self.attend = nn.Parameter(torch.zeros(12, 8)), nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, image, target, target_mask):
            text = self.table(target) + self.places
            text = text + self.stem(image).mean((2, 3)).unsqueeze(1)
            return self.attend(text, text, text, key_padding_mask=target_mask)[0]
    """,
    )
    assert models["Words"].endswith("'int64[32] in 0..49']")
    assert models["Captions"].endswith("'int64[batch=2, 12] in 0..48', 'bool[batch=2, 12]']")
