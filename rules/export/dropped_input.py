"""LT151: an input that is given to an export call, and is none of the exported model."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.evidence import Outcome, Trial
from lintorch.facts.exporting.declared_sizes import (
    ForwardNames,
    find_forward,
    find_written_forward,
    list_inputs,
    list_pairs,
    name_inputs,
)
from lintorch.facts.exporting.drop_input import drop_last_input
from lintorch.facts.exporting.export_events import choose_exporter, name_model
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT151",
    summary="an input that is given, and is none of the exported model",
    why="""
        The legacy ONNX exporter leaves out an input that forward does not use: ONNX Runtime then
        refuses to be fed it, "Invalid input name". It passes over a keyword that forward does not
        have without a word, where torch.export and the new ONNX exporter refuse the model; and it
        hands on keywords by their place, so that one after `*` raises TypeError. The new exporter
        keeps inputs that are not used. Measured on torch 2.13.

        With `--export onnx-legacy` the inputs of the file that was written are held against what
        the model was fed.
    """,
    bad="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def forward(self, image, mask):
                return image * 2


        def export(path):
            inputs = (torch.ones(1, 4), torch.ones(1, 4))
            torch.onnx.export(Net(), inputs, path, input_names=["image", "mask"], dynamo=False)
    """,
    good="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def forward(self, image, mask):
                return image * mask


        def export(path):
            inputs = (torch.ones(1, 4), torch.ones(1, 4))
            torch.onnx.export(Net(), inputs, path, input_names=["image", "mask"], dynamo=False)
    """,
    proof="""
        import warnings

        import onnxruntime

        warnings.simplefilter("ignore")
        export("net.onnx")
        numbers = torch.ones(1, 4).numpy()
        session = onnxruntime.InferenceSession("net.onnx")
        session.run(None, {"image": numbers, "mask": numbers})
    """,
)

LEGACY = "the legacy exporter"
_ALIKE = 0.75
"""How alike two names are at least, of which one is taken for a slip of the other."""


@rule.trial("ok", "wrong", "random")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Inputs that the model was fed, and that the file it was written to does not have."""
    for name in outcome.pruned:
        message = f"{outcome.exporter} leaves out the input {name!r}, which the model does not use"
        told = f"{message}: a runtime that is fed it refuses"
        remedy = f"do not feed {name}"
        yield Hit(trial.find_line(), told, remedy=remedy, beside=True, cause=name)


