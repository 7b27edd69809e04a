"""Small helpers of packages that models lean on, told by the package and the last part of their name."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lintorch.evaluator.assign import set_attribute
from lintorch.evaluator.exporter_questions import say_told
from lintorch.evaluator.exporters import PROGRAMS, TRACERS
from lintorch.evaluator.layers import FOREIGN_LAYERS
from lintorch.evaluator.library.table import SUFFIXES
from lintorch.evaluator.machine import METHODS, Machine
from lintorch.evaluator.objects import find_class_attribute
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import NONE, UNKNOWN, Constant, Given, Held, Items, Number, Value

_PACKAGES = ("timm", "mmcv", "mmengine", "detectron2", "fvcore")


def _make_tuple(count: int) -> object:
    def make(machine: Machine, node: ast.AST, given: Given) -> Value:
        value = given.pick(0) or UNKNOWN
        if isinstance(value, (Items, Held)):
            items = known_items(machine, value)
            return Items("tuple", items)
        return Items("tuple", (value,) * count)

    return make


for _package in _PACKAGES:
    for _count in (1, 2, 3, 4):
        SUFFIXES[_package, f"to_{_count}tuple"] = _make_tuple(_count)  # type: ignore[assignment]


def _keep_first(machine: Machine, node: ast.AST, given: Given) -> Value:
    """At inference it gives what it is given."""
    return given.pick(0) or UNKNOWN


def _call_identity(machine: Machine, node: ast.AST, made: Given, given: Given) -> Value:
    return given.pick(0) or UNKNOWN


for _package in _PACKAGES:
    SUFFIXES[_package, "drop_path"] = _keep_first
    for _home in ("models.layers", "layers", "models.layers.drop", "layers.drop"):
        FOREIGN_LAYERS[f"{_package}.{_home}.DropPath"] = _call_identity


def _make_divisible(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`make_divisible(v, divisor=8)`: the nearest multiple, as MobileNet counts channels."""
    value, divisor = given.pick(0), given.pick(1, "divisor") or Constant(8)
    if isinstance(value, Constant) and isinstance(divisor, Constant):
        number, step = value.value, divisor.value
        made = max(step, int(number + step / 2) // step * step)
        return Constant(made + step if made < 0.9 * number else made)
    return Number(None, True, False)


SUFFIXES["timm", "make_divisible"] = _make_divisible


_ATTENTION = "_attn_implementation_internal"
_PRETRAINED = ("transformers.modeling_utils", "PreTrainedModel")


def _keep_config(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`PreTrainedModel.__init__(self, config)`, of which the rest is about loading and generating."""
    model, config = given.pick(0) or UNKNOWN, given.pick(1, "config") or UNKNOWN
    set_attribute(machine, model, "config", config)
    if isinstance(model, Held) and isinstance(config, Held):
        _choose_attention(machine, model, config)
    return NONE


def _choose_attention(machine: Machine, model: Held, config: Held) -> None:
    """The plain one, where the class cannot do with the fused one; which of the two is left open else."""
    asked = machine.state.read(config.address).get(_ATTENTION)
    fused = find_class_attribute(machine, model.of, "_supports_sdpa")
    if asked == NONE and fused == Constant(False):
        set_attribute(machine, config, _ATTENTION, Constant("eager"))


def _leave_weights(machine: Machine, node: ast.AST, given: Given) -> Value:
    return NONE


METHODS["__init__"] = {_PRETRAINED: _keep_config}
METHODS["post_init"] = {_PRETRAINED: _leave_weights}
METHODS["init_weights"] = {_PRETRAINED: _leave_weights}


def _ask(who: frozenset[str]) -> Callable[[Machine, ast.AST, Given], Value]:
    def ask(machine: Machine, node: ast.AST, given: Given) -> Value:
        return say_told(machine, who)

    return ask


_QUESTIONS = {
    "is_torchdynamo_exporting": PROGRAMS, "is_torchdynamo_compiling": PROGRAMS,
    "is_jit_tracing": TRACERS, "is_tracing": PROGRAMS | TRACERS,
}  # fmt: skip
for _name, _who in _QUESTIONS.items():
    METHODS[_name] = {("transformers.utils.import_utils", ""): _ask(_who)}
