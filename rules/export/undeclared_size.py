"""LT152: an exported model that is fed sizes which its export fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.given_arguments import name_given, read_keys
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import NONE, Array, Constant, Items, Tensor, Unknown, Value
from lintorch.facts.exporting.declared_sizes import list_declared, list_inputs, list_pairs
from lintorch.facts.exporting.export_events import choose_exporter, read_option
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT152",
    summary="an exported model is fed sizes that its export fixed",
    why="""
        A size that is not declared in `dynamic_shapes` or `dynamic_axes` is fixed at that of the
        example. ONNX Runtime refuses another one, "Got invalid dimensions for input", and the
        program of torch.export raises AssertionError, "Guard failed". Measured on torch 2.13.

        What the same code feeds the model by itself is compared: the sizes of tensors and arrays
        that are known there.
    """,
    bad="""
        import onnxruntime
        import torch
        from torch import nn


        def check(path):
            model, images = nn.Conv2d(3, 4, 3), torch.rand(1, 3, 8, 8)
            torch.onnx.export(model, (images,), path)
            session = onnxruntime.InferenceSession(path)
            return session.run(None, {"input": torch.rand(4, 3, 8, 8).numpy()})
    """,
    good="""
        import onnxruntime
        import torch
        from torch import nn


        def check(path):
            model, images = nn.Conv2d(3, 4, 3), torch.rand(1, 3, 8, 8)
            torch.onnx.export(model, (images,), path, dynamic_shapes=({0: "batch"},))
            session = onnxruntime.InferenceSession(path)
            return session.run(None, {"input": torch.rand(4, 3, 8, 8).numpy()})
    """,
    proof="""
        import warnings

        warnings.simplefilter("ignore")
        check("images.onnx")
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

EXPORT = "torch.export.export"
RUN = "onnxruntime.InferenceSession.run"
Shape = tuple[Dim, ...]


@rule.event(ONNX_EXPORT)
def of_sessions(event: Called, source: Source) -> Iterator[Hit]:
    examples = name_examples(event)
    if event.open or examples is None:
        return
    for _, run in source.evaluation.list_events({RUN}):
        if isinstance(run, Called) and is_of_file(run, event, source):
            yield from compare(event, examples, name_fed(run), run, source)


@rule.event(EXPORT)
def of_programs(event: Called, source: Source) -> Iterator[Hit]:
    inputs = list_inputs(name_given(event))
    if event.open or inputs is None:
        return
    examples = {str(place): value for place, (_, value) in enumerate(inputs)}
    find_asked = source.evaluation.ways.find_asked
    modules = [each.result for each in find_asked(event.result) if each.method == "module"]
    for module in modules:
        for each in find_asked(module):
            fed = {str(place): value for place, value in enumerate(each.given.positional)}
            if not each.method:
                yield from compare(event, examples, fed, each, source)


def compare(
    event: Called,
    examples: Mapping[str, Value],
    fed: Mapping[str, Value],
    run: Occurrence,
    source: Source,
) -> Iterator[Hit]:
    """Sizes that differ from those of the example, and are not declared."""
    declared = list_open(event, list(examples))
    who = "ONNX Runtime" if event.name == ONNX_EXPORT else "the exported program"
    if declared is None or run.way.root != event.way.root:
        return
    for name, value in fed.items():
        example, given = read_shape(examples.get(name)), read_shape(value)
        if example is None or given is None or len(example) != len(given):
            continue
        for axis, (was, size) in enumerate(zip(example, given, strict=True)):
            fixed = isinstance(was, int) and isinstance(size, int) and was != size
            if fixed and (name, axis) not in declared:
                message = f"axis {axis} is fixed at {was}, and line {run.spot.row} feeds {size}"
                certain = Severity.ERROR if run.way.certain else Severity.WARNING
                legacy = event.name == ONNX_EXPORT and choose_exporter(event, source) != "onnx"
                where = "dynamic_axes" if legacy else "dynamic_shapes"
                told = f"{message}: {who} refuses it"
                fix = None if legacy else declare(event, list(examples).index(name), axis, source)
                yield Hit(event, told, fix=fix, severity=certain, remedy=f"declare it in {where}")
                return


