"""LT606: tensors made by the constructors of the years before torch 0.4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import or_
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Number, Tensor, Value
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT606",
    summary="a legacy tensor constructor",
    why="""
        `torch.Tensor` takes sizes and data alike: `torch.Tensor(5)` is five numbers that nobody
        set, `torch.Tensor([5])` the number five. It gives floats whatever it is given, and it
        is not made on the device of `with torch.device("meta")`, as `torch.empty` is (measured
        on torch 2.13). `Variable(x)` is `x.detach()`: it cuts the gradient without a word.
        `torch.cuda.FloatTensor` is a TypeError where torch was built without CUDA, and
        `torch.tensor(t)` of a tensor warns.

        Reported are calls whose arguments tell what they mean: sizes in a row, literal lists,
        numbers; not `torch.Tensor(x)`, where x may be either.
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.weight = nn.Parameter(torch.Tensor(width, 1))
    """,
    good="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.weight = nn.Parameter(torch.empty(width, 1))
    """,
    proof="""
        with torch.device("meta"):
            assert Scale(4).weight.is_meta
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

DTYPES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16",
    "Long": "int64", "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8",
    "Bool": "bool",
}  # fmt: skip
CONSTRUCTORS = {
    "torch.Tensor": ("", ""),
    **{f"torch.{name}Tensor": (dtype, "") for name, dtype in DTYPES.items()},
    **{f"torch.cuda.{name}Tensor": (dtype, "cuda") for name, dtype in DTYPES.items()},
}
"""From the name to dtype and device; "" where the default is meant."""
_MADE = frozenset(
    f"torch.{name}"
    for name in (
        *("tensor", "ones", "zeros", "rand", "randn", "randint", "arange", "full", "empty"),
        *("ones_like", "zeros_like", "rand_like", "randn_like", "full_like", "empty_like", "eye"),
    )
) | {"torch.from_numpy", *CONSTRUCTORS}
"""What gives a new tensor that no gradient runs through."""
_VARIABLE = "torch.autograd.Variable"
_VARIABLE_TAKES = ("data", "requires_grad", "volatile", "name")


@rule.source(cst.Call, needs=("Tensor(",))
def constructor(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in CONSTRUCTORS or any(arg.star or arg.keyword for arg in call.args):
        return
    dtype, device = CONSTRUCTORS[name]
    args = [arg.value for arg in call.args]
    options = _options(dtype, device, call, source)
    if args and _are_sizes(args):
        yield _made_of_sizes(call, name, source)
    elif len(args) == 1 and (found := _numbers(args[0])):
        text = source.code(args[0])
        if name == "torch.Tensor" and _FEW.fullmatch(text):
            text, found = _WHOLE.sub(r"\g<0>.0", text), [*map(float, found)]
        given = _data_options(name, found, options, call, source)
        message = f"{name} of a list is a legacy constructor"
        fix = _fix("torch.tensor", text, given, call, source)
        yield Hit(call, message, fix, remedy="use torch.tensor")
    elif len(args) == 1 and isinstance(literal(args[0]), float):
        message = f"{name} of one float raises TypeError"
        yield Hit(call, message, severity=Severity.ERROR, remedy="use torch.tensor")
    elif device and args:
        message = f"{name} raises TypeError where torch has no CUDA"
        yield Hit(call, message, remedy="use torch.tensor, with dtype= and device=")


_FEW, _WHOLE = re.compile(r"[\[\](),\s\d-]{,24}"), re.compile(r"\d+")
"""A short list of whole numbers, which become floats where they stand; each of them."""


@rule.event(*CONSTRUCTORS)
def of_a_size(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.Tensor(n)`, where n is known to be a number."""
    call = source.call_at(event)
    if call is None or event.keyword or len(call.args) != 1 or _are_sizes([call.args[0].value]):
        return
    if not call.args[0].star and _is_size(event.positional):
        yield _made_of_sizes(call, event.name, source)


def _made_of_sizes(call: cst.Call, name: str, source: Source) -> Hit:
    text = ", ".join(source.code(arg.value) for arg in call.args)
    message = f"{name}({text}) is made of sizes and left unset: torch.empty says so"
    options = _options(*CONSTRUCTORS[name], call, source)
    filled, value = _find_filling(call, source)
    fix = _fix(f"torch.{_FILLED.get(value, 'empty')}", text, options, filled, source)
    return Hit(call, message, fix)


