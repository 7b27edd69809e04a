"""Arguments by position, by keyword, by `**{…}`, for callables of torch whose parameters are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst
import libcst.matchers as m

from rewriting.names import list_imports, resolve
from rewriting.program import Parameter, Program

Spell = Callable[[Sequence[cst.Arg], Sequence[Parameter]], list[cst.Arg] | None]
"""From arguments and parameters to other arguments; None where there is no such form."""
_ONE_SIZE = m.Integer() | m.UnaryOperation() | m.Subscript(slice=[m.SubscriptElement(m.Index())])
"""What is one size for sure, and not several."""


def name_arguments(program: Program) -> Program:
    """Each argument by keyword; `x.view(2, -1)` is `x.view(size=(2, -1))`."""
    return _rewrite_calls(program, _name)


def place_arguments(program: Program) -> Program:
    """Each keyword by position, with the defaults of what stands between."""
    return _rewrite_calls(program, _place)


def spread_arguments(program: Program) -> Program:
    """`**{"dim": 1}` for all but the first argument."""
    return _rewrite_calls(program, _spread)


def list_callees(program: Program) -> set[str]:
    """The names of all that a program calls, as `Program.signatures` has them."""
    reader = _CallRewriter(program, lambda args, parameters: None)
    program.module.visit(reader)
    return reader.seen


def clear_commas(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Arguments with commas between them and none behind."""
    return [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in args]


def _rewrite_calls(program: Program, spell: Spell) -> Program:
    return program.change_to(program.module.visit(_CallRewriter(program, spell)))


class _CallRewriter(cst.CSTTransformer):
    def __init__(self, program: Program, spell: Spell) -> None:
        self._imports = list_imports(program.module)
        self._signatures = program.signatures
        self._spell = spell
        self.seen: set[str] = set()

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        name = self._name_callee(original_node.func)
        self.seen.add(name)
        parameters = self._signatures.get(name, ())
        if not parameters or any(arg.star for arg in updated_node.args):
            return updated_node
        args = self._spell(updated_node.args, parameters)
        return updated_node if args is None else updated_node.with_changes(args=clear_commas(args))

    def _name_callee(self, func: cst.BaseExpression) -> str:
        name = resolve(func, self._imports)
        if name or not isinstance(func, cst.Attribute) or m.matches(func.value, m.Name("self")):
            return name
        return f".{func.attr.value}"


def _name(args: Sequence[cst.Arg], parameters: Sequence[Parameter]) -> list[cst.Arg] | None:
    placed = [arg for arg in args if arg.keyword is None]
    takes_sizes = parameters[0].name in ("size", "dims", "shape", "repeats")
    if takes_sizes and placed and (len(placed) > 1 or m.matches(placed[0].value, _ONE_SIZE)):
        values = [cst.Element(arg.value) for arg in placed]
        placed = [cst.Arg(cst.Tuple(values))]
    names = [each.name for each in parameters if not each.keyword_only]
    if len(placed) > len(names):
        return None
    named = [_give(name, arg) for name, arg in zip(names, placed, strict=False)]
    return [*named, *(arg for arg in args if arg.keyword is not None)]


def _place(args: Sequence[cst.Arg], parameters: Sequence[Parameter]) -> list[cst.Arg] | None:
    given = {arg.keyword.value: arg for arg in args if arg.keyword is not None}
    made = [arg for arg in args if arg.keyword is None]
    for parameter in parameters[len(made) :]:
        if not given or parameter.keyword_only:
            break
        if parameter.name in given:
            made.append(
                given.pop(parameter.name).with_changes(
                    keyword=None, equal=cst.MaybeSentinel.DEFAULT
                )
            )
        elif parameter.default:
            made.append(cst.Arg(cst.parse_expression(parameter.default)))
        else:
            return None
    return [*made, *given.values()]


def _spread(args: Sequence[cst.Arg], parameters: Sequence[Parameter]) -> list[cst.Arg] | None:
    if all(arg.keyword is None for arg in args[1:]):
        named = _name(args, parameters)
        args = named if named is not None and len(args) > 1 else args
    spread = [arg for arg in args[1:] if arg.keyword is not None]
    if not spread:
        return None
    items = [
        cst.DictElement(cst.SimpleString(f'"{arg.keyword.value}"'), arg.value)
        for arg in spread
        if arg.keyword is not None
    ]
    kept = [arg for arg in args if arg not in spread]
    return [*kept, cst.Arg(cst.Dict(items), star="**")]


def _give(name: str, arg: cst.Arg) -> cst.Arg:
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(arg.value, keyword=cst.Name(name), equal=equal)
