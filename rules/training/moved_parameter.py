"""LT431: a parameter that is moved or converted as it is made, so that what is kept is no parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeRead, AttributeSet, Called, Combined
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.objects import is_module_class
from lintorch.evaluator.values import FALSE, TRUE, Constant, External, Held, Tensor, Value
from lintorch.facts.models.moved_before import is_there_already
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import ValueWays
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT431",
    summary="a parameter that is moved as it is made",
    why="""
        `to`, `cuda`, `double` and `half` of a tensor give a new tensor wherever device or dtype
        differ. Of `nn.Parameter(x).cuda()` that is no Parameter any more: the module does not
        register it, no optimizer sees it, state_dict lacks it; no more than `nn.Parameter(x) * 0.1` is one. Of
        what an attribute that is a Parameter is given it raises TypeError. Of
        `torch.zeros(3, requires_grad=True).cuda()` it is no leaf, and its grad stays None. On the
        CPU, where nothing is to be moved, all is well, so tests pass. Move the data first, or the
        module afterwards. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4)).to(torch.float64)

            def forward(self, x):
                return x * self.weight
    """,
    good="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4).to(torch.float64))

            def forward(self, x):
                return x * self.weight
    """,
    proof="""
        assert list(Scale().parameters())
    """,
    fix=Applicability.UNSAFE,
)

_MOVES = frozenset({"to", "cuda", "double", "half", "bfloat16", "type"})
_PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})


_PLAIN = "torch.FloatTensor"
"""The old name of float32 on the CPU, where layers are made."""


@rule.event(AttributeSet)
def in_modules(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.weight = nn.Parameter(x).to(device)`."""
    move = _find_move(event.value, source)
    if move is None or not isinstance(event.held, Held) or not is_module_class(event.held.of):
        return
    made = source.evaluation.ways.find_maker(find_operand(move))
    if isinstance(made, Called) and made.name in _PARAMETERS and not _is_constant(made):
        how = name_operation(move)
        if _is_read_off(move):
            said = f"self.{event.attribute} is a Parameter: where {how}() moves it, this raises TypeError"
            yield Hit(move, said, remedy="leave it out: to() of the module moves it", cause="again")
            return
        ways = source.evaluation.ways
        if is_there_already(move, ways) or is_made_as(move, made, ways):
            return
        message = (
            f"where {how}() moves or converts it, self.{event.attribute} is no Parameter: it is"
            " neither trained nor saved"
        )
        remedy = f"call {how}() on what Parameter is given"
        yield Hit(move, message, _move_inside(move, made, source), remedy=remedy, cause="kept")


def is_made_as(move: Called, made: Called, ways: ValueWays) -> bool:
    """`nn.Parameter(torch.ones(n, dtype=torch.float32)).to(torch.float32)`, which gives itself."""
    maker = ways.find_maker(made.positional[0]) if made.positional else None
    asked = (*move.positional[1:], *move.keyword.values())
    named = maker.keyword.get("dtype") if isinstance(maker, Called) else None
    return isinstance(named, External) and asked == (named,)


def _is_read_off(move: Called) -> bool:
    """`self.alpha = self.alpha.to(x.device)`: the Parameter stands there already, and takes no tensor."""
    called = move.node.func if isinstance(move.node, ast.Call) else None
    held = called.value if isinstance(called, ast.Attribute) else None
    own = isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name)
    return own and not move.way.names[-1].endswith("__init__") if move.way.names else own


def _is_constant(made: Called) -> bool:
    """`nn.Parameter(kernel, requires_grad=False)`: not to be trained, and made anew by the constructor."""
    return name_given(made).get("requires_grad") == FALSE


@rule.event(AttributeSet)
def in_arithmetic(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.scale = nn.Parameter(torch.ones(4)) * 0.1` of a constructor."""
    made = source.evaluation.ways.find_maker(event.value)
    begun = bool(event.way.names) and event.way.names[-1].endswith("__init__")
    if not begun or not isinstance(made, Combined) or not isinstance(event.held, Held):
        return
    node = made.node
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    makers = [source.evaluation.ways.find_maker(each) for each in (made.left, made.right)]
    mine = any(isinstance(each, Called) and each.name in _PARAMETERS for each in makers)
    written = any(isinstance(each, ast.Call) and "Parameter" in ast.unparse(each) for each in sides)
    if mine and written and is_module_class(event.held.of):
        message = f"self.{event.attribute} is a result, no Parameter, and is not trained"
        yield Hit(made, message, remedy="work out first what Parameter is given")


@rule.event(AttributeRead)
def in_gradients(event: AttributeRead, source: Source) -> Iterator[Hit]:
    """`torch.zeros(3, requires_grad=True).cuda()` of which the gradient is read."""
    move = _find_move(event.held, source) if event.attribute == "grad" else None
    if move is None or _retains(event.held, source):
        return
    made = source.evaluation.ways.find_maker(find_operand(move))
    told = isinstance(made, Called) and made.name in _PARAMETERS and _is_kept(event.held, source)
    if isinstance(made, Called) and _needs_gradient(made) and not told:
        how = name_operation(move)
        message = (
            f"where {how}() moves or converts it, the tensor is no leaf and its grad stays None"
        )
        yield Hit(move, message, remedy=f"call requires_grad_() after {how}()")


def _is_kept(value: Value, source: Source) -> bool:
    """Whether it becomes an attribute of a module, of which that is told."""
    events = (event for _, event in source.evaluation.list_events({AttributeSet}))
    return any(
        isinstance(each, AttributeSet)
        and each.value is value
        and isinstance(each.held, Held)
        and is_module_class(each.held.of)
        for each in events
    )


def _find_move(value: Value, source: Source) -> Called | None:
    """The call that moved what was just made."""
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(made, Called) or not made.name.startswith("torch.Tensor."):
        return None
    return made if name_operation(made) in _MOVES and not _keeps_all(made) else None


def _keeps_all(move: Called) -> bool:
    """Whether it is asked for the dtype that the tensor has."""
    given = (*move.positional[1:], *move.keyword.values())
    before, after = move.positional[0], move.result
    if not isinstance(before, Tensor) or before.dtype is None or len(given) != 1:
        return False
    named = given[0].value if isinstance(given[0], Constant) else getattr(given[0], "path", "")
    if named == _PLAIN:
        return before.dtype == "float32"
    plain = isinstance(given[0], External) and given[0].path.startswith("torch.")
    return plain and isinstance(after, Tensor) and before.dtype == after.dtype


def _needs_gradient(made: Called) -> bool:
    if made.name in _PARAMETERS or name_operation(made) == "requires_grad_":
        return True
    return made.keyword.get("requires_grad") == TRUE


def _retains(value: Value, source: Source) -> bool:
    users = source.evaluation.ways.find_users(value)
    return any(name_operation(each) == "retain_grad" for each in users)


def _move_inside(move: Called, made: Called, source: Source) -> Fix | None:
    """`nn.Parameter(x.to(device))`, where that is written in one line."""
    outer, inner = source.call_at(move), source.call_at(made)
    if outer is None or inner is None or len(inner.args) < 1 or inner.args[0].keyword is not None:
        return None
    given = inner.args[0].value
    text, whole = source.code(given), source.code(outer)
    begin = source.code(inner)
    if not whole.startswith(begin + "."):
        return None
    rest = whole[len(begin) :]
    fixed = begin.replace(text, f"{text}{rest}", 1)
    return Fix("move what it is made of", (source.replace(outer, fixed),), Applicability.UNSAFE)
