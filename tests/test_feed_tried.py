"""Inputs by what a constructor tries itself, by how many samples and steps a model keeps, and by arguments left out."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models
from test_project_calls import fed, run_net


def test_what_a_constructor_runs_its_first_layer_on_is_fed(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Cube(nn.Module):
        def __init__(self, bands=40, patch=9):
            super().__init__()
            self.first, self.pool = nn.Conv3d(1, 4, (11, 3, 3)), nn.MaxPool3d((2, 1, 1))
            with torch.no_grad():
                wide = self.pool(self.first(torch.zeros(1, 1, bands, patch, patch))).numel()
            self.wide, self.last = wide, nn.Linear(wide, 3)

        def forward(self, x):
            return self.last(self.pool(self.first(x)).view(-1, self.wide))


    class Other(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.last = nn.Linear(5, 4), nn.Conv1d(6, 2, 1)
            self.wide = self.inner(torch.zeros(3, 5)).shape[1]

        def forward(self, x):
            return self.inner(self.last(x).transpose(1, 2)[:, :5, :1].transpose(1, 2))
    """,
    )
    assert models["Cube"] == "['float32[batch=2, 1, 40, 9, 9]']"
    assert models["Other"] == "['float32[batch=2, 6, length=256]']"


def test_steps_are_filled_by_patches_of_several_sizes(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    def divide(length, patch):
        many, left = divmod(length, patch)
        if left:
            raise ValueError(f"can't divide axis of length {length} in chunks of {patch}")
        return many

    class Patches(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(8, 4)

        def forward(self, x):
            batch, length, channels = x.shape
            for patch in (3, 5, 7):
                x = x.reshape(batch, divide(length, patch), patch, channels).flatten(1, 2)
            return self.last(x)


    class Channels(nn.Module):
        def __init__(self, kept=11):
            super().__init__()
            self.kept, self.last = kept, nn.Conv1d(1, 4, 3, padding=1)

        def forward(self, x):
            batch, length, channels = x.shape
            found = self.last(x.transpose(1, 2).reshape(-1, 1, length))
            many = divide(len(found), self.kept)
            return found.view(many, self.kept, 4, length).mean(1)


    class Windows(nn.Module):
        def __init__(self, win_size=42):
            super().__init__()
            self.win_size, self.last = win_size, nn.Linear(8, 4)
            self.place = nn.Parameter(torch.zeros(win_size, 1))

        def forward(self, x):
            batch, length, channels = x.shape
            return self.last(x + self.place)
    """,
    )
    assert "sequence=" in models["Patches"] or "length=" in models["Patches"]
    assert "42" in models["Windows"]
    assert ", 11]" in models["Channels"]


def test_a_model_of_so_many_samples_may_have_them_second(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Words(nn.Module):
        def __init__(self, batch_size=5):
            super().__init__()
            self.batch_size, self.table, self.rnn = batch_size, nn.Embedding(20, 8), nn.LSTM(8, 6)

        def forward(self, words):
            steps = self.table(words).view(len(words), self.batch_size, -1)
            state = torch.zeros(1, self.batch_size, 6)
            return self.rnn(steps, (state, state))[0][-1]


    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(8, 4)

        def forward(self, x):
            found = self.last(x)
            samples = found.size(0)
            assert samples == 1  # no more are taken
            return found
    """,
    )
    assert models["Words"] == "['int64[sequence=16, 5] in 0..18']"
    assert models["One"] == "['float32[1, 8]']"


def test_an_argument_that_is_left_out_is_fed_where_the_model_lacks_what_does_without(
    tmp_path: Path,
) -> None:
    models = feed_models(
        tmp_path,
        """
    class Conditioned(nn.Module):
        def __init__(self, conditional=True):
            super().__init__()
            self.first, self.scale = nn.Linear(8, 8), nn.Linear(8, 8)
            if not conditional:
                self.norm = nn.LayerNorm(8)

        def forward(self, x, cond=None):
            x = self.first(x)
            return x * self.scale(cond) if cond is not None else self.norm(x)


    class Chosen(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv2d(2, 2, 3, padding=1)

        def forward(self, x, mask):
            return torch.where(mask, self.first(x), x)
    """,
    )
    assert models["Conditioned"] == "['float32[batch=2, 8]', 'float32[batch=2, 8]']"
    assert "bool[" in models["Chosen"]


def test_what_is_looked_up_in_a_mapping_that_the_model_keeps_is_one_of_its_keys(
    tmp_path: Path,
) -> None:
    models = feed_models(
        tmp_path,
        """
    class Stems(nn.Module):
        def __init__(self, stems=("bass", "drums"), apart=True):
            super().__init__()
            self.apart = apart
            self.nets = nn.ModuleDict({name: nn.Conv1d(2, 2, 3) for name in stems})

        def forward(self, x, stem=None):
            return self.nets[stem](x) if self.apart else self.nets["bass"](x)


    class Tasks(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(6, 5)
            self.heads = nn.ModuleDict({"depth": nn.Linear(5, 1), "edges": nn.Linear(5, 2)})

        def forward(self, x, task):
            return self.heads[task](self.first(x))
    """,
    )
    assert models["Stems"] == "['float32[batch=2, 2, length=256]', \"= 'bass'\"]"
    assert models["Tasks"] == "['float32[batch=2, 6]', \"= 'depth'\"]"


def test_a_mask_of_steps_and_features_that_convolutions_narrow(tmp_path: Path) -> None:
    models = feed_models(
        tmp_path,
        """
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.layer = nn.Parameter(torch.zeros(16, 24)), nn.Linear(24, 24)

        def forward(self, inputs, mask):
            hidden = self.layer(inputs + self.table[: inputs.size(1)])
            scores = hidden @ hidden.transpose(1, 2)
            scores.masked_fill_(~mask.unsqueeze(1), -1e9)
            return scores.softmax(-1) @ hidden


    class Front(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv2d(1, 6, 3, 2, padding=1), nn.Linear(120, 8)

        def forward(self, features):
            batch, steps, width = features.shape
            found = self.first(features.unsqueeze(1)).transpose(1, 2)
            return self.last(found.reshape(batch, found.size(1), -1))
    """,
    )
    assert (
        models["Encoder"].endswith(", 24]', 'bool[batch=2, 16]']")
        or "bool[batch=2, sequence" in models["Encoder"]
    )
    assert models["Front"] == "['float32[batch=2, sequence=16, 40]']"


def test_what_a_script_sets_before_it_calls_is_set(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class Net(nn.Module):
            def __init__(self, cells):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in cells.kinds])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x) * (1 - self.drop_rate)
                return x
        """,
        nets__kinds_py="""
        from collections import namedtuple

        Cells = namedtuple("Cells", "kinds")
        SMALL, LARGE = Cells(["a"]), Cells(["a", "b", "c"])
        """,
        train_py="""
        import argparse
        from nets import kinds
        from nets.net import Net as Network

        parser = argparse.ArgumentParser()
        parser.add_argument("--kind", default="LARGE")
        parser.add_argument("--drop_rate", type=float, default=0.25)
        args = parser.parse_args()
        model = Network(eval("kinds.%s" % args.kind))
        model.drop_rate = args.drop_rate * 3 / 4
        x.cuda(async=True)
        print "done"
        """,
    )
    assert model.parameters == 3 * 72
    assert "drop_rate = 0.25, which a script sets and forward reads" in model.assumptions
    assert fed(model) == ["float32[batch=2, 8]"]


def test_what_is_counted_in_data_that_is_not_there_is_made_up(tmp_path: Path) -> None:
    net = """
        from torch import nn

        class Net(nn.Module):
            def __init__(self, width, classes):
                super().__init__()
                self.last = nn.Linear(width, classes)

            def forward(self, x):
                return self.last(x)
    """
    script = """
        from nets.net import Net

        names, width = {{}}, 30
        for line in open("names.txt").read().splitlines():
            names[line.split()[1]] = int(line.split()[0])
        model = Net({width}, {classes})
    """
    counted = script.format(width="width", classes="len(names)")
    model = run_net(tmp_path / "counted", net, train_py=counted)
    assert model.parameters > 0
    chosen = script.format(width="width if names['a'] else 60", classes="7")
    model = run_net(tmp_path / "chosen", net, train_py=chosen)
    assert (fed(model), model.parameters) == (["float32[batch=2, 30]"], 31 * 7)
