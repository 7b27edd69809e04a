"""Layers of torch.nn: what their constructors were given, what a call of one gives, containers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from lintorch.core.torch_methods import PARALLEL_WRAPPERS
from lintorch.evaluator.events import Refused
from lintorch.evaluator.expected_ranks import place_in_layer, rank_in_layer
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.layer_limits import find_refusal
from lintorch.evaluator.learn import (
    SPATIAL,
    is_input,
    name_axes,
    settle_axis,
    settle_tokens,
    teach_kind,
    teach_shape,
    teach_tensors,
    teach_width,
)
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.infer_types import infer_layer
from lintorch.evaluator.operators.tensor_types import ShapeError, UndecidedError
from lintorch.evaluator.signatures.bind_arguments import bind_call
from lintorch.evaluator.sizes import Dim, make_symbol
from lintorch.evaluator.torch_calls import is_founded, lift_result, lower_value, tell_call
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.unknown_objects import PACKING
from lintorch.evaluator.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Constant,
    External,
    Given,
    Held,
    Items,
    Spot,
    Tensor,
    Unknown,
    Value,
    size_in,
)
from lintorch.evaluator.zoo_models import is_zoo_class

LISTS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ParameterList"})
_MAPPINGS = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})
CONTAINERS = LISTS | _MAPPINGS
OF_CONTAINERS = frozenset(
    {
        "append", "extend", "insert", "pop", "forward", "clear", "items", "keys", "update", "values",
        "copy", "fromkeys", "get", "popitem", "setdefault", "add_module", "register_module",
        "set_submodule", "register_parameter",
    }
)  # fmt: skip
"""Methods that containers have themselves, or that change what they hold; others are any module's."""
DICTIONARIES = frozenset({"dict", "collections.OrderedDict"})
"""What keeps its entries, where a class derives from it."""
FOREIGN_LAYERS: dict[str, Callable[[Machine, ast.AST, Given, Given], Value]] = {}
"""Layers of other packages: called with the constructor's arguments and those of the call."""
_SAME_SHAPE = (
    "Dropout",
    "ReLU",
    "GELU",
    "SiLU",
    "Identity",
    "Sigmoid",
    "Tanh",
    "Norm",
    "ELU",
    "Softmax",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
)
_WHOLE = frozenset(
    {
        "in_channels",
        "out_channels",
        "in_features",
        "out_features",
        "num_features",
        "num_channels",
        "num_groups",
        "num_embeddings",
        "embedding_dim",
        "embed_dim",
        "num_heads",
        "input_size",
        "hidden_size",
        "d_model",
        "nhead",
    }
)
"""Arguments of layers that can be nothing but one whole number."""


_PARAMETERS = ("weight", "bias")
_MADE_OF = (*_PARAMETERS, "device", "dtype")
"""Arguments that become no attribute: whether there is such a parameter, and what parameters are made of."""


@lru_cache(4096)
def is_layer_class(path: str) -> bool:
    """Whether a foreign class is one of torch.nn's modules."""
    name = path.rpartition(".")[2]
    if path in FOREIGN_LAYERS:
        return True
    return path.startswith(("torch.nn.", "torch.ao.nn.", "torchvision.ops.")) and (
        name[:1].isupper() and path.count(".") <= 5 and name not in ("Parameter", "Buffer")
    )


def make_layer(machine: Machine, node: ast.AST, path: str, given: Given) -> Held:
    """A new layer that knows what it was made with, and where."""
    made = machine.hold(
        "object", {"lintorch made": machine.spot(node), "lintorch mode": True}, External(path)
    )
    keep_arguments(machine, made, path, given)
    built = bind_layer(path, given)
    refusal = find_refusal(path, built) if built is not None else ""
    if refusal:
        machine.tell(Refused, node, path, refusal, given.values, True)
    return made


def keep_arguments(machine: Machine, made: Held, path: str, given: Given) -> None:
    """Give an object the arguments of a layer's constructor as attributes, or its items."""
    held = machine.state.write(made.address)
    if path in LISTS:
        held[ITEMS] = _list_contained(machine, path, given)
        held.update(_name_contained(machine, given))
        return
    if path in _MAPPINGS:
        entries = given.pick(0, "modules")
        held["entries"] = entries if isinstance(entries, Held) else machine.hold("dict", {})
        return
    if path in DICTIONARIES:
        listed = _list_entries(machine, given)
        if listed is not None:
            held["entries"] = machine.hold("dict", listed)
        return
    held["lintorch arguments"] = given
    bound = bind_layer(path, given)
    if bound is not None:
        machine.asked.note(machine.asked.numbers, map(bound.get, _WHOLE & bound.keys()))
        held.update({key: each for key, each in bound.items() if key not in _MADE_OF})


