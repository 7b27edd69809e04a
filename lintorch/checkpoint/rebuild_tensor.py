"""What the functions that torch writes into pickles would rebuild, as a description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lintorch.checkpoint.dtypes import storage_dtype
from lintorch.checkpoint.limits import MOST_DIMENSIONS, CheckpointError
from lintorch.checkpoint.values import Global, Items, Made, Storage, Table, Tensor, Value

_LARGEST = 2**62


def describe_call(path: str, arguments: Value) -> Tensor | None:
    """The tensor that a call makes; None where it makes none that is known.

    Raises CheckpointError where torch's own function is given what it cannot take.
    """
    describe = _FUNCTIONS.get(path)
    if describe is None or not isinstance(arguments, tuple):
        return None
    try:
        return describe(arguments)
    except (IndexError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"a tensor is described in a way that {path} does not take"
        ) from error


def describe_legacy(path: str, state: Value) -> Tensor | None:
    """The tensor of a `torch.FloatTensor` that is given its state, as torch 0.1 wrote it."""
    module, _, name = path.rpartition(".")
    if not module.startswith("torch") or not storage_dtype(name) or not isinstance(state, tuple):
        return None
    return describe_call("torch._utils._rebuild_tensor", state)


def read_sizes(value: Value) -> tuple[int, ...]:
    """A shape or strides, maybe as a torch.Size. Raises TypeError or ValueError."""
    if isinstance(value, Made) and value.path == "torch.Size":
        value = value.arguments[0]
    sizes = value.items if isinstance(value, Items) else value
    if not isinstance(sizes, (tuple, list)):
        raise TypeError("no sizes")
    if len(sizes) > MOST_DIMENSIONS or not all(type(n) is int and 0 <= n < _LARGEST for n in sizes):
        raise ValueError("no sizes")
    return tuple(sizes)


def _in_storage(given: Sequence[Value]) -> Tensor:
    """(storage, offset, size, stride, …)."""
    storage, offset = given[0], given[1]
    shape, stride = read_sizes(given[2]), read_sizes(given[3])
    if not isinstance(storage, Storage) or type(offset) is not int or not 0 <= offset < _LARGEST:
        raise TypeError("no storage")
    if len(shape) != len(stride):
        raise ValueError("strides that fit no shape")
    return Tensor(shape, storage.dtype, stride, offset, storage, storage.device)


def _retyped(given: Sequence[Value]) -> Tensor:
    """The same with a type of its own at place 6: its storage counts bytes."""
    return replace(_in_storage(given), dtype=_name(given[6]))


def _parameter(given: Sequence[Value]) -> Tensor:
    if not isinstance(given[0], Tensor):
        raise TypeError("no tensor")
    return replace(given[0], parameter=True)


def _quantized(given: Sequence[Value]) -> Tensor:
    return replace(_in_storage(given), kind="quantized")


def _sparse(given: Sequence[Value]) -> Tensor:
    layout, parts = given[0], given[1]
    name = layout.arguments[0] if isinstance(layout, Made) else _name(layout)
    kind = str(name).removeprefix("torch.").replace("sparse_", "sparse ")
    values, size = parts[1:3] if kind == "sparse coo" else parts[2:4]
    return Tensor(read_sizes(size), values.dtype, device=values.device, kind=kind)


def _meta(given: Sequence[Value]) -> Tensor:
    return Tensor(
        read_sizes(given[1]), _name(given[0]), read_sizes(given[2]), device="meta", kind="meta"
    )


def _nested(given: Sequence[Value]) -> Tensor:
    return replace(_checked(given[0]), kind="nested")


def _wrapped(given: Sequence[Value]) -> Tensor:
    """(class, dtype, size, stride, offset, layout, device, requires_grad)."""
    device = given[6].arguments[0] if isinstance(given[6], Made) else ""
    shape, stride = read_sizes(given[2]), read_sizes(given[3])
    return Tensor(shape, _name(given[1]), stride, device=str(device), subclass=_path(given[0]))


def _moved(given: Sequence[Value]) -> Tensor:
    """(data, dtype, device, requires_grad), the data as a tensor or an array."""
    found = given[0] if isinstance(given[0], Tensor) else describe_array(given[0])
    return replace(_checked(found), dtype=_name(given[1]), device=str(given[2]))


def _subclass(given: Sequence[Value]) -> Tensor:
    """(function, class, its arguments, state)."""
    inner = describe_call(_path(given[0]), given[2])
    return replace(_checked(inner), subclass=_path(given[1]))


def describe_array(value: Value) -> Tensor | None:
    """A NumPy array as pickles have it; None where it is none."""
    if not isinstance(value, Made) or not value.path.endswith("multiarray._reconstruct"):
        return None
    state = value.state
    if not isinstance(state, tuple) or len(state) < 3:
        return None
    try:
        return Tensor(read_sizes(state[1]), name_array_type(state[2]), kind="numpy")
    except (TypeError, ValueError):
        return None


def name_array_type(value: Value) -> str:
    """`f8` as NumPy calls it: `float64`; what is none of the usual ones stays."""
    given = value.arguments if isinstance(value, Made) else ()
    code = given[0] if isinstance(given, tuple) and given and isinstance(given[0], str) else "?"
    return _ARRAY_TYPES.get(code.lstrip("<>|="), code[:40])


_ARRAY_TYPES = {
    "f8": "float64", "f4": "float32", "f2": "float16", "i8": "int64", "i4": "int32", "i2": "int16",
    "i1": "int8", "u8": "uint64", "u4": "uint32", "u2": "uint16", "u1": "uint8", "b1": "bool",
    "c16": "complex128", "c8": "complex64", "O8": "object", "O": "object",
}  # fmt: skip


def _checked(value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError("no tensor")
    return value


def _name(value: Value) -> str:
    if not isinstance(value, Global):
        raise TypeError("no type")
    return value.name


def _path(value: Value) -> str:
    if not isinstance(value, Global):
        raise TypeError("no class")
    return value.path


_FUNCTIONS: dict[str, Callable[[Sequence[Value]], Tensor]] = {
    "torch._utils._rebuild_tensor": _in_storage,
    "torch._utils._rebuild_tensor_v2": _in_storage,
    "torch._utils._rebuild_tensor_v3": _retyped,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
    "torch.nn.parameter.Parameter": _parameter,
    "torch._utils._rebuild_qtensor": _quantized,
    "torch._utils._rebuild_sparse_tensor": _sparse,
    "torch._utils._rebuild_meta_tensor_no_storage": _meta,
    "torch._utils._rebuild_nested_tensor": _nested,
    "torch._utils._rebuild_wrapper_subclass": _wrapped,
    "torch._utils._rebuild_device_tensor_from_numpy": _moved,
    "torch._utils._rebuild_device_tensor_from_cpu_tensor": _moved,
    "torch._tensor._rebuild_from_type_v2": _subclass,
}

TABLES = frozenset(
    {"builtins.dict", "collections.OrderedDict", "collections.Counter", "collections.defaultdict"}
)
"""Classes like dict."""


def make_table(path: str, arguments: Value) -> Table:
    """A dict of one of these classes, with what its constructor is given."""
    given = arguments if isinstance(arguments, tuple) else ()
    pairs: list[tuple[Value, Value]] = []
    for each in given:
        if isinstance(each, Table):
            pairs += each.pairs
        elif isinstance(each, Items):  # Python 2 writes [[key, value], …]
            rows = [row.items if isinstance(row, Items) else row for row in each.items]
            pairs += [
                (row[0], row[1]) for row in rows if isinstance(row, (list, tuple)) and len(row) == 2
            ]
    return Table(path.removeprefix("builtins."), pairs)
