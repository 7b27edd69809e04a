"""Modes of models, training or eval: kept with the object, and told with what depends on it where a model is exported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.exporter_calls import EXPORTER_CALLS
from lintorch.evaluator.events import ModelHandled, PlainModeSet
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.layers import bind_layer
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.objects import MODULE, is_module_class, list_ancestors
from lintorch.evaluator.unfollowed_modes import MODAL, list_unfollowed
from lintorch.evaluator.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    Choice,
    Class,
    Constant,
    External,
    Given,
    Held,
    Items,
    Unknown,
    Value,
)

MODE = "lintorch mode"
"""The key under which an object keeps whether it trains; anything but a bool where that is not known."""
ASKS = "self.training"
OTHERWISE = "?"
"""Of a part that may be in another mode than the whole."""
SESSION = "InferenceSession"
FREE = ("no_grad", "inference_mode")
"""Words of code that keeps no gradients, as where a model is measured."""
LOADS, TRAINS = ".load_state_dict(", ".backward("
"""Words of code that runs weights of a file, and of code that trains."""
_TAKERS = {
    **{name: parameter for name, (_, parameter) in EXPORTER_CALLS.items()},
    "torch.fx.symbolic_trace": "root",
}
_PLAIN = re.compile(
    r"^torch\.nn\.(Module|Sequential|Module(List|Dict)|Linear|Identity|Flatten|Embedding|(Leaky|P)?ReLU6?"
    r"|[EGSC]ELU|Sigmoid|Tanh|(Log)?Softmax|Conv(Transpose)?\dd|((Adaptive)?(Max|Avg)Pool\dd)|LSTM|GRU|RNN)$"
)
"""Layers that do the same in both modes, recurrent ones where they drop nothing."""
_MOST = 3_000
"""Objects of one model that are looked at."""
_OWN_MODES = frozenset({"train", "eval"})


def set_mode(machine: Machine, node: ast.AST, given: Given, training: Value) -> Value:
    """`model.eval()`, `model.train(mode)`: they give back the model."""
    held = given.pick(0) or UNKNOWN
    if isinstance(held, Held) and held.kind == "object":
        if is_plain(machine, held):
            machine.tell(PlainModeSet, node, held)
        known = training in (TRUE, FALSE)
        machine.state.write(held.address)[MODE] = training == TRUE if known else "?"
    return held


def tell_handled(machine: Machine, node: ast.AST, name: str, given: Given) -> None:
    """Tell the mode of a model that is given to an exporter."""
    parameter = _TAKERS.get(name)
    held = given.pick(0, parameter) if parameter is not None else None
    if isinstance(held, Held) and held.kind == "object":
        machine.tell(ModelHandled, node, name, held, *read_mode(machine, held))


def tell_compared(machine: Machine, node: ast.AST, held: Held) -> None:
    """Tell the mode of a model that is called where an exported one runs too, no gradients are kept, or weights are read."""
    text = machine.here.file.text
    served = LOADS in text and TRAINS not in text
    if machine.here.forward or not (served or any(word in text for word in (SESSION, *FREE))):
        return
    if held.kind == "object" and is_module_class(held.of):
        machine.tell(ModelHandled, node, "", held, *read_mode(machine, held))


def read_mode(machine: Machine, held: Held) -> tuple[bool | None, frozenset[str]]:
    """Whether a model trains, None where that is not known; the layers in it that depend on it, and ASKS.

    No layers where the model chooses its mode itself.
    """
    mode = machine.state.read(held.address).get(MODE, True)
    found = set(_list_modal(machine, held))
    if OTHERWISE in found:
        found, mode = found - {OTHERWISE}, mode and "?"
    layers = frozenset() if "!" in found else frozenset(found)
    return (mode if isinstance(mode, bool) else None), layers


def _list_modal(machine: Machine, held: Value) -> Iterator[str]:
    waiting: list[Value] = [held]
    seen: set[int] = set()
    for each in waiting:
        if isinstance(each, Items):
            waiting.extend(each.items or ())
        if not isinstance(each, Held) or each.address in seen or len(seen) > _MOST:
            continue
        seen.add(each.address)
        content = machine.state.read(each.address)
        if content.get(MODE, True) is not True:
            yield OTHERWISE
        yield from _list_own(each, content.get("lintorch arguments"))
        if isinstance(each.of, Class) and not content.keys() - {MODE}:
            yield from list_unfollowed(machine, each.of)
        waiting.extend(value for value in content.values() if isinstance(value, (Held, Items)))
        waiting.extend(content.get(ITEMS) or ())


def is_plain(machine: Machine, held: Held) -> bool:
    """Whether all that a model holds is known, and does the same in both modes."""
    if not is_module_class(held.of):
        return False
    waiting: list[Value] = [held]
    seen: set[int] = set()
    for each in waiting:
        if isinstance(each, Items):
            waiting.extend(each.items or (UNKNOWN,))
        if isinstance(each, (Unknown, Choice)) or len(seen) > _MOST:
            return False
        if not isinstance(each, Held) or each.address in seen:
            continue
        seen.add(each.address)
        content = machine.state.read(each.address)
        if isinstance(each.of, Class) and not content.keys() - {MODE}:
            return False  # its constructor was not followed
        if each.kind == "object" and not _is_plain_object(each, content.get("lintorch arguments")):
            return False
        waiting.extend(v for key, v in content.items() if key != MODE and isinstance(v, Value))
        waiting.extend(content.get(ITEMS, ()) or (UNKNOWN,) if ITEMS in content else ())
    return True


def _is_plain_object(held: Held, made: object) -> bool:
    drops = isinstance(made, Given) and (made.open or "dropout" in made.keyword)
    return not drops and all(
        not _list_asked(kind.node)
        if isinstance(kind, Class)
        else isinstance(kind, External) and bool(_PLAIN.match(kind.path))
        for kind in list_ancestors(held.of)
    )


def _list_own(held: Held, made: object) -> Iterator[str]:
    for kind in list_ancestors(held.of):
        if isinstance(kind, Class):
            yield from _list_asked(kind.node)
        elif MODAL.match(kind.path) and not (isinstance(made, Given) and _is_idle(kind.path, made)):
            yield kind.path.rpartition(".")[2]


def _is_idle(path: str, made: Given) -> bool:
    """Whether a layer never shows the mode: no share to drop."""
    built = bind_layer(path, made) or {}
    share = built.get("p")
    return "Dropout" in path and isinstance(share, Constant) and share.value == 0


@keep_beside
def _list_asked(node: ast.ClassDef) -> frozenset[str]:
    """ASKS, and "!" where a class chooses its mode itself."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef) and each.name in _OWN_MODES:
            found.add("!")
        elif isinstance(each, ast.Attribute) and ast.unparse(each) == ASKS:
            found.add(ASKS)
        elif isinstance(each, ast.Attribute) and each.attr in _OWN_MODES:
            own = isinstance(each.value, ast.Name) and each.value.id == "self"
            found.update({"!"} if own or each.attr == "eval" else ())
    return frozenset(found)


MODES = {
    f"{MODULE}.eval": lambda machine, node, given: set_mode(machine, node, given, FALSE),
    f"{MODULE}.train": lambda machine, node, given: set_mode(
        machine, node, given, given.pick(1, "mode") or TRUE
    ),
}
