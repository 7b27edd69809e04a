"""LT524: two parts of one dataset that are given transforms of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT524",
    summary="a transform that two parts of one dataset share",
    why="""
        The parts that random_split gives, and Subsets of one dataset, hold that dataset itself:
        `part.dataset` is the same object for all of them. A transform that is set on one is that of
        the others too, and the last one counts: where the augmentation of training and then the
        plain transform of validation are set, training goes without augmentation, and nothing says
        so. So does a split of images that are cropped and flipped by chance: what is measured on the
        test part changes from run to run, and is lower than it is. Build the dataset once for each part, with its own transform, and take Subsets of each by
        the same indices. Measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import random_split


        def divide(images, flip, plain):
            train, test = random_split(images, [6, 2])
            train.dataset.transform = flip
            test.dataset.transform = plain
            return train, test
    """,
    good="""
        import copy

        from torch.utils.data import random_split


        def divide(images, flip, plain):
            train, test = random_split(images, [6, 2])
            test.dataset = copy.copy(images)
            train.dataset.transform = flip
            test.dataset.transform = plain
            return train, test
    """,
    proof="""
        class Images:
            transform = None

            def __len__(self):
                return 8

        train, _ = divide(Images(), "flip", "plain")
        assert train.dataset.transform == "flip"
    """,
    remedy="give each part a dataset of its own: test.dataset = copy.copy(test.dataset) ahead of it",
)

SPLIT, SUBSET = "torch.utils.data.random_split", "torch.utils.data.Subset"
TRANSFORMS = ("transform", "transforms", "target_transform")


@rule.source(cst.Assign, needs=(".dataset.",))
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    part, name = read_target(node, source)
    if not part or is_given_its_own(part, node, source):
        return
    for other in source.nodes(cst.Assign):
        earlier, same = read_target(other, source)
        beside = earlier not in ("", part) and same == name
        if not beside or not is_ahead(other, node, source):
            continue
        whole = find_whole(part, node, source)
        one = whole and whole == find_whole(earlier, node, source)
        differs = source.code(other.value) != source.code(node.value)
        if one and differs and not is_given_its_own(earlier, node, source):
            message = f"{part} and {earlier} hold one dataset: this {name} takes the place of that"
            yield Hit(node, message)
            return


def read_target(node: cst.Assign, source: Source) -> tuple[str, str]:
    """`train` and `transform` of `train.dataset.transform = …`; "" of anything else."""
    target = node.targets[0].target
    if len(node.targets) != 1 or not isinstance(target, cst.Attribute):
        return "", ""
    held = target.value
    if target.attr.value not in TRANSFORMS or not isinstance(held, cst.Attribute):
        return "", ""
    return (source.code(held.value) if held.attr.value == "dataset" else ""), target.attr.value


def is_ahead(other: cst.Assign, node: cst.Assign, source: Source) -> bool:
    """Whether one stands before another in the same block."""
    line, mine = source.parent(other), source.parent(node)
    together = line is not None and mine is not None and source.parent(line) is source.parent(mine)
    return together and source.place(other) < source.place(node)


def find_whole(part: str, node: cst.Assign, source: Source) -> str:
    """The call, or the dataset, that a part comes from: the last that is assigned ahead of a line; "" where none."""
    found = ""
    for each in source.nodes(cst.Assign):
        if not is_in_function(each, node, source) or source.place(node) < source.place(each):
            continue
        value, target = each.value, each.targets[0].target
        names: list[cst.BaseExpression] = [target]
        if isinstance(target, (cst.Tuple, cst.List)):
            names = [element.value for element in target.elements]
        if part not in map(source.code, names):
            continue
        made = source.name(value.func) if isinstance(value, cst.Call) else ""
        first = value.args[0].value if isinstance(value, cst.Call) and value.args else None
        known = made in (SPLIT, SUBSET) and first is not None
        found = source.code(first) if known and first is not None else ""
    return found


def is_given_its_own(part: str, node: cst.Assign, source: Source) -> bool:
    """Whether a part is given another dataset in the same function."""
    return any(
        source.code(each.targets[0].target) == f"{part}.dataset"
        for each in source.nodes(cst.Assign)
        if is_in_function(each, node, source)
    )


def is_in_function(each: cst.Assign, node: cst.Assign, source: Source) -> bool:
    return source.enclosing(each, cst.FunctionDef) is source.enclosing(node, cst.FunctionDef)


@rule.source(cst.Assign, needs=("random_split",))
def in_splits(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`train, val = random_split(images, …)` of images that are cropped and flipped by chance."""
    target, value = node.targets[0].target, node.value
    if not isinstance(target, (cst.Tuple, cst.List)) or not isinstance(value, cst.Call):
        return
    names = [source.code(each.value) for each in target.elements]
    measured = next((name for name in names if MEASURED.search(name)), "")
    whole = value.args[0].value if value.args and source.name(value.func) == SPLIT else None
    if not measured or whole is None or is_changed(measured, node, source):
        return
    made = source.built(whole)
    chance = [name for each in made for name in list_chance(each, source)]
    if len(made) == 1 and chance:
        said = f"{measured} is moved by {chance[0]} too: it holds the dataset of all parts"
        yield Hit(
            node, said, remedy="split the indices, and take Subset of a second dataset without it"
        )


MEASURED = re.compile(r"(^|_)(val|valid|validation|test|eval|dev)(_|\d|set|data|ds|$)", re.I)
CHANCE = re.compile(
    r"^torchvision\.transforms\.(v2\.)?(Random(Crop|ResizedCrop|(Horizontal|Vertical)Flip|Rotation|"
    r"Affine|Perspective|Erasing)|ColorJitter|AutoAugment|RandAugment|TrivialAugmentWide|AugMix)$"
)


def list_chance(made: cst.Call, source: Source) -> Iterator[str]:
    """The transforms by chance that a dataset is given."""
    for arg in made.args:
        if arg.keyword is not None and arg.keyword.value in ("transform", "transforms"):
            for compose in (
                (arg.value,) if isinstance(arg.value, cst.Call) else source.built(arg.value)
            ):
                row = compose.args[0].value if compose.args else None
                steps = row.elements if isinstance(row, (cst.List, cst.Tuple)) else ()
                for each in steps:
                    step = each.value
                    name = source.name(step.func) if isinstance(step, cst.Call) else ""
                    if CHANCE.match(name):
                        yield name.rpartition(".")[2]


def is_changed(part: str, node: cst.Assign, source: Source) -> bool:
    """Whether a part is given a dataset or a transform of its own."""
    return (
        re.search(rf"\b{re.escape(part)}\.(dataset|indices|transform)\b", source.text) is not None
    )
