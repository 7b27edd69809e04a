"""LT127: dynamic_axes given to the exporter that wants dynamic_shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given, read_keys, read_plain
from lintorch.evaluator.values import NONE, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import find_forward, list_inputs
from lintorch.facts.exporting.export_events import choose_exporter, find_script, read_option
from lintorch.facts.exporting.mend_arguments import find_written
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT127",
    summary="dynamic_axes with the new ONNX exporter, or dynamic_shapes with the legacy one",
    why="""
        The new exporter (the default since torch 2.9) translates `dynamic_axes` to
        `dynamic_shapes` as well as it can and warns that this may fail; with a name that is no
        input it raises. The legacy exporter raises when it is given `dynamic_shapes`, and only
        warns of a name in `dynamic_axes` that it does not know; without `input_names` it knows
        none, as it calls the inputs `onnx::Gemm_0`. It raises for an axis that the input does not
        have, and for one that is counted from the end, `{-1: "time"}`, the process ends in
        `munmap_chunk(): invalid pointer`. Measured on torch 2.13.

        `dynamic_shapes` goes by the parameters of forward, in order or by name.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model,
                (image,),
                "model.onnx",
                input_names=["image"],
                dynamic_axes={"image": {0: "batch"}},
            )
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model,
                (image,),
                "model.onnx",
                input_names=["image"],
                dynamic_shapes=({0: "batch"},),
            )
    """,
    remedy="give dynamic_shapes, keyed by the parameters of forward: {'x': {0: 'batch'}}",
    proof="""
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", ".*dynamic_axes.*")
        export(torch.nn.Conv2d(3, 4, 3).eval(), torch.ones(2, 3, 8, 8))
    """,
    fix=Applicability.UNSAFE,
)


@rule.event(ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    given, exporter = name_given(event), choose_exporter(event, source)
    axes, shapes = (read_option(event, each) or NONE for each in ("dynamic_axes", "dynamic_shapes"))
    if exporter == "onnx-legacy" and shapes != NONE and axes == NONE:
        message = "the legacy exporter raises when given dynamic_shapes"
        remedy = "give dynamic_axes, keyed by input names: {'x': {0: 'batch'}}"
        fix = _write_dynamic_axes(event, source)
        yield Hit(event, message, severity=Severity.ERROR, fix=fix, remedy=remedy)
    if axes == NONE:
        return
    if exporter == "onnx-legacy" and (keys := _list_unnamed(event, given)):
        message = f"dynamic_axes names {keys[0]!r}, and without input_names no input is called so"
        told = f"{message}: onnx-legacy warns, and leaves the sizes fixed"
        fix, remedy = _name_inputs(event, keys, source), f"give input_names=[{keys[0]!r}, …]"
        yield Hit(event, told, fix=fix, remedy=remedy)
        return
    unknown = sorted(_unknown(given))
    if unknown and exporter:
        told = "raises" if exporter == "onnx" else "warns, and leaves the sizes fixed"
        severity = Severity.ERROR if exporter == "onnx" else Severity.WARNING
        message = (
            f"dynamic_axes names {unknown[0]!r}, which is no input or output: {exporter} {told}"
        )
        remedy = f"list {unknown[0]!r} among input_names or output_names, or drop it"
        fix = _name_key(event, unknown, given, source)
        yield Hit(event, message, severity=severity, fix=fix, remedy=remedy)
    elif exporter == "onnx-legacy" and (found := _find_axis(given))[0]:
        yield Hit(event, found[0], severity=Severity.ERROR, remedy=found[1])
    elif exporter == "onnx" and shapes == NONE and not find_script(event, source.evaluation.ways):
        said = "the new exporter warns of dynamic_axes, and converts them at best"
        yield Hit(event, said, fix=_write_shapes(event, source))


def _find_axis(given: Mapping[str, Value]) -> tuple[str, str]:
    """An axis that an input does not have, whose example is known, or one that is counted from the end."""
    axes, inputs = read_plain(given.get("dynamic_axes")), list_inputs(given)
    names = read_keys(given.get("input_names"))
    if not isinstance(axes, dict):
        return "", ""
    plain = [] if inputs is None or any(name for name, _ in inputs) else [v for _, v in inputs]
    values = dict(zip(names, plain))  # noqa: B905 - some may have no name
    for name, declared in axes.items():
        value = values.get(name)
        shape = value.shape if isinstance(value, Tensor) and value.sure else None
        for axis in (each for each in declared or () if isinstance(each, int)):
            if axis < 0:
                told = f"dynamic_axes counts axis {axis} of {name!r} from the end: onnx-legacy writes past its list, and crashes"
                return told, f"write {len(shape) + axis}" if shape is not None else "count from 0"
            if shape is not None and axis >= len(shape):
                told = f"dynamic_axes declares axis {axis} of {name!r}, which has {len(shape)}: onnx-legacy raises"
                return told, "declare axes that the input has, counted from 0"
    return "", ""


def _list_unnamed(event: Called, given: Mapping[str, Value]) -> list[str]:
    """The keys of dynamic_axes, in a call that names neither inputs nor outputs; [] in any other."""
    if event.open or "input_names" in given or "output_names" in given:
        return []
    keys = read_keys(given.get("dynamic_axes"))
    return [key for key in keys if isinstance(key, str)] if keys else []


def _name_inputs(event: Called, keys: list[str], source: Source) -> Fix | None:
    """`input_names`, where the keys are those of forward's inputs, maybe with one for the output."""
    given, call = name_given(event), source.call_at(event)
    inputs = list_inputs(given)
    forward = find_forward(given.get("model"))
    if call is None or inputs is None or any(name for name, _ in inputs):
        return None
    count = len(inputs)
    parameters = [*forward.single][:count] if forward is not None else []
    names = parameters if set(parameters) <= set(keys) and parameters else keys[:count]
    outputs = [key for key in keys if key not in names]
    if len(names) != count or len(outputs) > 1 or (count > 1 and names != parameters):
        return None
    written = f"input_names={_quote(names)}"
    written += f", output_names={_quote(outputs)}" if outputs else ""
    edit = source.insert_argument(call, written)
    return Fix("name the inputs", (edit,), Applicability.UNSAFE)