def _list_entries(machine: Machine, given: Given) -> dict[object, Value] | None:
    """The entries of `dict(others, a=b)`; None where they are not known."""
    first = given.pick(0)
    if given.open or not (first is None or (isinstance(first, Held) and first.kind == "dict")):
        return None
    others = machine.state.read(first.address) if isinstance(first, Held) else {}
    return {**others, **given.keyword}


def bind_layer(path: str, given: Given) -> dict[str, Value] | None:
    """A constructor's arguments by name, with its defaults; None where they are not all known."""
    kept = given.bound.get(path)
    if kept is None and path not in given.bound:
        bound = None if given.open else bind_call(path, given.positional, given.keyword)
        if bound is not None:
            kept = {k: v if isinstance(v, Value) else Constant(v) for k, v in bound.items()}
        given.bound[path] = kept
    return kept


def _list_contained(machine: Machine, path: str, given: Given) -> tuple[Value, ...] | None:
    if given.open:
        return None
    if path == "torch.nn.Sequential":
        first = given.positional[0] if len(given.positional) == 1 else None
        if isinstance(first, Held) and first.kind == "dict":
            content = machine.state.read(first.address)
            return None if "open" in content else tuple(content.values())
        return given.positional
    first = given.pick(0, "modules") or given.keyword.get("values")
    return () if first is None else known_items(machine, first)


def _name_contained(machine: Machine, given: Given) -> dict[str, Value]:
    """Layers that a dictionary gives names to."""
    first = given.positional[0] if len(given.positional) == 1 else None
    if not isinstance(first, Held) or first.kind != "dict":
        return {}
    content = machine.state.read(first.address)
    return {k: v for k, v in content.items() if isinstance(k, str) and k != "open"}


def call_layer(machine: Machine, node: ast.AST, callee: Held, path: str, given: Given) -> Value:
    """What the forward of a layer gives."""
    if path == "torch.nn.Sequential":
        return _call_sequence(machine, node, callee, given)
    inner = _find_inner(machine, callee, path)
    if inner is not None:
        return machine.call(node, inner, given)
    head = _find_head(machine, callee, path)
    if head is not None:
        return machine.call(node, head, Given((Tensor(),)))
    foreign = FOREIGN_LAYERS.get(path)
    made = machine.state.read(callee.address).get("lintorch arguments")
    if foreign is not None and isinstance(made, Given):
        return foreign(machine, node, made, given)
    teach_tensors(machine, given.values)
    result = _infer_call(machine, node, callee, path, given)
    held = machine.state.read(callee.address)
    settings = bind_layer(path, made) if isinstance(made, Given) else None
    built = held.get("lintorch made")
    whole = given.behind(callee)
    spot = built if isinstance(built, Spot) else None
    tell_call(machine, node, f"{path}.forward", whole, result, settings, spot)
    if not is_layer_class(path):
        for value in given.values:
            machine.spoil(value)
    return result


def _find_inner(machine: Machine, callee: Held, path: str) -> Held | None:
    """The module that runs in the place of another: the one a wrapper holds."""
    if path not in PARALLEL_WRAPPERS:
        return None
    made = machine.state.read(callee.address).get("lintorch arguments")
    inner = made.pick(0, "module") if isinstance(made, Given) else None
    return inner if isinstance(inner, Held) else None


def _find_head(machine: Machine, callee: Held, path: str) -> Held | None:
    """The last layer that code gave a model of another package: `model.fc = nn.Linear(512, 2)`."""
    if not is_zoo_class(path):
        return None
    content = machine.state.read(callee.address)
    given = (content.get(name) for name in ("fc", "classifier", "head", "heads"))
    return next((v for v in given if isinstance(v, Held) and not _is_part(v)), None)


def _is_part(value: Held) -> bool:
    return isinstance(value.of, External) and is_zoo_class(value.of.path)


