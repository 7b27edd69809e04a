"""What a gradient surely flows back to: through operations that are known to hand it on, on every branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lintorch.evaluator.events import AttributeRead, Called, Combined
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.facts.models.cutting_operations import is_whole
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.gradient_graphs import has_weights
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.models.operation_steps import MOVES, name_operation
from lintorch.facts.models.value_ways import Operation

FROM_FIRST = (MOVES - {"detach", "data", "T", "mT"}) | {
    "mean", "sum", "norm", "std", "var", "softmax", "log_softmax", "relu", "tanh", "sigmoid",
    "exp", "log", "sqrt", "pow", "normalize", "expand", "repeat", "chunk", "split", "unbind",
    "roll", "flip", "float", "half", "abs", "neg", "square",
}  # fmt: skip
"""Operations by which a gradient goes on to what they are given first."""
_FROM_ALL = frozenset(
    {
        "cat", "concat", "concatenate", "stack", "vstack", "hstack", "add", "sub", "mul", "div",
        "matmul", "mm", "bmm", "einsum", "lerp", "where", "addmm", "cosine_similarity", "linear",
        "mse_loss", "l1_loss", "smooth_l1_loss",
    }
)  # fmt: skip
_COMBINED = frozenset({"Add", "Sub", "Mult", "Div", "MatMult", "Pow"})
_DEEPEST = 80
_SWITCHES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})


class GradientFlow:
    """The flow within one file; what is not known to hand a gradient on, holds it up."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._found: dict[int, Mapping[int, Value]] = {}
        self._switched = not _SWITCHES.isdisjoint(evaluation.words)

    def list_reached(self, value: Value, depth: int = 0) -> Mapping[int, Value]:
        """A value and those that its gradient reaches whichever branch is taken, by their ids."""
        if depth > _DEEPEST or is_whole(value):
            return {}
        if id(value) not in self._found:
            self._found[id(value)] = {id(value): value}
            made = self._evaluation.ways.find_maker(value)
            if made is not None:
                more = self._follow(made, depth)
            else:
                more = self._follow_all(value, depth)
            self._found[id(value)] = {id(value): value, **more}
        return self._found[id(value)]

    def _follow(self, made: Operation, depth: int) -> dict[int, Value]:
        if self._switched and may_be_free(made, self._evaluation):
            return {}
        found: dict[int, Value] = {}
        for each in _list_differentiable(made):
            found.update(self.list_reached(each, depth + 1))
        return found

    def _follow_all(self, value: Value, depth: int) -> dict[int, Value]:
        """Where paths have met: what all of them lead to."""
        arms = value.arms if isinstance(value, Tensor) else ()
        each = [self.list_reached(arm, depth + 1) for arm in arms]
        return {i: v for i, v in each[0].items() if all(i in o for o in each)} if each else {}

    def list_runs(self, value: Value) -> set[int]:
        """What layers with weights gave that a gradient reaches, by their ids."""
        found = set()
        for number, each in self.list_reached(value).items():
            made = self._evaluation.ways.find_maker(each)
            if isinstance(made, Called) and has_weights(made):
                found.add(number)
        return found


def _list_differentiable(made: Operation) -> Iterator[Value]:
    """The operands that an operation hands the gradient on to."""
    if isinstance(made, Combined):
        yield from (made.left, made.right) if made.operator in _COMBINED else ()
    elif isinstance(made, AttributeRead):
        yield from (made.held,) if made.attribute in ("T", "mT") else ()
    elif not isinstance(made, Called):
        yield made.held
    elif made.name.startswith("torch.nn.") and made.name.endswith(".forward"):
        for each in made.positional[1:] if "Embedding" not in made.name else ():
            yield from (each.items or ()) if isinstance(each, Items) else (each,)
    elif made.name.startswith("torch."):
        given = (*made.positional, *made.keyword.values())
        name = name_operation(made)
        kept = given if name in _FROM_ALL else given[:1] if name in FROM_FIRST else ()
        for each in kept:
            yield from (each.items or ()) if isinstance(each, Items) else (each,)
