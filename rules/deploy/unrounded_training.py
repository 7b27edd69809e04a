"""LT228: training for quantization that rounds nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.source import Source
from lintorch.syntax.python_ast import list_nodes

rule = Rule(
    __name__,
    code="LT228",
    summary="prepare_qat() with a configuration that only observes",
    why="""
        `get_default_qconfig` has observers, which note the range of what they see and hand it on as
        it is. Training after `prepare_qat` with it is that of the float model: no weight and no
        activation is rounded, and the loss in accuracy comes with `convert`.
        `get_default_qat_qconfig` rounds in training. Measured on torch 2.13: prepared with the
        first, a convolution gave what it gave before, to the last bit; with the other it did not.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.ao.quantization import get_default_qconfig, prepare_qat


        def prepare(model):
            model.qconfig = get_default_qconfig("fbgemm")
            return prepare_qat(model.train())
    """,
    good="""
        import torch
        from torch import nn
        from torch.ao.quantization import get_default_qat_qconfig, prepare_qat


        def prepare(model):
            model.qconfig = get_default_qat_qconfig("fbgemm")
            return prepare_qat(model.train())
    """,
    proof="""
        warnings.simplefilter("ignore")
        model, x = nn.Sequential(nn.Linear(8, 8)), torch.randn(4, 8)
        prepared = prepare(model)
        prepared(x)
        assert not torch.equal(prepared(x), model(x))
    """,
    remedy="write get_default_qat_qconfig",
    severity=Severity.WARNING,
)

PREPARES = ("torch.ao.quantization.prepare_qat", "torch.quantization.prepare_qat")
OBSERVE = ("get_default_qconfig", "default_qconfig", "default_per_channel_qconfig")


@rule.event(*PREPARES)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    node, function = event.node, source.evaluation.find_function(event)
    if not isinstance(node, ast.Call) or not node.args or function is None:
        return
    model = ast.unparse(node.args[0]).removesuffix(".train()")
    nodes = [*list_nodes(function)]
    given = list_given(f"{model}.qconfig", nodes)
    if len(given) == 1 and isinstance(given[0], ast.Name):
        given = list_given(given[0].id, nodes)
    for each in given[:1] if len(given) == 1 else ():
        callee = each.func if isinstance(each, ast.Call) else each
        name = ast.unparse(callee).rpartition(".")[2]
        if name in OBSERVE:
            yield Hit(
                event, f"{name} only observes: training rounds nothing, convert() does at last"
            )


def list_given(name: str, nodes: list[ast.AST]) -> list[ast.expr]:
    """What a function gives a name or an attribute."""
    return [
        each.value
        for each in nodes
        if isinstance(each, ast.Assign) and name in {ast.unparse(t) for t in each.targets}
    ]
