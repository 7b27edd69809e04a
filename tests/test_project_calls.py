"""Models are built and fed as calls in other files of the project show: scripts, tests, notebooks, READMEs."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

from examining import examine_files
from reported import model_of

from lintorch.record.input_notation import write_arguments
from lintorch.record.models import Input, Model

NET = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, width, classes=3):
            super().__init__()
            self.stem = nn.Conv2d(width, 8, 3, padding=1)
            self.head = nn.Linear(8, classes)

        def forward(self, image, lengths=None, twice=False):
            found = self.head(self.stem(image).mean((2, 3)))
            return found * 2 if twice else found
"""


def run_net(folder: Path, net: str = NET, **files: str) -> Model:
    """The model of nets/net.py beside these files, `tools__export_py` for tools/export.py."""
    for name, text in {"nets__net_py": net, "README_md": "A net.", **files}.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    (report,) = examine_files([folder / "nets/net.py"], folder, trace=False)
    return model_of(report)


def fed(model: Model) -> object:
    return write_arguments(model.inputs, model.sizes)


def test_an_export_script_says_how_its_model_is_built_and_fed(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        tools__export_py="""
        import argparse
        import yaml_that_is_not_there
        import torch
        from nets.net import Net

        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("weights")
            parser.add_argument("--width", type=int, default=5)
            parser.add_argument("--side", type=int, default=48)
            return parser.parse_args()

        def export(net, args):
            image = torch.randn(1, args.width, args.side, args.side, device="cuda")
            torch.onnx.export(net, image, "net.onnx", input_names=["image"])

        if __name__ == "__main__":
            args = parse()
            net = Net(args.width, classes=7).cuda()
            net.load_state_dict(torch.load(args.weights))
            net.eval()
            export(net, args)
        """,
    )
    assert model.arguments == {"width": 5, "classes": 7}
    assert fed(model) == ["float32[batch=2, 5, height=48, width=48]"]
    assert model.assumptions == ("arguments and inputs from tools/export.py:16",)


def test_the_axes_that_an_export_leaves_open_vary_and_no_others(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        export_py="""
        import torch
        from nets.net import Net

        net = Net(3)
        axes = {"image": {0: "batch", 3: "width"}, "logits": {0: "batch"}}
        names = ["image"]
        image = torch.zeros(2, 3, 24, 32)
        torch.onnx.export(net, (image,), "net.onnx", input_names=names, dynamic_axes=axes)
        """,
    )
    assert fed(model) == ["float32[batch=2, 3, 24, width=32]"]


def test_a_notebook_shows_its_calls(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Net\n"]},
        {"cell_type": "code", "source": ["%pip install torch\n", "from nets.net import Net\n"]},
        {
            "cell_type": "code",
            "source": "import torch\nnet = Net(6)\nnet(torch.rand(4, 6, 20, 24))",
        },
    ]
    model = run_net(tmp_path, demo_ipynb=json.dumps({"cells": cells}))
    assert model.arguments == {"width": 6}
    assert fed(model) == ["float32[batch=4, 6, height=20, width=24]"]
    assert model.assumptions == ("arguments and inputs from demo.ipynb cell 3",)


def test_a_readme_shows_its_calls(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        README_md="""
        ```python
        from nets import Net
        import torch

        net = Net(width=2)
        net(torch.zeros(1, 2, 16, 16), twice=True)
        ```
        """,
    )
    assert fed(model) == ["float32[batch=2, 2, height=16, width=16]", "= None", "= True"]
    assert model.assumptions == ("arguments and inputs from README.md:7",)


def test_a_test_feeds_the_model_that_its_setup_makes(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        tests__check_py="""
        import unittest
        from torchsummary import summary
        from nets.net import Net

        class TestNet(unittest.TestCase):
            def setUp(self):
                self.net = Net(4)

            def test_summary(self):
                print(summary(self.net, (4, 40, 56)))
        """,
    )
    assert fed(model) == ["float32[batch=2, 4, height=40, width=56]"]


def test_a_configuration_file_is_read_and_nothing_is_trained(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        config_json='{"model": {"width": 9, "classes": 2}}',
        train_py="""
        import json
        from nets.net import Net

        def train(net, loader, epochs):
            raise SystemExit("trained")

        with open("config.json") as file:
            config = json.load(file)
        net = Net(**config["model"])
        loader = train(net, None, 3)
        for image, target in loader:
            net(image)
        """,
    )
    assert model.arguments == {"width": 9, "classes": 2}
    assert model.assumptions == ("arguments from train.py:10",)


def test_a_script_that_only_its_first_line_calls_python_is_read(tmp_path: Path) -> None:
    script = """
        import torch
        from nets.net import Net

        Net(6)(torch.zeros(1, 6, 20, 20))
    """
    (tmp_path / "notes").write_text(script)
    (tmp_path / "demo").write_text(f"#!/usr/bin/env python3\n{textwrap.dedent(script)}")
    model = run_net(tmp_path)
    assert model.arguments == {"width": 6}
    assert model.assumptions == ("arguments and inputs from demo:6",)


