"""Calls of torch's functions: arguments by their signatures, shapes by the operators' functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lintorch.evaluator.events import Called, Refused
from lintorch.evaluator.expected_ranks import keep_rank, place_axes
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.learn import teach_tensors
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.arguments import is_fresh, make_counted, make_fresh
from lintorch.evaluator.operators.infer_types import infer_call
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.signatures.find_signatures import is_known
from lintorch.evaluator.sizes import (
    COUNTED,
    Dim,
    Size,
    list_symbols,
    make_operation,
    make_symbol,
    varies,
)
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    UNKNOWN,
    Constant,
    External,
    Given,
    Held,
    Items,
    Number,
    Spot,
    Tensor,
    Value,
    make_number,
)

VIEWS = frozenset(
    {
        "view", "reshape", "view_as", "reshape_as", "flatten", "unflatten", "squeeze", "unsqueeze",
        "transpose", "swapaxes", "swapdims", "permute", "t", "movedim", "moveaxis", "narrow",
        "select", "expand", "expand_as", "detach", "contiguous", "diagonal", "unfold", "ravel",
        "chunk", "split", "unbind", "tensor_split", "to", "type_as", "float", "double", "half",
        "bfloat16", "long", "int", "bool", "cpu", "cuda", "requires_grad_",
    }
)  # fmt: skip
"""What may share the memory of its receiver."""
NOT_TENSORS = frozenset(
    {
        "item", "tolist", "dim", "ndimension", "stride", "storage_offset", "is_contiguous", "equal",
        "is_floating_point", "is_complex", "get_device", "data_ptr", "element_size", "type",
        "is_cuda", "allclose", "is_tensor", "is_nonzero", "get_default_dtype", "is_grad_enabled",
        "finfo", "iinfo", "device", "Generator", "manual_seed", "seed", "save", "load", "compile",
        "numpy", "Size", "no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast",
        "backward", "register_hook", "retain_grad", "typename", "is_autocast_enabled", "promote_types",
        "is_inference", "set_default_dtype", "set_printoptions", "set_num_threads", "cond", "vmap",
    }
)  # fmt: skip
_LONGEST = 48
"""Symbols and operations of one size."""
_NAMESPACES = (
    "torch.nn.functional.",
    "torch.special.",
    "torch.linalg.",
    "torch.fft.",
    "torch.Tensor.",
)


def call_torch(
    machine: Machine,
    node: ast.AST,
    name: str,
    positional: tuple[Value, ...],
    keyword: Mapping[str, Value],
    is_open: bool = False,
) -> Value:
    """What an operator of torch gives; told as `Called` only where it was written as a call."""
    given = Given(positional, keyword, is_open)
    result = infer_result(machine, node, name, given)
    if isinstance(node, ast.Call):
        tell_call(machine, node, name, given, result)
    return result


def tell_call(
    machine: Machine,
    node: ast.AST,
    name: str,
    given: Given,
    result: Value,
    settings: Mapping[str, Value] | None = None,
    built: Spot | None = None,
) -> None:
    """Record a call of a foreign function, with the items that lists have now."""
    given = freeze_given(machine, given)
    frozen = _freeze_named(machine, settings) if settings else {}
    machine.tell(
        Called, node, name, given.positional, given.keyword, given.open, result, frozen, built
    )


def freeze_given(machine: Machine, given: Given) -> Given:
    """Arguments with the items that lists have now."""
    positional, keyword = given.positional, given.keyword
    if _LISTED.isdisjoint(map(type, (*positional, *keyword.values()))):
        return given
    frozen = tuple([freeze_list(machine, each) for each in positional])
    return Given(frozen, _freeze_named(machine, keyword), given.open)


def _freeze_named(machine: Machine, given: Mapping[str, Value]) -> Mapping[str, Value]:
    if _LISTED.isdisjoint(map(type, given.values())):
        return given
    return {name: freeze_list(machine, each) for name, each in given.items()}


_LISTED: frozenset[type] = frozenset({Held, Items})


_DEEPEST = 16
"""How far lists within lists are followed, which may hold themselves."""


def freeze_list(machine: Machine, value: Value, deep: int = 0) -> Value:
    """A list or dictionary as it is now, which nothing changes; other values as they are."""
    kind = type(value)
    if kind is not Held and kind is not Items:
        return value
    if deep > _DEEPEST:
        return UNKNOWN
    if isinstance(value, Held) and value.kind == "list":
        items = machine.state.read(value.address).get(ITEMS)
        frozen = (
            None if items is None else tuple(freeze_list(machine, each, deep + 1) for each in items)
        )
        return Items("list", frozen, machine.state.read(value.address).get("each", UNKNOWN))
    if isinstance(value, Held) and value.kind == "dict":
        return _freeze_dict(machine, value, deep)
    if isinstance(value, Items) and value.items and any(map(_is_list, value.items)):
        return replace(
            value, items=tuple(freeze_list(machine, each, deep + 1) for each in value.items)
        )
    return value


def _freeze_dict(machine: Machine, value: Held, deep: int) -> Items:
    """Its keys with their values; what else there is is not known where it is open."""
    content = machine.state.read(value.address)
    if "open" in content or len(content) > machine.budget.items:
        return Items("dict", None)
    pairs = ((Constant(k), v) for k, v in content.items() if isinstance(v, Value))
    return Items(
        "dict",
        tuple(Items("tuple", (k, freeze_list(machine, each, deep + 1))) for k, each in pairs),
    )


def _is_list(value: Value) -> bool:
    return isinstance(value, Held) and value.kind in ("list", "dict")


def infer_result(machine: Machine, node: ast.AST, name: str, given: Given) -> Value:
    """The same, told only where it raises."""
    given = place_axes(machine, name, given)
    try:
        if given.open:
            raise UndecidedError
        positional = tuple(lower_value(machine, each) for each in given.positional)
        keyword = {key: lower_value(machine, each) for key, each in given.keyword.items()}
        guessed = not is_founded(machine, given)
        if guessed and name.endswith((".view", ".reshape")) and _lists_sizes(node, given):
            guessed = False  # what it is given says all of what it gives
            positional = (TensorType(None, getattr(positional[0], "dtype", None)), *positional[1:])
        found = infer_call(name, positional, keyword)
    except UndecidedError:
        return _guess_result(machine, node, name, given)
    except ShapeError as error:
        founded = is_founded(machine, given)
        machine.misfit = machine.misfit or not founded
        machine.tell(Refused, node, name, str(error), given.values, founded)
        return _guess_result(machine, node, name, given)
    data = reads_data(machine, node, name, given)
    result = lift_result(machine, found, _shared_memory(name, given), _via_of(given), guessed, data)
    if isinstance(result, Tensor) and _keeps_constant(given):
        result = replace(result, origin="constant")
    if isinstance(result, Tensor) and name.endswith((".view", ".reshape")):
        result = _leave_rest(result, given)
    if not isinstance(result, Tensor) or result.shape is not None:
        return result
    return keep_rank(machine, name, given, result)


def _keeps_constant(given: Given) -> bool:
    """Whether an operator is given tensors of one written number alone, whose result is known as well."""
    tensors = [each for each in given.values if isinstance(each, Tensor)]
    return bool(tensors) and all(
        each.origin == "constant" and each.shape is not None and not set(each.shape) - {1}
        for each in tensors
    )


def is_founded(machine: Machine, given: Given) -> bool:
    """Whether no tensor among the arguments is only presumed to be one, or to have its shape."""
    for value in given.values:
        if isinstance(value, Tensor):
            if value.guessed or not value.sure or _is_of_branch(machine, value):
                return False
        elif isinstance(value, (Items, Held)) and (
            _counts_guess(machine, value) or not is_founded(machine, _list_items(machine, value))
        ):
            return False
    return True


def _is_of_branch(machine: Machine, value: Tensor) -> bool:
    """Whether it is an input whose shape another branch told, which may be for other inputs, or made of its sizes."""
    if machine.is_certain or not machine.branched:
        return False
    if value.origin == "input":
        return value.name in machine.branched
    symbols = (symbol for size in value.shape or () for symbol in list_symbols(size))
    return any(symbol.name.rpartition(".")[0] in machine.branched for symbol in symbols)


def _counts_guess(machine: Machine, value: Items | Held) -> bool:
    """Whether it is `x.shape[2:]`, of an input of which it is presumed how many axes it has."""
    if not isinstance(value, Items) or value.kind != "Size":
        return False
    sizes = [each.size for each in value.items or () if isinstance(each, Number) and each.size]
    named = {each.name.partition(".")[0] for size in sizes for each in list_symbols(size)}
    return any(
        machine.learned.get(each) == machine.guessed[each]
        for each in named & machine.guessed.keys()
    )


def _list_items(machine: Machine, value: Items | Held) -> Given:
    if isinstance(value, Items):
        return Given(value.items or (value.each,))
    known = machine.state.read(value.address).get(ITEMS) if value.kind == "list" else None
    return Given(known or ())


_BATCH = (make_symbol("B"),)


def _leave_rest(result: Tensor, given: Given) -> Tensor:
    """`x.view(-1, 8)` of what has a batch: that is in what is left, whatever else x has."""
    held, sizes = given.positional[0], given.positional[1:]
    if isinstance(held, Tensor) and held.rows is not None:
        return _count_rest(result, sizes, held.rows)
    plain = [each.value for each in sizes if isinstance(each, Constant)]
    shape = held.shape if isinstance(held, Tensor) else None
    batched = shape is not None and shape[:1] == _BATCH
    if not batched or len(plain) != len(sizes) or plain.count(-1) != 1 or result.shape is None:
        return result
    place = plain.index(-1)
    if len(plain) != len(result.shape) or not is_fresh(result.shape[place]):
        return result
    rest = make_fresh(make_symbol("B"))
    return replace(result, shape=(*result.shape[:place], rest, *result.shape[place + 1 :]))


def _count_rest(result: Tensor, sizes: tuple[Value, ...], rows: Dim) -> Tensor:
    """`x[mask].view(b, -1, c)` of what is of unknown shape: what is left is as many as data choose."""
    shape = result.shape or ()
    if sizes.count(Constant(-1)) != 1 or len(sizes) != len(shape):
        return result
    place = sizes.index(Constant(-1))
    return replace(
        result, shape=(*shape[:place], make_operation(COUNTED, rows), *shape[place + 1 :])
    )


def _lists_sizes(node: ast.AST, given: Given) -> bool:
    """Whether each size is written by itself: a tuple may be as long as a shape that is presumed."""
    starred = isinstance(node, ast.Call) and any(isinstance(a, ast.Starred) for a in node.args)
    return not starred and not any(isinstance(v, (Items, Held)) for v in given.values)


def _guess_result(machine: Machine, node: ast.AST, name: str, given: Given) -> Value:
    last = name.rpartition(".")[2]
    if last in NOT_TENSORS or last.startswith(("is_", "get_", "set_", "use_", "has_")):
        return Number(None, data=True) if last in ("item", "tolist") else UNKNOWN
    if not is_operator(name):
        return UNKNOWN
    if is_reduced_loss(name, given):
        return Tensor(())
    memory, data = _shared_memory(name, given), reads_data(machine, node, name, given)
    dtype = "int64" if last in _PLACES else _keep_type(last, given)
    dtype = None if name in _OLD_SPECTRA else dtype
    result = Tensor(None, dtype, memory=memory, via=_via_of(given), data=data)
    result = keep_rank(machine, name, given, result)
    if last in _COUNTING and len(given.values) < 3 and isinstance(given.pick(0), Tensor):
        return Items("tuple", None, Tensor((make_counted(),), "int64", data=data))
    if last in _PAIRS:
        return Items("tuple", (result, replace(result, dtype="int64")))
    moving = last == "unbind" or (last == "split" and _splits_varying(given))
    rounds = Number(None, True, True) if moving else _count_parts(last, given)
    return Items("tuple", None, result, rounds) if last in _SEVERAL else result


def _keep_type(last: str, given: Given) -> str | None:
    """The type of what is only seen in another form, whatever its shape is, and of a spectrum."""
    if last in _COMPLEX:
        return "complex64"
    held = given.pick(0, "input")
    viewed = isinstance(given.pick(1, "dtype"), External)  # as another type
    return held.dtype if last in _FORMS and isinstance(held, Tensor) and not viewed else None


def _count_parts(last: str, given: Given) -> Number | None:
    """`x.chunk(x.size(1), 1)`: as many as the axis is long."""
    many = given.pick(1, "chunks") if last in ("chunk", "tensor_split") else None
    return many if isinstance(many, Number) and many.varies is True else None


def _splits_varying(given: Given) -> bool:
    """`x.split(4, 1)` of an axis that varies: parts of a known size, and so many as the axis is long."""
    held, each, axis = given.pick(0), given.pick(1), given.pick(2, "dim") or Constant(0)
    shape = held.shape if isinstance(held, Tensor) else None
    at = axis.value if isinstance(axis, Constant) else None
    if not shape or not isinstance(at, int) or not -len(shape) <= at < len(shape):
        return False
    return isinstance(each, Constant) and varies(shape[at]) is True


def is_reduced_loss(name: str, given: Given) -> bool:
    """Whether a loss gives one number, whatever it is given: nothing is said of a reduction."""
    plain = len(given.positional) <= 2 and _REDUCTIONS.isdisjoint(given.keyword)
    return plain and not given.open and name.removeprefix("torch.nn.functional.") in REDUCED


REDUCED = frozenset(
    {
        "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "cross_entropy", "nll_loss",
        "binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss",
        "poisson_nll_loss",
    }
)  # fmt: skip
"""Losses that are reduced to one number where nothing else is asked for."""
_REDUCTIONS = frozenset({"reduction", "reduce", "size_average"})


def reads_data(machine: Machine, node: ast.AST, name: str, given: Given) -> bool | None:
    """Whether the data of an input has a part in what an operator gives; None where it may be no tensor."""
    parts = [part for value in given.values for part in _list_parts(machine, value)]
    found = [each.data for each in parts if isinstance(each, (Tensor, Number))]
    last = name.rpartition(".")[2]
    if last in _MAKERS or last.endswith("_like") or last.startswith("new_"):
        copied = last in _COPIES and any(isinstance(p, Tensor) and p.data for p in parts)
        return copied or any(each.data for each in parts if isinstance(each, Number))
    if True in found:
        return True
    if None in found:
        called = isinstance(node, ast.Call) and last not in _OF_OTHERS and is_known(name)
        if called:
            teach_tensors(machine, given.values)
        machine.presumed = machine.presumed or not called
        return True if called else None
    known = bool(found) or all(isinstance(each, (Constant, External)) for each in parts)
    return not known


def _list_parts(machine: Machine, value: Value) -> Iterator[Value]:
    """A value, or what a list or tuple holds."""
    if isinstance(value, (Items, Held)) and (items := known_items(machine, value)) is not None:
        for item in items:
            yield from _list_parts(machine, item)
    else:
        yield value


_SEVERAL = frozenset({"chunk", "split", "unbind", "tensor_split", "split_with_sizes"})
_PLACES = frozenset(
    {"argmax", "argmin", "argsort", "nonzero", "searchsorted", "bucketize", "one_hot"}
)
"""What gives places, and their marks: int64, whatever the shape."""
_FORMS = frozenset(
    {
        "view", "reshape", "flatten", "squeeze", "unsqueeze", "transpose", "permute", "t", "movedim",
        "narrow", "select", "expand", "expand_as", "detach", "contiguous", "clone", "repeat", "flip",
        "roll", "chunk", "split", "unbind", "cpu", "cuda", "swapaxes", "index_select", "masked_select",
    }
)  # fmt: skip
"""What gives numbers as they are, in another form."""
_COMPLEX = frozenset(
    {
        "fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "rfft", "rfft2", "rfftn", "ihfft",
        "view_as_complex", "polar", "complex",
    }
)  # fmt: skip
"""What gives complex numbers, of float32 where nothing else is known."""
_OLD_SPECTRA = frozenset(f"torch.{name}" for name in ("fft", "ifft", "rfft", "irfft"))
"""What old releases had: pairs of real numbers."""
_COUNTING = frozenset({"where", "nonzero"})
"""What gives, with a mask alone or as a tuple, the places along each axis: how many, data decide."""
_PAIRS = frozenset({"topk", "sort"})
"""What gives values, and where they stood."""
_COPIES = frozenset({"tensor", "as_tensor", "from_numpy", "new_tensor"})
_MAKERS = _COPIES | {
    "arange", "linspace", "logspace", "ones", "zeros", "full", "eye", "empty", "rand", "randn",
    "randint", "randperm", "tril_indices", "triu_indices", "empty_strided",
}  # fmt: skip
"""What makes a tensor of Python's numbers, of sizes or by chance."""
_OF_OTHERS = frozenset({"values", "index", "copy", "item"})
"""Methods that what is no tensor may have as well."""


