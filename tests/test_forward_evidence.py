"""What `lintorch check --trace` says of lines of forward that the source already reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from running import findings, lintorch

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor, nn\n\n\n"
NET = "class Net(nn.Module):\n    def forward(self, image):\n"


def traced(folder: Path, code: str, body: str) -> list[tuple[int, str, str]]:
    """Row, evidence and message of what one rule finds in a model with this body of forward."""
    return found(
        folder, code, HEAD + NET + "".join(f"        {line}\n" for line in body.split("|"))
    )


def found(folder: Path, code: str, text: str) -> list[tuple[int, str, str]]:
    """The same of a whole file."""
    (folder / "net.py").write_text(text)
    said: list[dict[str, Any]] = findings("--trace", "--select", code, cwd=folder)
    return [(f["location"]["row"], f["evidence"], f["message"]) for f in said]


def withdrawn(folder: Path, code: str) -> str:
    """What is said of the findings that the run withdrew."""
    done = lintorch("check", "--trace", "--show-refuted", "--select", code, cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "Withdrew 1 finding" in done.stdout
    return done.stdout


CONFIRMED = {
    "bool": ("LT102", "if image.sum() > 0:|    image = image * 2|return image", 8, "gave True"),
    "refused": ("LT102", "return image if image.sum() > 0 else -image", 8, "torch.export refuses"),
    "verdict": (
        "LT102",
        "other = F.relu(image)|if torch.equal(image, other):|    image = -image|return image",
        9,
        "equal() of tensors of shape [2, 3, 64, 64] and [2, 3, 64, 64] was asked here",
    ),
    "item": ("LT103", "return image / float(image.amax())", 8, "float() of a tensor of shape []"),
    "input": ("LT109", "image /= 255.0|return image * 2", 8, "writes [2, 3, 64, 64]"),
    "view": ("LT109", "image.view(-1).mul_(2)|return image * 2", 8, "the model's input"),
    "masked": (
        "LT106",
        "image = image * 2|return image.masked_select(image > 0)",
        9,
        "masked_select ran here on [2, 3, 64, 64] and [2, 3, 64, 64] and gave [",
    ),
    "exotic": (
        "LT121",
        "return torch.linalg.inv(image @ image.transpose(2, 3))",
        8,
        "linalg.inv ran here on [2, 3, 64, 64] and gave [2, 3, 64, 64]",
    ),
    "method": (
        "LT121",
        "image = F.relu(image)|return image.cummax(1).values",
        9,
        "cummax ran here",
    ),
}


@pytest.mark.parametrize(("code", "body", "row", "said"), CONFIRMED.values(), ids=CONFIRMED)
def test_a_run_confirms_what_it_met(
    tmp_path: Path, code: str, body: str, row: int, said: str
) -> None:
    ((where, evidence, message),) = traced(tmp_path, code, body)
    assert (where, evidence) == (row, "trace")
    assert said in message


SCALED = """import os


def scale(x, by):
    return x.mul(float(by))


class Net(nn.Module):
    def forward(self, image):
        return scale(image, image.amax()) if os.environ.get("BRIGHT") else scale(image, 2.0)
"""
HALVED = """import os


def halve(rows):
    rows /= 2
    return rows


class Net(nn.Module):
    def forward(self, image):
        return halve(image) if os.environ.get("BARE") else halve(torch.clone(image))
"""
LAYERS = """class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 3, 1)
        self.second = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        {forward}
"""
ACTING = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, tokens):
        return self.act(tokens)
"""
DERIVED = """import parts


class Net(parts.Parts):
    def forward(self, image):
        for part in self.children():
            image = part(image)
        return image
"""


def test_a_tuple_is_no_tensor_to_ask(tmp_path: Path) -> None:
    assert traced(tmp_path, "LT102", "if image.max(1):|    image = image * 2|return image") == []
    assert "no bool() of a tensor was asked" in withdrawn(tmp_path, "LT102")


def test_a_read_elsewhere_leaves_the_finding(tmp_path: Path) -> None:
    body = "n = image.sum().item()|if image.max(1):|    image = image * n|return image"
    assert [said[:2] for said in traced(tmp_path, "LT102", body)] == [(9, "source")]


def test_a_number_given_as_a_tensor_reads_no_data(tmp_path: Path) -> None:
    assert found(tmp_path, "LT103", HEAD + SCALED) == []
    assert "read the data of no tensor" in withdrawn(tmp_path, "LT103")


def test_a_write_to_a_copy_is_harmless(tmp_path: Path) -> None:
    assert found(tmp_path, "LT109", HEAD + HALVED) == []
    assert "memory of the model's own" in withdrawn(tmp_path, "LT109")


def test_a_layer_that_no_run_calls(tmp_path: Path) -> None:
    ((row, evidence, message),) = found(
        tmp_path, "LT217", HEAD + LAYERS.format(forward="return self.first(image)")
    )
    assert (row, evidence) == (10, "trace")
    assert "no run of Parts calls second" in message


def test_a_layer_that_a_derived_class_calls(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(
        HEAD + LAYERS.format(forward="return self.first(image) + self.missing")
    )
    assert [said[:2] for said in found(tmp_path, "LT217", "from torch import nn\n")] == [
        (10, "source")
    ]
    assert found(tmp_path, "LT217", DERIVED) == []
    assert "Net calls second" in withdrawn(tmp_path, "LT217")


def test_a_run_alone_reports_no_block_that_works_in_place(tmp_path: Path) -> None:
    assert found(tmp_path, "LT109", HEAD + ACTING) == []
