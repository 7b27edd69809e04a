"""Layers of the file that have another setting than the model's: an epsilon, a slope, another activation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.causes.try_changed import agrees_when, put_layer
from lintorch.guest.beside.onnx_file import OnnxFile
from lintorch.record.file_comparisons import Cause, LayerNumbers

Change = tuple[str, Callable[[nn.Module], nn.Module | None]]
"""What the file is said to do, and what makes a layer so: itself, changed, or another in its place."""

_MOST = 12
_SMALL = 0.1
_NORMS = ("BatchNormalization", "LayerNormalization", "InstanceNormalization", "GroupNormalization")
_SLOPES = {
    nn.LeakyReLU: ("LeakyRelu", "negative_slope", 0.01),
    nn.ELU: ("Elu", "alpha", 1.0),
    nn.CELU: ("Celu", "alpha", 1.0),
}
_ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "ReLU": nn.ReLU,
    "ReLU6": nn.ReLU6,
    "GELU": nn.GELU,
    'GELU(approximate="tanh")': lambda: nn.GELU(approximate="tanh"),
    "SiLU": nn.SiLU,
    "Hardswish": nn.Hardswish,
    "Hardsigmoid": nn.Hardsigmoid,
    "Sigmoid": nn.Sigmoid,
    "Tanh": nn.Tanh,
    "Mish": nn.Mish,
    "Identity": nn.Identity,
}
_REMEDY = "export again with the layer as the model has it, or give the model the file's setting"


def find_settings(case: Case, first: LayerNumbers | None) -> Iterator[Cause]:
    """By a run of the model with what its first differing layer, or all like it, may be in the file."""
    layer = dict(case.module.named_modules()).get(first.name) if first else None
    if first is None or layer is None or not first.name:
        return
    for text, change in [*_list_changes(case.file, layer)][:_MOST]:
        for everywhere in (False, True):
            if _agrees(case, first.name, layer, change, everywhere):
                whose = f"all {type(layer).__name__} layers" if everywhere else first.name
                proof = f"the model with {whose} so changed agrees with the file"
                yield Cause("setting", f"{first.name} {text}", proof, _REMEDY, site=first.built)
                return


def _list_changes(file: OnnxFile, layer: nn.Module) -> Iterator[Change]:
    epsilon = getattr(layer, "eps", None)
    if isinstance(epsilon, float):
        values = _list_values(file, _NORMS, "epsilon", 1e-5, epsilon)
        for value in dict.fromkeys([*values, *_list_small(file, epsilon)]):
            yield f"has epsilon {value:.3g} in the file, and {epsilon:.3g} in the model", _set("eps", value)  # fmt: skip
    for kind, (operator, name, usual) in _SLOPES.items():
        if type(layer) is kind:
            own = getattr(layer, name)
            for value in _list_values(file, (operator,), "alpha", usual, own):
                yield f"has {name} {value:.3g} in the file, and {own:.3g} in the model", _set(name, value)  # fmt: skip
    if type(layer).__name__ in _ACTIVATIONS or type(layer) in (*_SLOPES, nn.PReLU):
        yield from _list_activations(file, layer)


def _list_activations(file: OnnxFile, layer: nn.Module) -> Iterator[Change]:
    """Those with the slopes that the file has come first: no other has its operator."""
    own_name = str(layer).replace("'", '"').replace("inplace=True", "").replace("()", "")
    made: list[tuple[str, Callable[[], nn.Module]]] = [
        (f"{kind.__name__}({value:.3g})", partial(kind, value))
        for kind, (operator, _, usual) in _SLOPES.items()
        if type(layer) is not kind
        for value in _list_values(file, (operator,), "alpha", usual, own=0.0)
    ]
    for called, make in (*made, *_ACTIVATIONS.items()):
        if (str(make()) != str(layer) and type(make()) is not type(layer)) or "tanh" in called:
            text = f"computes {called} in the file, and {own_name} in the model"
            yield text, lambda _, make=make: make()  # type: ignore[misc]


def _list_values(
    file: OnnxFile, operators: tuple[str, ...], name: str, usual: float, own: float
) -> list[float]:
    """The other values of an attribute in the file, the most frequent first."""
    nodes = (node for node in file.graph.node if node.op_type in operators)
    found = [next((float(a.f) for a in node.attribute if a.name == name), usual) for node in nodes]
    others = [each for each in found if abs(each - own) > 1e-3 * abs(own)]
    return sorted(dict.fromkeys(others), key=lambda each: -others.count(each))


def _list_small(file: OnnxFile, own: float) -> list[float]:
    """What the file adds before a root, where a norm is written out by plain operators."""
    found = (
        float(file.read_tensor(name))
        for node in file.graph.node
        for name in node.input
        if node.op_type == "Add" and name in file.tensors and file.read_tensor(name).size == 1
    )
    return [
        each for each in dict.fromkeys(found) if 0 < each <= _SMALL and abs(each - own) > 1e-3 * own
    ]


def _set(name: str, value: float) -> Callable[[nn.Module], nn.Module | None]:
    def change(layer: nn.Module) -> nn.Module | None:
        setattr(layer, name, value)
        return None

    return change


def _agrees(
    case: Case,
    name: str,
    layer: nn.Module,
    change: Callable[[nn.Module], nn.Module | None],
    everywhere: bool,
) -> bool:
    def change_all(model: nn.Module) -> None:
        for path, part in [*model.named_modules()]:
            like = type(part) is type(layer) and str(part) == str(layer)
            if path == name or (everywhere and like):
                other = change(part)
                if other is not None:
                    put_layer(model, path, other)

    return agrees_when(case, change_all)