def test_a_function_is_called_by_who_names_its_file(tmp_path: Path) -> None:
    loading = """
        from nets.net import Net

        def load(options):
            return Net(options.width)
    """
    model = run_net(
        tmp_path,
        tools__build_py=loading,
        other__make_py="def load(options):\n    return options\n",
        a_py="""
        from types import SimpleNamespace
        from other.make import load

        thing = load(SimpleNamespace(size=3))
        """,
        b_py="""
        from types import SimpleNamespace
        from tools.build import load

        net = load(SimpleNamespace(width=7))
        """,
    )
    assert model.arguments == {"width": 7}


def test_a_call_that_does_not_fit_is_not_followed(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        demo_py="""
        import torch
        from nets.net import Net

        net = Net(4)
        net(torch.randn(1, 3, 32, 32))
        """,
    )
    assert model.arguments == {"width": 4}
    assert fed(model) == ["float32[batch=2, 4, height=32, width=32]"]
    assert model.assumptions == ("arguments from demo.py:6",)


def test_a_script_that_never_ends_costs_no_model(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        demo_py="""
        import os
        import torch
        from nets.net import Net

        def leave():
            os._exit(3)

        net = Net(leave())
        net(torch.randn(1, 3, 32, 32))
        """,
    )
    assert model.assumptions == ()


def test_a_trainer_in_one_file_is_made_by_another_with_its_command_line(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        README_md="""
        Train it with

            python main.py --data PATH --since-removed 3 \\
                --width 11
        """,
        solver_py="""
        from nets.net import Net

        class Solver:
            def __init__(self, loader, options):
                self.loader = loader
                self.width = options.width
                self.build()

            def build(self):
                self.net = Net(self.width, 6)
        """,
        main_py="""
        import argparse
        from solver import Solver

        def main(options):
            loader = fetch(options.data)
            Solver(loader, options).train()

        if __name__ == "__main__":
            parser = argparse.ArgumentParser()
            parser.add_argument("--data", required=True)
            parser.add_argument("--width", type=int, default=3)
            main(parser.parse_args())
        """,
    )
    assert model.arguments == {"width": 11, "classes": 6}
    assert model.assumptions == ("arguments from solver.py:11",)


def test_the_names_that_an_export_gives_sizes_hold_across_its_inputs(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class Net(nn.Module):
            def forward(self, ids, past):
                return past.sum((0, 1, 3, 5)) + ids.sum(1, keepdim=True)
        """,
        tools__export_py="""
        import torch
        from nets.net import Net

        batch, length, before = (torch.export.Dim(name) for name in ("batch", "length", "before"))
        torch.onnx.export(
            Net(),
            (torch.randint(0, 9, (3, 5)), torch.zeros(2, 2, 3, 4, 7, 16)),
            "net.onnx",
            dynamic_shapes={"ids": {0: batch, 1: length}, "past": {2: batch, 4: before}},
        )
        """,
    )
    assert fed(model) == [
        "int64[batch=3, sequence=5] in 0..8",
        "float32[2, 2, batch=3, 4, before=7, 16]",
    ]


def test_settings_that_a_script_works_out_of_its_data_are_made_up(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        from torch import nn

        class Text(nn.Module):
            def __init__(self, args):
                super().__init__()
                widths = args.kernel_sizes
                self.embed = nn.Embedding(args.embed_num, args.embed_dim)
                self.convs = nn.ModuleList([nn.Conv1d(args.embed_dim, 4, w) for w in widths])

            def forward(self, tokens):
                x = self.embed(tokens).transpose(1, 2)
                return [conv(x).amax(2) for conv in self.convs]
        """,
        main_py="""
        import argparse
        from nets.net import Text
        from data_that_is_not_there import load

        parser = argparse.ArgumentParser()
        parser.add_argument("--kernel_sizes", default="3,5")
        parser.add_argument("--embed_dim", type=int, default=24)
        args = parser.parse_args()
        vocabulary = load(args)
        args.embed_num = len(vocabulary)
        args.kernel_sizes = [int(k) for k in args.kernel_sizes.split(",")]
        model = Text(args)
        """,
    )
    assert "args" in model.made_up
    (said,) = [each for each in model.assumptions if each.startswith("made up in args")]
    assert "embed_num=" in said
    assert "kernel_sizes" not in said
    assert [each.kind for each in model.layers if each.path == "convs.1"] == ["torch.nn.Conv1d"]


def test_a_function_that_stops_for_want_of_data_has_told_what_it_could(tmp_path: Path) -> None:
    """A size beside a table that is not there is known; a graph that only a script makes is made up."""
    model = run_net(
        tmp_path,
        net="""
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, args, n_vertex):
                super().__init__()
                self.adj = args.adj
                self.head = nn.Linear(args.width * n_vertex, 2)

            def forward(self, x):
                return self.head(torch.einsum("ij,bcj->bci", self.adj, x).flatten(1))
        """,
        train_py="""
        import argparse
        import pandas
        from nets.net import Net

        def load(args):
            n_vertex = 9 if args.data == "roads" else 4
            table = pandas.read_csv(args.data)
            args.adj = table.to_numpy()
            return table, n_vertex

        def prepare(args):
            table, n_vertex = load(args)
            loader = make_loader(table)
            return loader, n_vertex

        parser = argparse.ArgumentParser()
        parser.add_argument("--data", default="roads")
        parser.add_argument("--width", type=int, default=3)
        args = parser.parse_args()
        loader, n_vertex = prepare(args)
        net = Net(args, n_vertex)
        """,
    )
    assert model.arguments["n_vertex"] == 9
    (given,) = model.inputs
    assert isinstance(given, Input)
    assert given.shape == ("batch", 3, 9)
    assert any("adj=" in said for said in model.assumptions)


