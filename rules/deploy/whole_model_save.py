"""LT213: a checkpoint that holds a whole model, or objects that torch.load refuses to read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownMethod
from lintorch.evaluator.values import Array, Constant, External, Held, Items, Unknown, Value
from lintorch.facts.exporting.whole_loads import WHOLE_MODEL, is_read_back
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.facts.training.refused_objects import find_refused
from lintorch.source import Role, Source, literal

rule = Rule(
    __name__,
    code="LT213",
    summary="a whole model, or more than weights, in a checkpoint",
    why="""
        torch.save(model) pickles the object: its class by name and module, so that the file breaks
        when the code is moved or renamed, and torch.load refuses it since torch 2.6 unless it is
        allowed to run code. The same goes for what is saved beside the weights: an
        argparse.Namespace, numbers and arrays of numpy, objects of one's own classes, enums,
        whole optimizers and schedulers, datasets, functions, dates, paths, deque, defaultdict,
        range and frozenset. It reads tensors, dictionaries (also OrderedDict and
        Counter), lists, tuples, sets, text, numbers, dtypes and devices: so vars(args), state
        dicts and plain numbers are read by any release. What the same file loads again with weights_only=False is not reported,
        and where it loads a whole model without, that line is (LT220).
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def save(path):
            model = nn.Linear(4, 2)
            torch.save(model, path)
    """,
    good="""
        import torch
        from torch import nn


        def save(path):
            model = nn.Linear(4, 2)
            torch.save(model.state_dict(), path)
    """,
    remedy="save model.state_dict()",
    proof="""
        save("model.pt")
        torch.load("model.pt")
    """,
    fix=Applicability.UNSAFE,
)

_EFFECT = {
    True: "torch.load refuses to read it by itself",
    False: "it cannot be read once the code has moved",
}
"""By whether torch.load reads weights only unless it is told otherwise."""
_WHOLE = re.compile(rb"torch\.load\([^\n]*weights_only *= *False")
_BY_ITSELF = re.compile(rb"torch\.load\((?![^\n]*weights_only *= *False)")
_AS_MODEL = re.compile(rb"^ *\w*([Mm]odel|[Nn]et) *= *torch\.load\([^\n]*\) *(#.*)?\r?$", re.M)
_ALLOWING = ("torch.serialization.safe_globals", "torch.serialization.add_safe_globals")


@rule.event("torch.save")
def in_saves(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    saved = given.get("obj")
    if saved is None or _is_read_whole(source) or "pickle_module" in given:
        return  # who names another pickle has to name it again to load
    if not isinstance(saved, Items) or saved.kind != "dict":
        yield from _report(event, saved, "the file", _find_saved(event, source), source)
        return
    found: list[Hit] = []
    for pair in saved.items or ():
        if isinstance(pair, Items) and pair.items:
            written = _find_entry(_find_saved(event, source), pair.items[0], source)
            found += _report(event, pair.items[1], "a checkpoint", written, source)
    yield from _join(found)


def _join(found: list[Hit]) -> list[Hit]:
    """One finding of one checkpoint, which can be read once all that it holds is mended."""
    if len({each.fix is None for each in found}) < 2:
        return found
    remedies = dict.fromkeys(each.remedy or rule.remedy for each in found)
    remedy = ", and ".join(remedies)
    return [replace(each, fix=None, remedy=remedy, cause="object") for each in found]


def _report(
    event: Called, value: Value, where: str, node: cst.BaseExpression | None, source: Source
) -> Iterator[Hit]:
    milder = Severity.NOTE if _is_read_whole_elsewhere(source) else None
    refuses, written = source.profile.torch >= (2, 6), source.code(node) if node is not None else ""
    if _is_model(value, event, source):
        if refuses and is_read_back(source.evaluation, source.text):
            return  # of the load it is told
        message = f"{where} holds the whole model {written}".rstrip()
        fix = _state_dict(node, source) if node is not None else None
        said = f"{message}: {_EFFECT[refuses]}"
        cause = WHOLE_MODEL if refuses and where == "the file" else "object"
        yield Hit(node or event, said, fix, severity=milder, cause=cause)
    elif refuses and _is_namespace(value):
        message = f"{where} holds an argparse.Namespace: torch.load refuses to read it by itself"
        fix = None
        if node is not None and not _is_read_beside(node, source):
            edit = source.replace(node, f"vars({written})")
            fix = Fix("save a dict", (edit,), Applicability.UNSAFE)
        remedy = "save vars(args), a dict"
        yield Hit(node or event, message, fix, severity=milder, remedy=remedy)
    elif refuses and isinstance(value, Array):
        shown = f"{written}, " if written else ""
        message = f"{where} holds {shown}a numpy value: torch.load refuses to read it by itself"
        remedy = "save a number by .item(), an array by torch.from_numpy()"
        yield Hit(node or event, message, severity=milder, remedy=remedy, cause="number")
    elif refuses and (found := find_refused(value, event, source.evaluation)):
        kind, instead = found
        message = f"{where} holds {kind}: torch.load refuses to read it by itself"
        remedy = f"save {instead}"
        yield Hit(node or event, message, severity=milder, remedy=remedy, cause="object")


def _is_model(value: Value, event: Called, source: Source) -> bool:
    """A model by its class, or by what else is called on it; `.module` of one, too."""
    if source.evaluation.parts.find_role(value, event) is Role.MODEL:
        return True
    if isinstance(value, Unknown) and _is_said_to_be(value, event, source):
        return True
    if not isinstance(value, UnknownMethod) or value.method != "module":
        return False
    return source.evaluation.parts.find_role(value.held, event) is Role.MODEL


def _is_said_to_be(value: Unknown, event: Called, source: Source) -> bool:
    """Whether it is a parameter that is annotated as an nn.Module."""
    function = source.evaluation.find_function(event)
    spec = function.args if isinstance(function, ast.FunctionDef) else None
    return spec is not None and any(
        value.path == f"<{each.arg}>"
        and each.annotation is not None
        and ast.unparse(each.annotation).endswith("nn.Module")
        for each in (*spec.args, *spec.kwonlyargs)
    )


def _is_namespace(value: Value) -> bool:
    return isinstance(value, Held) and value.of == External("argparse.Namespace")


def _find_saved(event: Called, source: Source) -> cst.BaseExpression | None:
    """What is written as the object, or what its name was assigned from, if that is a dictionary."""
    call = source.call_at(event)
    saved = source.arguments(call, "obj", "f").get("obj") if call is not None else None
    if isinstance(saved, cst.Name):
        made = source.classes.assigned(saved)
        return made[0] if len(made) == 1 and isinstance(made[0], cst.Dict) else saved
    return saved


def _find_entry(
    written: cst.BaseExpression | None, key: Value, source: Source
) -> cst.BaseExpression | None:
    """The value that is written behind a key: `{"key": value}`, `dict(key=value)`."""
    if isinstance(written, cst.Call):
        return source.arguments(written).get(str(getattr(key, "value", "")))
    elements = written.elements if isinstance(written, cst.Dict) else ()
    for each in elements:
        if isinstance(each, cst.DictElement) and Constant(literal(each.key)) == key:
            return each.value
    return None


def _is_read_whole(source: Source) -> bool:
    """Whether the file is read by the same code, with pickles or with its classes allowed."""
    return any(
        source.name(call.func) in _ALLOWING
        or (
            source.name(call.func) == "torch.load"
            and source.arguments(call).value("weights_only", None) is False
        )
        for call in source.nodes(cst.Call)
    )


def _is_read_beside(node: cst.BaseExpression, source: Source) -> bool:
    """Whether the project takes that entry out of a dictionary again: attributes may be asked of it."""
    entry = source.parent(node)
    key = literal(entry.key) if isinstance(entry, cst.DictElement) else None
    if not isinstance(key, str):
        return False
    taken = rf"""(\[|\.(get|pop)\()\s*["']{re.escape(key)}["']\s*[],)](?!\s*=[^=])"""
    return is_written_around(re.compile(taken.encode()), source.path, source.consulted)


def _is_read_whole_elsewhere(source: Source) -> bool:
    """Whether all loads of the project ask for pickles: what is saved is read."""
    whole = is_written_around(_WHOLE, source.path, source.consulted)
    return whole and not is_written_around(_BY_ITSELF, source.path, source.consulted)


def _is_read_as_model(source: Source) -> bool:
    """Whether the same code reads anything by torch.load but what it gives to load_state_dict."""
    for call in source.nodes(cst.Call):
        if source.name(call.func) == "torch.load":
            arg = source.parent(call)
            taker = source.parent(arg) if isinstance(arg, cst.Arg) else None
            func = taker.func if isinstance(taker, cst.Call) else None
            if not isinstance(func, cst.Attribute) or func.attr.value != "load_state_dict":
                return True
    return False


def _state_dict(value: cst.BaseExpression, source: Source) -> Fix | None:
    if not isinstance(value, (cst.Name, cst.Attribute)) or _is_read_as_model(source):
        return None
    if is_written_around(_AS_MODEL, source.path, source.consulted):
        return (
            None  # another file takes what it loads for the model, and would be given its weights
        )
    end = source.replace(value, "").end
    return Fix("save the state dict", (Edit(end, end, ".state_dict()"),), Applicability.UNSAFE)
