"""Sizes written otherwise where the evaluator must say what the values are: NumPy, tensors of sizes, max()."""

from __future__ import annotations

import ast
import re
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Baked, Called, Combined
from lintorch.evaluator.values import Constant, Items, Number, Tensor, Value
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.size_edits import EditsSizes, N, operand
from lintorch.facts.models.size_forms import is_shape, write_extreme, write_stack
from lintorch.facts.models.whole_quotients import OperandFacts, write_whole


class RewritesSizes(EditsSizes, Protocol):
    """That, with what the code of the file computes."""

    @property
    def path(self) -> str:
        """The file."""

    @property
    def evaluation(self) -> Evaluation:
        """What its models compute."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[N]) -> N | None:
        """The next node of these classes around another."""

    def above(self, node: cst.CSTNode, content: str) -> Edit:
        """A line above the statement of a node."""


def without_numpy(event: Baked | Called, name: str, source: RewritesSizes) -> Fix | None:
    """`math.prod(x.shape[1:])` for `np.prod(x.shape[1:])`, `(h + 7) // 8` for `int(np.ceil(h / 8))`."""
    call = source.call_at(event)
    called = next(source.evaluation.list_calls_at(event.spot), None)
    if call is None or called is None or event.spot.path != source.path:
        return None
    if len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return None
    outer = source.enclosing(call, cst.Call)
    made_int = outer is not None and source.name(outer.func) == "int"
    whole = outer if made_int and outer is not None and outer.args[0].value is call else call
    whole = find_cast(call, source) or whole
    if name == "numpy.prod" and holds_sizes(called.positional[0]):
        spelled, edits = source.reach("math.prod", call)
        text = f"{spelled}({source.code(call.args[0].value)})" if spelled else None
    elif name == "numpy.sqrt" and is_whole(called.positional[0]):
        text, edits = source.fitted(f"{operand(call.args[0].value, source, call)} ** 0.5", call), ()
        whole = call
    elif name in ("numpy.ceil", "numpy.floor"):
        assert isinstance(called.node, ast.Call)
        given = write_whole(called.node, name.replace("numpy", "math"), source.evaluation)
        if whole is call and given:
            whole, given = _write_rounded(event, call, called.node, given, source)
        text, edits = source.fitted(given, whole) if given and whole is not call else None, ()
    else:
        return None
    if text is None:
        return None
    return Fix(f"write {text}", (source.replace(whole, text), *edits), Applicability.UNSAFE)


def _write_rounded(
    event: Baked | Called, call: cst.Call, node: ast.Call, given: str, source: RewritesSizes
) -> tuple[cst.Call, str | None]:
    """`-h % 8` for `int(np.ceil(h / 8) * 8 - h)`, and what that stands for; None if unsure."""
    outer, function = source.enclosing(call, cst.Call), source.evaluation.find_function(event)
    around = [
        each
        for each in (ast.walk(function) if function is not None else ())
        if isinstance(each, ast.Call) and len(each.args) == 1 and not each.keywords
        if each is not node and any(part is node for part in ast.walk(each.args[0]))
    ]
    if outer is None or not around or source.name(outer.func) != "int":
        return call, None
    facts = OperandFacts(around[-1], source.evaluation)
    sides = _list_operands(around[-1].args[0])
    if not any(each is node for each in sides):
        return call, None
    if not all(each is node or facts.is_whole(each, signed=True) for each in sides):
        return call, None
    text = source.code(outer.args[0].value)
    return outer, _shorten(text.replace(source.code(call), source.fitted(given, call), 1))


def _shorten(text: str) -> str:
    """`-h % 8` for `(h + 7) // 8 * 8 - h`."""
    found = re.fullmatch(r"\(([\w.]+) \+ (\d+)\) // (\d+) *\* *(\d+) *- *([\w.]+)", text)
    if found is None or found[1] != found[5]:
        return text
    return (
        f"-{found[1]} % {found[3]}" if int(found[2]) + 1 == int(found[3]) == int(found[4]) else text
    )


def _list_operands(node: ast.expr) -> list[ast.expr]:
    """What a sum or product of whole numbers is made of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        return [*_list_operands(node.left), *_list_operands(node.right)]
    return [node]


def find_cast(call: cst.Call, source: RewritesSizes) -> cst.Call | None:
    """`np.ceil(h / 8).astype(int)`, around its first call."""
    method = source.parent(call)
    cast = source.parent(method) if isinstance(method, cst.Attribute) else None
    named = isinstance(method, cst.Attribute) and method.attr.value == "astype"
    if not named or not isinstance(cast, cst.Call) or len(cast.args) != 1:
        return None
    kind = cast.args[0].value
    text = kind.raw_value if isinstance(kind, cst.SimpleString) else source.name(kind)
    return cast if text.rpartition(".")[2] in ("int", "int32", "int64") else None


def holds_sizes(value: Value) -> bool:
    """Whether it is a shape, or a list of whole numbers."""
    if not isinstance(value, Items):
        return False
    return all(map(is_whole, (value.each,) if value.items is None else value.items))


