"""LT154: something else is given to an exporter than the model and its inputs, each in its place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Bound, Class, Constant, Held, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import (
    find_forward,
    find_written_forward,
)
from lintorch.facts.exporting.export_events import choose_exporter
from lintorch.facts.exporting.given_to_export import (
    has_forward,
    is_by_name,
    is_inputs,
    is_model,
    list_given,
    list_needed,
    read_given,
)
from lintorch.facts.exporting.mend_arguments import find_inputs, find_written
from lintorch.facts.exporting.mend_export_call import (
    drop_inputs,
    exchange,
    gather,
    put_keyword,
    put_last,
    split_keywords,
    take_model,
    take_owner,
)
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT154",
    summary="an export call with something else in the place of the model or its inputs",
    why="""
        An exporter runs the model itself: it takes the model, and not what the model gives back,
        and an instance, not the class. The inputs are its second argument, together in a tuple: a
        third one of torch.jit.trace is an old option, and forward then lacks an input. A dictionary
        among the inputs of torch.export goes to one parameter as it is; inputs by name are
        `kwargs`, of torch.jit.trace `example_kwarg_inputs`. All of these raise, with a message about
        something else, and so do inputs that are too few or too many for forward.

        An exported program is written by `torch.onnx.export(program, f=path)`: a path in the place
        of the inputs is passed over, and no file is written. A text in the place of a list of
        names is read letter by letter: `input_names="image"` calls the input `i`; the legacy
        exporter raises. `opset_version="17"`, the legacy exporter without a path, and a path in the
        place of what torch.save and torch.jit.save write raise, too. The new ONNX exporter writes
        to a path or a BytesIO, and ends in a TypeError where it is given a file that `open` made,
        which the legacy one takes. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def export():
            model, image = nn.Conv2d(3, 4, 3), torch.ones(1, 3, 8, 8)
            return torch.export.export(model(image), (image,))
    """,
    good="""
        import torch
        from torch import nn


        def export():
            model, image = nn.Conv2d(3, 4, 3), torch.ones(1, 3, 8, 8)
            return torch.export.export(model, (image,))
    """,
    proof="""
        export()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

EXPORTS = ("torch.export.export", "torch.export.draft_export", ONNX_EXPORT)
TRACE = "torch.jit.trace"
PATH = 2
"""The place of the path among the arguments of torch.onnx.export."""
MODEL = "give the model itself, and its inputs in a tuple after it"


@rule.event(*EXPORTS, TRACE)
def of_models(event: Called, source: Source) -> Iterator[Hit]:
    given = read_given(event)
    model, inputs = given.get("model"), given.get("inputs")
    if isinstance(inputs, Held) and inputs.kind == "object" and is_inputs(model):
        message = "the inputs stand before the model: the export raises"
        yield Hit(event, message, fix=exchange(event, source), remedy="give the model first")
    elif isinstance(model, Tensor) and model.sure:
        message = "what the model gives back is exported, and not the model: it raises"
        yield Hit(event, message, fix=take_model(event, source), remedy=MODEL)
    elif isinstance(model, Bound) and event.name != TRACE and model.method in ("forward", "eval"):
        message = f"the method {model.method} is exported, and not the model: it raises"
        fix = take_owner(event, model.method, source)
        remedy = "give model.eval()" if model.method == "eval" else "give the model itself"
        yield Hit(event, message, fix=fix, remedy=remedy)
    elif is_state(model, source):
        message = "the weights are exported, and not the model: it raises"
        yield Hit(event, message, remedy="give the model that has them: model.load_state_dict(…)")
    elif isinstance(model, Class) and event.name != TRACE and has_forward(model):
        message = f"the class {model.node.name} is exported, and not an instance of it: it raises"
        yield Hit(event, message, remedy=f"write {model.node.name}(…), and load its weights")


@rule.event(TRACE)
def of_traces(event: Called, source: Source) -> Iterator[Hit]:
    inputs = event.positional[1] if len(event.positional) > 1 else None
    if event.open:
        return
    if len(event.positional) > 2 and all(isinstance(e, Tensor) for e in event.positional[1:]):
        message = "torch.jit.trace takes one example, a tuple of all inputs: the third is an option"
        yield Hit(event, message, fix=gather(event, source), remedy="write (x, mask)")
    elif isinstance(inputs, Items) and inputs.kind == "dict" and is_by_name(event, inputs, 0):
        message = "torch.jit.trace gives the dictionary to forward as its first argument"
        fix = put_keyword(event, "example_kwarg_inputs", source)
        yield Hit(event, message, fix=fix, remedy="write example_kwarg_inputs={…}")


