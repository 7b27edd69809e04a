"""How forward may write the device that the model, or its input, is on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.values import Tensor
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.value_ways import list_operands

_WEIGHTED = frozenset(
    {"Linear", "Embedding", *(f"Conv{n}d" for n in (1, 2, 3))}
    | {f"ConvTranspose{n}d" for n in (1, 2, 3)}
)
"""Layers that always have a weight."""
_MOVES = frozenset({"cuda", "to", "cpu", "type", "type_as"})
_MOVED = frozenset({"torch.Tensor.cuda", "torch.Tensor.to", "torch.Tensor.cpu"})
_FRESH = frozenset(
    f"torch.{name}{end}"
    for name in ("zeros", "ones", "full", "empty", "rand", "randn", "randint")
    for end in ("", "_like")
) | {"torch.arange", "torch.linspace", "torch.eye", "torch.tensor"}
_JOINS = frozenset(f"torch.{name}" for name in ("cat", "concat", "stack", "hstack", "vstack"))
"""What takes lists of tensors: of these `x[0]` and `torch.cat(x)` speak, too."""
Spell = Callable[[str], str]
"""How the file writes a dotted name there; "" if it cannot."""


def name_device(event: Occurrence, evaluation: Evaluation, spell: Spell) -> str:
    """`x.device` of an input, or `self.scale.device` of a weight; "" where neither is sure.

    Of an input only in a forward that moves none of its inputs: what it moves may lie elsewhere.
    """
    function = evaluation.find_function(event)
    if not isinstance(function, ast.FunctionDef):
        return ""
    if function.name == "forward" and not _moves_given(function, evaluation):
        inputs = _list_inputs(function, evaluation)
        given = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        if name := next((each for each in given if each in inputs), ""):
            return f"{name}.device"
    return _name_weight(event, function, evaluation, spell)


def _moves_given(function: ast.FunctionDef, evaluation: Evaluation) -> bool:
    """Whether a function sends what it is given to a device, or gives a parameter another value."""
    moved = (
        event.positional[0]
        for event in _list_operations(function, evaluation)
        if isinstance(event, Called) and event.name in _MOVED and event.positional
    )
    makers = (evaluation.ways.find_maker(each) for each in moved)
    return _names_anew(function) or not all(
        isinstance(each, Called) and each.name in _FRESH for each in makers
    )


def _names_anew(function: ast.FunctionDef) -> bool:
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name in given:
                return True
            case ast.Call(func=ast.Attribute(attr=last, value=ast.Name(id=name))):
                if last in _MOVES and name in given:
                    return True
    return False


def _list_inputs(function: ast.FunctionDef, evaluation: Evaluation) -> frozenset[str]:
    """The names of inputs that are tensors, and no lists of them, as the function works on them."""
    return frozenset(
        value.name
        for event in _list_operations(function, evaluation)
        if isinstance(event, Combined) or (isinstance(event, Called) and event.name not in _JOINS)
        for value in list_operands(event)
        if isinstance(value, Tensor) and value.origin == "input"
    )


def _list_operations(
    function: ast.FunctionDef, evaluation: Evaluation
) -> Iterator[Called | Combined]:
    for reached in evaluation.reached:
        for event in reached.events:
            if (
                isinstance(event, (Called, Combined))
                and evaluation.find_function(event) is function
            ):
                yield event


def _name_weight(
    event: Occurrence, function: ast.FunctionDef, evaluation: Evaluation, spell: Spell
) -> str:
    """`self.scale.device` of a buffer or parameter, `self.conv.weight.device` of a layer."""
    around = evaluation.list_around(event)
    outer = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    if outer is None or function not in outer.body or not function.args.args:
        return ""
    begin = next((f for f in outer.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)  # fmt: skip
    found = list(_list_weights(begin, spell)) if begin is not None else []
    own = function.args.args[0].arg
    return next((f"{own}.{each}.device" for each in found if _is_set_once(each, outer)), "")


def _list_weights(begin: ast.FunctionDef, spell: Spell) -> Iterator[str]:
    """Of the statements that always run when the model is built."""
    for line in begin.body:
        match line:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(attr="register_buffer", value=ast.Name(id="self")),
                    args=[ast.Constant(value=str(name)), value, *_],
                )
            ) if not isinstance(value, ast.Constant):
                yield name
            case ast.Assign(
                targets=[ast.Attribute(attr=name, value=ast.Name(id="self"))],
                value=ast.Call(func=func),
            ):
                kind = ast.unparse(func)
                last = kind.rpartition(".")[2]
                if kind == spell(f"torch.nn.{last}") and last == "Parameter":
                    yield name
                elif kind == spell(f"torch.nn.{last}") and last in _WEIGHTED:
                    yield f"{name}.weight"


def _is_set_once(weight: str, outer: ast.ClassDef) -> bool:
    """Whether no other line of the class gives the attribute a value, or may."""
    name = weight.partition(".")[0]
    stores = [
        node
        for node in ast.walk(outer)
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
    ]
    named = [n for n in ast.walk(outer) if isinstance(n, ast.Constant) and n.value == name]
    return len(stores) + len(named) == 1