def _quote(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _write_dynamic_axes(event: Called, source: Source) -> Fix | None:
    """`dynamic_axes` for `dynamic_shapes` that go by names, with these as `input_names`."""
    given, call = name_given(event), source.call_at(event)
    shapes, inputs = read_plain(given.get("dynamic_shapes")), list_inputs(given)
    forward, args = find_forward(given.get("model")), call.args if call is not None else ()
    written = next((a for a in args if a.keyword and a.keyword.value == "dynamic_shapes"), None)
    if call is None or written is None or written.keyword is None or not isinstance(shapes, dict):
        return None
    names = read_keys(given.get("input_names"))
    plain = all(_write_axes(str(name), axes) for name, axes in shapes.items())
    if not plain or inputs is None or (not names and forward is None):
        return None
    wanted = names or [*(forward.single if forward is not None else ())][: len(inputs)]
    if not set(shapes) <= set(wanted):
        return None
    edits = [source.replace(written.keyword, "dynamic_axes")]
    edits += [] if names else [source.insert_argument(call, f"input_names={_quote(wanted)}")]
    return Fix("give dynamic_axes, by input names", tuple(edits), Applicability.UNSAFE)


def _write_shapes(event: Called, source: Source) -> Fix | None:
    """`dynamic_shapes=({0: "batch"}, None)`, one for each input in order, for axes that go by names."""
    given, call = name_given(event), source.call_at(event)
    axes, names = read_plain(given.get("dynamic_axes")), read_keys(given.get("input_names"))
    written = (
        next((a for a in call.args if a.keyword and a.keyword.value == "dynamic_axes"), None)
        if call
        else None
    )
    count = _count_inputs(given, names)
    if (
        not isinstance(axes, dict)
        or not written
        or not names
        or count is None
        or count < len(names)
    ):
        return None
    found = [_write_axes(name, axes.get(name)) for name in names]
    if any(each is None for each in found):
        return None
    parts = [each or "None" for each in found] + ["None"] * (count - len(names))
    text = f"({', '.join(parts)}{',' if count == 1 else ''})"
    assert written.keyword is not None
    named = source.replace(written.keyword, "dynamic_shapes")
    told = "give dynamic_shapes, one for each input"
    return Fix(told, (named, source.replace(written.value, text)), Applicability.UNSAFE)


def _name_key(
    event: Called, unknown: list[str], given: Mapping[str, Value], source: Source
) -> Fix | None:
    """The keys that are no names, as what they stand for is called."""
    written = find_written(event, "dynamic_axes", source)
    elements = written.elements if isinstance(written, cst.Dict) else ()
    keys = {
        literal(element.key): element.key
        for element in elements
        if isinstance(element, cst.DictElement)
    }
    names = _rename(unknown, given)
    if names is None or not set(unknown) <= set(keys):
        return None
    edits = tuple(source.replace(keys[key], f'"{name}"') for key, name in names.items())
    told = " and ".join(map(repr, names.values()))
    return Fix(
        f"write {told}, as input_names and output_names have it", edits, Applicability.UNSAFE
    )


def _rename(unknown: list[str], given: Mapping[str, Value]) -> dict[str, str] | None:
    """What each strange key is called: a parameter of forward by its place, the last one by what is left."""
    axes = read_keys(given.get("dynamic_axes"))
    inputs, outputs = (read_keys(given.get(each)) for each in ("input_names", "output_names"))
    forward = find_forward(given.get("model"))
    parameters = [*forward.single] if forward is not None else []
    named = dict(zip(parameters, inputs))  # noqa: B905 - forward may take more
    found = {key: named[key] for key in unknown if named.get(key, key) not in (key, *axes)}
    rest = [key for key in unknown if key not in found]
    taken = {*axes, *found.values()}
    free_inputs, free_outputs = (
        [n for n in names if n not in taken] for names in (inputs, outputs)
    )
    free = free_inputs or (free_outputs if found else [])
    if not rest:
        return found
    return {**found, rest[0]: free[0]} if len(rest) == len(free) == 1 else None


def _count_inputs(given: Mapping[str, Value], names: list[str]) -> int | None:
    """How many inputs a call gives; None where that is not known."""
    inputs = list_inputs(given)
    if inputs is not None:
        return len(inputs) if given.get("kwargs", NONE) == NONE else None
    args = given.get("args")
    if isinstance(args, Items) and args.kind == "tuple" and args.items is not None:
        return len(args.items)
    return 1 if len(names) == 1 and given.get("kwargs", NONE) == NONE else None


def _write_axes(name: str, axes: object) -> str | None:
    """`{0: "batch"}` of that or of `[0]`; "" of what is not declared, None of what cannot be written."""
    if axes is None:
        return ""
    named = axes if isinstance(axes, dict) else None
    if isinstance(axes, (list, tuple)):
        named = {axis: f"{name}_{axis}" for axis in axes}
    if not named or not all(isinstance(axis, int) for axis in named):
        return None
    if not all(isinstance(each, str) and each.isidentifier() for each in named.values()):
        return None
    return "{" + ", ".join(f'{axis}: "{each}"' for axis, each in named.items()) + "}"


def _unknown(given: Mapping[str, Value]) -> set[str]:
    """Names in `dynamic_axes` that the names of inputs and outputs do not hold, where all are known.

    Outputs that nobody names are called by numbers, or by paths: `12`, `/fc/Gemm_output_0`.
    """
    inputs, outputs = (read_keys(given.get(each)) for each in ("input_names", "output_names"))
    keys = {key for key in read_keys(given.get("dynamic_axes")) if isinstance(key, str)}
    if not inputs or (not outputs and given.get("output_names", NONE) != NONE):
        return set()
    strange = keys - {*inputs, *outputs}
    return strange if outputs else {key for key in strange if key.isidentifier()}
