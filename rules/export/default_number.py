"""LT166: a number that forward has by default, of which the legacy exporter makes an input of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed
from lintorch.evaluator.make_arguments import pair_defaults
from lintorch.evaluator.values import Constant, Tensor
from lintorch.facts.exporting.model_parts import is_root_part
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT166",
    summary="a number by default that becomes an input of the legacy file",
    why="""
        The legacy ONNX exporter gives forward all its defaults too, and traces the numbers among
        them as tensors. A number that is reckoned with a tensor (`x * alpha`, `x[:, start:]`,
        `x.view(-1, n)`, `x.topk(k)`) is an input of the file then, by a name like `onnx::Cast_1`:
        "Required inputs are missing from input feed" where a session is fed what the model was
        called with. A number that a `range`, an `if` or `float()` takes is kept as it is, and so
        are flags that are asked, text and None. The new exporter, torch.export and jit.trace keep
        the number. Measured on torch 2.13.

        Told of models that are no part of another of the project. The fix makes a number of it
        first, by float(), or by int() where it is an index or a size: the same bits, unless callers
        give a tensor there, or another kind of number.
    """,
    bad="""
        from torch import nn


        class Scaled(nn.Module):
            def forward(self, x, alpha=0.5):
                return x * alpha
    """,
    good="""
        from torch import nn


        class Scaled(nn.Module):
            def forward(self, x, alpha=0.5):
                alpha = float(alpha)
                return x * alpha
    """,
    remedy="write float(alpha) or int(n), which a tracer keeps, or set it in the constructor",
    proof="""
        import io

        import onnxruntime

        warnings.simplefilter("ignore")
        file = io.BytesIO()
        torch.onnx.export(Scaled(), (torch.ones(2, 3),), file, dynamo=False, input_names=["x"])
        session = onnxruntime.InferenceSession(file.getvalue())
        assert [each.name for each in session.get_inputs()] == ["x"]
    """,
    fix=Applicability.UNSAFE,
    example_profile=("onnx-legacy",),
)

HARM = {"onnx-legacy": Harm.FAILS}
GIVEN = tuple(
    f"torch.Tensor.{name}"
    for name in ("view", "reshape", "repeat", "expand", "topk", "pow", "clamp")
)
"""Methods whose plain numbers become inputs."""


@rule.event(Combined)
def in_operation(event: Combined, source: Source) -> Iterator[Hit]:
    """`x * alpha`."""
    node = event.node
    if isinstance(node, ast.BinOp) and any(
        isinstance(e, Tensor) for e in (event.left, event.right)
    ):
        sides = ((node.left, event.left), (node.right, event.right))
        plain = [each for each, value in sides if isinstance(value, Constant)]
        yield from judge(event, plain, "", source)


@rule.event(Indexed)
def in_index(event: Indexed, source: Source) -> Iterator[Hit]:
    """`x[:, start:]`, `x[:, i]`."""
    if isinstance(event.node, ast.Subscript) and isinstance(event.held, Tensor):
        yield from judge(event, [*ast.walk(event.node.slice)], "int", source)


@rule.event(*GIVEN)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """`x.view(-1, n)`."""
    if isinstance(event.node, ast.Call):
        given = (*event.node.args, *(each.value for each in event.node.keywords))
        kind = "" if event.name.endswith(("pow", "clamp")) else "int"
        yield from judge(event, [*given], kind, source)


def judge(
    event: Combined | Indexed | Called,
    given: list[ast.expr] | list[ast.AST],
    kind: str,
    source: Source,
) -> Iterator[Hit]:
    """Of the forward of a model itself: what a part is given by default no exporter asks for."""
    if len(event.way.names) > 2 or event.spot.path != source.path:
        return
    function = source.evaluation.find_function(event)
    names = [each.id for each in given if isinstance(each, ast.Name)]
    if not isinstance(function, ast.FunctionDef) or function.name != "forward":
        return
    numbers = find_numbers(function)
    for name in sorted(set(names) & set(numbers)):
        if not is_root_part(event.way.names[0], source):
            message = f"`{name}` is a number by default, and an input of the file for that"
            fix = make_number(event, name, kind or numbers[name], source)
            waits = not event.way.forward  # a model that gives its loss may be exported, too
            yield Hit(event, message, fix, HARM, cause=name, confirms=waits)
            return


def make_number(
    event: Combined | Indexed | Called, name: str, kind: str, source: Source
) -> Fix | None:
    """`alpha = float(alpha)` ahead of all else; of a whole number where it is an index or a size alone."""
    node: cst.CSTNode | None
    if isinstance(event, Called):
        node = source.call_at(event)
    else:
        shape = cst.BinaryOperation if isinstance(event, Combined) else cst.Subscript
        node = source.node_at(event, shape)
    forward = source.enclosing(node, cst.FunctionDef) if node is not None else None
    body = forward.body.body if forward is not None else ()
    told = forward is not None and forward.get_docstring() is not None
    first = next(iter(body[told:]), None)
    if first is None or (kind == "int" and isinstance(event, Combined)):
        return None
    line = f"{name} = {kind}({name})"
    return Fix(f"write {line}", (source.above(first, line),), Applicability.UNSAFE)


def find_numbers(forward: ast.FunctionDef) -> dict[str, str]:
    """Parameters that are a number by default, and are given nothing else: "int" or "float"."""
    stored = {
        each.id
        for each in ast.walk(forward)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    kinds = {each.arg: name_kind(default) for each, default in pair_defaults(forward.args)}
    return {name: kind for name, kind in kinds.items() if kind and name not in stored}


def name_kind(default: ast.expr) -> str:
    """ "int" or "float" of a plain number, "" of anything else."""
    kind = type(default.value).__name__ if isinstance(default, ast.Constant) else ""
    return kind if kind in ("int", "float") else ""
