"""LT531: a picture and its mask, moved by chance apart from each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT531",
    summary="chance that moves a picture and its mask apart",
    why="""
        A random crop or flip draws anew at every call. Called on a picture and then on its mask, it crops and
        flips them in two ways, and the labels belong to other pixels: the model trains on noise, and nothing
        raises. The transforms of torchvision.transforms.v2 take both at once, the mask as
        tv_tensors.Mask; or the same seed is set ahead of each call.
    """,
    bad="""
        from torchvision import transforms


        class Pairs:
            def __init__(self, images, masks):
                self.images, self.masks = images, masks
                self.crop = transforms.Compose([
                    transforms.RandomCrop(128), transforms.ToTensor(),
                ])

            def __getitem__(self, index):
                return self.crop(self.images[index]), self.crop(self.masks[index])
    """,
    good="""
        from torchvision import transforms


        class Pairs:
            def __init__(self, images, masks):
                self.images, self.masks = images, masks
                self.crop = transforms.v2.RandomCrop(128)

            def __getitem__(self, index):
                return self.crop(self.images[index], self.masks[index])
    """,
    remedy="give both to one call of a transform of torchvision.transforms.v2, or set one seed for both",
    unproven="""
        Running it takes torchvision, which these proofs do not install. That each call draws its own crop is how
        RandomCrop.get_params is documented.
    """,
)

_MOVES = re.compile(
    r"^torchvision\.transforms\.(v2\.)?Random(Crop|ResizedCrop|(Horizontal|Vertical)Flip|Rotation|Affine|Perspective)$"
)
_MASK = re.compile(r"mask|label|seg|(^|_)gt|target|annot|ground", re.I)
_SEEDED = ("manual_seed", "random.seed", "set_rng_state", "get_params", "set_state")


@rule.source(cst.Call, needs=("torchvision",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    """The call on the mask, where the same transform is called on something else in the function."""
    function = source.enclosing(call, cst.FunctionDef)
    if (
        function is None
        or len(call.args) != 1
        or not isinstance(call.func, (cst.Name, cst.Attribute))
    ):
        return
    given, made = source.code(call.args[0].value), source.built(call.func)
    if not _MASK.search(given) or not made or not all(moves(each, source) for each in made):
        return
    if any(word in source.code(function) for word in _SEEDED):
        return
    for other in source.nodes(cst.Call):
        if other is call or source.enclosing(other, cst.FunctionDef) is not function:
            continue
        same = source.code(other.func) == source.code(call.func) and len(other.args) == 1
        if same and not _MASK.search(source.code(other.args[0].value)):
            what = source.code(other.args[0].value)
            yield Hit(call, f"draws anew: {given} is moved otherwise than {what}")
            return


def moves(made: cst.Call, source: Source) -> bool:
    """Whether a transform moves pixels by chance."""
    if source.name(made.func).endswith(".Compose"):
        row = made.args[0].value if made.args else None
        steps = row.elements if isinstance(row, (cst.List, cst.Tuple)) else ()
        calls = [each.value for each in steps if isinstance(each.value, cst.Call)]
        return any(moves(each, source) for each in calls)
    return _MOVES.match(source.name(made.func)) is not None