def _find_filling(call: cst.Call, source: Source) -> tuple[cst.Call, object]:
    """`torch.Tensor(2, 3).zero_()` and 0: the call that fills what a call makes, and with what; else itself, and None."""
    method = source.parent(call)
    filled = source.parent(method) if isinstance(method, cst.Attribute) else None
    if not isinstance(method, cst.Attribute) or not isinstance(filled, cst.Call):
        return call, None
    given = [None if arg.star or arg.keyword else literal(arg.value) for arg in filled.args]
    if method.attr.value == "zero_" and not given:
        return filled, 0
    if method.attr.value == "fill_" and len(given) == 1 and type(given[0]) in (int, float):
        return (filled, given[0]) if given[0] in _FILLED else (call, None)
    return call, None


_FILLED: dict[object, str] = {0: "zeros", 1: "ones"}
"""What makes a tensor of one number."""


@rule.source(cst.Call, needs=("Variable",))
def variable(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != _VARIABLE or not call.args:
        return
    given = source.arguments(call, "data", "requires_grad", "volatile")
    data = given.get("data")
    if data is None or not given.complete:
        return
    if "volatile" in given.by_name:
        yield Hit(call, "volatile has no effect", remedy="use torch.no_grad()")
        return
    if unknown := next((name for name in given.by_name if name not in _VARIABLE_TAKES), ""):
        told = f"Variable takes no {unknown}, and raises TypeError"
        remedy = "leave Variable out; what moves a tensor is x.to(device)"
        yield Hit(call, told, remedy=remedy, severity=Severity.ERROR)
        return
    made = _is_without_gradient(data, source)
    does = "does nothing" if made else "cuts the gradient as detach() does"
    yield Hit(call, f"Variable {does}, and is a legacy name", _unwrapped(call, data, made, source))


def _is_without_gradient(data: cst.BaseExpression, source: Source) -> bool:
    """`torch.ones(1).cuda() * 2`, `x.detach().long()`: made here, or cut off already."""
    if isinstance(data, cst.BinaryOperation):
        sides = data.left, data.right
        numbers = [*map(_is_number, sides)]
        known = map(_is_without_gradient, sides, (source, source))
        return not all(numbers) and all(map(or_, numbers, known))
    if not isinstance(data, cst.Call) or _asks_for_gradient(data):
        return False
    if source.name(data.func) in _MADE:
        return True
    if not isinstance(data.func, cst.Attribute):
        return False
    method, held = data.func.attr.value, data.func.value
    if method == "new" and _are_sizes([arg.value for arg in data.args]):
        return True
    filled = method == "fill_" and len(data.args) == 1 and _is_number(data.args[0].value)
    through = (filled or method in _MOVING) and _is_without_gradient(held, source)
    return through or method in _MADE_LIKE or (method == "detach" and not data.args)


def _is_number(node: cst.BaseExpression) -> bool:
    return isinstance(literal(node), (int, float))


def _asks_for_gradient(call: cst.Call) -> bool:
    """Whether it says `requires_grad=`, or holds arguments by `**` that may."""
    return any(
        arg.star == "**" or (arg.keyword and arg.keyword.value == "requires_grad")
        for arg in call.args
    )


_MADE_LIKE = frozenset({"new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"})


_MOVING = frozenset({
    "cuda", "cpu", "to", "long", "int", "float", "double", "half", "bool", "byte",
    "zero_", "normal_", "uniform_", "random_", "contiguous", "view", "squeeze", "unsqueeze",
    "type", "expand", "repeat", "reshape", "transpose", "permute", "t", "clone", "pin_memory",
})  # fmt: skip
"""Methods whose result has no gradient where what they are called on has none."""


@rule.event("torch.tensor", "torch.Tensor.new_tensor")
def copy(event: Called, source: Source) -> Iterator[Hit]:
    method = event.name == "torch.Tensor.new_tensor"
    given = event.positional[1:] if method else event.positional
    if event.keyword or event.open or len(given) != 1:
        return
    call, fix = source.call_at(event), None
    if not isinstance(given[0], Tensor) or _may_be_number(given[0], call, source):
        return
    if call is not None and not method:
        written = f"{source.receiver(call.args[0].value)}.detach().clone()"
        fix = Fix("copy it", (source.replace(call, written),))
    yield Hit(
        event, "a tensor made of a tensor warns: x.detach().clone() is the copy it makes", fix
    )


def _may_be_number(value: Tensor, call: cst.Call | None, source: Source) -> bool:
    """Whether it is an input of which nothing is known, nor said, but that a model takes it."""
    if value.origin != "input" or value.shape is not None:
        return not value.sure
    outer = source.enclosing(call, cst.FunctionDef) if call is not None else None
    params = (*outer.params.posonly_params, *outer.params.params) if outer is not None else ()
    notes = (p.annotation for p in params if p.name.value == value.name)
    return not any(note is not None and "Tensor" in source.code(note.annotation) for note in notes)


@rule.event("torch.Tensor.new")
def new(event: Called, source: Source) -> Iterator[Hit]:
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Attribute) or not call.args:
        return
    if any(arg.star or arg.keyword for arg in call.args):
        return
    args = [arg.value for arg in call.args]
    if _are_sizes(args) or _is_size(event.positional[1:]):
        message = "x.new of sizes is left unset: x.new_empty says so"
        yield Hit(event, message, _new_of_sizes(call, call.func, source))
    elif len(args) == 1 and _numbers(args[0]):
        message = "x.new of a list is a legacy constructor: use x.new_tensor"
        fix = Fix("use new_tensor", (source.replace(call.func.attr, "new_tensor"),))
        yield Hit(event, message, fix)


