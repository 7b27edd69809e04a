"""Values that a constructor of a base class keeps, of an object that a script makes under another name."""

from __future__ import annotations

from pathlib import Path

from test_project_calls import run_net


def test_what_a_base_keeps_of_a_command_line_builds_the_model(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        exp__base_py="""
        import torch

        class Basic(object):
            def __init__(self, args, note=""):
                self.args = args
                self.device = self.find_device()
                self.model = self.build().to(self.device)

            def find_device(self):
                return torch.device("cuda" if self.args.use_gpu else "cpu")
        """,
        exp__forecast_py="""
        from exp.base import Basic
        from nets.net import Net

        class Forecast(Basic):
            def __init__(self, args):
                super(Forecast, self).__init__(args)

            def build(self):
                kinds = {"net": Net}
                return kinds[self.args.model](self.args.width, self.args.classes)
        """,
        run_py="""
        import argparse
        from exp.forecast import Forecast

        parser = argparse.ArgumentParser()
        parser.add_argument("--model", default="net")
        parser.add_argument("--width", type=int, default=5)
        parser.add_argument("--use_gpu", action="store_true")
        args = parser.parse_args()
        args.classes = args.width + 6

        Exp = Forecast
        exp = Exp(args)
        exp.train()
        """,
    )
    assert model.arguments["width"] == 5
    assert model.arguments["classes"] == 11


def test_a_model_is_taken_out_of_what_a_function_gives_beside_it(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        build_py="""
        from torch import nn
        from nets.net import Net

        def build_model(config):
            return Net(config.width, config.classes), nn.CrossEntropyLoss()
        """,
        hubconf_py="""
        import build

        class Config:
            width, classes = 6, 13

        def first():
            model, _ = build.build_model(Config())
            return model
        """,
    )
    assert model.arguments["width"] == 6
    assert model.arguments["classes"] == 13


def test_a_mapping_tells_what_is_known_of_it_beside_what_data_says(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, **kwargs):
                super().__init__()
                self.stem = nn.Conv2d(kwargs["WIDTH"], 8, 3)
                self.head = nn.Linear(8, kwargs["CLASS_SIZE"])

            def forward(self, image):
                return self.head(self.stem(image).mean((2, 3)))
        """,
        run_py="""
        from nets.net import Net

        def read(path):
            words, tags = [], []
            for line in open(path):
                words.append(line.split()[0])
                words.append(line.split()[1])
            return words

        def learn(data, params):
            model = Net(**params).cuda(params["GPU"])
            one = model.name(data).cuda(params["GPU"])
            two = model.text(data).cuda(params["GPU"])
            return one, two

        def main():
            data = read("data/there.is.none")
            params = {"WIDTH": 5, "CLASS_SIZE": len(data["classes"]), "GPU": -1}
            learn(data, params)

        main()
        """,
    )
    assert model.arguments["WIDTH"] == 5
