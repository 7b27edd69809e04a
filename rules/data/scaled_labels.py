"""LT530: labels made whole numbers after ToTensor had made them fractions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT530",
    summary="labels of a picture that ToTensor scales to fractions",
    why="""
        ToTensor divides the bytes of a picture by 255. Of a mask whose bytes are the numbers of classes, `.long()`
        behind it makes 0 everywhere, but for 255, which becomes 1: the model learns that all is background, and
        nothing raises. `torch.from_numpy(np.array(mask))` and PILToTensor keep the numbers.
    """,
    bad="""
        from torchvision import transforms

        to_tensor = transforms.ToTensor()


        def read_labels(mask):
            return to_tensor(mask).long()
    """,
    good="""
        from torchvision import transforms

        to_tensor = transforms.PILToTensor()


        def read_labels(mask):
            return to_tensor(mask).long()
    """,
    remedy="keep the numbers: torch.from_numpy(np.array(mask)).long(), or PILToTensor",
    unproven="""
        Running it takes torchvision, which these proofs do not install. Its page says that ToTensor scales bytes
        to the range from 0.0 to 1.0.
    """,
)

_KEEPS = re.compile(
    r"^torchvision\.transforms\.(v2\.)?"
    r"(ToTensor|Resize|CenterCrop|Normalize|Random\w*(Crop|Flip|Rotation|Affine)|Grayscale)$"
)
_WHOLE = re.compile(
    r"\.(long|int)\(\)$|\.(to|type)\((dtype=)?torch\.(long|int64|int|int32|LongTensor)\)$"
)


@rule.source(cst.Call, needs=("ToTensor", "to_tensor"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    held = func.value if isinstance(func, cst.Attribute) else None
    while isinstance(held, cst.Call) and is_squeezed(held):
        held = held.func.value if isinstance(held.func, cst.Attribute) else None
    whole = isinstance(held, cst.Call) and _WHOLE.search(source.code(call))
    if (
        isinstance(held, cst.Call)
        and whole
        and is_scaled(held, source)
        and is_of_bytes(held, source)
    ):
        yield Hit(call, "ToTensor has divided the labels by 255: all but 255 become 0")


def is_of_bytes(call: cst.Call, source: Source) -> bool:
    """Whether it is given a picture that holds bytes, and none of an array of any type: only bytes are scaled."""
    given = call.args[0].value if call.args else None
    while isinstance(given, cst.Call) and source.name(given.func) in (
        "numpy.array",
        "numpy.asarray",
    ):
        given = given.args[0].value if given.args else None
    made = source.classes.assigned(given) if isinstance(given, cst.Name) else [given]
    return not any(_FROM_ARRAY.search(source.code(each)) for each in made if each is not None)


_FROM_ARRAY = re.compile(r"\.fromarray\((?!.*(uint8|convert\())")


def is_squeezed(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in ("squeeze", "unsqueeze")


def is_scaled(call: cst.Call, source: Source) -> bool:
    """`to_tensor(mask)`, `self.transform(mask)` of a Compose that scales and does not scale back."""
    name = source.name(call.func)
    if name in ("torchvision.transforms.functional.to_tensor", "torchvision.transforms.ToTensor"):
        return True
    made = (call.func,) if isinstance(call.func, cst.Call) else source.built(call.func)
    return bool(made) and all(scales(each, source) for each in made)


def scales(made: cst.Call, source: Source) -> bool:
    name = source.name(made.func)
    if not name.endswith(".Compose"):
        return name.endswith(".ToTensor") and _KEEPS.match(name) is not None
    row = made.args[0].value if made.args else None
    steps = [each.value for each in row.elements] if isinstance(row, (cst.List, cst.Tuple)) else []
    names = [source.name(each.func) if isinstance(each, cst.Call) else "" for each in steps]
    known = all(_KEEPS.match(each) for each in names)
    return known and any(each.endswith(".ToTensor") for each in names)