def size_itself(event: Called, source: RewritesSizes) -> Fix | None:
    """`x * x.shape[2]` for `x * torch.as_tensor(x.shape[2])`."""
    call = source.call_at(event)
    users = source.evaluation.ways.find_users(event.result)
    with_tensors = [e for e in users if isinstance(e, Combined) and is_with_other(e, event.result)]
    if call is None or len(call.args) != 1 or not users or len(with_tensors) != len(users):
        return None
    if not isinstance(source.parent(call), cst.BinaryOperation):
        return None
    given = call.args[0].value
    edit = source.replace(call, operand(given, source, call))
    return Fix(f"write {source.code(given)}", (edit,), Applicability.UNSAFE)


def stack_sizes(event: Called, data: Value | None, source: RewritesSizes) -> Fix | None:
    """`torch.stack([torch.tensor(h), torch.tensor(w)])` for `torch.tensor([h, w])`: each stays a size."""
    call, node = source.call_at(event), event.node
    items = data.items if isinstance(data, Items) else None
    if call is None or not isinstance(node, ast.Call):
        return None
    if not all(map(is_whole, items or ())) and not is_shape(node.args[0] if node.args else node):
        return None
    if source.name(call.func) != event.name:
        return None
    tensor, first = source.reach("torch.tensor", call)
    stack, second = source.reach("torch.stack", call)
    text = write_stack(node, tensor, stack) if tensor and stack else None
    if text is None or event.name in ("torch.IntTensor", "torch.FloatTensor"):
        return None
    edits = (source.replace(call, text), *dict.fromkeys((*first, *second)))
    return Fix("make a tensor of each size", edits, Applicability.UNSAFE)


def empty_of_sizes(event: Called, source: RewritesSizes) -> Fix | None:
    """`torch.empty(n, 3, dtype=torch.float32)` for `torch.FloatTensor(n, 3)`, x.new_empty for x.new."""
    call = source.call_at(event)
    if call is not None and event.name == "torch.Tensor.new":
        return _renamed(call, "new_empty", source)
    if call is None or source.name(call.func) != event.name or "#" in source.code(call):
        return None
    if any(arg.star or arg.keyword for arg in call.args):
        return None
    empty, first = source.reach("torch.empty", call)
    dtype, second = source.reach(_TYPES[event.name], call)
    if not empty or not dtype:
        return None
    text = f"{empty}({', '.join(source.code(arg.value) for arg in call.args)}, dtype={dtype})"
    edits = (source.replace(call, text), *dict.fromkeys((*first, *second)))
    return Fix(f"write {text}", edits, Applicability.UNSAFE)


def _renamed(call: cst.Call, name: str, source: RewritesSizes) -> Fix | None:
    """`x.new_empty(b, h)` for `x.new(b, h)`."""
    if not isinstance(call.func, cst.Attribute):
        return None
    return Fix(f"use {name}", (source.replace(call.func.attr, name),), Applicability.SAFE)


_TYPES = {
    "torch.Tensor": "torch.float32",
    "torch.FloatTensor": "torch.float32",
    "torch.DoubleTensor": "torch.float64",
    "torch.HalfTensor": "torch.float16",
    "torch.LongTensor": "torch.int64",
    "torch.IntTensor": "torch.int32",
    "torch.ByteTensor": "torch.uint8",
    "torch.BoolTensor": "torch.bool",
}


def is_whole(value: Value) -> bool:
    """Whether it is an int for sure."""
    if isinstance(value, Constant):
        return type(value.value) is int
    return isinstance(value, Number) and value.whole is True and not value.data


def is_with_other(event: Combined, made: Value) -> bool:
    """Whether a value meets a tensor that is worked out of the input."""
    other = event.right if event.left is made else event.left
    return isinstance(other, Tensor) and other.data is True


def list_compared(called: Called) -> tuple[Value, ...]:
    """What max() chooses from: its arguments, or the items of the one that it has."""
    one = called.positional[0] if len(called.positional) == 1 else None
    if isinstance(one, Items):
        return one.items if one.items is not None and len(one.items) == 2 else (one,)
    return called.positional


def reckon_side(event: Baked, source: RewritesSizes) -> Fix | None:
    """`(h + w + abs(h - w)) // 2` for `max(h, w)`."""
    call, calls = source.call_at(event), list(source.evaluation.list_calls_at(event.spot))
    values = [value for each in calls for value in list_compared(each)]
    if call is None or not values or not all(map(is_whole, values)):
        return None
    around = source.evaluation.list_around(calls[0])
    statement = next((each for each in around if isinstance(each, ast.stmt)), None)
    function = next((each for each in around if isinstance(each, ast.FunctionDef)), None)
    found = write_extreme(calls[0].node, statement, function)
    if found is None:
        return None
    text = source.fitted(found.text, call)
    above = (source.above(call, found.above),) if found.above else ()
    edits = (*above, source.replace(call, text))
    return Fix(f"write {found.text}", edits, Applicability.UNSAFE)
