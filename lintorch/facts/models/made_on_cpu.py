"""Tensors that forward makes on the CPU, and what is wherever the model is."""

from __future__ import annotations

import ast
import re

from lintorch.evaluator.events import Called, Combined, Indexed
from lintorch.evaluator.values import UNKNOWN, External, Tensor, Value
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.value_ways import list_operands

_SIZED = frozenset(f"torch.{name}" for name in ("zeros", "ones", "rand", "randn", "full", "empty"))
_RANGES = frozenset(f"torch.{name}" for name in ("arange", "linspace", "logspace", "eye"))
_MAKERS = _SIZED | _RANGES | {"torch.tensor"}


_SHAPED = frozenset(
    {
        "view", "reshape", "unsqueeze", "squeeze", "repeat", "expand", "float", "double", "long",
        "half", "int", "bool", "permute", "transpose", "t", "flatten", "tril", "triu", "clone",
        "contiguous", "repeat_interleave", "exp", "sqrt", "sin", "cos", "log",
    }
)  # fmt: skip
"""Methods and functions that make another such tensor of a tensor."""
_JOINED = frozenset({"cat", "stack", "meshgrid", "outer"})
"""Those that make one of several: all of them have to be on the CPU."""
_SHAPED_AS = ("expand_as", "view_as", "reshape_as")
"""Methods that take of what they are given the shape alone."""
_STEPS = 24
_MOST = 200


def find_cpu_maker(value: Value, evaluation: Evaluation, steps: int = _STEPS) -> Called | None:
    """The call in forward that makes a tensor with dimensions on no device in particular."""
    made = evaluation.ways.find_maker(value) if steps else None
    if isinstance(made, Indexed):
        return find_cpu_maker(made.held, evaluation, steps - 1)
    if isinstance(made, Called) and made.name in _MAKERS:
        known = made.way.forward and _is_on_cpu(made) and not _asks_device(made, evaluation)
        return made if known else None
    last = made.name.rpartition(".")[2] if isinstance(made, Called) else ""
    if isinstance(made, Called) and last in _SHAPED:
        return find_cpu_maker(next(list_operands(made), UNKNOWN), evaluation, steps - 1)
    if isinstance(made, Combined) or (isinstance(made, Called) and last in _JOINED):
        parts = [each for each in list_operands(made) if isinstance(each, Tensor)]
        found = [find_cpu_maker(each, evaluation, min(steps - 1, 4)) for each in parts]
        return found[0] if found and all(found) else None
    return None


def _is_on_cpu(made: Called) -> bool:
    """Not `torch.tensor(2.0)`, `torch.zeros(())`; a shape that is not known may be of no dimension."""
    if made.open or {"device", "out"} & made.keyword.keys():
        return False
    shape = made.result.shape if isinstance(made.result, Tensor) else None
    return made.name in _RANGES or bool(shape)


def _asks_device(made: Called, evaluation: Evaluation) -> bool:
    """Whether the function asks for a GPU, or hands a device on with it: what it makes may be taken there."""
    function = evaluation.find_function(made)
    taken = next((e for e in evaluation.list_around(made) if isinstance(e, ast.Call)), None)
    if taken is not None and any(_DEVICE.search(ast.unparse(each)) for each in taken.args[1:]):
        return True
    return function is not None and bool(_ASKING.search(ast.unparse(function)))


_DEVICE = re.compile(r"(^|\.)device$")
_ASKING = re.compile(r"\bis_cuda\b|\.cuda\(|cuda\.is_available|\.type\(\)|get_device\(")


def follows_model(value: Value, evaluation: Evaluation) -> bool:
    """Whether a tensor is on the device of the model: of an input or weight, and not taken to the CPU."""
    if not isinstance(value, Tensor) or (value.data is not True and value.origin not in _OWN):
        return False
    ways, waiting, seen = evaluation.ways, [value], {id(value)}
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        made = ways.find_maker(each)
        if isinstance(made, Called) and _may_move(made):
            continue
        if each.origin in (*_OWN, "input") or _has_weights(made):
            return True
        if made is None:
            if each.data and "cpu" not in evaluation.words:
                return True
            continue
        operands = [*list_operands(made)]
        if isinstance(made, Called) and made.name.rpartition(".")[2] in _SHAPED_AS:
            operands = operands[:1]
        more = [v for v in operands if isinstance(v, Tensor) and id(v) not in seen]
        seen.update(map(id, more))
        waiting += more
    return False


_OWN = ("parameter", "buffer")
_WEIGHTLESS = re.compile(
    r"\.(\w*(Softmax|ReLU|ELU|Dropout|Pool|Pad|Shrink|Upsampling)\w*|Sigmoid|Tanh|SiLU|Softplus|Upsample"
    r"|Identity|Flatten|Unflatten|PixelShuffle|PixelUnshuffle|CosineSimilarity|Fold|Unfold)\.forward$"
)
"""Layers that hold no tensor, and give theirs where they were given one."""


def _has_weights(made: object) -> bool:
    if not isinstance(made, Called) or made.built is None:
        return False
    return not _WEIGHTLESS.search(made.name) or not made.positional


def _may_move(made: Called) -> bool:
    """Whether a call may take a tensor to another device; not `x.to(torch.float16)`."""
    last = made.name.rpartition(".")[2]
    if last != "to":
        return last in ("cpu", "from_numpy")
    to = (*made.positional[1:], *made.keyword.values())
    return not any(isinstance(v, (External, Tensor)) for v in to)


def has_default(made: Called, evaluation: Evaluation) -> bool:
    """Whether a `with torch.device(...)` stands around."""
    return any(
        isinstance(outer, ast.With)
        and any("device" in ast.unparse(item.context_expr) for item in outer.items)
        for outer in evaluation.list_around(made)
    )
