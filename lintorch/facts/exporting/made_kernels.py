"""Kernels of convolutions that are made for the channels of the input, of which tracers lose the shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.values import UNKNOWN, Value
from lintorch.facts.models.evaluation import Evaluation

CONVOLUTIONS = tuple(
    f"torch.nn.functional.{name}{n}d" for name in ("conv", "conv_transpose") for n in (1, 2, 3)
)
KERNEL = "write the number of channels, as a setting of the model, or int(x.shape[1])"
_MAKING = frozenset(
    {
        "repeat", "expand", "tile", "repeat_interleave", "ones", "zeros", "full", "new_ones",
        "new_zeros", "new_full",
    }
)  # fmt: skip
_PASSING = frozenset({"to", "float", "half", "type_as", "contiguous", "type", "cuda", "clone"})
_READING = frozenset({"shape", "size"})


def weigh_kernel(
    event: Called, evaluation: Evaluation, dynamic: bool
) -> Iterator[tuple[str, dict[str, Harm]]]:
    """`F.conv2d(x, blur.repeat(x.shape[1], 1, 1, 1), groups=x.shape[1])`.

    Measured on torch 2.13, opset 17: the legacy exporter raises "convolution for kernel of unknown
    shape" where any axis of the input is dynamic, also where the channels are fixed.
    """
    made = evaluation.ways.find_maker(event.arguments.get("weight", UNKNOWN))
    while made is not None and _passes(made):
        made = evaluation.ways.find_maker(_find_operand(made))
    if not dynamic or not isinstance(made, Called) or not isinstance(made.node, ast.Call):
        return
    if made.name.rpartition(".")[2] not in _MAKING:
        return
    given = [*made.node.args, *(each.value for each in made.node.keywords)]
    names = _list_sizes(evaluation.find_function(made))
    if any(_reads_size(each, names) for each in given):
        told = "a kernel that is made for a size read from a shape has no shape for the legacy exporter"
        yield told, {"onnx-legacy": Harm.REFUSED}


def _passes(made: Occurrence) -> bool:
    """Whether it gives a tensor of the same shape: a cast, or a product with a number."""
    return isinstance(made, Combined) or (
        isinstance(made, Called) and made.name.rpartition(".")[2] in _PASSING
    )


def _find_operand(made: Occurrence) -> Value:
    if isinstance(made, Combined):
        return made.left
    return made.positional[0] if isinstance(made, Called) and made.positional else UNKNOWN


def _list_sizes(function: ast.AST | None) -> frozenset[str]:
    """Names that a function gives sizes: `b, c, h, w = x.shape`, `c = x.size(1)`."""
    nodes = ast.walk(function) if function is not None else ()
    lines = [node for node in nodes if isinstance(node, ast.Assign)]
    read = [line for line in lines if _reads_size(line.value, frozenset())]
    targets = [inner for line in read for each in line.targets for inner in ast.walk(each)]
    return frozenset(each.id for each in targets if isinstance(each, ast.Name))


def _reads_size(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether a size is read there, and not made an int."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int":
        return False
    if isinstance(node, ast.Attribute) and node.attr in _READING:
        return True
    if isinstance(node, ast.Name) and node.id in names:
        return True
    return any(_reads_size(each, names) for each in ast.iter_child_nodes(node))
