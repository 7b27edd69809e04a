"""The `dynamic_shapes` of an export call as they would be taken: an entry for each input, by its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.evaluator.values import Constant, Items, Value
from lintorch.facts.exporting.declared_sizes import ForwardNames, list_pairs, name_inputs
from lintorch.facts.exporting.mend_arguments import HasText, enclose, read_shape
from lintorch.syntax.literals import literal

Inputs = Sequence[tuple[str, Value]]
NONE_TEXT = "None"


def mend_sizes(
    written: cst.BaseExpression, inputs: Inputs, forward: ForwardNames | None, source: HasText
) -> Edit | None:
    """The entries as the inputs ask for them; None where it is not known what they are to be.

    An entry under a strange name goes to the input without one, an input without a size that
    another one declares gets None, and one with such sizes gets the same.
    """
    names = name_inputs(list(inputs), forward) if forward is not None else None
    if isinstance(written, cst.Dict):
        entries = _read_entries(written, source)
        if entries and all(isinstance(key, int) for key in entries):
            single = len(inputs) == 1
            return (
                source.replace(written, enclose(written, f"{source.code(written)},"))
                if single
                else None
            )
        if names and entries and _are_keys_within(entries, inputs):
            nested = f'{{"{names[0]}": {source.code(written)}}}'
            return source.replace(written, nested)
        text = None if names is None or entries is None else _write_named(entries, names, inputs)
        return source.replace(written, text) if text else None
    if isinstance(written, (cst.Tuple, cst.List)):
        wanted = len(inputs)
        if forward is not None and forward.rest and wanted > len(forward.single):
            return None
        text = _write_ordered(written, inputs, source)
        return source.replace(written, text) if text else None
    return None


def _are_keys_within(entries: Mapping[object, str], inputs: Inputs) -> bool:
    """Whether the entries are those of the tensors in the one input, which is a dictionary."""
    value = inputs[0][1] if len(inputs) == 1 else None
    if not isinstance(value, Items) or value.kind != "dict" or not value.items:
        return False
    return {key for key, _ in list_pairs(value)} == set(entries)


def _read_entries(written: cst.Dict, source: HasText) -> dict[object, str] | None:
    """The texts of a dictionary's values by keys; None where one is not written out."""
    found: dict[object, str] = {}
    for element in written.elements:
        key = literal(element.key) if isinstance(element, cst.DictElement) else None
        if not isinstance(key, (str, int)):
            return None
        found[key] = source.code(element.value)
    return found


def _write_named(entries: Mapping[object, str], names: Sequence[str], inputs: Inputs) -> str | None:
    """An entry for each name, in the order of the inputs."""
    strange = [key for key in entries if key not in names and entries[key] != NONE_TEXT]
    missing = [name for name in names if name not in entries]
    texts = {name: entries[name] for name in names if name in entries}
    if len(strange) == len(missing):
        texts |= {name: entries[key] for name, key in zip(missing, strange, strict=True)}
    elif strange:
        return None
    filled = _fill([texts.get(name) for name in names], inputs)
    if filled is None:
        return None
    parts = (f'"{name}": {text}' for name, text in zip(names, filled, strict=True))
    return "{" + ", ".join(parts) + "}"


def _write_ordered(written: cst.Tuple | cst.List, inputs: Inputs, source: HasText) -> str | None:
    """An entry for each place."""
    if any(not isinstance(element, cst.Element) for element in written.elements):
        return None
    texts: list[str | None] = [source.code(element.value) for element in written.elements]
    if set(texts[len(inputs) :]) - {NONE_TEXT}:
        return None
    texts = texts[: len(inputs)]
    filled = _fill(texts + [None] * (len(inputs) - len(texts)), inputs)
    if filled is None:
        return None
    inner = ", ".join(filled)
    if isinstance(written, cst.List):
        return f"[{inner}]"
    return enclose(written, f"{inner}{',' * (len(filled) == 1)}")


def _fill(texts: Sequence[str | None], inputs: Inputs) -> list[str] | None:
    """The same with an entry for each input that has none; None where its sizes are not known."""
    known = [*_list_sizes(texts, inputs)]
    filled: list[str] = []
    for text, (_, value) in zip(texts, inputs, strict=True):
        made = text if text is not None else _write_entry(value, known)
        if made is None:
            return None
        filled.append(made)
    return filled


def _list_sizes(texts: Sequence[str | None], inputs: Inputs) -> Iterator[tuple[int, int, str]]:
    """Of each declared axis: which it is, how long in the example, and as what it is declared."""
    for text, (_, value) in zip(texts, inputs, strict=True):
        shape = read_shape(value)
        node = cst.parse_expression(text) if text and shape else None
        for element in node.elements if isinstance(node, cst.Dict) else ():
            axis = literal(element.key) if isinstance(element, cst.DictElement) else None
            if shape and isinstance(axis, int) and -len(shape) <= axis < len(shape):
                at, size = axis % len(shape), shape[axis]
                if isinstance(size, int):
                    code = cst.Module(body=[]).code_for_node(element.value)
                    yield at, size, code


def _write_entry(value: Value, known: Sequence[tuple[int, int, str]]) -> str | None:
    """What an input declares that nobody wrote an entry for: the sizes that it shares with others."""
    if isinstance(value, Constant):
        return NONE_TEXT
    shape = read_shape(value)
    if shape is None:
        return None
    found = {axis: code for axis, size, code in known if axis < len(shape) and shape[axis] == size}
    axes = ", ".join(f"{axis}: {code}" for axis, code in sorted(found.items()))
    return "{" + axes + "}" if axes else NONE_TEXT
