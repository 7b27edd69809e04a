"""What models are built with and given where nobody says: defaults, annotations, symbols."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from lintorch.evaluator.asked_settings import make_asked
from lintorch.evaluator.filled_settings import is_filled_openly
from lintorch.evaluator.join import make_choice
from lintorch.evaluator.learn import name_axes, settle_shape
from lintorch.evaluator.machine import LeftError, Machine
from lintorch.evaluator.other_kinds import list_others
from lintorch.evaluator.sizes import Dim, make_symbol
from lintorch.evaluator.values import (
    NONE,
    OPEN_BOOL,
    UNKNOWN,
    Choice,
    Class,
    Function,
    Given,
    Number,
    Tensor,
    Unknown,
    Value,
    make_number,
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_MAPPING = re.compile(r"^([\w.]+\.)?([Dd]ict|Mapping)(\[str, ([\w.]+\.)?(Tensor|Any)\])?$")
"""Of which `batch["image"]` is read, that is an input."""
_NOT_TENSORS = ("List", "list[", "Tuple", "tuple[", "Dict", "dict[")


def make_settings(
    machine: Machine, init: Function, skip: int = 1, given: Given | None = None
) -> dict[str, Value]:
    """Values of the parameters that have no default, or that a call gives unknown: by name.

    What a call gives is kept; what it gives unknown is left to the default, where there is one.
    """
    spec = init.node.args
    positional = [*spec.posonlyargs, *spec.args][skip:]
    named = dict(
        zip((each.arg for each in positional), (given or Given()).positional, strict=False)
    )
    named.update((given or Given()).keyword)
    own = {each.arg for each in (*positional, *spec.kwonlyargs)}
    found = {
        name: value
        for name, value in named.items()
        if not isinstance(value, Unknown) or (spec.kwarg is not None and name not in own)
    }
    late = {each.arg for each in positional[len(positional) - len(spec.defaults) :]}
    if len(spec.defaults) > len(positional):
        late = {each.arg for each in positional}
    late |= {
        each.arg
        for each, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        if default is not None
    }
    late -= set(_list_empty(spec, machine.asked.absent)) if given is None else set()
    if unsure := late & named.keys() - found.keys():
        machine.asked.presumed = True
        late -= set() if machine.asked.defaults else unsure
    for each in (*positional, *spec.kwonlyargs):
        if each.arg not in found and each.arg not in late:
            found[each.arg] = make_setting(machine, init, each)
    return found


def _list_empty(spec: ast.arguments, absent: bool) -> Iterator[str]:
    """Parameters whose default is an empty list or tuple, or None if `absent`: what nobody leaves so."""
    for each, default in pair_defaults(spec):
        if (isinstance(default, (ast.List, ast.Tuple)) and not default.elts) or (
            absent and is_none(default)
        ):
            yield each.arg


def pair_defaults(spec: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, each with it."""
    positional = [*spec.posonlyargs, *spec.args]
    late = positional[len(positional) - len(spec.defaults) :]
    yield from zip(late, spec.defaults, strict=True)
    for each, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            yield each, default


def is_none(node: ast.expr) -> bool:
    """Whether it is written as None."""
    return isinstance(node, ast.Constant) and node.value is None


def make_setting(machine: Machine, init: Function, parameter: ast.arg) -> Value:
    """A number that settings fix, an open bool, or an object of settings that needs no arguments."""
    name, note = parameter.arg, parameter.annotation
    asked = make_asked(machine, name)
    if not isinstance(asked, Unknown):
        return asked
    text = "" if note is None else ast.unparse(note)
    if text == "int":
        return make_number(make_symbol(name, False))
    if text == "bool":
        return OPEN_BOOL
    if text == "float":
        return Number(None, whole=False, varies=False)
    if isinstance(note, (ast.Name, ast.Attribute)):
        return _make_config(machine, init, note) or asked
    return asked


def _make_config(machine: Machine, init: Function, note: ast.expr) -> Value | None:
    """An object of a class of the project that can be made without arguments, as whoever fills it may not."""
    kind = read_annotation(machine, init, note)
    if not isinstance(kind, Class) or not _can_be_made(machine, kind):
        return None
    presumed = is_filled_openly(machine, kind)
    machine.asked.presumed = machine.asked.presumed or presumed
    try:
        return machine.call(note, kind, Given(open=presumed and not machine.asked.defaults))
    except LeftError:
        return None


def read_annotation(machine: Machine, init: Function, note: ast.expr) -> Value:
    """What an annotation of a function names, in the function's file."""
    from lintorch.evaluator.machine import Activation
    from lintorch.evaluator.names import frame_of

    machine.enter(Activation(frame_of(machine, init.file), init.name, init.file))
    try:
        return machine.evaluate(note)
    finally:
        machine.leave()


def _can_be_made(machine: Machine, kind: Class) -> bool:
    from lintorch.evaluator.objects import find_class_attribute, is_data_class, is_module_class

    if is_module_class(kind):
        return False
    init = find_class_attribute(machine, kind, "__init__")
    if isinstance(init, Function):
        spec = init.node.args
        own = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults)
        return own <= 1 and None not in spec.kw_defaults
    return is_data_class(kind)