def _call_sequence(machine: Machine, node: ast.AST, callee: Held, given: Given) -> Value:
    items = machine.state.read(callee.address).get(ITEMS)
    if items is None or not given.positional:
        return Tensor(sure=False) if isinstance(given.pick(0), Tensor) else UNKNOWN
    value: Value = given.positional[0]
    for item in items:
        value = machine.call(node, item, Given((value,)))
    return value


_CHECK = "_check_input_dim"
"""The method of a norm that says how many axes it takes; who gives it another has it take others."""


_SET_LATER = frozenset({"stride", "padding", "dilation", "groups"})
"""Settings that classes derived from a layer set after it is made: `self.padding = (1, 1)`."""


def _infer_call(machine: Machine, node: ast.AST, callee: Held, path: str, given: Given) -> Value:
    """What a layer gives; if nothing is known of its axes, it may have as many as an input has."""
    found, first = _infer_shape(machine, node, callee, path, given), given.pick(0)
    if not isinstance(found, Tensor) or found.shape is not None or not isinstance(first, Tensor):
        return found
    ranked = first.shape is None and path.endswith((*_SAME_SHAPE, "Linear"))
    if not ranked:
        return found
    return replace(
        found,
        ranked_as=first.ranked_as,
        turned_from=first.turned_from,
        grown_from=first.grown_from,
        rows=first.rows,
    )


def _infer_shape(machine: Machine, node: ast.AST, callee: Held, path: str, given: Given) -> Value:
    held = machine.state.read(callee.address)
    made = held.get("lintorch arguments")
    if not isinstance(made, Given) or _CHECK in held:
        return _presume_result(path, given)
    built = bind_layer(path, made)
    if built is None:
        return _presume_result(path, given)
    if is_reduced(path, built) and not all(isinstance(v, Tensor) for v in given.values):
        return Tensor(())
    built = {**built, **{key: held[key] for key in _SET_LATER & held.keys() & built.keys()}}
    if _TAKES_TENSOR.fullmatch(path) and _is_pair(given.pick(0)):
        machine.tell(
            Refused, node, path, "it takes a tensor, and is given a tuple", given.values, True
        )
        return _presume_result(path, given)
    kind, settings = _read_stack(machine, path, built)
    given = place_in_layer(machine, kind.rpartition(".")[2], settings, given)
    given = _teach_input(machine, kind, settings, given)
    _doubt_batch(machine, path, given)
    lowered = {key: lower_value(machine, each) for key, each in built.items()}
    try:
        if given.open:
            raise UndecidedError
        bound = bind_call(f"{path}.forward", given.positional, given.keyword)
        if bound is None:
            raise UndecidedError
        asked = {key: lower_value(machine, each) for key, each in bound.items()}
        found = infer_layer(path, lowered, asked)
    except UndecidedError:
        return _presume_result(path, given)
    except ShapeError as error:
        founded = is_founded(machine, given)
        machine.misfit = machine.misfit or not founded
        made = machine.state.read(callee.address).get("lintorch made")
        machine.tell(Refused, node, path, str(error), given.values, founded, made)
        return _presume_result(path, given)
    ranked = _has_rank(path, built, given)
    return lift_result(machine, found, guessed=not ranked and not is_founded(machine, given))


_TAKES_TENSOR = re.compile(
    r"torch\.nn\.(Linear|Conv\dd|Embedding|LayerNorm|BatchNorm\dd|Dropout|ReLU|GELU|Tanh|Sigmoid|Softmax)"
)


def _is_pair(value: Value | None) -> bool:
    """Whether it surely is what an LSTM gives: a tensor, and the states beside it."""
    items = value.items if isinstance(value, Items) and value.kind == "tuple" else None
    return items is not None and len(items) == 2 and isinstance(items[0], Tensor)


def _has_rank(path: str, built: dict[str, Value], given: Given) -> bool:
    """Whether a layer for so many axes is given a batch, which shows that what was presumed of it holds."""
    name = path.rpartition(".")[2]
    first = given.positional[0] if given.positional else None
    shape = first.shape if isinstance(first, Tensor) else None
    rank = rank_in_layer(name, built) if name[-2:] in ("1d", "2d", "3d") else 0
    return bool(rank) and (shape is None or len(shape) == rank)


