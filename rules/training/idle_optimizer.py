"""LT460: an optimizer of a model that runs without gradients only."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.facts.classes.written_once import find_written
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT460",
    summary="an optimizer of a model that runs under no_grad only",
    why="""
        An optimizer changes what backward() gave a gradient. The parameters of a model that runs under
        `torch.no_grad()` alone, such as the teacher of a distillation, have none: step() passes over them without
        a word, and what was to be trained stays as it was. So it is with a generator whose images are detached
        wherever it runs. Measured on torch 2.13.

        Reported where one function makes the optimizer, runs the model only so, steps after a backward pass, and
        hands the model to nothing else.
    """,
    bad="""
        import torch


        def distill(student, teacher, batches):
            optimizer = torch.optim.SGD(teacher.parameters(), lr=0.1)
            for x in batches:
                with torch.no_grad():
                    wanted = teacher(x)
                loss = (student(x) - wanted).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    """,
    good="""
        import torch


        def distill(student, teacher, batches):
            optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
            for x in batches:
                with torch.no_grad():
                    wanted = teacher(x)
                loss = (student(x) - wanted).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    """,
    remedy="give it the parameters of the model that the loss comes from",
    proof="""
        student, teacher = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        before = student.weight.clone()
        distill(student, teacher, [torch.ones(1, 2)])
        assert not torch.equal(student.weight, before)
    """,
)

_KEEPS = ("eval", "train", "to", "cuda", "cpu", "load_state_dict", "half", "float")


@rule.source(cst.Call, needs=("no_grad", "inference_mode", "detach"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    function = source.enclosing(call, cst.FunctionDef)
    if not source.name(call.func).startswith("torch.optim."):
        return
    given = source.arguments(call, "params").get("params")
    params = find_written(given, source) if given is not None else None
    func = params.func if isinstance(params, cst.Call) and not params.args else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "parameters":
        return
    model = func.value
    text = source.text if function is None else source.code(function)
    trains = ".backward()" in text and ".step(" in text
    own = isinstance(model, cst.Attribute) and source.code(model.value) == "self"
    if (own or isinstance(model, cst.Name)) and trains and runs_quietly(model, function, source):
        said = f"{source.code(model)} runs without gradients only: the optimizer never changes it"
        yield Hit(call, said)


def runs_quietly(
    model: cst.BaseExpression, function: cst.FunctionDef | None, source: Source
) -> bool:
    """Whether all that a function or script does with a model is to set it up, and to run it without gradients."""
    ran = False
    for each in list_mentions(model, source):
        if each is model or (function is not None and not source.is_within(each, function)):
            if isinstance(model, cst.Attribute) and each is not model and not _is_set(each, source):
                return False  # another method may train it
            continue
        outer = source.parent(each)
        call = source.parent(outer) if isinstance(outer, cst.Attribute) else outer
        if isinstance(outer, (cst.AssignTarget, cst.Param)):
            continue
        if isinstance(outer, cst.Attribute) and isinstance(call, cst.Call):
            if outer.value is each and call.func is outer and outer.attr.value in _KEEPS:
                continue
            return False
        if not isinstance(outer, cst.Call) or outer.func is not each or not is_quiet(outer, source):
            return False
        ran = True
    return ran


def list_mentions(model: cst.BaseExpression, source: Source) -> Iterator[cst.BaseExpression]:
    """Where a name or an attribute of the object stands."""
    if isinstance(model, cst.Name):
        yield from source.mentions_of(model.value)
        return
    text = source.code(model)
    yield from (each for each in source.nodes(cst.Attribute) if source.code(each) == text)


def _is_set(node: cst.CSTNode, source: Source) -> bool:
    """`self.teacher = teacher`, `self.teacher.eval()`."""
    outer = source.parent(node)
    kept = isinstance(outer, cst.Attribute) and outer.attr.value in _KEEPS
    return kept or isinstance(outer, cst.AssignTarget)


def is_quiet(call: cst.Call, source: Source) -> bool:
    """Whether a call stands in a `with torch.no_grad():`, or its result is detached right away."""
    outer = source.parent(call)
    if isinstance(outer, cst.Attribute) and outer.attr.value == "detach":
        return True
    withs = (each for each in source.ancestors(call) if isinstance(each, cst.With))
    return any(
        isinstance(item.item, cst.Call)
        and source.name(item.item.func) in ("torch.no_grad", "torch.inference_mode")
        for outer in withs
        for item in outer.items
    )