def test_what_is_known_of_a_call_is_fed_where_the_rest_comes_from_a_loader(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        net="""
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 3)

            def forward(self, states, senders):
                return torch.matmul(senders, self.layer(states)).view(states.size(0), 20, 3)
        """,
        train_py="""
        import torch
        from nets.net import Net

        net = Net()
        senders = torch.eye(5).repeat_interleave(4, 0)
        for states in make_loader():
            net(states, senders)
        """,
    )
    fed = [given for given in model.inputs if isinstance(given, Input)]
    shapes = [tuple(model.sizes.get(str(n), n) for n in given.shape) for given in fed]
    assert shapes == [(2, 5, 4), (20, 5)]


def test_none_is_passed_where_the_project_passes_it(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        net="""
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, width, hidden):
                super().__init__()
                self.layer = nn.Linear(width, hidden)

            def forward(self, states, mask, sparse):
                seen = self.layer(states)
                return seen.mean(1) if mask is None else (seen * mask.view(1, 1, -1)).sum(1)
        """,
        train_py="""
        import torch
        from nets.net import Net

        states = load_states()
        net = Net(states.shape[-1], 6)
        for epoch in range(9):
            net(states, None, True)
        """,
    )
    assert [given.value for given in model.inputs if not isinstance(given, Input)] == [
        "None",
        "True",
    ]


def test_a_script_of_a_shell_says_how_its_model_is_built(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        train_py="""
        import argparse
        from nets.net import Net

        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, required=True)
        parser.add_argument("--classes", type=int, default=4)
        args = parser.parse_args()
        net = Net(args.width, args.classes)
        """,
        run_sh="""
        width=6
        for classes in 9 11; do
          python -u train.py --root $DATA \\
            --width $width \\
            --classes $classes
        done
        """,
    )
    assert model.arguments == {"width": 6, "classes": 9}


def test_a_command_line_that_a_script_does_not_take_is_left_out(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        train_py="""
        import argparse
        from nets.net import Net

        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, default=7, choices=(5, 7))
        net = Net(parser.parse_args().width)
        """,
        README_md="    python train.py --width [a number]",
    )
    assert model.arguments == {"width": 7}


def test_a_module_that_is_imported_by_its_name_is_that_of_the_model(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        train_py="""
        import importlib

        found = importlib.import_module("nets." + "net")
        net = found.Net(5)
        """,
    )
    assert model.arguments == {"width": 5}


def test_of_files_that_a_script_chooses_among_the_models_own_is_taken(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        NET + "\n\n    def build(kind):\n        return Net({'wide': 9}[kind])\n",
        nets__other_py="def build(kind):\n    return None",
        train_py="""
        kind = "other"
        if kind == "other":
            from nets.other import build
        elif kind == "net":
            from nets.net import build
        net = build("wide")
        """,
    )
    assert model.arguments == {"width": 9}


def test_a_function_in_another_file_builds_with_the_settings_that_are_shipped(
    tmp_path: Path,
) -> None:
    model = run_net(
        tmp_path,
        nets__build_py="""
        from nets.net import Net

        def build_model(args):
            kept = {"classes": args.classes, "width": args.width}
            if args.pretty:
                raise NotImplementedError
            return Net(**kept), "criterion"
        """,
        config_yaml="width: 6\nclasses: 4\npretty: false\n",
    )
    assert dict(model.arguments) == {"width": 6, "classes": 4}


def test_lines_of_one_block_that_look_alike_are_each_run(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        nets__try_py="""
        import torch
        from nets.net import Net

        if __name__ == "__main__":
            other = torch.randn(5, 6, 24, 24)
            image = torch.randn(5, 6, 24, 24)
            print(Net(6)(lengths=other, image=image))
        """,
    )
    assert fed(model) == [
        "float32[batch=5, 6, height=24, width=24]",
        "float32[batch=5, 6, height_lengths=24, width_lengths=24]",
    ]


def test_methods_are_run_with_what_they_read_of_their_object(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        train_py="""
        import argparse
        from nets.net import Net

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--wide", type=int, default=7)
            return Trainer(parser.parse_args()).create()

        class Trainer:
            def __init__(self, args):
                self.wide = args.wide
                self.data = open("no/such/file")

            def create(self):
                width = self.find_width()
                return self.make(width)

            def find_width(self):
                return self.wide - 1

            def make(self, width):
                return Net(width)

        main()
        """,
    )
    assert dict(model.arguments) == {"width": 6}