@rule.event(*EXPORTS[:2])
def of_keywords(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    args = given.get("args")
    items = args.items if isinstance(args, Items) and args.kind == "tuple" else None
    last = items[-1] if items else None
    if event.open or "kwargs" in given or not items or not isinstance(last, Items):
        return
    if last.kind == "dict" and is_by_name(event, last, len(items) - 1):
        message = "torch.export gives the dictionary to one parameter of forward, as it is"
        fix = split_keywords(event, source)
        yield Hit(event, message, fix=fix, remedy='write (x,), {"mask": mask}')


@rule.event(*EXPORTS, TRACE)
def of_counts(event: Called, source: Source) -> Iterator[Hit]:
    """Inputs without which forward cannot be called, and more than it takes."""
    given = read_given(event)
    written = find_written_forward(given.get("model"))
    forward = find_forward(given.get("model"))
    if event.open or written is None or forward is None or forward.takes_more or forward.rest:
        return
    if ".forward =" in source.text:
        return  # another function may stand in its place
    inputs = list_given(event, given)
    if inputs is None or (event.name == TRACE and len(event.positional) > 2):
        return
    names, places = [name for name, _ in inputs if name], sum(not name for name, _ in inputs)
    by_place = [each.arg for each in (*written.args.posonlyargs, *written.args.args)][1:]
    if places > len(by_place):
        message = f"forward takes {count_words(len(by_place), 'input')}, and {places} are given"
        fix = drop_inputs(event, len(by_place), source)
        yield Hit(event, f"{message}: it raises", fix=fix, remedy=f"give {', '.join(by_place)}")
        return
    needed = list_needed(written, by_place)
    lacking = [each for each in needed if each not in by_place[:places] and each not in names]
    if lacking and set(names) <= set(forward.single):
        message = f"forward cannot be called without {lacking[0]!r}, which is not given: it raises"
        wanted = ", ".join(each for each in needed if each in by_place)
        yield Hit(event, message, remedy=f"give ({wanted}{',' * (',' not in wanted)})")


@rule.event(ONNX_EXPORT)
def of_paths(event: Called, source: Source) -> Iterator[Hit]:
    """A path in the place of the inputs: of an exported program, torch then writes no file and is silent."""
    given = name_given(event)
    args = given.get("args")
    if event.open or not isinstance(args, Constant) or not isinstance(args.value, str):
        return
    call = source.call_at(event)
    second = find_inputs(call) if call is not None else None
    if "f" in given and is_inputs(given["f"]):
        message = "the path stands before the inputs: the export raises"
        yield Hit(
            event, message, fix=put_last(call, source), remedy="give the inputs, then the path"
        )
    elif "f" not in given and is_program(given.get("model"), source) and second is not None:
        message = "the path stands in the place of the inputs: no file is written, without a word"
        edit = source.replace(second, f"f={source.code(second)}")
        fix = Fix("give the path as f", (edit,), Applicability.UNSAFE)
        yield Hit(event, message, fix=fix, remedy="write f=path")


@rule.event(ONNX_EXPORT)
def of_names(event: Called, source: Source) -> Iterator[Hit]:
    for name in ("input_names", "output_names"):
        value = name_given(event).get(name)
        if not isinstance(value, Constant) or not isinstance(value.value, str) or event.open:
            continue
        legacy = choose_exporter(event, source) == "onnx-legacy"
        told = "the export raises" if legacy else f"the first is called {value.value[:1]!r}"
        written = find_written(event, name, source)
        text = source.code(written) if written is not None else ""
        edits = (source.replace(written, f"[{text}]"),) if written is not None else ()
        fix = Fix("give a list", edits, Applicability.UNSAFE) if edits else None
        message = f"{name} is a text, and each of its letters a name: {told}"
        yield Hit(event, message, fix=fix, remedy=f"give a list: {name}=[{value.value!r}]")


@rule.event("torch.export.save")
def of_saving(event: Called, source: Source) -> Iterator[Hit]:
    first = name_given(event).get("ep")
    if isinstance(first, Constant) and isinstance(first.value, str):
        message = "torch.export.save takes the program, then the path: it raises"
        fix = put_last(source.call_at(event), source, 0)
        yield Hit(event, message, fix=fix, remedy="write torch.export.save(program, path)")
    elif isinstance(first, Held) and first.kind == "object" and is_model(first):
        message = (
            "torch.export.save is given a model, and takes a program of torch.export: it raises"
        )
        remedy = "write torch.export.save(torch.export.export(model, (x,)), path)"
        yield Hit(event, message, remedy=remedy)


@rule.event("torch.save", "torch.jit.save")
def of_paths_first(event: Called, source: Source) -> Iterator[Hit]:
    """A path in the place of what is saved; of torch.save only where weights surely stand in its own."""
    given, scripted = name_given(event), event.name == "torch.jit.save"
    first = given.get("m" if scripted else "obj")
    if not isinstance(first, Constant) or not isinstance(first.value, str) or event.open:
        return
    second = given.get("f")
    if (
        scripted
        or is_state(second, source)
        or (isinstance(second, Items) and second.kind == "dict")
    ):
        what = "model" if scripted else "weights"
        message = f"{event.name} takes the {what}, then the path: it raises"
        fix = put_last(source.call_at(event), source, 0)
        yield Hit(event, message, fix=fix, remedy=f"write {event.name}({what}, path)")


@rule.event(ONNX_EXPORT)
def of_options(event: Called, source: Source) -> Iterator[Hit]:
    """An opset that is no number, and the legacy exporter without a path."""
    given = name_given(event)
    opset, written = given.get("opset_version"), find_written(event, "opset_version", source)
    if isinstance(opset, Constant) and isinstance(written, cst.SimpleString):
        number = str(opset.value).strip()
        edits = (source.replace(written, number),) if number.isdecimal() else ()
        fix = Fix("write the number", edits, Applicability.UNSAFE) if edits else None
        message = "opset_version is a text, and compared with numbers: the export raises"
        yield Hit(event, message, fix=fix, remedy="write opset_version=17, a number")
    if event.open:
        return
    if is_open_file(event, source) and choose_exporter(event, source) == "onnx":
        message = "the new ONNX exporter writes to a path, and is given an open file: it raises"
        yield Hit(event, message, remedy="give the path itself, without open(…)")
    if "f" not in given and choose_exporter(event, source) == "onnx-legacy":
        message = "the legacy exporter is given no path, which only the new one may lack: it raises"
        yield Hit(event, message, remedy='give a path: f="model.onnx"')


def is_open_file(event: Called, source: Source) -> bool:
    """Whether `open(…)` stands in the place of the path, or a name that a `with` around the call gives to it."""
    call = source.call_at(event)
    args = call.args if call is not None else ()
    places = [arg.value for arg in args if arg.keyword is None]
    named = [arg.value for arg in args if arg.keyword is not None and arg.keyword.value == "f"]
    written = next(iter([*places[PATH:], *named]), None)
    if isinstance(written, cst.Call):
        return source.name(written.func) in ("open", "builtins.open")
    if not isinstance(written, cst.Name):
        return False
    around = (each for each in source.ancestors(written) if isinstance(each, cst.With))
    items = (item for each in around for item in each.items)
    found = next((item.item for item in items if is_name(item.asname, written.value)), None)
    return isinstance(found, cst.Call) and source.name(found.func) in ("open", "builtins.open")


def is_name(given: cst.AsName | None, name: str) -> bool:
    return given is not None and isinstance(given.name, cst.Name) and given.name.value == name


def is_state(model: Value | None, source: Source) -> bool:
    """Whether it is what state_dict of something gives."""
    made = source.evaluation.ways.find_maker(model) if model is not None else None
    if isinstance(made, Called):
        return made.name.endswith(".state_dict")
    return isinstance(made, UnknownCalled) and made.method == "state_dict"


def is_program(model: Value | None, source: Source) -> bool:
    """Whether torch.export made it."""
    made = source.evaluation.ways.find_maker(model) if model is not None else None
    return isinstance(made, Called) and made.name in EXPORTS[:2]


def count_words(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"
