"""LT204: an evaluation loop that records the graph of every forward pass."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.project.parts_elsewhere import is_imported_beside
from lintorch.source import Source
from lintorch.syntax.tree import names_in

rule = Rule(
    __name__,
    code="LT204",
    summary="evaluation without no_grad()",
    why="""
        eval() changes dropout and batch norm, not autograd: the forward pass still keeps every
        intermediate result for a backward pass that never comes. Evaluation takes the memory of
        training, and outputs that are collected keep the graphs of all batches alive. Measured on
        torch 2.13: what the model gives after eval() requires grad. Under torch.no_grad() or
        torch.inference_mode() the numbers are the same.

        A note where each batch's graph is gone with it, a warning where results of all batches are kept
        with theirs, in a list or a sum: memory grows with each batch.

        Reported where one function puts the model into eval mode and runs it in a loop over
        batches, and no gradient is asked for in that function, nor the mode left to its callers.
    """,
    bad="""
        import torch


        def predict(model, loader):
            model.eval()
            outputs = []
            for batch in loader:
                outputs.append(model(batch))
            return torch.cat(outputs)
    """,
    good="""
        import torch


        @torch.no_grad()
        def predict(model, loader):
            model.eval()
            outputs = []
            for batch in loader:
                outputs.append(model(batch))
            return torch.cat(outputs)
    """,
    remedy="call it under torch.no_grad()",
    proof="""
        assert not predict(torch.nn.Linear(1, 1), [torch.ones(1, 1)] * 2).requires_grad
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

_GRADIENTS = re.compile(
    r"backward|autograd|\.grad\b|requires_grad|no_grad|inference_mode|grad_enabled|attack|saliency|"
    r"\.train\(\)|optimizer|explain|attribut|\bdpo\b|onnx|jit\.|torchscript"
)
"""Signs in a function that gradients are wanted, or were thought of."""
_EVERYWHERE = re.compile(
    r"set_grad_enabled\(\s*False|requires_grad_\(\s*False|requires_grad\s*=\s*False"
)
_SWITCHED = re.compile(r"no_grad|inference_mode|grad_enabled|\.grad\b|autograd")
"""The same in a function that calls it: one that trains clears and clips gradients, and leaves them on."""
_BATCHES = re.compile(r"load(er)?s?\b|\bdl\b|batch|dataset|val_data|test_data|test_set|val_set")
_SWITCHES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})
_HARMLESS = re.compile(
    r"nullcontext\(\)$|open\(|tqdm|autocast|cuda\.|record_function|profile|Timer|timer|stream|progress",
    re.I,
)


_PLAIN = re.compile(
    r"\.(item|detach|numpy|tolist|data|argmax|argmin|argsort|topk|sort|long|int|bool|eq|ne|gt|lt|ge|le|sign|round)\b"
    r"|torch\.(argmax|argmin|argsort|topk|max|min|sort|eq|sign|round)\(|\b(float|int|bool|len|str|round)\(|[=<>]=|[<>]"
    r"|\.max\(|\.min\(|\.shape\b|\.size\(|acc|metric|score|count|correct|evaluat|update|writer|print"
)
"""What comes of results without a graph, or who knows what."""


@rule.source(cst.For, needs=(".eval()",))
def in_source(loop: cst.For, source: Source) -> Iterator[Hit]:
    function = source.enclosing(loop, cst.FunctionDef)
    if function is None or source.is_test or _switches_off(source):
        return
    if _GRADIENTS.search(source.code(function)):
        return
    models = _evaluated(function, source)
    if not models or not _on_its_own(function, source) or _is_guarded_elsewhere(function, source):
        return
    for call in source.nodes(cst.Call):
        here = source.enclosing(call, cst.For, cst.FunctionDef, cst.Lambda) is loop
        fed = _BATCHES.search(source.code(loop.iter)) or _takes_item(call, loop)
        if here and fed and source.code(call.func) in models and _plain_withs(call, source):
            kept = keeps_graphs(loop, call, source)
            more = ", and all batches are kept with theirs" if kept else ""
            message = f"{source.code(call.func)}(…) records a graph for backward{more}: eval() alone does not stop it"
            severity = Severity.WARNING if kept else None
            yield Hit(call, message, _fix(function, source), severity=severity)
            return