def is_operator(name: str) -> bool:
    """Whether a name is a function of torch that gives tensors."""
    if name.startswith(_NAMESPACES):
        return True
    return name.startswith("torch.") and name.count(".") == 1 and name[6:7].islower()


def _shared_memory(name: str, given: Given) -> frozenset[str]:
    last = name.rpartition(".")[2]
    first = given.positional[0] if given.positional else given.keyword.get("input")
    if isinstance(first, Tensor) and (last in VIEWS or last.endswith("_")):
        return first.memory
    return frozenset()


def _via_of(given: Given) -> frozenset[Any]:
    """What numbers among the arguments went through."""
    return frozenset(via for each in given.values for via in getattr(each, "via", ()))


def lower_value(machine: Machine, value: Any) -> Any:
    """A value as shape functions take it."""
    if not isinstance(value, Value):
        return (
            tuple(lower_value(machine, each) for each in value)
            if isinstance(value, tuple)
            else value
        )
    if isinstance(value, Tensor):
        return TensorType(value.shape, value.dtype)
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Number) and value.size is not None and value.whole:
        return value.size
    if isinstance(value, Number) and value.truth is False and value.whole is False:
        return OPEN
    if isinstance(value, External) and value.path.startswith("torch."):
        return value.path.removeprefix("torch.")
    items = None
    if isinstance(value, Items):
        items = value.items
    elif isinstance(value, Held) and value.kind == "list":
        items = machine.state.read(value.address).get(ITEMS)
    return OPEN if items is None else tuple(lower_value(machine, each) for each in items)


def _shorten_size(size: Dim) -> Dim:
    """A size, or an unknown one where it is too long to reckon with."""
    if isinstance(size, int) or size.weight <= _LONGEST:
        return size
    return make_fresh()


def lift_result(
    machine: Machine,
    found: Any,
    memory: frozenset[str] = frozenset(),
    via: frozenset[Any] = frozenset(),
    guessed: bool = False,
    data: bool | None = True,
) -> Value:
    """The value of what a shape function gives."""
    if isinstance(found, TensorType):
        shape = None if found.shape is None else tuple(map(_shorten_size, found.shape))
        return Tensor(shape, found.dtype, memory=memory, via=via, guessed=guessed, data=data)
    if isinstance(found, (tuple, list)):
        return Items(
            "tuple", tuple(lift_result(machine, each, memory, via, guessed, data) for each in found)
        )
    if isinstance(found, bool) or found is None or isinstance(found, (str, float)):
        return Constant(found)
    return make_number(found) if isinstance(found, (int, Size)) else UNKNOWN
