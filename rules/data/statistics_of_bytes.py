"""LT529: Normalize with the statistics of bytes, after ToTensor."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT529",
    summary="statistics of bytes for images from 0 to 1",
    why="""
        ToTensor makes bytes numbers from 0 to 1. Normalize with a mean of 123.675 and a deviation of 58.395, those
        of bytes from 0 to 255, leaves every pixel near -2.1: the picture is all but gone, and nothing raises.
        Divide the statistics by 255: [0.485, 0.456, 0.406] and [0.229, 0.224, 0.225] for ImageNet.
    """,
    bad="""
        from torchvision import transforms

        prepare = transforms.Compose([
            transforms.ToTensor(),
            transforms.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]),
        ])
    """,
    good="""
        from torchvision import transforms

        prepare = transforms.Compose([
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ])
    """,
    remedy="divide them by 255: [0.485, 0.456, 0.406] and [0.229, 0.224, 0.225]",
    unproven="""
        Running it takes torchvision, which these proofs do not install. Its ToTensor divides bytes by 255, and
        Normalize takes off the mean and divides by the deviation, as their pages say.
    """,
)

KEEPS = frozenset({"RandomErasing", "Resize", "CenterCrop", "RandomHorizontalFlip", "RandomCrop"})


@rule.source(cst.List, needs=("ToTensor", "Normalize"))
def in_list(row: cst.List, source: Source) -> Iterator[Hit]:
    """Of a list that Compose is given, or that is kept for it."""
    scaled = False
    for each in row.elements:
        made = each.value
        name = source.name(made.func) if isinstance(made, cst.Call) else ""
        short = name.rpartition(".")[2] if name.startswith("torchvision.transforms") else ""
        if short == "Normalize" and isinstance(made, cst.Call) and scaled:
            given = source.arguments(made, "mean", "std")
            if max(read_numbers(given.get("mean")), default=0) > 1:
                yield Hit(made, "the images are from 0 to 1 here, the mean is that of bytes")
        scaled = short == "ToTensor" or (scaled and short in KEEPS)


def read_numbers(value: cst.BaseExpression | None) -> list[float]:
    """The numbers of a list that is written there."""
    given = literal(value) if value is not None else UNKNOWN
    row = given if isinstance(given, (list, tuple)) else []
    return [float(each) for each in row if isinstance(each, (int, float))]
