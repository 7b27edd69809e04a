"""A script that has a package build its model has that model found, built and fed as it does."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

from examining import examine_files
from reported import failure_of, model_of, subject_of
from running import lintorch

from lintorch.host.reports import Report
from lintorch.record.input_notation import write_arguments
from lintorch.record.models import Model

PACKAGE = """
    from torch import nn

    class Net(nn.Module):
        def __init__(self, width=4, classes=3):
            super().__init__()
            self.stem, self.head = nn.Conv2d(3, width, 3), nn.Linear(width, classes)

        def forward(self, image):
            return self.head(self.stem(image).mean((2, 3)))

    class Trainer:
        def __init__(self, model):
            self.model = model

        def train(self):
            pass

    def create_model(name, classes=3, **settings):
        return Net({"small": 4, "large": 8}[name], classes)
"""


def examine_script(folder: Path, text: str, name: str = "run.py") -> list[Report]:
    """The reports on a script beside which a package `netpack` is installed."""
    package = folder / "site-packages" / "netpack.py"
    package.parent.mkdir()
    package.write_text(textwrap.dedent(PACKAGE), encoding="utf-8")
    head = f"import sys\nsys.path.insert(0, {str(package.parent)!r})\n"
    script = folder / name
    script.parent.mkdir(exist_ok=True)
    script.write_text(head + textwrap.dedent(text), encoding="utf-8")
    return examine_files([script], folder, trace=False)


def only_model(reports: list[Report]) -> Model:
    (report,) = reports
    return model_of(report)


def test_an_export_of_what_a_package_builds_says_how_it_is_built_and_fed(tmp_path: Path) -> None:
    model = only_model(
        examine_script(
            tmp_path,
            """
            import torch
            import netpack

            net = netpack.create_model("large", classes=5).cuda().eval()
            image = torch.zeros(1, 3, 24, 40)
            torch.onnx.export(net, image, "net.onnx", dynamic_axes={"image": {0: "batch", 3: "width"}})
            """,
        )
    )
    assert (model.qualname, model.row, model.parameters) == ("net", 7, 3 * 8 * 9 + 8 + 8 * 5 + 5)
    assert model.arguments == {"built by": "netpack.create_model"}
    assert write_arguments(model.inputs, model.sizes) == ["float32[batch=2, 3, 24, width=40]"]
    assert "built as in run.py:7" in model.assumptions
    assert "inputs from run.py:9" in model.assumptions


def test_a_model_is_what_a_script_makes_of_it_before_it_trains(tmp_path: Path) -> None:
    model = only_model(
        examine_script(
            tmp_path,
            """
            import argparse
            import torch
            from torch import nn

            def get_model(name):
                from netpack import create_model
                model = create_model(name)
                model.head = nn.Linear(8, 50)
                return model

            def main():
                parser = argparse.ArgumentParser()
                parser.add_argument("--arch", default="large")
                args = parser.parse_args()
                model = nn.DataParallel(get_model(args.arch))
                model = get_model(args.arch)
                optimizer = torch.optim.SGD(model.parameters(), 0.1)
                for epoch in range(3):
                    model.train()

            if __name__ == "__main__":
                main()
            """,
        )
    )
    assert model.parameters == 3 * 8 * 9 + 8 + 8 * 50 + 50


def test_what_comes_of_data_is_left_to_the_package_or_said(tmp_path: Path) -> None:
    left, lacking = examine_script(
        tmp_path,
        """
        import netpack

        words = open("words.txt").readlines()
        net = netpack.Net(classes=len(words))
        net.eval()
        other = netpack.create_model(words[0])
        other.eval()
        """,
    )
    assert "left as by default: classes (run.py:7)" in model_of(left).assumptions
    assert "words[0] is not known without data (run.py:9)" in failure_of(lacking).cause


def test_what_is_no_model_of_a_package_is_left_alone(tmp_path: Path) -> None:
    reports = examine_script(
        tmp_path,
        """
        import copy
        import torch
        from torch import nn
        import netpack

        class Own(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = netpack.create_model("small")

            def forward(self, image):
                return self.net(image)

        own = Own()
        own.eval()
        twin = copy.deepcopy(own)
        twin.eval()
        wide = nn.DataParallel(own)
        wide.train()
        trainer = netpack.Trainer(own)
        trainer.train()
        unused = netpack.create_model("small")
        """,
    )
    assert [subject_of(report).qualname for report in reports] == ["Own"]


def test_tests_have_no_models_of_their_own(tmp_path: Path) -> None:
    text = "import netpack\nnet = netpack.create_model('small')\nnet.eval()\n"
    assert examine_script(tmp_path, text, "test_net.py") == []


def test_a_model_that_is_fetched_by_its_name_is_built_of_what_its_name_says(tmp_path: Path) -> None:
    package = tmp_path / "dist-packages" / "transformers"
    files = {
        "__init__.py": """
            from transformers.models.auto.auto_factory import _BaseAutoModelClass

            class AutoModel(_BaseAutoModelClass):
                pass

            class TinyConfig:
                num_labels = 2

            CONFIG_MAPPING = {"tiny": TinyConfig}
        """,
        "models/__init__.py": "",
        "models/auto/__init__.py": "",
        "models/auto/auto_factory.py": """
            from torch import nn

            class Net(nn.Module):
                def __init__(self, config):
                    super().__init__()
                    self.head = nn.Linear(4, config.num_labels)

                def forward(self, x):
                    return self.head(x)

            class _BaseAutoModelClass:
                @classmethod
                def from_config(cls, config):
                    return Net(config)

                @classmethod
                def from_pretrained(cls, name, **given):
                    raise OSError("there is no network")
        """,
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(textwrap.dedent(text), encoding="utf-8")
    text = f"""
        import sys
        sys.path.insert(0, {str(package.parent)!r})
        from transformers import AutoModel

        def main():
            net = AutoModel.from_pretrained("acme/tiny-cased", num_labels=5)
            net.eval()

        if __name__ == "__main__":
            main()
    """
    model = only_model(examine_script(tmp_path, text))
    assert (model.qualname, model.parameters) == ("net", 4 * 5 + 5)


def test_a_notebook_that_is_called_like_the_package_it_imports_is_not_taken_for_it(
    tmp_path: Path,
) -> None:
    package = tmp_path / "site-packages" / "netpack.py"
    package.parent.mkdir()
    package.write_text(textwrap.dedent(PACKAGE), encoding="utf-8")
    cells = [
        f"import sys\nsys.path.insert(0, {str(package.parent)!r})",
        "import netpack\nmodel = netpack.create_model('large', classes=5)\nmodel.eval()",
    ]
    sources = [{"cell_type": "code", "source": text} for text in cells]
    (tmp_path / "netpack.ipynb").write_text(json.dumps({"cells": sources}), encoding="utf-8")
    told = lintorch("models", "netpack.ipynb", cwd=tmp_path)
    assert "on image: float32[batch=2, 3, height=64, width=64]" in told.stdout, told.stdout