def declare(event: Called, place: int, axis: int, source: Source) -> Fix | None:
    """`dynamic_shapes=({0: "batch"},)`, of an export that declares nothing yet."""
    call, inputs = source.call_at(event), list_inputs(name_given(event))
    given = [read_option(event, each) for each in ("dynamic_shapes", "dynamic_axes")]
    if call is None or inputs is None or any(each not in (None, NONE) for each in given):
        return None
    if (
        event.name != ONNX_EXPORT
        or any(arg.star for arg in call.args)
        or any(name for name, _ in inputs)
    ):
        return None
    size = f'{{{axis}: "{"batch" if axis == 0 else f"size_{axis}"}"}}'
    parts = [size if place == n else "None" for n in range(len(inputs))]
    text = f"dynamic_shapes=({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    edit = source.insert_argument(call, text)
    return Fix(f"declare {text}", (edit,), Applicability.UNSAFE)


def name_examples(event: Called) -> dict[str, Value] | None:
    """The examples of an ONNX export by the names of inputs; None where they are not known."""
    given = name_given(event)
    inputs, names = list_inputs(given), read_keys(given.get("input_names"))
    if inputs is None or len(names) > len(inputs):
        return None
    if len(inputs) == 1 and not names:
        return {"": inputs[0][1]}
    return {str(name): value for name, (_, value) in zip(names, inputs, strict=False)}


def name_fed(run: Called) -> dict[str, Value]:
    """What a session is fed, by name; under "" where there is one value of an unknown name."""
    fed = run.keyword.get("input_feed", run.positional[2] if run.positional[2:] else None)
    if not isinstance(fed, Items) or fed.kind != "dict" or fed.items is None:
        return {}
    pairs = list(list_pairs(fed))
    found = {key: value for key, value in pairs if isinstance(key, str)}
    return found | ({"": pairs[0][1]} if len(pairs) == 1 else {})


def is_of_file(run: Called, event: Called, source: Source) -> bool:
    """Whether a session reads the file that an export wrote."""
    session = source.evaluation.ways.find_maker(run.positional[0]) if run.positional else None
    if not isinstance(session, Called) or not session.positional:
        return False
    path, written = session.positional[0], name_given(event).get("f")
    known = isinstance(path, Constant) or (isinstance(path, Unknown) and path.path)
    return bool(known) and path == written


def list_open(event: Called, names: list[str]) -> set[tuple[str, int]] | None:
    """The axes that are declared, with the names of their inputs; None where that is not known."""
    shapes, axes = (read_option(event, each) or NONE for each in ("dynamic_shapes", "dynamic_axes"))
    found: set[tuple[str, int]] = set()
    if shapes != NONE:
        inputs = list_inputs(name_given(event)) or []
        declared = list(list_declared(event))
        if len(declared) != len(inputs):
            return None
        for each in declared:
            if each.place < len(names):
                found |= {(names[each.place], axis) for axis in read_axes(each.sizes, each.value)}
    if axes != NONE:
        if not isinstance(axes, Items) or axes.items is None:
            return None
        for key, sizes in list_pairs(axes):
            found |= {(str(key), axis) for axis in read_keys(sizes) if isinstance(axis, int)}
    return found


def read_axes(sizes: Value, value: Value) -> set[int]:
    """The axes of one input that are declared."""
    if not isinstance(sizes, Items) or sizes.items is None:
        return set()
    if sizes.kind != "dict":
        return {axis for axis, each in enumerate(sizes.items) if each != NONE}
    rank = len(read_shape(value) or ())
    keys = {key for key, size in list_pairs(sizes) if size != NONE}
    return {key % rank if rank else key for key in keys if isinstance(key, int)}


def read_shape(value: Value | None) -> Shape | None:
    return value.shape if isinstance(value, (Tensor, Array)) else None
