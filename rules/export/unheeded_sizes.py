"""LT157: sizes that are declared where torch.onnx.export passes them over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import NONE
from lintorch.facts.exporting.export_events import choose_exporter, read_option
from lintorch.facts.exporting.mend_arguments import find_written
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT157",
    summary="sizes that an ONNX export passes over",
    why="""
        A program of torch.export has its sizes already: `dynamic_shapes` and `dynamic_axes` beside
        it change nothing, and the file takes the sizes of the example alone. Beside
        `dynamic_shapes` the new exporter passes `dynamic_axes` over. Neither is said.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.export import Dim


        def export():
            example = (torch.ones(2, 4),)
            program = torch.export.export(nn.Linear(4, 4).eval(), example)
            written = torch.onnx.export(program, dynamic_shapes=({0: Dim("batch")},))
            return written.model.graph.inputs[0].shape
    """,
    good="""
        import torch
        from torch import nn
        from torch.export import Dim


        def export():
            example = (torch.ones(2, 4),)
            program = torch.export.export(nn.Linear(4, 4).eval(), example, dynamic_shapes=({0: Dim("batch")},))
            written = torch.onnx.export(program)
            return written.model.graph.inputs[0].shape
    """,
    proof="""
        warnings.simplefilter("ignore")
        assert not isinstance(export()[0], int)
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_SIZES = "dynamic_shapes", "dynamic_axes"
_WORD, _TEXT = re.compile(r"[A-Za-z_]\w*"), re.compile(r"\"[^\"]*\"|'[^']*'")
_HERE = {"torch", "export", "Dim", "DYNAMIC", "AUTO", "STATIC", "None", "min", "max"}
_PROGRAMS = "torch.export.export", "torch.export.draft_export"


@rule.event(ONNX_EXPORT)
def of_sizes(event: Called, source: Source) -> Iterator[Hit]:
    given = [each for each in _SIZES if (read_option(event, each) or NONE) != NONE]
    model = name_given(event).get("model")
    made = source.evaluation.ways.find_maker(model) if model is not None else None
    if isinstance(made, Called) and made.name in _PROGRAMS:
        declared = "dynamic_shapes" in name_given(made) or made.open
        if given and not declared and not event.open:
            message = f"{given[0]} is passed over beside an exported program: the file keeps the example's sizes"
            remedy = "give dynamic_shapes to torch.export.export"
            fix = _move_shapes(event, made, source)
            yield Hit(event, message, fix=fix, remedy=remedy)
    elif len(given) == len(_SIZES) and choose_exporter(event, source) == "onnx":
        message = "dynamic_axes is passed over beside dynamic_shapes"
        fix = _drop(event, "dynamic_axes", source)
        remedy = "say all axes in dynamic_shapes"
        yield Hit(event, message, severity=Severity.WARNING, fix=fix, remedy=remedy)


def _move_shapes(event: Called, made: Called, source: Source) -> Fix | None:
    """`dynamic_shapes` in the call that makes the program, which names inputs in the same way."""
    written, first = find_written(event, "dynamic_shapes", source), source.call_at(made)
    taken = _drop(event, "dynamic_shapes", source)
    if written is None or first is None or taken is None:
        return None
    text = source.code(written)
    if not set(_WORD.findall(_TEXT.sub("", text))) <= _HERE:
        return None  # what it names may be made after that call
    put = source.insert_argument(first, f"dynamic_shapes={text}")
    edits: tuple[Edit, ...] = (put, *taken.edits)
    return Fix("give the sizes to torch.export.export", edits, Applicability.UNSAFE)


def _drop(event: Called, name: str, source: Source) -> Fix | None:
    call = source.call_at(event)
    found = [a for a in (call.args if call else ()) if a.keyword and a.keyword.value == name]
    if call is None or not found:
        return None
    edit = source.remove_argument(call, found[0])
    return Fix(f"take {name} out", (edit,), Applicability.UNSAFE)
