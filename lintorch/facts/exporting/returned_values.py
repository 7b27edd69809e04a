"""What of the values that a forward returns an exporter has no place for."""

from __future__ import annotations

import ast

from lintorch.core.finding import Harm
from lintorch.core.profile import EXPORTERS
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import (
    Choice,
    Class,
    Constant,
    External,
    Held,
    Items,
    Number,
    Tensor,
    Value,
)

EVERY = dict.fromkeys(EXPORTERS, Harm.REFUSED)
OBJECT = {name: Harm.REFUSED for name in EXPORTERS if name != "torchscript-script"}
DICT_LIKE = {name: Harm.REFUSED for name in EXPORTERS if name != "onnx-legacy"}
TRACE = {"torchscript-trace": Harm.REFUSED}
NUMBER = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED, **TRACE}
TEXT = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.SILENT, **TRACE}
SIZE = {"onnx": Harm.REFUSED}
READ = {"onnx-legacy": Harm.REFUSED, **TRACE}
"""Of what `item()` gave: the new ONNX exporter makes an output of it."""
EMPTY = {"onnx-legacy": Harm.REFUSED, **TRACE}
RETURNED = {
    "dict": ("a dict", TRACE), "none": ("None", TRACE), "number": ("a number", NUMBER),
    "text": ("a string", TEXT), "size": ("a size", SIZE), "set": ("a set", EVERY),
}  # fmt: skip
VARYING = "a size that varies"
"""The new ONNX exporter makes an output of it where it is declared dynamic."""
Told = dict[str, dict[str, Harm]]
"""What a forward returns, and what happens then."""
DICTS = ("dict", "collections.OrderedDict")
PLAIN = frozenset({"object", "abc.ABC"})
DATACLASS = ("dataclasses.dataclass", "dataclass")
REGISTERS = ("register_dataclass", "pytree", "register_constant", "optree")
"""Words of files that teach torch their classes."""


def collect_harms(told: Told) -> dict[str, Harm]:
    """What happens to any of these."""
    return {name: harm for each in told.values() for name, harm in each.items()}


def judge_value(value: Value) -> Told:
    """What surely is in a value that an exporter has no place for, and which."""
    if isinstance(value, Choice):
        return judge_choice([judge_value(each) for each in value.alternatives])
    if isinstance(value, Constant):
        return judge_constant(value.value)
    if isinstance(value, Number):
        if value.data and not value.truth:
            return {"a number of a tensor": READ}
        told = VARYING if may_vary(value) else "a size"
        return {told: SIZE} if value.size is not None and not value.truth else {}
    if isinstance(value, Items):
        return judge_items(value)
    return judge_object(value.of) if isinstance(value, Held) else {}


def judge_choice(judged: list[Told]) -> Told:
    """What holds of each of several."""
    harms = [collect_harms(each) for each in judged]
    shared = {k: v for k, v in harms[0].items() if all(k in each for each in harms)}
    return {text: shared for text in list(judged[0])[:1] if shared}


def judge_constant(value: object) -> Told:
    if isinstance(value, int) and not isinstance(value, bool):
        return {
            "a number": SIZE
        }  # a size that is fixed is as good to the others as one that varies
    kind = "none" if value is None else "text" if isinstance(value, str) else "number"
    return dict([RETURNED[kind]]) if isinstance(value, (bool, float, str, type(None))) else {}


def judge_items(value: Items) -> Told:
    inner = [judge_value(each) for each in value.items or ()]
    found = {text: harm for each in inner for text, harm in each.items()}
    if value.kind in ("dict", "set"):
        return found | dict([RETURNED[value.kind]])
    if value.kind == "Size":
        fixed = any(not (isinstance(each, Number) and may_vary(each)) for each in value.items or ())
        return {"a size" if fixed else VARYING: SIZE}
    if value.kind == "generator":
        return {"a generator": EVERY}
    if value.kind == "list" and value.items == ():
        return {"an empty list": EMPTY}
    return found | (judge_list(value) if value.kind == "list" else {})


def judge_list(value: Items) -> Told:
    """What a tracer says of a list: it may hold tensors alone."""
    listed = (value.each,) if value.items is None else value.items
    sorts = {isinstance(each, Tensor) for each in listed if is_settled(each)}
    if sorts == {False}:
        return {"a list of lists or tuples": TRACE}
    return {"a list of tensors and others": TRACE} if len(sorts) > 1 else {}


def is_settled(value: Value) -> bool:
    """Whether it is known to be a tensor, or to be a list or tuple."""
    return isinstance(value, Items) or (isinstance(value, Tensor) and value.sure)


def judge_object(kind: object) -> Told:
    """An object of a class that torch surely does not know."""
    if isinstance(kind, External) and kind.path.startswith("torch.distributions."):
        return {f"a distribution, {kind.path.rpartition('.')[2]}": EVERY}
    if not isinstance(kind, Class):
        return {}
    above = [*list_ancestors(kind)]
    foreign = {each.path for each in above if isinstance(each, External)}
    classes = [each for each in above if isinstance(each, Class)]
    known = all(isinstance(base, (Class, External)) for each in classes for base in each.bases)
    if not known or not foreign <= {*PLAIN, *DICTS} or any(map(may_be_registered, classes)):
        return {}  # a base that a call gave may be a named tuple
    told = f"an object of its own class {kind.name}"
    if foreign & {*DICTS}:
        return {told: DICT_LIKE}
    return {told: EVERY if kind.node.decorator_list else OBJECT}


def may_be_registered(kind: Class) -> bool:
    text = "\n".join(kind.file.lines)
    names = (ast.unparse(each) for each in kind.node.decorator_list)
    known = all(name.partition("(")[0] in DATACLASS for name in names)
    return not known or any(word in text for word in REGISTERS) or bool(kind.node.keywords)


def holds_size(value: Value, dynamic: bool) -> bool:
    """Whether an int that is worked out from sizes is given back, alone or among others.

    Where sizes are exported as `dynamic`, one that may vary counts for none: it is an output then.
    """
    if isinstance(value, Items):
        unknown = value.kind == "Size" and value.items is None and not dynamic
        return unknown or any(holds_size(each, dynamic) for each in value.items or ())
    if not isinstance(value, Number) or not value.whole or value.truth or value.data:
        return False
    return not (dynamic and may_vary(value))


def may_vary(value: Number) -> bool:
    """Whether it is not known to be the same in all runs."""
    return value.size is None or varies(value.size) is not False