def is_reduced(path: str, built: dict[str, Value]) -> bool:
    """Whether a layer is a loss that gives one number, whatever it is given."""
    asked = all(built.get(name, NONE) == NONE for name in ("reduce", "size_average"))
    return asked and path in _LOSSES and built.get("reduction") in _REDUCED


_REDUCED = Constant("mean"), Constant("sum")
_LOSSES = frozenset(
    f"torch.nn.{name}Loss"
    for name in ("MSE", "L1", "SmoothL1", "Huber", "CrossEntropy", "NLL", "BCE", "BCEWithLogits")
)


def _presume_result(path: str, given: Given) -> Value:
    first = given.pick(0)
    if not path.startswith("torch.nn.") or path == "torch.nn.Module":
        return Unknown(f"{path}()")
    name = path.rpartition(".")[2]
    if name.endswith(_SAME_SHAPE) and isinstance(first, Tensor):
        return Tensor(first.shape, first.dtype, guessed=first.guessed)
    packed = isinstance(first, Unknown) and first.path.startswith(PACKING)
    out = first if packed and first is not None else Tensor()
    if name == "LSTM":
        return Items("tuple", (out, Items("tuple", (Tensor(), Tensor()))))
    if name in ("LSTMCell", "GRU", "RNN"):
        return Items("tuple", (out, Tensor()))
    return Items("tuple", (Tensor(), UNKNOWN)) if name == "MultiheadAttention" else Tensor()


def _teach_input(machine: Machine, path: str, built: dict[str, Value], given: Given) -> Given:
    """What the first layer of a model says of its input; the call with the input as it is then."""
    first = given.positional[0] if given.positional else None
    if isinstance(first, Tensor):
        _settle_channels(machine, path.rpartition(".")[2], built, first)
    if first is None or not isinstance(first, Tensor) or not is_input(first):
        if isinstance(first, Tensor) and first.ranked_as and path.endswith(".Linear"):
            machine.narrowed.add(first.ranked_as)
        return given
    learned = _expected_shape(path.rpartition(".")[2], built, first.name)
    if learned is None:
        return given
    if "Embedding" in path:
        teach_kind(machine, first.name, "int64")
    if path.endswith((".Linear", ".Embedding", ".EmbeddingBag", *_RECURRENT, *_ATTENDING)):
        teach_width(machine, first.name, learned)
        return given
    teach_shape(machine, first.name, learned)
    taught = Tensor(learned, first.dtype, first.origin, first.name, first.memory)
    return Given((taught, *given.positional[1:]), given.keyword, given.open)


def _read_stack(
    machine: Machine, path: str, built: dict[str, Value]
) -> tuple[str, dict[str, Value]]:
    """Of a stack of transformer layers: the class and the settings of its layers."""
    layer = built.get("encoder_layer", built.get("decoder_layer"))
    made = machine.state.read(layer.address) if isinstance(layer, Held) else {}
    given, inner = made.get("lintorch arguments"), f"{path}Layer"
    bound = bind_layer(inner, given) if isinstance(given, Given) else None
    return (inner, bound) if bound is not None else (path, built)


def _doubt_batch(machine: Machine, path: str, given: Given) -> None:
    """A Linear is given a batch as its channels: an input that was presumed to have two axes has more."""
    first = given.positional[0] if given.positional else None
    if path.endswith(".Linear") and isinstance(first, Tensor) and first.guessed and first.shape:
        machine.misfit = machine.misfit or first.shape[-1] == make_symbol("B")


def _settle_channels(machine: Machine, name: str, built: dict[str, Value], first: Tensor) -> None:
    if name in _FEATURES:
        width = size_in(built.get(_FEATURES[name], UNKNOWN))
        if width is not None:
            settle_axis(machine, first, -1, width)
    elif name == "LayerNorm":
        shape = built["normalized_shape"]
        size = size_in(shape)
        if size is not None:
            settle_axis(machine, first, -1, size)
    elif name in _WIDE:
        size = size_in(built.get("in_channels", built.get("num_features", UNKNOWN)))
        if size is not None and first.shape is not None and len(first.shape) == 1 - _WIDE[name]:
            settle_axis(machine, first, _WIDE[name], size)
    elif name in ("Conv1d", "BatchNorm1d"):
        size = size_in(built.get("in_channels", built.get("num_features", UNKNOWN)))
        if size is not None and first.shape is not None and len(first.shape) == 3:
            settle_axis(machine, first, -2, size)
    elif name == "Embedding":
        settle_tokens(machine, first)


