"""What a model is fed that keeps how many samples it takes, takes `*input`, or is given halves of a state."""

from __future__ import annotations

from pathlib import Path

from test_feed_several import feed_models


def test_as_many_samples_are_fed_as_a_model_keeps(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Text(nn.Module):
        def __init__(self):
            super().__init__()
            self.batch_size, self.max_len = 6, 20
            self.table = nn.Embedding(50, 24)
            self.rnn = nn.LSTM(24, 8, batch_first=True)
            self.state = (torch.zeros(1, 6, 8), torch.zeros(1, 6, 8))

        def forward(self, x):
            words = self.table(x).view(self.batch_size, self.max_len, -1)
            return self.rnn(words, self.state)[0].mean(1)
    """,
    )
    assert fed["Text"] == ["int64[6, 20] in 0..48"]


def test_each_part_of_a_star_is_fed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Register(nn.Module):
        def __init__(self):
            super().__init__()
            self.points = nn.Conv1d(3, 8, 1)

        def forward(self, *input):
            source = input[0]
            target = input[1]
            return self.points(source).amax(2) - self.points(target).amax(2)


    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.other = nn.Linear(5, 4), nn.Linear(7, 4)

        def forward(self, *given):
            left, right = given
            return self.one(left) + self.other(right)
    """,
    )
    assert fed["Register"] == ["float32[batch, 3, length]", "float32[batch, 3, length_target]"]
    assert fed["Pair"] == ["float32[batch, 5]", "float32[batch, 7]"]


def test_halves_of_a_state_are_fed_apart(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Actor(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3, stride=2)
            self.cell = nn.LSTMCell(8 * 4 * 4, 16)
            self.head = nn.Linear(16, 4)

        def forward(self, image, hx, cx):
            seen = nn.functional.max_pool2d(self.conv(image).relu(), 4).flatten(1)
            hx, cx = self.cell(seen, (hx, cx))
            return self.head(hx), hx, cx
    """,
    )
    assert fed["Actor"][1:] == ["float32[batch, 16]"] * 2


def test_a_label_that_layers_in_a_loop_look_up_is_one_a_sample(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.kinds, self.conv = nn.Embedding(7, 8), nn.Conv2d(8, 8, 3, padding=1)

        def forward(self, x, kind):
            return self.conv(x) + self.kinds(kind)[:, :, None, None]


    class Pixels(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(16, 8)
            self.layers = nn.ModuleList(Block() for _ in range(2))

        def forward(self, x, label):
            x = self.table(x).permute(0, 3, 1, 2)
            for number, layer in enumerate(self.layers):
                x = layer(x, label)
            return x
    """,
    )
    assert fed["Pixels"][1] == "int64[batch] in 0..6"


def test_sides_stay_those_at_which_a_view_keeps_samples_apart(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Coder(nn.Module):
        def __init__(self):
            super().__init__()
            self.input_size = [1, 28, 28]
            self.net = nn.Sequential(nn.Conv2d(1, 8, 4, 4), nn.Conv2d(8, 32, 7))
            self.head = nn.Linear(32, 4)

        def forward(self, x):
            return self.head(self.net(x).view(-1, 32))
    """,
    )
    assert fed["Coder"] == ["float32[batch, 1, 28, 28]"]


def test_a_class_may_stand_in_the_place_of_a_layer_of_torch(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class LayerNorm(nn.Module):
        def __init__(self, num_features):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(num_features))

        def forward(self, x):
            return self.scale * x / x.std(1, keepdim=True)

    nn.LayerNorm = LayerNorm


    class Value(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.head = nn.LayerNorm(12), nn.Linear(12, 1)

        def forward(self, state):
            return self.head(self.norm(state))
    """,
    )
    assert fed["Value"] == ["float32[batch, 12]"]


def test_whole_numbers_reach_all_rows_of_the_table_that_they_are_looked_up_in(
    tmp_path: Path,
) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(16, 16, batch_first=True)
            self.words = nn.Embedding(70, 16)
            self.kinds = nn.Embedding(300, 16)

        def step(self, words, kinds):
            return self.rnn(self.words(words) + self.kinds(kinds))[0]

        def forward(self, words, kinds):
            return self.step(words, kinds)
    """,
    )
    assert fed["Decoder"] == ["int64[batch, sequence] in 0..68", "int64[batch, sequence] in 0..299"]


def test_a_model_may_keep_something_by_the_name_of_a_method_of_modules(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.modules = nn.Linear(6, 8), []
            self.modules.append(self.one)

        def forward(self, x):
            return self.modules[0](x)
    """,
    )
    assert fed["Net"] == ["float32[batch, 6]"]
