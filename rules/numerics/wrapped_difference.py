"""LT819: a difference of bytes, which wraps around below zero."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Array, Constant, External, Tensor, Value
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT819",
    summary="a difference of bytes that wraps around",
    why="""
        Images are read as uint8, and uint8 has no numbers below zero: 3 - 5 is 254, in torch and in NumPy,
        without a word. A mean or square of such a difference measures something else. Convert before
        the subtraction, not after it. Measured on torch 2.13.

        Reported where both sides surely are uint8, and what comes out is squared, averaged or
        made absolute; of two pictures that were read from files, also where it becomes a float.
    """,
    bad="""
        import torch


        def error(one, other):
            one, other = one.to(torch.uint8), other.to(torch.uint8)
            return (one - other).float().abs().mean()
    """,
    good="""
        import torch


        def error(one, other):
            one, other = one.to(torch.uint8), other.to(torch.uint8)
            return (one.float() - other.float()).abs().mean()
    """,
    remedy="convert both sides first: a.float() - b.float()",
    proof="""
        assert error(torch.tensor([3.0]), torch.tensor([5.0])) == 2
    """,
)

READERS = frozenset(
    {
        "torchvision.io.read_image", "torchvision.io.decode_image",
        "torchvision.io.decode_jpeg", "torchvision.io.decode_png", "cv2.imread",
    }
)  # fmt: skip
ARRAYS = ("numpy.array", "numpy.asarray")
BYTES = (External("torch.uint8"), External("numpy.uint8"), Constant("uint8"))
CONVERTING = frozenset({"to", "astype", "type"})
MEASURING = frozenset(
    {"abs", "absolute", "square", "pow", "Pow", "mean", "norm", "std", "var", "sum"}
)
FLOATING = frozenset({"float", "astype", "to", "double", "type"})
FLOAT = re.compile(r"(torch|numpy)\.(float\d*|double|half)|float")
TURNING = frozenset({"from_numpy", "as_tensor", "permute", "transpose", "unsqueeze"})
DEEPEST = 3


@rule.event(Combined)
def in_difference(event: Combined, source: Source) -> Iterator[Hit]:
    if event.operator != "Sub" or event.inplace:
        return
    sides = (event.left, event.right)
    if not all(is_bytes(each, source) for each in sides):
        return
    pictures = all(is_picture(each, source) for each in sides)
    measured = leads_to(event.result, is_measure, FLOATING, source)
    if measured or (pictures and leads_to(event.result, makes_float, TURNING, source)):
        yield Hit(event, "a difference of uint8 wraps around below zero: 3 - 5 is 254")


def is_bytes(value: Value, source: Source) -> bool:
    """Whether it surely holds uint8."""
    if isinstance(value, (Tensor, Array)) and value.dtype is not None:
        return value.dtype == "uint8"
    ways = source.evaluation.ways
    made = ways.find_maker(value)
    if isinstance(made, Called):
        if made.name in READERS:
            return len(made.positional) == 1 and not made.keyword
        plain = made.name in ARRAYS and len(made.positional) == 1 and not made.keyword
        return plain and is_image(made.positional[0], source)
    called = ways.find_unknown_maker(value)
    if called is None:
        return False
    given = [*called.given.positional, called.given.keyword.get("dtype")]
    converted = called.method in CONVERTING and any(each in BYTES for each in given)
    return converted or (called.method == "byte" and not called.given.values)


def is_image(value: Value, source: Source) -> bool:
    """`Image.open(path)`, as it is or in colours or greys."""
    ways = source.evaluation.ways
    made, called = ways.find_maker(value), ways.find_unknown_maker(value)
    if called is not None and called.method == "convert":
        return called.given.pick(0) in (Constant("RGB"), Constant("L"))
    return isinstance(made, Called) and made.name == "PIL.Image.open"


def leads_to(
    value: Value,
    ends: Callable[[Operation | UnknownCalled], bool],
    passes: Set[str],
    source: Source,
    depth: int = 0,
) -> bool:
    """Whether something that ends it is done with a value, also behind operations that pass it on."""
    ways = source.evaluation.ways
    for user in (*ways.find_users(value), *ways.find_asked(value)):
        if ends(user):
            return True
        passed = name_operation(user) in passes and isinstance(user, (Called, UnknownCalled))
        if passed and depth < DEEPEST and leads_to(user.result, ends, passes, source, depth + 1):
            return True
    return False


def is_measure(user: Operation | UnknownCalled) -> bool:
    """Whether a difference is squared, averaged or made absolute."""
    return name_operation(user) in MEASURING


def makes_float(user: Operation | UnknownCalled) -> bool:
    """`(b - a).astype(np.float32)`, `torch.from_numpy(b - a).float()`: what comes next has lost the sign."""
    name = name_operation(user)
    return name in ("float", "double") or (name in FLOATING and is_float_asked(user))


def is_picture(value: Value, source: Source) -> bool:
    """Whether it was read from a file, or made of what was: no mask, of which one may hold the other."""
    made = source.evaluation.ways.find_maker(value)
    return isinstance(made, Called) and made.name in (*READERS, *ARRAYS)


def is_float_asked(user: Operation | UnknownCalled) -> bool:
    if isinstance(user, Called):
        given = (*user.positional[1:], *user.keyword.values())
    else:
        given = (*user.given.values,) if isinstance(user, UnknownCalled) else ()
    return any(isinstance(e, External) and FLOAT.fullmatch(e.path) is not None for e in given)