_FEATURES = {
    "Linear": "in_features", "MultiheadAttention": "embed_dim",
    **dict.fromkeys(("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), "input_size"),
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer"), "d_model"),
}  # fmt: skip
"""Layers whose input has its channels last, and which setting says how many these are."""
_WIDE = {"Conv2d": -3, "BatchNorm2d": -3, "InstanceNorm2d": -3, "Conv3d": -4, "BatchNorm3d": -4}


def _expected_shape(name: str, built: dict[str, Value], given: str) -> tuple[Dim, ...] | None:
    batch = make_symbol("B")
    if "Norm1d" in name:
        return None  # of two axes as well as of three
    if name[-2:] in ("1d", "2d", "3d") and rank_in_layer(name, built):
        sides = SPATIAL[int(name[-2])]
        channels = size_in(built.get("in_channels", built.get("num_features", UNKNOWN)))
        first: Dim = make_symbol(f"{given}.C", False) if channels is None else channels
        return batch, first, *(make_symbol(f"{given}.{side}") for side in sides)
    if f".{name}" in _ATTENDING:
        return _expect_sequence(built, given, "d_model")
    rank = rank_in_layer(name, built)
    if rank:
        return name_axes(given, rank)
    if name == "Linear":
        width = size_in(built["in_features"])
        last = make_symbol(f"{given}.C", False) if width is None else width
        return batch, last
    if name == "Embedding":
        return batch, make_symbol(f"{given}.L")
    if f".{name}" in _RECURRENT:
        return _expect_sequence(built, given)
    return None


_RECURRENT = (".RNN", ".GRU", ".LSTM")
_ATTENDING = (".TransformerEncoderLayer", ".TransformerDecoderLayer")


def _expect_sequence(
    built: dict[str, Value], given: str, wide: str = "input_size"
) -> tuple[Dim, ...]:
    """Steps of a batch, as recurrent layers and transformers are given them in nearly all code."""
    width, batch = size_in(built[wide]), make_symbol("B")
    last = make_symbol(f"{given}.C", False) if width is None else width
    if built.get("batch_first") == TRUE:
        return batch, make_symbol(f"{given}.1"), last
    return make_symbol(f"{given}.0"), batch, last


def read_layer_attribute(machine: Machine, held: Held, path: str, name: str) -> Value | None:
    """`layer.weight`, and what a foreign layer has besides; None where that is not known."""
    if path == "torch.nn.Transformer" and name in _HALVES:
        return _read_half(machine, held, name)
    if not path.startswith("torch.nn.") or name not in _PARAMETERS:
        return None
    made = machine.state.read(held.address).get("lintorch arguments")
    built = bind_layer(path, made) if isinstance(made, Given) else None
    if name == "bias" and built is not None and built.get("bias") == Constant(False):
        return Constant(None)
    shape = None if built is None else _parameter_shape(path.rpartition(".")[2], built, name)
    memory = frozenset({f"parameter {held.address}"})
    return Tensor(shape, "float32" if shape else None, "parameter", name, memory, data=False)


_HALVES = {"encoder": "torch.nn.TransformerEncoder", "decoder": "torch.nn.TransformerDecoder"}


def _read_half(machine: Machine, held: Held, name: str) -> Value:
    """`transformer.encoder`: its own, unless it was given another."""
    content = machine.state.write(held.address)
    given = content.get(f"custom_{name}", NONE)
    half = given if given != NONE else machine.hold("object", {}, External(_HALVES[name]))
    content[name] = half
    return half


def _parameter_shape(name: str, built: dict[str, Value], asked: str) -> tuple[Dim, ...] | None:
    if name == "Linear":
        out, taken = size_in(built["out_features"]), size_in(built["in_features"])
        axes = (out,) if asked == "bias" else (out, taken)
    elif name == "Embedding":
        axes = (size_in(built["num_embeddings"]), size_in(built["embedding_dim"]))
    elif name.startswith("BatchNorm"):
        axes = (size_in(built["num_features"]),)
    elif name == "LayerNorm" and size_in(built["normalized_shape"]) is not None:
        axes = (size_in(built["normalized_shape"]),)
    else:
        return None
    return None if None in axes else tuple(each for each in axes if each is not None)