@rule.event("torch.export.export", ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    exporter = choose_exporter(event, source) if event.name == ONNX_EXPORT else "torch.export"
    given = name_given(event)
    model = given.get("mod", given.get("model"))
    forward, written = find_forward(model), find_written_forward(model)
    if event.open or not exporter or forward is None:
        return
    yield from find_strange(event, given, forward, exporter, source)
    if exporter == "onnx-legacy" and written is not None:
        unused = [*find_unused(event, given, forward, written, source)]
        yield from unused or await_trial(event, given, forward, written, source)


def find_strange(
    event: Called,
    given: Mapping[str, Value],
    forward: ForwardNames,
    exporter: str,
    source: Source,
) -> Iterator[Hit]:
    """Keywords that forward does not have."""
    if forward.takes_more:
        return
    for name in list_keywords(given, event.name == ONNX_EXPORT):
        if name not in forward.single and exporter == "onnx-legacy":
            message = f"forward has no parameter {name!r}: {LEGACY} passes over it without a word"
            fix = rename_key(event, name, forward, source)
            yield Hit(event, message, fix=fix, remedy=f"name one of {', '.join(forward.single)}")
        elif name not in forward.single:
            message = f"forward has no parameter {name!r}: the export is refused"
            names = ", ".join(forward.single)
            fix = rename_key(event, name, forward, source)
            remedy = f"name one of {names}"
            yield Hit(event, message, severity=Severity.ERROR, fix=fix, remedy=remedy)


def rename_key(event: Called, name: str, forward: ForwardNames, source: Source) -> Fix | None:
    """The one parameter of forward whose name is nearly that of a key, written in its place in the call."""
    near = get_close_matches(name, forward.single, 2, _ALIKE)
    call = source.call_at(event)
    keys = list(list_keys(call)) if call is not None else []
    named = [key for key in keys if key.evaluated_value == name]
    taken = any(key.evaluated_value in near for key in keys)
    if len(near) != 1 or len(named) != 1 or taken:
        return None
    written = f"{named[0].quote}{near[0]}{named[0].quote}"
    return Fix(f"write {written}", (source.replace(named[0], written),), Applicability.UNSAFE)


def list_keys(call: cst.Call) -> Iterator[cst.SimpleString]:
    """The texts that are keys of dictionaries among the arguments, tuples gone into."""
    values = [arg.value for arg in call.args]
    values += [
        each.value for part in values if isinstance(part, cst.Tuple) for each in part.elements
    ]
    for value in values:
        for item in value.elements if isinstance(value, cst.Dict) else ():
            if isinstance(item, cst.DictElement) and isinstance(item.key, cst.SimpleString):
                yield item.key


def find_unused(
    event: Called,
    given: Mapping[str, Value],
    forward: ForwardNames,
    written: ast.FunctionDef,
    source: Source,
) -> Iterator[Hit]:
    """Inputs that no line of forward reads, and keywords behind `*`."""
    inputs = list_inputs(given)
    names = name_inputs(inputs, forward) if inputs is not None else None
    if inputs is None or names is None:
        return
    read = {each.id for each in ast.walk(written) if isinstance(each, ast.Name)}
    if "locals" in read:
        return
    by_name = {each.arg for each in written.args.kwonlyargs}
    for name, (_, value) in zip(names, inputs, strict=True):
        if name in by_name:
            message = f"{LEGACY} hands on {name!r} by its place, and forward takes it by name alone"
            told = f"{message}: it raises"
            yield Hit(event, told, severity=Severity.ERROR, remedy="take the * out of forward")
        elif name not in read and isinstance(value, Tensor):
            message = f"forward does not use {name!r}: {LEGACY} leaves it out of the model"
            fix = leave_out(event, name, names, written, source)
            told = f"{message}, which then takes no such input"
            yield Hit(event, told, fix=fix, remedy="do not give it")


def await_trial(
    event: Called,
    given: Mapping[str, Value],
    forward: ForwardNames,
    written: ast.FunctionDef,
    source: Source,
) -> Iterator[Hit]:
    """For each input: what to do at this call, should a trial tell that the file does not have it."""
    inputs, model = list_inputs(given), name_model(given.get("model"))
    names = name_inputs(inputs, forward) if inputs is not None else None
    for name in (names or ()) if model else ():
        optional = name in list_optional(written)
        fix = leave_out(event, name, names or [], written, source)
        remedy = f"leave {name} out of the inputs here and of input_names, and do not feed it"
        if not optional:
            remedy = f"take {name} out of forward, of the inputs here and of input_names"
        yield Hit(
            event,
            f"{name} is given here",
            fix,
            confirms=True,
            model=model,
            exporter="onnx-legacy",
            remedy=remedy,
            cause=name,
        )


def leave_out(
    event: Called, name: str, names: list[str], written: ast.FunctionDef, source: Source
) -> Fix | None:
    """The last input, which forward can do without, out of the example and of `input_names`."""
    if name != names[-1] or name not in list_optional(written):
        return None
    edits = drop_last_input(event, len(names), source)
    return Fix(f"leave {name} out", edits, Applicability.UNSAFE) if edits else None


def list_optional(written: ast.FunctionDef) -> set[str]:
    """The parameters by place that have a default."""
    places = [*written.args.posonlyargs, *written.args.args]
    return {each.arg for each in places[len(places) - len(written.args.defaults) :]}


def list_keywords(given: Mapping[str, Value], of_onnx: bool) -> list[str]:
    """The names in `kwargs`, or in a dictionary that is the last of the inputs."""
    named, args = given.get("kwargs"), given.get("args")
    last = args.items[-1] if isinstance(args, Items) and args.items else None
    if named is None and of_onnx and isinstance(last, Items) and last.kind == "dict":
        named = last
    if not isinstance(named, Items) or named.kind != "dict":
        return []
    return [key for key, _ in list_pairs(named) if isinstance(key, str)]
