"""LT227: layers that are fused for inference while the model is in training mode."""

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
    code="LT227",
    summary="fuse_modules() in training mode",
    why="""
        `fuse_modules` folds a batch norm into the convolution or Linear ahead of it, by the
        statistics that eval mode uses. Of a model in training mode it raises AssertionError:
        `Fusion only for eval!`. Training that is aware of quantization keeps the batch norm, and
        has `fuse_modules_qat`, since torch 1.11. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.ao.quantization import fuse_modules


        def prepare(model):
            model.train()
            return fuse_modules(model, [["0", "1"]])
    """,
    good="""
        import torch
        from torch import nn
        from torch.ao.quantization import fuse_modules


        def prepare(model):
            model.eval()
            return fuse_modules(model, [["0", "1"]])
    """,
    proof="""
        warnings.simplefilter("ignore")
        prepare(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)))
    """,
    remedy="call model.eval() before it, or fuse_modules_qat where training goes on",
    severity=Severity.ERROR,
)

FUSES = ("torch.ao.quantization.fuse_modules", "torch.quantization.fuse_modules")
NORMS = ("bn", "norm", "1")
"""What is in the names of batch norms, and their place behind the layer in an nn.Sequential."""


@rule.event(*FUSES)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    function, node = source.evaluation.find_function(event), event.node
    if not isinstance(node, ast.Call) or len(node.args) < 2 or function is None or event.open:
        return
    names = [n.value for n in ast.walk(node.args[1]) if isinstance(n, ast.Constant)]
    normed = any(mark in str(name) for name in names for mark in NORMS)
    if normed and find_mode(ast.unparse(node.args[0]), node.lineno, function) == "train":
        yield Hit(
            event,
            "fuse_modules() raises in training mode: a batch norm is folded in eval mode alone",
        )


def find_mode(model: str, row: int, function: ast.AST) -> str:
    """The mode that a function puts a model into last, above a row, if it is the same on all ways; else ""."""
    found = {0: ""}
    for each in list_nodes(function):
        match each:
            case ast.Assign(targets=[target]) if ast.unparse(target) == model:
                found.setdefault(each.lineno, "")
            case ast.Call(func=ast.Attribute(value=held, attr="train" | "eval" as called)):
                if ast.unparse(held) == model:
                    found[each.lineno] = called if not each.args and not each.keywords else ""
    return found[max(at for at in found if at < row)]
