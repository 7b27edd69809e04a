"""Operators whose tensors may be of several types in eager, and may not in an ONNX file: measured on torch 2.13."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Held, Items, Tensor, Value
from lintorch.facts.models.evaluation import Evaluation

Said = Iterator[tuple[str, dict[str, Harm]]]
_LEGACY, _NEW = "onnx-legacy", "onnx"


def weigh_joined(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`einsum("i,j->ij", torch.arange(n), rates)`, `torch.stack((scores, labels), -1)`; cat is right."""
    named = (value for name, value in event.keyword.items() if name != "out")
    types, name = _list_types((*event.positional, *named)), event.name.rpartition(".")[2]
    if len(types) > 1:
        form = _FORMS.get(name, "a file that")
        told = f"{name} of {_name_types(types)} is {form} ONNX Runtime does not load"
        yield told, dict.fromkeys((_NEW,) if name == "stack" else (_LEGACY, _NEW), Harm.FAILS)


_JOINING = ("einsum", "stack", "hstack", "vstack", "dstack")
_FORMS = {"einsum": "an Einsum of two types, which", "stack": "a Concat of two types, which"}


def weigh_outer(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`torch.outer(torch.arange(n), frequencies)`: the legacy exporter makes the second of the first's type."""
    given = (*event.positional, *event.keyword.values())
    first, second = (_type_of(each) for each in given[:2]) if len(given) > 1 else ("", "")
    if first.startswith(("int", "uint")) and second.startswith("float"):
        yield f"outer of {first} and {second} is worked out in {first}", {_LEGACY: Harm.SILENT}


def weigh_filled(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """`mask.masked_fill(other, True)` of a mask."""
    held = event.positional[0] if event.positional else None
    if _type_of(held) == "bool":
        told = (
            "masked_fill of a bool tensor: the legacy exporter fails, ONNX Runtime lacks the Where"
        )
        yield told, {_LEGACY: Harm.REFUSED, _NEW: Harm.FAILS}


def _list_types(given: Iterable[Value]) -> list[str]:
    """The types of the tensors among values and in their lists, each once; none where one is not known."""
    types: list[str] = []
    for value in _list_tensors(given):
        known = _type_of(value)
        if not known:
            return []
        if known not in types:
            types.append(known)
    return types


def _list_tensors(given: Iterable[Value]) -> Iterator[Value]:
    for value in given:
        if isinstance(value, Items):
            yield from _list_tensors(value.items or (value.each,))
        elif isinstance(value, (Tensor, Held)):
            yield value


def _type_of(value: Value | None) -> str:
    return (value.dtype or "") if isinstance(value, Tensor) and value.sure else ""


def _name_types(types: list[str]) -> str:
    return f"{', '.join(types[:-1])} and {types[-1]}"


Weigh = Callable[[Called, Evaluation, bool], Said]
MIXED: dict[str, Weigh] = {
    **dict.fromkeys(("torch.outer", "torch.ger", "torch.Tensor.outer"), weigh_outer),
    **{f"torch.{name}": weigh_joined for name in _JOINING},
    **dict.fromkeys(
        ("torch.masked_fill", "torch.Tensor.masked_fill", "torch.Tensor.masked_fill_"), weigh_filled
    ),
}
_CAST = "cast what is of another type first: t.to(x.dtype)"
MIXED_REMEDIES = {
    **dict.fromkeys((*_JOINING, "outer", "ger"), _CAST),
    **dict.fromkeys(("masked_fill", "masked_fill_"), "write mask | other, or mask & ~other"),
}
