"""Functions of torch of which more is to be said than shapes: sizes, conversions from and to Python."""

from __future__ import annotations

import ast
from dataclasses import replace

from lintorch.evaluator.attributes import note_aside, read_shape, shape_of_tensor
from lintorch.evaluator.exporter_questions import ask_exporter, ask_size_class
from lintorch.evaluator.exporters import TOLD
from lintorch.evaluator.learn import note_rank_asked, teach_moved, teach_tensors
from lintorch.evaluator.library.table import LIBRARY, Handler, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.promote_dtypes import read_dtype
from lintorch.evaluator.own_views import list_column_sizes
from lintorch.evaluator.subscripts import WHOLE, index_tensor, read_item
from lintorch.evaluator.torch_calls import infer_result, reads_data
from lintorch.evaluator.truth import known_items, truth_value
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Array,
    Choice,
    Constant,
    External,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
    Via,
    make_number,
    size_in,
)


@does("torch.Tensor.size")
def read_size(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.size()`, `x.size(0)`."""
    held = given.pick(0)
    if not isinstance(held, Tensor):
        return UNKNOWN
    _ask_tensor(machine, held)
    whole = read_shape(machine, node, held)
    axis = given.pick(1, "dim")
    if axis is None:
        return whole
    counted = {*machine.counted} if node in list_column_sizes(machine.here.file) else None
    size = read_item(machine, node, whole, axis)
    if counted is not None:
        machine.counted = counted
    known = isinstance(whole, Items) and whole.items is not None
    return note_aside(size, machine.spot(node)) if held.aside and not known else size


def _ask_tensor(machine: Machine, held: Tensor) -> None:
    """Note that what a method of tensors alone is called on is one."""
    machine.presumed = machine.presumed or held.data is None
    teach_tensors(machine, (held,))


@does("torch.Tensor.dim", "torch.Tensor.ndimension")
def count_axes(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.dim()`."""
    held = given.pick(0)
    if isinstance(held, Tensor):
        _ask_tensor(machine, held)
        note_rank_asked(machine, held)
    if isinstance(held, Tensor) and held.shape is not None and not held.guessed:
        return Constant(len(held.shape))
    return Number(None, True, False)


@does("torch.Tensor.numel", "torch.Tensor.nelement", "torch.numel")
def count_numbers(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.numel()`."""
    from lintorch.evaluator.arithmetic import combine_each

    held = given.pick(0)
    if not isinstance(held, Tensor) or held.shape is None:
        counted = held.rows if isinstance(held, Tensor) else None
        return Number(None, True) if counted is None else make_number(counted)
    shape = shape_of_tensor(held)
    total: Value = Constant(1)
    for item in shape.items or () if isinstance(shape, Items) else ():
        total = combine_each(machine, node, "Mult", total, item)
    return total


@does(*(f"torch.nn.{each}.generate_square_subsequent_mask" for each in ("Transformer", "Module")))
def make_causal_mask(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A row and a column for each step, asked of the class or of an object of it."""
    size = given.pick(int(isinstance(given.pick(0), Held)), "sz")
    steps = size_in(size) if size is not None else None
    return Tensor((steps, steps) if steps is not None else None, "float32", "sizes", data=False)


@does("torch.Tensor.tolist")
def list_data(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.tolist()`: numbers that were data, in lists for each axis."""
    held, value = given.pick(0), _read_number(machine, node, "torch.Tensor.tolist", given)
    shape = held.shape if isinstance(held, Tensor) else None
    if shape is None:
        return value
    for size in reversed(shape):
        known = isinstance(size, int) and size <= machine.budget.unrolled
        value = machine.hold_list(
            (value,) * size if known and isinstance(size, int) else None, value
        )
    return value


@does("torch.Tensor.item")
def read_data(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.item()`: data, or the size that the tensor was made from."""
    return _read_number(machine, node, "torch.Tensor.item", given)


def _read_number(machine: Machine, node: ast.AST, name: str, given: Given) -> Value:
    held = given.pick(0)
    if isinstance(held, Tensor) and held.size_of is not None:
        return replace(held.size_of, via=held.via)
    if isinstance(held, Tensor) and held.origin == "constant":
        return UNKNOWN
    own = isinstance(held, Tensor) and held.data is False
    via = Via(name, machine.spot(node), data=True)
    return Number(None, None, None, data=not own, via=frozenset({via}), own=own)


@does("torch.select", "torch.Tensor.select")
def take_place(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.select(1, t)` tells of x what `x[:, t]` does."""
    found = infer_result(machine, node, "torch.Tensor.select", given)
    held, axis, place = given.pick(0, "input"), given.pick(1, "dim"), given.pick(2, "index")
    at = size_in(axis) if axis is not None else None
    if isinstance(held, Tensor) and held.shape is None and place is not None and at in (1, 2):
        index_tensor(machine, held, Items("tuple", (*(WHOLE,) * at, place)))
    return found


@does("torch.unbind", "torch.Tensor.unbind")
def list_rows(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.unbind(0)`: as many tensors as an axis is long."""
    found = infer_result(machine, node, "torch.Tensor.unbind", given)
    held, axis = given.pick(0, "input"), given.pick(1, "dim") or Constant(0)
    told = isinstance(found, Items) and found.items is not None
    if told or not isinstance(held, Tensor) or not held.shape:
        return found
    at, rank = size_in(axis), len(held.shape)
    if not isinstance(at, int) or not -rank <= at < rank:
        return found
    at %= rank
    rest = held.shape[:at] + held.shape[at + 1 :]
    each = Tensor(rest, held.dtype, memory=held.memory, guessed=held.guessed, data=held.data)
    length = make_number(held.shape[at])
    return Items("tuple", None, each, length if isinstance(length, Number) else None)


@does("torch.Tensor.numpy")
def to_array(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.numpy()`."""
    held = given.pick(0)
    if not isinstance(held, Tensor):
        return Array(None, traced=True)
    machine.presumed = machine.presumed or held.data is None
    teach_moved(machine, held)
    via = {Via("torch.Tensor.numpy", machine.spot(node), data=True)} if held.data else set()
    return Array(held.shape, traced=held.data is not False, via=frozenset(via), dtype=held.dtype)


_LEGACY = {
    "torch.Tensor": "float32",
    "torch.FloatTensor": "float32",
    "torch.LongTensor": "int64",
    "torch.IntTensor": "int32",
    "torch.DoubleTensor": "float64",
    "torch.ByteTensor": "uint8",
    "torch.BoolTensor": "bool",
}


def _make_legacy(dtype: str) -> Handler:
    def make(machine: Machine, node: ast.AST, given: Given) -> Value:
        """`torch.Tensor(2, 3)` and `torch.Tensor(x.size())` are empty; `torch.Tensor([2, 3])` holds these."""
        first = given.positional[0] if len(given.positional) == 1 else None
        if isinstance(first, Items) and first.kind == "Size":
            known = known_items(machine, first)
            sizes = [None] if known is None else [size_in(each) for each in known]
        else:
            sizes = [size_in(each) for each in given.positional]
        if sizes and None not in sizes and not given.open:
            return Tensor(tuple(each for each in sizes if each is not None), dtype, data=False)
        if isinstance(first, (Items, Held)) and getattr(first, "kind", "") != "Size":
            made = make_tensor(machine, node, given)
            return replace(made, dtype=dtype) if isinstance(made, Tensor) else made
        return Tensor(None, dtype, data=reads_data(machine, node, "torch.tensor", given))

    return make


for _name, _dtype in _LEGACY.items():
    LIBRARY[_name] = _make_legacy(_dtype)


@does("torch.tensor", "torch.as_tensor")
def make_tensor(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.tensor(data)`: a constant, or made from sizes."""
    if getattr(getattr(node, "func", None), "attr", "") == "tensor" and given.positional[1:]:
        return UNKNOWN  # `torch.tensor(2, 3)` raises
    data = given.pick(0, "data") or UNKNOWN
    if data == NONE:
        return UNKNOWN  # it raises: the way on which a default was not given
    if isinstance(data, Tensor):
        asked = given.keyword.get("dtype", NONE)
        return replace(data, name="", dtype=data.dtype if asked == NONE else _dtype_of(asked))
    items = known_items(machine, data) if not isinstance(data, Constant) else (data,)
    numbers = [each for each in items or (data,) if isinstance(each, Number)]
    shape, kinds = _read_nested(machine, data)
    if isinstance(data, Array):
        dtype = _dtype_of(given.keyword["dtype"]) if "dtype" in given.keyword else data.dtype
        return Tensor(data.shape, dtype, data=reads_data(machine, node, "torch.tensor", given))
    written = _DTYPES.get(next(iter(kinds))) if len(kinds) == 1 else None
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") not in _AS_WRITTEN:
        written = None
    dtype = _dtype_of(given.keyword.get("dtype")) if "dtype" in given.keyword else written
    if numbers:
        via = frozenset(v for each in numbers for v in each.via) | {
            Via("torch.tensor", machine.spot(node))
        }
        alone = numbers[0] if isinstance(data, Number) else None
        from_data = any(each.data for each in numbers)
        return Tensor(shape, dtype, "sizes", via=via, size_of=alone, data=from_data)
    known = items is not None or isinstance(data, Constant)
    read = reads_data(machine, node, "torch.tensor", given) or _holds_read(machine, data)
    return Tensor(shape, dtype, "constant" if known else "", data=read)


def _holds_read(machine: Machine, data: Value) -> bool:
    """Whether a list, of whatever length, is of numbers that were read from the data of tensors."""
    each: object = getattr(data, "each", None)
    if isinstance(data, Held) and data.kind == "list":
        each = machine.state.read(data.address).get("each")
    return isinstance(each, Number) and each.data


_DTYPES: dict[type | None, str] = {float: "float32", int: "int64", bool: "bool"}
_AS_WRITTEN = ("tensor", "as_tensor")
"""Functions whose result has the type of the numbers that they are given."""


def _read_nested(machine: Machine, data: Value) -> tuple[tuple[int, ...] | None, set[type | None]]:
    """The shape of what lists of lists hold, and the types of the numbers."""
    if isinstance(data, Constant):
        return (), {type(data.value)}
    if isinstance(data, Number):
        return (), {None if data.truth or data.whole is None else int if data.whole else float}
    items = known_items(machine, data)
    if items is None:
        return None, {None}
    found = [_read_nested(machine, each) for each in items]
    shapes = {shape for shape, _ in found}
    kinds = {kind for _, inner in found for kind in inner}
    inner = shapes.pop() if len(shapes) == 1 else () if not shapes else None
    return (None if inner is None else (len(items), *inner)), kinds


def _dtype_of(value: Value | None) -> str | None:
    return read_dtype(value.path, None) if isinstance(value, External) else None


@does("numpy.ndarray.tolist")
def list_array(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`array.tolist()`: of what is in it, rows or numbers, no more is known than of the array."""
    held = given.pick(0)
    return (
        machine.hold_list(None, replace(held, shape=None)) if isinstance(held, Array) else UNKNOWN
    )


@does("torch.from_numpy")
def from_array(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.from_numpy(array)`."""
    held = given.pick(0)
    if not isinstance(held, Array):
        return Tensor(None)
    return Tensor(held.shape, held.dtype)


@does("torch.Tensor.type")
def convert_or_name(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.type(torch.float16)`, and `x.type()`, which is a text."""
    named = len(given.values) == 1 and not given.open
    return UNKNOWN if named else move_tensor(machine, node, given)


@does("torch.Tensor.to", "torch.Tensor.type_as", "torch.Tensor.cuda", "torch.Tensor.cpu")
def move_tensor(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.to(y)`."""
    held = given.pick(0)
    if not isinstance(held, Tensor):
        return UNKNOWN
    dtype = held.dtype
    for each in given.values[1:]:
        dtype = _read_type(each, dtype)
    return replace(held, dtype=dtype, origin=held.origin if held.origin == "input" else "")


def _read_type(given: Value, before: str | None) -> str | None:
    """The type that an argument of `to` says; not known of what may be a type or a device."""
    if isinstance(given, Tensor):
        return given.dtype
    if isinstance(given, External) and given.path.startswith("torch."):
        kept = given.path.endswith(("_format", "channels_last", "channels_last_3d"))
        return before if kept else _LEGACY.get(given.path) or read_dtype(given.path, None)
    is_type = isinstance(given, Unknown) and not given.path.rstrip("<>").endswith("device")
    is_mask = isinstance(given, Number) and given.truth  # `y != 0` of what may be a tensor
    return None if is_type or is_mask or isinstance(given, Choice) else before


@does(
    "torch.Tensor.detach", "torch.Tensor.contiguous", "torch.Tensor.requires_grad_", "torch.detach"
)
def keep_tensor(machine: Machine, node: ast.AST, given: Given) -> Value:
    """What gives the same numbers: a tensor of its own, so that what gave it can be told."""
    held = given.pick(0)
    return (
        replace(held)
        if isinstance(held, Tensor)
        else infer_result(machine, node, "torch.Tensor.detach", given)
    )


@does("torch.Tensor.new_tensor")
def make_like(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`x.new_tensor(data)`."""
    return make_tensor(machine, node, Given(given.positional[1:], given.keyword))


@does("torch.equal", "torch.allclose", "torch.is_nonzero")
def ask_data(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.equal(x, y)`: a bool, which data decide."""
    teach_tensors(machine, given.values)
    tensors = [each for each in given.values if isinstance(each, Tensor)]
    if all(each.data is False for each in tensors):
        return truth_value(None, *tensors)
    via = Via("torch.equal", machine.spot(node), data=True)
    return Number(None, True, None, data=True, truth=True, via=frozenset({via}))


for _name in ("equal", "allclose", "is_nonzero"):
    LIBRARY[f"torch.Tensor.{_name}"] = ask_data


@does("torch.is_tensor")
def ask_tensor(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.is_tensor(x)`."""
    value = given.pick(0)
    if isinstance(value, Tensor) and value.sure:
        return Constant(True)
    if isinstance(value, Number):
        sized = ask_size_class(machine, value, ("torch.Tensor",))
        return Constant(False) if sized is None else sized
    return Constant(False) if isinstance(value, (Constant, Items)) else UNKNOWN


@does("torch.jit.is_scripting", "torch.compiler.is_dynamo_compiling")
def ask_scripting(machine: Machine, node: ast.AST, given: Given) -> Value:
    """No code that is followed runs as TorchScript."""
    return Constant(False)


def _ask(name: str) -> None:
    @does(name)
    def ask(machine: Machine, node: ast.AST, given: Given) -> Value:
        """It is so for one exporter, and not for another."""
        return ask_exporter(machine, name)


for _name in TOLD:
    _ask(_name)
