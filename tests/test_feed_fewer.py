"""One number a sample where more axes will not do, ranks that are asserted, stars handed on, and what is written first."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_a_kind_a_time_and_a_mask_beside_an_image_are_one_a_sample(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self, in_channels=3, n_kinds=4):
            super().__init__()
            self.n_kinds = n_kinds
            self.stem, self.kind, self.when = nn.Conv2d(in_channels, 8, 3), nn.Linear(n_kinds, 8), nn.Linear(1, 8)

        def forward(self, x, c, t, context_mask):
            c = nn.functional.one_hot(c, num_classes=self.n_kinds).float()
            c = c * (context_mask[:, None].repeat(1, self.n_kinds) - 1)
            kind = self.kind(c.view(-1, self.n_kinds)).view(-1, 8, 1, 1)
            when = self.when(t.view(-1, 1)).view(-1, 8, 1, 1)
            return self.stem(x) * kind + when
    """,
    )
    beside = "'int64[batch=2] in 0..1', 'float32[batch=2]', 'float32[batch=2]'"
    assert fed == {"Net": f"['float32[batch=2, 3, height=64, width=64]', {beside}]"}


def test_a_rank_that_is_asserted_is_fed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def forward(self, query, support):
            assert query.dim() == 3
            assert support.dim() == 3
            return torch.cdist(query, support)
    """,
    )
    assert fed["Net"].count("=16, 3]") == 2


def test_arguments_are_those_that_the_last_method_takes_out_of_a_star(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Conv1d(3, 8, 1)

        def forward(self, *input):
            found, size = self.embed(*input)
            return found

        def embed(self, *input):
            src = input[0]
            tgt = input[1]
            found = self.net(src) + self.net(tgt)
            return torch.topk(found.norm(dim=1), k=400)[0], 1

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, *input):
            one = self.inner(*input)
            return one
    """,
    )
    assert fed == {
        "Outer": "['float32[batch=2, 3, length=1024]', 'float32[batch=2, 3, length=1024]']"
    }


def test_the_folder_of_a_log_is_there_and_none_of_the_project(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self, classes=4):
            super().__init__()
            self.log = open("runs/first/log", "a")
            self.log.close()
            self.net = nn.Linear(5, classes)

        def forward(self, x):
            return self.net(x)
    """,
    )
    assert list(fed) == ["Net"]
    assert not (tmp_path / "runs").exists()


def test_volumes_are_built_small_first(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self, img_shape=(128, 128, 96), patch=16):
            super().__init__()
            self.cut = nn.Conv3d(1, 4, patch, patch)
            places = (img_shape[0] // patch) * (img_shape[1] // patch) * (img_shape[2] // patch)
            self.places = nn.Parameter(torch.zeros(1, 4, places))

        def forward(self, x):
            return self.cut(x).flatten(2) + self.places
    """,
    )
    assert fed == {"Net": "['float32[batch=2, 1, 64, 64, 64]']"}


def test_yaml_is_read_as_before_it_asked_for_a_loader(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("width: 9\n", encoding="utf-8")
    fed = feed_models(
        tmp_path,
        """
    import yaml

    settings = yaml.load(open("config.yaml"))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(settings["width"], 2)

        def forward(self, x):
            return self.net(x)
    """,
    )
    assert "9]" in fed["Net"]


def test_an_optional_state_has_the_axes_that_are_told_of_it(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self, units=6):
            super().__init__()
            self.units = units
            self.cell = nn.Linear(6, 6)

        def forward(self, inputs, hidden_state=None):
            \"\"\"
            :param inputs: shape (batch_size, self.units)
            :param hidden_state: (num_layers, batch_size, self.units)
            \"\"\"
            return self.cell(inputs) + hidden_state[1] * hidden_state[0]
    """,
    )
    assert fed == {"Net": "['float32[batch=2, 6]', 'float32[num_layers=16, batch=2, 6]']"}
