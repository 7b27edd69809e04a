"""Whether sizes that a run saw fit the symbolic ones: symbols are bound by what the model was fed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lintorch.evaluator.sizes import Atom, Dim, Operation, Symbol

_SIDES = {"W": -1, "H": -2, "D": -3, "L": -1}
_BATCH = "B"


def bind_symbols(inputs: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The values of `B`, `x.H`, `x.2` where `inputs` has the shape of each input by its name."""
    bound: dict[str, int] = {}
    for name, shape in inputs.items():
        if shape:
            bound.setdefault(_BATCH, shape[0])
        bound |= {f"{name}.{axis}": size for axis, size in enumerate(shape)}
        bound |= {f"{name}.{side}": shape[at] for side, at in _SIDES.items() if len(shape) >= -at}
        if len(shape) > 1:
            bound[f"{name}.C"] = shape[1] if len(shape) > 2 else shape[-1]
    return bound


def fits_shape(
    symbolic: Sequence[Dim], real: Sequence[int], bound: Mapping[str, int]
) -> bool | None:
    """Whether a real shape may be the symbolic one; None where nothing in it can be told."""
    if len(symbolic) != len(real):
        return False
    answers = [
        None if (values := list_values(size, bound)) is None else number in values
        for size, number in zip(symbolic, real, strict=True)
    ]
    return False if False in answers else None if set(answers) == {None} else True


def list_values(size: Dim, bound: Mapping[str, int]) -> frozenset[int] | None:
    """What a size may be with these symbols; None where that is open."""
    if isinstance(size, int):
        return frozenset({size})
    totals = frozenset({0})
    for product, factor in size.terms:
        values = frozenset({factor})
        for atom in product:
            found = _list_atom(atom, bound)
            if found is None:
                return None
            values = frozenset(one * other for one in values for other in found)
        totals = frozenset(one + other for one in totals for other in values)
    return totals


def _list_atom(atom: Atom, bound: Mapping[str, int]) -> frozenset[int] | None:
    if isinstance(atom, Symbol):
        return frozenset({bound[atom.name]}) if atom.name in bound else None
    operands = [list_values(each, bound) for each in atom.operands]
    known = [each for each in operands if each is not None]
    if len(known) < len(operands):
        return None
    if atom.kind == "either":
        return frozenset().union(*known)
    if any(len(each) != 1 for each in known):
        return None
    return _compute(atom, [next(iter(each)) for each in known])


def _compute(atom: Operation, values: list[int]) -> frozenset[int] | None:
    if atom.kind in ("max", "min"):
        return frozenset({max(values) if atom.kind == "max" else min(values)})
    if atom.kind in ("//", "%") and values[1]:
        left, right = values
        return frozenset({left // right if atom.kind == "//" else left % right})
    return None
