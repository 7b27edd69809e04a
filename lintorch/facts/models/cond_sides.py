"""Branches between layers with weights, as torch.cond writes them: one side runs, and exporters keep both.

    x = torch.cond(x.sum() > 0, lambda x: self.wide(x), lambda x: self.plain(x), (x,))

Measured on torch 2.13: the same bits in eager mode and for torch.export and onnx at every size, and the
same gradients, but for zeros where there were none; BatchNorm and dropout are refused in training mode,
and the tracers refuse it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Tensor
from lintorch.facts.models.chosen_sides import Chosen

_FOLLOWED = frozenset({"torch.export", "onnx"})
_SINCE = (2, 6)
_WEIGHTED = (
    "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LayerNorm",
    "GroupNorm", "RMSNorm", "PReLU", "ReLU", "ReLU6", "LeakyReLU", "GELU", "SiLU", "ELU", "Sigmoid", "Tanh",
    "Hardswish", "Softmax", "MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d", "Identity",
)  # fmt: skip
_LAYERS = frozenset(f"torch.nn.{name}.forward" for name in _WEIGHTED)
"""Layers that do the same in either mode, and write to nothing, unless they are told to."""


def is_followed(exporters: Iterable[str], torch: tuple[int, ...]) -> bool:
    """Whether all exporters in use take torch.cond."""
    return {*exporters} <= _FOLLOWED and torch >= _SINCE


def list_layer_calls(events: Iterable[Called]) -> dict[int, list[Called]]:
    """The calls of layers by node: of a Sequential its items, one after the other."""
    found: dict[int, list[Called]] = {}
    for event in events:
        if event.name.startswith("torch.nn.") and event.name.endswith(".forward"):
            found.setdefault(id(event.node), []).append(event)
    return found


def write_cond(
    chosen: Chosen, asked: tuple[str, bool], cond: str, calls: Mapping[int, list[Called]]
) -> str | None:
    """The call, where each side is one layer of the same tensor, or that tensor, and both have one shape."""
    sides = chosen.yes, chosen.no
    names = {name for side in sides if (name := _name_operand(side))}
    shapes = {shape for side in sides if (shape := _tell_shape(side, calls))}
    given = [each.args[0] for each in sides if isinstance(each, ast.Call) and each.args]
    if len(names) != 1 or not given or not all(map(_name_operand, sides)):
        return None
    if any(_is_call(side) and not _tell_shape(side, calls) for side in sides):
        return None
    if len(given) == 1:
        shapes |= {_tell_operand(side, calls) for side in sides if _is_call(side)}
    if len(shapes) != 1 or "" in shapes:
        return None
    name = names.pop()
    yes, no = (f"lambda {name}: {_write_side(side)}" for side in sides)
    first, second = (no, yes) if asked[1] else (yes, no)
    return f"{cond}({asked[0]}, {first}, {second}, ({name},))"


def _is_call(side: ast.expr) -> bool:
    return isinstance(side, ast.Call)


def _name_operand(side: ast.expr) -> str:
    """`x` of `self.conv(x)` and of `x`."""
    match side:
        case ast.Name(id=name):
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="self")), args=[ast.Name(id=name)], keywords=[]
        ):
            return name
    return ""


def _tell_shape(side: ast.expr, calls: Mapping[int, list[Called]]) -> str:
    """What the layers of a side give; "" where one of them is not known to do the same in either mode."""
    made = calls.get(id(side), [])
    plain = all(each.name in _LAYERS and not each.open and not _writes(each) for each in made)
    return _show(made[-1].result) if made and plain else ""


def _tell_operand(side: ast.expr, calls: Mapping[int, list[Called]]) -> str:
    first = calls[id(side)][0].positional
    return _show(first[-1]) if first else ""


def _show(value: object) -> str:
    if not isinstance(value, Tensor) or value.shape is None or value.guessed:
        return ""
    return f"{value.shape}"


def _writes(event: Called) -> bool:
    inplace = event.settings.get("inplace")
    return inplace is not None and getattr(inplace, "value", True) is not False


def _write_side(side: ast.expr) -> str:
    """`x.clone()` for `x`: nothing that goes in may come out."""
    return f"{side.id}.clone()" if isinstance(side, ast.Name) else ast.unparse(side)
