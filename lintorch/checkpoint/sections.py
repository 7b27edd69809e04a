"""What a checkpoint consists of: weights, optimizer states, averages of weights, schedulers and the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lintorch.checkpoint.list_tensors import (
    VisitBudget,
    as_tensor,
    is_module,
    list_fields,
    list_tensors,
)
from lintorch.checkpoint.merged_branches import describe_form
from lintorch.checkpoint.metric_names import are_metrics
from lintorch.checkpoint.values import Items, Made, Table, Tensor, Value

_AVERAGE = re.compile(
    r"(^|[._])(ema|shadow|averaged?|swa|teacher|momentum_encoder)([._\d]|$)", re.I
)
_OPTIMIZERS = (
    ({"max_exp_avg_sq"}, "Adam with amsgrad"),
    ({"exp_avg", "exp_avg_sq"}, "Adam, AdamW or their like"),
    ({"exp_avg", "exp_inf"}, "Adamax"),
    ({"square_avg"}, "RMSprop or Adadelta"),
    ({"momentum_buffer"}, "SGD with momentum"),
    ({"exp_avg"}, "Lion or its like"),
    ({"sum"}, "Adagrad"),
)
_SCHEDULER = {"last_epoch", "_step_count"}
_SCALER = {"scale", "growth_factor", "backoff_factor"}
_LOOSE = "tensors by themselves"
_METRICS = "numbers of a run"
_PAIRS = "a list of pairs, of which dict(…) makes a state_dict"
_EXTRA = "_extra_state"


@dataclass(frozen=True)
class Section:
    """A part of a checkpoint.

    `kind` is `weights`, `average`, `optimizer`, `scheduler`, `scaler`, `model` (a whole pickled
    module) or `tensors`; `path` are the keys that lead to it, none for all of the file; `about` is
    what else is known of it.
    """

    path: tuple[str, ...]
    kind: str
    tensors: tuple[tuple[str, Tensor], ...] = ()
    about: str = ""
    versioned: tuple[str, ...] = ()
    """The modules (by prefix) of which the file says that they have what torch 0.4.1 added."""
    plain: tuple[str, ...] = ()
    """The keys beside its tensors that hold none: `load_state_dict` does not know them."""
    paired: bool = False
    """Whether it is a list of names and tensors, which `load_state_dict` takes as a mapping alone."""

    @property
    def name(self) -> str:
        """`model_ema.state`; "" for all of the file."""
        return ".".join(self.path)


def list_sections(
    root: Value, budget: VisitBudget, path: tuple[str, ...] = ()
) -> Iterator[Section]:
    """The parts of a value. Raises CheckpointError."""
    if is_module(root):
        about = f"a whole {root.path}"
        yield Section(path, "model", tuple(list_tensors(root, budget)), about)
        return
    if isinstance(root, Table) and (known := _find_kind(root)):
        yield Section(path, known, tuple(list_tensors(root, budget)), _describe_known(root, known))
        return
    if pairs := _list_pairs(root):
        about = "; ".join(filter(None, (_PAIRS, describe_form(name for name, _ in pairs))))
        yield Section(path, _name_weights(path), pairs, about, paired=True)
        return
    fields = list_fields(root)
    if as_tensor(root) is not None:
        yield Section(path, "tensors", tuple(list_tensors(root, budget, ".".join(path))))
        return
    direct = [(key, tensor) for key, each in fields if (tensor := as_tensor(each)) is not None]
    if not fields or not budget.enter(root, len(fields)):
        return
    inner = [
        section
        for key, each in fields
        if as_tensor(each) is None
        for section in list_sections(each, budget, (*path, key))
    ]
    budget.leave(root)
    if direct and are_metrics(path, direct):
        yield Section(path, "tensors", tuple(direct), _METRICS)
        yield from inner
        return
    if direct and not any(section.kind in ("weights", "model") for section in inner):
        named = isinstance(root, (Table, Made))
        tensors = tuple(list_tensors(root, budget))
        kind, plain = (
            (_name_weights(path), _list_plain(fields, tensors)) if named else ("tensors", ())
        )
        about = describe_form(name for name, _ in tensors)
        yield Section(path, kind, tensors, about, _list_versions(root), plain)
        yield from (
            section for section in inner if section.kind != "tensors" and not section.tensors
        )
        return
    if direct:
        yield Section(path, "tensors", tuple(direct), _LOOSE)
    yield from inner


def _name_weights(path: Sequence[str]) -> str:
    return "average" if _AVERAGE.search(".".join(path)) else "weights"


def _list_pairs(root: Value) -> tuple[tuple[str, Tensor], ...]:
    """Of `[*model.state_dict().items()]`; none where anything else is among them."""
    items = root.items if isinstance(root, Items) else root if isinstance(root, tuple) else ()
    found = []
    for each in items:
        pair = each.items if isinstance(each, Items) else each
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            return ()
        tensor = as_tensor(pair[1])
        if tensor is None:
            return ()
        found.append((pair[0], tensor))
    return tuple(found)


def _list_plain(
    fields: Sequence[tuple[str, Value]], tensors: Sequence[tuple[str, Tensor]]
) -> tuple[str, ...]:
    """`mask_values`, `epoch`; modules save anything as extra state, and quantized ones types and tuples."""
    if any(tensor.kind == "quantized" for _, tensor in tensors):
        return ()
    others = (key for key, each in fields if as_tensor(each) is None)
    return tuple(key for key in others if not key.endswith(_EXTRA))


def _find_kind(table: Table) -> str:
    keys = {key for key, _ in table.pairs[:64] if isinstance(key, str)}
    if {"state", "param_groups"} <= keys:
        return "optimizer"
    if keys >= _SCHEDULER:
        return "scheduler"
    return "scaler" if keys >= _SCALER else ""


def _describe_known(table: Table, kind: str) -> str:
    if kind == "scheduler":
        return f"last_epoch = {shorten(table.get('last_epoch'))}"
    return _describe_optimizer(table) if kind == "optimizer" else ""


def _describe_optimizer(table: Table) -> str:
    state, groups = table.get("state"), table.get("param_groups")
    slots = {
        key
        for _, each in (list_fields(state)[:1000])
        if isinstance(each, Table)
        for key, _ in list_fields(each)[:64]
    }
    named = next((name for keys, name in _OPTIMIZERS if keys <= slots), "")
    found = (
        [each for each in groups.items if isinstance(each, Table)]
        if isinstance(groups, Items)
        else []
    )
    rates = list(dict.fromkeys(shorten(each.get("lr")) for each in found[:64]))
    counted = sum(len(list_fields(each.get("params"))) for each in found[:1000])
    grouped = f" in {len(found)} groups" if found[1:] else ""
    parts = [named and f"of {named}", f"{counted} parameters{grouped}"]
    parts += [f"lr {', '.join(rates[:4])}"] if rates else []
    return "; ".join(part for part in parts if part)


def _list_versions(root: Value) -> tuple[str, ...]:
    """`_metadata` of a state_dict, where it says version 2 or later."""
    state = root.state if isinstance(root, Table) else None
    metadata = state.get("_metadata") if isinstance(state, Table) else None
    found = []
    for key, each in list_fields(metadata):
        version = each.get("version") if isinstance(each, Table) else None
        if isinstance(version, int) and version >= 2:
            found.append(key)
    return tuple(found)


def shorten(value: Value) -> str:
    """A plain value as text; what is none by what it is."""
    if isinstance(value, str):
        return repr(value[:60])
    if isinstance(value, (bool, int, float)) or value is None:
        return repr(value)
    if isinstance(value, (Table, Items)):
        return f"a {value.kind}"
    if isinstance(value, Made):
        return _shorten_made(value)
    return f"a {type(value).__name__.lower()}"


def _shorten_made(made: Made) -> str:
    return f"{made.path[:80]}(…)" if made.path else "an object"
