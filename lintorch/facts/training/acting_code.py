"""Where acts of training may happen: a cheap look by name, ahead of following any path."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.classes.classes import Classes
from lintorch.syntax.tree import offspring

OPAQUE = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
"""What is not run where it stands."""
_DEPTH = 4
_WORDS = frozenset(
    {
        "backward", "step", "zero_grad", "scale", "unscale_", "update", "clip_grad_norm_",
        "clip_grad_value_", "clip_grad_norm", "clip_grad_value", "train", "eval", "zero_",
    }
)  # fmt: skip


class ActingCode:
    """The code of one file in which something of a training step may be done."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._known: dict[cst.CSTNode, bool] = {}

    def holds_acts(self, node: cst.CSTNode, depth: int = 0) -> bool:
        """Whether an act may happen below a node, helpers of the file included."""
        if node not in self._known:
            self._known[node] = False
            self._known[node] = self._looks_acting(node, depth)
        return self._known[node]

    def _looks_acting(self, node: cst.CSTNode, depth: int) -> bool:
        if isinstance(node, OPAQUE):
            return False
        if isinstance(node, cst.Call):
            func = node.func
            last = func.attr if isinstance(func, cst.Attribute) else func
            if isinstance(last, cst.Name) and last.value in _WORDS:
                return True
            helper = self._classes.function(func)
            if helper is not None and depth <= _DEPTH and self.holds_acts(helper.body, depth + 1):
                return True
        if isinstance(node, cst.Assign) and clears_gradient(node):
            return True
        return any(self.holds_acts(child, depth) for child in offspring(node))


def clears_gradient(node: cst.Assign) -> bool:
    """`p.grad = None`."""
    target = node.targets[0].target
    none = isinstance(node.value, cst.Name) and node.value.value == "None"
    return none and isinstance(target, cst.Attribute) and target.attr.value == "grad"