def make_inputs(
    machine: Machine,
    node: Definition,
    skip: int,
    fed: Given | None = None,
    used: Given | None = None,
) -> dict[str, Value]:
    """Symbolic values of the parameters that have no default: tensors unless an annotation says otherwise.

    `fed` is what the project's own code gives: ranks and channels are as there. What `used`, another
    call, gives as tensors is given too.
    """
    spec = node.args
    given = [*spec.posonlyargs, *spec.args]
    asked = _name_arguments(given[skip:], used)
    late = len(given) - len(spec.defaults)
    absent = {each.arg for each, default in pair_defaults(spec) if is_none(default)}
    asked = {
        name: value
        for name, value in asked.items()
        if isinstance(value, _GIVEN) and not (TARGET.match(name) and name in absent)
    }
    needed = [
        each
        for index, each in enumerate(given)
        if skip <= index and (index < late or each.arg in asked)
    ]
    needed = needed or _pick_optional(given[skip:], spec)
    more = [*given[skip:], *spec.kwonlyargs] if machine.wanted else []
    needed += [each for each in more if each.arg in machine.wanted and each not in needed]
    shown = _name_arguments(given[skip:], fed)
    made = {each.arg: make_input(machine, each, shown.get(each.arg)) for each in needed}
    made |= {
        name: UNKNOWN
        for name in list_others(node)
        if isinstance(held := made.get(name), Tensor) and held.shape is None and not held.data
    }
    for each in given[late:]:
        if isinstance(asked.get(each.arg), (Unknown, Choice)):  # a call may leave it
            made[each.arg] = make_choice((made[each.arg], NONE))
    return made


_MODEL = re.compile(r"^(\w+_)?(model|net|network)$")
"""What an evaluation by windows runs, and no tensor: `forward(self, image, model)`."""
TARGET = re.compile(
    r"^(?!(point|prompt|box|class|cond|style|speaker|domain)_)"
    r"((\w+_)?(targets?|labels?)|tags|gts?|gt_\w+|y_true|ground_truth)$"
)
"""What training gives, for a loss, and who runs an exported model leaves."""
_GIVEN = (Tensor, Unknown, Choice)
"""What calls give of an input that has a default, so that it is one."""


def _pick_optional(given: list[ast.arg], spec: ast.arguments) -> list[ast.arg]:
    """The first parameter where none is needed: `forward(self, input_ids: Tensor | None = None, …)`."""
    first, default = given[:1], spec.defaults[-len(given) :][:1]
    absent = any(isinstance(each, ast.Constant) and each.value is None for each in default)
    return first if absent and all(each.annotation is not None for each in first) else []


def make_starred(machine: Machine, node: Definition, skip: int) -> tuple[Value, ...]:
    """The one input of `forward(self, *args)`, which hands on what it is given."""
    spec = node.args
    if spec.vararg is None or len(spec.posonlyargs) + len(spec.args) > skip:
        return ()
    return (make_input(machine, spec.vararg),)


def counts_starred(node: Definition) -> bool:
    """Whether a function asks how many inputs `*args` are, or goes over them, so that they are several."""
    if node.args.vararg is None:
        return False
    name, single = node.args.vararg.arg, set()
    for each in ast.walk(node):
        if isinstance(each, ast.Starred) or (
            isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant)
        ):
            single.add(id(each.value))
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)
    return any(id(each) not in single for each in names)


def _name_arguments(parameters: list[ast.arg], fed: Given | None) -> Mapping[str, Value]:
    if fed is None or fed.open:
        return {}
    named = zip((each.arg for each in parameters), fed.positional, strict=False)
    return {**dict(named), **fed.keyword}


def make_input(machine: Machine, parameter: ast.arg, shown: Value | None = None) -> Value:
    """One of them."""
    name, note = parameter.arg, parameter.annotation
    mapping = note is not None and _MAPPING.match(ast.unparse(note)) is not None
    if name in machine.sequences or _MODEL.match(name):
        return UNKNOWN
    if isinstance(shown, Tensor) and shown.shape is not None and name not in machine.learned:
        machine.learned[name] = _loosen_shape(name, shown)
        if shown.dtype is not None:
            machine.learned_types.setdefault(name, shown.dtype)
    elif note is not None and not may_be_tensor(note) and not mapping:
        return UNKNOWN
    shape = settle_shape(machine, name)
    dtype = machine.learned_types.get(name)
    memory, guessed = frozenset({f"input {name}"}), _is_guess(machine, name)
    said = shape is not None or name in machine.tensors
    said = said or (note is not None and "Tensor" in ast.unparse(note) and not mapping)
    return Tensor(
        shape, dtype, "input", name, memory, guessed=guessed, ranked_as=name, data=said or None
    )


def make_entry(machine: Machine, held: Tensor, key: str) -> Tensor:
    """`batch["image"]` of an input, which is a mapping then: an input of its own."""
    made = make_input(machine, ast.arg(f"{held.name}.{key}"))
    return made if isinstance(made, Tensor) else Tensor(None)


def _is_guess(machine: Machine, name: str) -> bool:
    return name in machine.guessed and machine.learned.get(name) == machine.guessed[name]


def _loosen_shape(name: str, shown: Tensor) -> tuple[Dim, ...]:
    """The shape of an example: its channels are kept where they are the second of four axes or five."""
    shape = shown.shape or ()
    channels = shape[1] if len(shape) in (4, 5) and isinstance(shape[1], int) else None
    return name_axes(name, len(shape), channels)


def may_be_tensor(annotation: ast.expr) -> bool:
    """Whether an annotation speaks of a tensor, or of anything."""
    text = ast.unparse(annotation)
    if any(word in text for word in _NOT_TENSORS):
        return False
    return "Tensor" in text or text.rpartition(".")[2] in ("Any", "object")
