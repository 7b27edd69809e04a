"""Biases that code sets without asking whether a layer has one: nobody may leave them out."""

from __future__ import annotations

import pytest

from lintorch.facts.models.unasked_biases import sets_biases

HEAD = "def init(net):\n    for m in net.modules():\n        "


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("if isinstance(m, nn.Conv2d):\n            m.bias.data.zero_()", {"Conv2d"}),
        (
            "if isinstance(m, (nn.Conv2d, nn.Linear)):\n            nn.init.zeros_(m.bias)",
            {"Conv2d", "Linear"},
        ),
        (
            "if isinstance(m, nn.Conv2d):\n            pass\n"
            "        elif isinstance(m, nn.BatchNorm2d):\n            m.bias.data.zero_()",
            set(),
        ),
        (
            "name = m.__class__.__name__\n"
            "        if name.find('Conv') != -1:\n            m.bias.data.fill_(0)",
            {"Conv2d", "ConvTranspose2d"},
        ),
        ("if isinstance(m, _ConvNd):\n            m.bias.data.zero_()", {"Conv2d", "ConvTranspose2d"}),
        (
            "if isinstance(m, nn.Conv2d):\n            if m.bias is not None:\n"
            "                m.bias.data.zero_()",
            set(),
        ),
        ("m.bias.data.zero_()", {"Conv2d", "ConvTranspose2d", "Linear"}),
        ("net.bias.data.zero_()", {"Conv2d", "ConvTranspose2d", "Linear"}),
        ("other.bias.data.zero_()", set()),
    ],
)  # fmt: skip
def test_whose_biases_are_set(text: str, kinds: set[str]) -> None:
    every = ("Conv2d", "ConvTranspose2d", "Linear")
    assert {kind for kind in every if sets_biases(kind, HEAD + text + "\n", ())} == kinds
