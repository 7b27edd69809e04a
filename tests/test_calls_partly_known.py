"""Calls of a model of which a script works out only a part without its data."""

from __future__ import annotations

from pathlib import Path

from test_project_calls import fed, run_net


def test_parts_that_a_script_makes_of_its_data_are_made_with_what_is_known(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class Seq2Seq(nn.Module):
            def __init__(self, encoder, classes):
                super().__init__()
                self.encoder = encoder
                self.head = nn.Linear(encoder.rnn.hidden_size, classes)

            def forward(self, words):
                return self.head(self.encoder(words)[1][-1])
        """,
        nets__parts_py="""
        from torch import nn

        class Encoder(nn.Module):
            def __init__(self, vocab_size, hidden_size, layers=1):
                super().__init__()
                self.table = nn.Embedding(vocab_size, hidden_size)
                self.rnn = nn.GRU(hidden_size, hidden_size, layers, batch_first=True)

            def forward(self, words):
                return self.rnn(self.table(words))
        """,
        train_py="""
        from data_that_is_not_there import load
        from nets.net import Seq2Seq
        from nets.parts import Encoder

        vocabulary = load("words.txt")
        encoder = Encoder(len(vocabulary), 40, layers=3)
        model = Seq2Seq(encoder, 5)
        """,
    )
    (rnn,) = [each for each in model.layers if each.path == "encoder.rnn"]
    assert rnn.parameters == 3 * (40 * 120 * 2 + 240)
    assert "encoder" in model.made_up
    assert "classes" not in model.made_up


def test_sizes_that_come_of_data_in_a_tuple_are_made_up(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        import torch
        from torch import nn

        class Fusion(nn.Module):
            def __init__(self, input_dims, hidden):
                super().__init__()
                self.audio_in, self.text_in = input_dims[0], input_dims[1]
                self.audio = nn.Linear(self.audio_in, hidden)
                self.text = nn.Linear(self.text_in, hidden)

            def forward(self, audio, text):
                return torch.cat((self.audio(audio), self.text(text)), 1)
        """,
        train_py="""
        from data_that_is_not_there import load
        from nets.net import Fusion

        data = load()
        dims = (data.audio.shape[1], data.text.shape[1])
        model = Fusion(dims, 12)
        """,
    )
    assert model.made_up == ("input_dims",)
    assert [each.kind for each in model.layers if each.path == "text"] == ["torch.nn.Linear"]


def test_a_class_that_a_script_calls_by_another_name_is_built_as_there(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class Net(nn.Module):
            def __init__(self, options):
                super().__init__()
                sizes = options["lengths"]
                self.layers = nn.ModuleList(nn.Conv1d(1, 1, n) for n in sizes)
                self.head = nn.Linear(options["width"], options["classes"])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.head(x.mean(2))
        """,
        train_py="""
        import configparser
        from data_that_is_not_there import load
        from nets.net import Net as CNN

        config = configparser.ConfigParser()
        config.read("net.cfg")
        classes = len(load())
        arch = {"lengths": [int(n) for n in config.get("cnn", "lengths").split(",")],
                "width": 1, "classes": classes}
        net = CNN(arch)
        """,
        net_cfg="[cnn]\nlengths=9,5\n",
    )
    assert model.made_up == ("options",)
    assert [each.parameters for each in model.layers if each.path == "layers.0"] == [10]


def test_an_object_of_which_one_attribute_is_asked_is_made_up(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class Policy(nn.Module):
            def __init__(self, action_space):
                super().__init__()
                self.head = nn.Linear(12, action_space.n)

            def forward(self, x):
                return self.head(x)
        """,
    )
    assert model.made_up == ("action_space",)
    assert fed(model) == ["float32[batch=2, 12]"]


def test_names_that_only_a_script_has_are_set_as_there(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        import sys
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(n_words, width)
                self.head = nn.Linear(width, 2)

            def forward(self, x):
                return self.head(self.words(x).mean(1)).to(device)

        if __name__ == "__main__":
            import torch
            device = torch.device("cpu")
            width = int(sys.argv[1])
            n_words = len(open("words.that.are.not.there").read())
            net = Net()
        """,
        README_md="python nets/net.py 20",
    )
    (head,) = [each for each in model.layers if each.path == "head"]
    assert head.parameters == 42
    assert any("width=20" in said for said in model.assumptions)
    assert any("made up" in said and "n_words=" in said for said in model.assumptions)


def test_what_a_file_sets_where_there_is_a_gpu_is_set_for_the_cpu(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        import torch
        from torch import nn

        if torch.cuda.is_available():
            place = torch.device("cuda:0")

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.grid = torch.zeros(4).to(place)
                self.layer = nn.Linear(4, 2)

            def forward(self, x):
                return self.layer(x + self.grid)
        """,
    )
    assert "set as where there is a GPU: place=device(type='cpu')" in model.assumptions


def test_a_class_that_is_taken_out_of_a_module_by_its_name_is_built_as_there(
    tmp_path: Path,
) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class SmallNet(nn.Module):
            def __init__(self, options):
                super().__init__()
                self.layer = nn.Linear(options.width, 5)
                self.last = nn.Linear(5, 2) if options.deep else None

            def forward(self, x):
                return self.last(self.layer(x))
        """,
        train_py="""
        import argparse
        from nets import net
        from data_that_is_not_there import load

        def start(options, data):
            model = getattr(net, options.kind + "Net")(options)
            return model

        def judge(options):
            return getattr(net, "Judge" + options.kind)(options.width, options.width)

        parser = argparse.ArgumentParser()
        parser.add_argument("--kind", default="Small")
        parser.add_argument("--width", type=int, default=7)
        parser.add_argument("--deep", action="store_true")
        options = parser.parse_args()
        if not options.deep:
            options.deep = True
        start(options, load())
        """,
    )
    assert [each.path for each in model.layers if each.parameters] == ["layer", "last"]
    assert "arguments from train.py" in "; ".join(model.assumptions)
