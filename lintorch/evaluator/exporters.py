"""Which exporters come to a place, where code asks who runs it.

What each function answers was asked of it under torch 2.13, by a forward that called them all.
"""

from __future__ import annotations

from collections.abc import Mapping

from lintorch.evaluator.signatures.find_signatures import is_known

TRACERS = frozenset({"onnx-legacy", "torchscript-trace"})
PROGRAMS = frozenset({"torch.export", "onnx"})
EVERYONE = TRACERS | PROGRAMS | {"eager"}
"""Who may run a forward. TorchScript compiles both sides of a branch, and is not among them."""
ABSTRACT = ("collections", "collections.abc", "typing")
"""Modules of abstract classes."""
TOLD: Mapping[str, frozenset[str]] = {
    "torch.jit.is_tracing": TRACERS,
    "torchvision._is_tracing": TRACERS,
    "torch._C._get_tracing_state": TRACERS,
    "torch.onnx.is_in_onnx_export": frozenset({"onnx", "onnx-legacy"}),
    "torch.compiler.is_compiling": PROGRAMS,
    "torch.compiler.is_exporting": PROGRAMS,
    "torch._dynamo.is_compiling": PROGRAMS,
    "torch._utils.is_compiling": PROGRAMS,
}
"""Whom each function answers with yes."""
_MODULES = frozenset(path.rpartition(".")[0] for path in TOLD)


def is_there(path: str) -> bool:
    """Whether torch 2.x is known to have a function or a module of this dotted path."""
    return path in TOLD or path in _MODULES or is_known(path)


EAGER = frozenset({"eager"})
"""Who runs a forward as Python does, with sizes that are Python's own numbers."""
_OF_TENSORS = ("Iterable", "Collection", "Container", "Sized", "Reversible")
SIZE_CLASSES: Mapping[str, frozenset[str]] = {
    "torch.Tensor": TRACERS,
    "torch.SymInt": PROGRAMS,
    "torch.SymFloat": PROGRAMS,
    **dict.fromkeys(("int", "float"), EAGER),
    **{f"numbers.{name}": EAGER for name in ("Number", "Complex", "Real", "Rational", "Integral")},
    **{f"{module}.{name}": TRACERS for module in ABSTRACT for name in _OF_TENSORS},
}
"""For whom a size that was read from a shape, and varies, is of a class: tracers are given a tensor.

Programs are given a `torch.SymInt`, which is no int. With `strict=True`, which nobody has to say,
`torch.export` answers as Python does.
"""