def _new_of_sizes(call: cst.Call, method: cst.Attribute, source: Source) -> Fix:
    filled, value = _find_filling(call, source)
    name = f"new_{_FILLED.get(value, 'empty')}"
    if filled is call:
        return Fix(f"use {name}", (source.replace(method.attr, name),))
    sizes = source.code(call).removeprefix(source.code(method))
    written = f"{source.code(method.value)}.{name}{sizes}"
    return Fix(f"use {name}", (source.replace(filled, written),))


def _are_sizes(args: Sequence[cst.BaseExpression]) -> bool:
    """Several arguments are sizes; one is where it is a number."""
    value = literal(args[0]) if len(args) == 1 else None
    return len(args) > 1 or (isinstance(value, int) and not isinstance(value, bool))


def _is_size(given: Sequence[Value]) -> bool:
    """Whether there is one argument, and it is a whole number or a shape."""
    if len(given) != 1:
        return False
    only = given[0]
    number = isinstance(only, Constant) and type(only.value) is int
    return number or (isinstance(only, Number) and only.size is not None)


def _numbers(node: cst.BaseExpression) -> list[Any]:
    """The numbers of a literal list or tuple, nested or not; [] of anything else."""
    value = literal(node)
    flat: list[Any] = [value] if isinstance(value, (list, tuple)) else []
    while any(isinstance(item, (list, tuple)) for item in flat):
        flat = [n for item in flat for n in (item if isinstance(item, (list, tuple)) else [item])]
    return flat if all(isinstance(item, (int, float)) for item in flat) else []


def _options(dtype: str, device: str, call: cst.Call, source: Source) -> list[str] | None:
    """Keywords for dtype and device; None where the file cannot name the dtype."""
    spelled = source.spell(f"torch.{dtype}", call) if dtype else ""
    if dtype and not spelled:
        return None
    return [*([f"dtype={spelled}"] if dtype else []), *([f'device="{device}"'] if device else [])]


def _data_options(
    name: str, numbers: list[Any], options: list[str] | None, call: cst.Call, source: Source
) -> list[str] | None:
    """The same for data: integers have to be told to be floats; None where they would be cut."""
    floats = any(isinstance(number, float) for number in numbers)
    if name == "torch.Tensor" and not floats:
        default = source.spell("torch.get_default_dtype", call)
        return [f"dtype={default}()"] if default else None
    whole = CONSTRUCTORS[name][0].startswith(("int", "uint", "bool"))
    return None if whole and floats else options


def _fix(
    function: str, given: str, options: list[str] | None, call: cst.Call, source: Source
) -> Fix | None:
    spelled = source.spell(function, call)
    if not spelled or options is None or "#" in source.code(call):
        return None
    further = len(spelled) - len(source.code(call.func))
    written = f"{spelled}({', '.join([_move(given, further), *options])})"
    return Fix(f"use {function}", (source.replace(call, written),))


def _move(text: str, columns: int) -> str:
    """The lines below the first so many columns further, where they stand below its brackets."""
    first, *lines = text.split("\n")
    blanks = [len(line) - len(line.lstrip(" ")) for line in lines]
    hangs = first.rstrip().endswith(("[", "("))
    if not lines or hangs or min(blanks) + columns < 0 or min(blanks) == 0:
        return text
    moved = (" " * (n + columns) + line[n:] for n, line in zip(blanks, lines, strict=True))
    return "\n".join((first, *moved))


def _unwrapped(call: cst.Call, data: cst.BaseExpression, made: bool, source: Source) -> Fix | None:
    given = source.arguments(call, "data", "requires_grad", "volatile")
    wanted = literal(given.get("requires_grad")) if "requires_grad" in given.by_name else False
    if not isinstance(wanted, bool) or "#" in source.code(call):
        return None
    written = source.code(data) if made else f"{source.receiver(data)}.detach()"
    grad = ".requires_grad_()" if wanted else ""
    return Fix("write what it does", (source.replace(call, written + grad),))
