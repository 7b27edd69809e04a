"""What is said of a forward that returns an object of a dataclass, and what torch.export makes of it then."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence
from lintorch.core.profile import Profile
from lintorch.source import Source

RULES = index_detectors(catalog.build_catalog().rules.values(), Evidence.SOURCE)
NET = """import dataclasses

import torch
from torch import nn


{decorator}class Output:
    {body}


class Net(nn.Module):
    def forward(self, x):
        return Output(x * 2)
"""
CALL = "torch.export.register_dataclass(Output)"


@dataclasses.dataclass
class Output:
    logits: torch.Tensor


class Net(torch.nn.Module):  # type: ignore[misc]
    def forward(self, x: torch.Tensor) -> Output:
        return Output(x * 2)


def read_remedy(decorator: str, exporter: str, folder: Path) -> str:
    body = (
        "logits: torch.Tensor" if decorator else "def __init__(self, logits): self.logits = logits"
    )
    text = NET.format(decorator=decorator, body=body)
    found = lint_subject(
        Source(str(folder / "net.py"), text, Profile(frozenset({exporter}))), RULES
    )
    (told,) = (each for each in found if each.code == "LT114")
    return told.remedy


@pytest.mark.parametrize("decorator", ["@dataclasses.dataclass\n", "@dataclasses.dataclass(frozen=True)\n"])  # fmt: skip
@pytest.mark.parametrize("exporter", ["torch.export", "onnx"])
def test_a_dataclass_may_be_registered(decorator: str, exporter: str, tmp_path: Path) -> None:
    assert CALL in read_remedy(decorator, exporter, tmp_path)


def test_other_classes_and_tracers_are_not_told_to_register(tmp_path: Path) -> None:
    assert CALL not in read_remedy("", "onnx", tmp_path)
    assert CALL not in read_remedy("@dataclasses.dataclass\n", "torchscript-trace", tmp_path)


def test_torch_export_takes_what_is_registered() -> None:
    x = torch.ones(2)
    with pytest.raises(Exception, match="Output"):
        torch.export.export(Net(), (x,))
    torch.export.register_dataclass(Output)
    given = torch.export.export(Net(), (x,)).module()(x)
    assert torch.equal(given.logits, x * 2)