def _switches_off(source: Source) -> bool:
    """Whether the file turns gradients off for good, and not in a comment."""
    lines = source.text.splitlines()
    return any(_EVERYWHERE.search(line.partition("#")[0]) for line in lines)


def keeps_graphs(loop: cst.For, call: cst.Call, source: Source) -> bool:
    """Whether what a model gives in a loop is kept over all turns as it is: `losses.append(loss)`, `total += loss`."""
    given, inside = {source.code(call)}, set[str]()
    for line in source.nodes(cst.SimpleStatementLine):
        if source.enclosing(line, cst.For) is not loop:
            continue
        for part in line.body:
            match part:
                case cst.AugAssign(target=total, operator=cst.AddAssign(), value=value):
                    if source.code(total) not in inside and _holds(value, given, source):
                        return True
                case cst.Expr(
                    value=cst.Call(func=cst.Attribute(value=kept, attr=how), args=[value])
                ):
                    collects = how.value == "append" and source.code(kept) not in inside
                    if collects and _holds(value, given, source):
                        return True
                case cst.Assign(targets=targets, value=value):
                    names = {n.value for t in targets for n in names_in(t.target)}
                    inside |= names
                    given = given | names if _holds(value, given, source) else given - names
    return False


def _holds(value: cst.CSTNode, given: set[str], source: Source) -> bool:
    """Whether something is worked out of what a model gave, with its graph."""
    text = source.code(value)
    if _PLAIN.search(text):
        return False
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) for name in given)


def _takes_item(call: cst.Call, loop: cst.For) -> bool:
    """Whether a call is given what the loop goes over."""
    items = {name.value for name in names_in(loop.target)}
    return any(name.value in items for arg in call.args for name in names_in(arg.value))


def _is_guarded_elsewhere(function: cst.FunctionDef, source: Source) -> bool:
    """Whether another file that uses the function may have switched gradients off."""
    return is_imported_beside(function.name.value, _SWITCHES, source.path, source.consulted)


def _evaluated(function: cst.FunctionDef, source: Source) -> set[str]:
    """The models that the function itself puts into eval mode."""
    found = set()
    for call in source.nodes(cst.Call):
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "eval" or call.args:
            continue
        if source.enclosing(call, cst.FunctionDef) is function:
            found.add(source.code(func.value))
    return found


def _on_its_own(function: cst.FunctionDef, source: Source) -> bool:
    """Whether neither a decorator nor a caller of this file may have switched gradients off."""
    if function.decorators or any(
        isinstance(a, cst.FunctionDef) for a in source.ancestors(function)
    ):
        return False
    for call in source.nodes(cst.Call):
        if source.function(call.func) is not function:
            continue
        caller = source.enclosing(call, cst.FunctionDef)
        if caller is not None and (caller.decorators or _SWITCHED.search(source.code(caller))):
            return False
        if caller is None and not _plain_withs(call, source):
            return False
    return True


def _plain_withs(node: cst.CSTNode, source: Source) -> bool:
    """Whether every `with` around a node is one that leaves gradients alone."""
    return all(
        _HARMLESS.search(source.code(item.item))
        for outer in source.ancestors(node)
        if isinstance(outer, cst.With)
        for item in outer.items
    )


def _fix(function: cst.FunctionDef, source: Source) -> Fix | None:
    """`@torch.no_grad()` above the function; not of a generator, which runs outside of it."""
    spelled = source.spell("torch.no_grad", function)
    if not spelled or re.search(r"\byield\b", source.code(function)):
        return None
    row = source.spans.of(function.name)[0][0]
    start = source.spans.offset(row, 1)
    line = source.text[start:].splitlines()[0]
    indent = line[: len(line) - len(line.lstrip())]
    edit = Edit(start, start, f"{indent}@{spelled}()\n")
    return Fix("run it under no_grad", (edit,), Applicability.UNSAFE)
