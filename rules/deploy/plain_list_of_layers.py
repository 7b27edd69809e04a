"""LT206: layers kept in a list, tuple or dict, where nn.Module does not see them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OutsideLayers, Trace
from lintorch.facts.classes.classes import ClassInfo, is_self
from lintorch.facts.names.scopes import dotted_text
from lintorch.facts.nets.layer_classes import layer_made
from lintorch.source import Source, literal
from lintorch.syntax.tree import names_in

rule = Rule(
    __name__,
    code="LT206",
    summary="layers in a plain list, tuple or dict",
    why="""
        nn.Module registers what is assigned to an attribute, not what lies in a list there. The
        layers work in forward, but parameters() does not give them, so the optimizer never
        trains them; state_dict() does not save them; to(), half() and eval() do not reach them.
        Nothing is said (measured on torch 2.13). nn.ModuleList and nn.ModuleDict register.

        Layers without weights or a mode, such as activations and losses, lose nothing and are
        not reported, nor is a list that is handed to anything that may register it. A run of the
        model tells which layers ran and were registered nowhere, wherever they are kept; frozen
        ones may be hidden on purpose, and are not reported by a run.
    """,
    bad="""
        from torch import nn


        class Stack(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Linear(8, 8) for _ in range(3)]

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
    """,
    good="""
        from torch import nn


        class Stack(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
    """,
    remedy="keep them in an nn.ModuleList, or an nn.ModuleDict for a dict",
    proof="""
        trained = Stack()
        restored = Stack()
        restored.load_state_dict(trained.state_dict())
        x = torch.ones(2, 8)
        assert torch.equal(restored(x), trained(x)), "the weights were not saved"
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_STATELESS = re.compile(
    r"(Loss|Criterion|Metric|Transform|Pool[123]d|Pad[123]d|ReLU6?|LU|Sigmoid|[Ss]wish|Mish|Tanh"
    r"|[Ss]hrink|Softm\w+|Softplus|Softsign|Identity|Flatten|Upsample|Fold|Shuffle|Similarity)$"
)
"""Classes that hold no weights and are the same in both modes."""
_REGISTERS = frozenset(
    {"add_module", "register_module", "setattr", "__setattr__", "register_parameter"}
)
_BY_HAND = frozenset({"parameters", "named_parameters", "state_dict", "children", "modules"})
"""Methods of a class that sees to its layers itself."""
_LOOKS = frozenset(
    {
        "zip",
        "enumerate",
        "len",
        "reversed",
        "range",
        "iter",
        "print",
        "isinstance",
        "bool",
        "tqdm",
    }
)
"""Functions that only read what they are given."""
_HANDS_ON = frozenset({"zip", "enumerate", "reversed", "iter", "tqdm"})
"""Those of them that give what they were given."""
_CHANGES = frozenset({"append", "insert", "extend", "keys"})
_GIVES = frozenset({"values", "items"})
_KEEPS = frozenset(
    {"append", "insert", "extend", "update", "list", "tuple", "dict", "sum", "chain"}
)
"""Functions that keep layers, or may hand them to a module that registers them."""
_PARAMETER = "torch.nn.Parameter"
_COMPREHENSIONS = (cst.ListComp, cst.DictComp)
_COMPREHENDS = (*_COMPREHENSIONS, cst.GeneratorExp, cst.SetComp)
_CONTAINERS = (cst.List, cst.Tuple, cst.Dict, *_COMPREHENSIONS)


@rule.source(cst.Assign, cst.AnnAssign, needs=("Module", "nn."))
def in_source(node: cst.Assign | cst.AnnAssign, source: Source) -> Iterator[Hit]:
    target, value = _parts(node)
    info = source.classes.around(node)
    if value is None or not _is_attribute(target) or info is None or not info.is_module:
        return
    name = target.attr.value
    given = _given_back(value, source) if isinstance(value, cst.Call) else value
    kept = _local_list(given, source) if isinstance(given, cst.Name) else given
    if not isinstance(kept, _CONTAINERS) or not _stays_plain(name, info, source):
        return
    if _is_hidden_frozen(name, kept, node, source):
        return
    owner = given if isinstance(given, cst.Name) else target
    made = [*_layers(kept, source), *_added(owner, source)]
    if set(made) == {_PARAMETER}:
        said = f"self.{name} is a plain {_kind(kept)}: its parameters are not registered"
        yield Hit(value, said, remedy="make it an nn.ParameterList, or nn.ParameterDict")
    elif made:
        message = f"self.{name} is a plain {_kind(kept)}: its layers are not registered"
        fix = _fix(value, kept, source) if given is value else None
        yield Hit(value, message, fix)


def _is_hidden_frozen(
    name: str, kept: cst.BaseExpression, node: cst.CSTNode, source: Source
) -> bool:
    """`self.table = [nn.Embedding(n, d)]`, whose weight is frozen below: one layer that is no part of what is saved."""
    owner = source.enclosing(node, cst.ClassDef)
    if not isinstance(kept, (cst.List, cst.Tuple)) or len(kept.elements) != 1 or owner is None:
        return False
    frozen = rf"self\.{name}\[0\][^\n]*requires_grad(_\(| *= *)False"
    return bool(re.search(frozen, source.code(owner)))


@rule.trace(OutsideLayers)
def in_trace(event: OutsideLayers, trace: Trace) -> Iterator[Hit | Refuted]:
    name = trace.record.qualname
    if not event.lost:
        reason = event.reason or f"is registered when {name} is built"
        yield Refuted(event, f"every layer of it {reason}")
        return
    weights = f" with {event.parameters} weights" if event.parameters else ""
    kind = f"a {event.first_class}{weights}"
    where = f"in the plain {event.container} {event.attribute}" if event.container else "made here"
    if event.lost == 1:
        message = f"{name} ran {kind} {where} and does not register it"
    else:
        message = f"{name} ran {event.lost} layers {where}, the first {kind}, and registers none"
    yield Hit(event, message)


def _parts(node: cst.Assign | cst.AnnAssign) -> tuple[Any, cst.BaseExpression | None]:
    if isinstance(node, cst.AnnAssign):
        return node.target, node.value
    return (node.targets[0].target, node.value) if len(node.targets) == 1 else (None, None)


def _is_attribute(node: cst.CSTNode | None) -> bool:
    """`self.x`."""
    return isinstance(node, cst.Attribute) and is_self(node.value)


def _kind(container: cst.BaseExpression) -> str:
    if isinstance(container, (cst.Dict, cst.DictComp)):
        return "dict"
    return "tuple" if isinstance(container, cst.Tuple) else "list"


# what is in it


def _layers(container: cst.CSTNode, source: Source) -> Iterator[str]:
    """The classes of layers with state that a container is written with."""
    if isinstance(container, _COMPREHENSIONS):
        values = [container.elt if isinstance(container, cst.ListComp) else container.value]
    else:
        values = [e.value for e in getattr(container, "elements", ())]
    for value in values:
        if isinstance(value, _CONTAINERS):
            yield from _layers(value, source)
        elif isinstance(value, cst.Call) and source.name(value.func) == _PARAMETER:
            yield _PARAMETER
        elif (name := _layer_of(value, source)) and _has_state(name, source):
            yield name


def _layer_of(value: cst.BaseExpression, source: Source) -> str:
    """The class of a layer that a call makes, or that a function of the file gives."""
    given = layer_made(value, source)
    if given or not isinstance(value, cst.Call):
        return given
    function = _find_method(value, source)
    made = _only_return(function, source) if function is not None else _given_back(value, source)
    return layer_made(made, source) if made is not None else ""


def _find_method(call: cst.Call, source: Source) -> cst.FunctionDef | None:
    """The method of the class around that `self.make(…)` calls, where no other of the file has its name."""
    func, owner = call.func, source.enclosing(call, cst.ClassDef)
    if not _is_attribute(func):
        return None
    named = [e for e in source.nodes(cst.FunctionDef) if e.name.value == _called(call)]
    mine = [each for each in named if source.enclosing(each, cst.ClassDef) is owner]
    return mine[0] if len(named) == len(mine) == 1 else None


def _has_state(name: str, source: Source, within: frozenset[str] = frozenset()) -> bool:
    """Whether a layer has weights or a mode, or holds one that has; `within`: those that hold it."""
    if _STATELESS.search(name) or name in within:
        return False
    own = source.classes.named(name)
    if own is None:
        return True
    inside = within | {name}
    values = [
        v for c in source.classes.lineage(own) for given in c.attributes.values() for v in given
    ]
    return any(
        source.name(v.func) == _PARAMETER
        or ((inner := layer_made(v, source)) and _has_state(inner, source, inside))
        for v in values
        if isinstance(v, cst.Call)
    )


def _added(owner: cst.BaseExpression, source: Source) -> Iterator[str]:
    """The classes of layers that are stored in `self.x`, or a local list, later on."""
    text, scope = dotted_text(owner), _scope(owner, source)
    for place, value in _stores(source):
        if dotted_text(place) != text or _scope(place, source) is not scope:
            continue
        if (name := layer_made(value, source)) and _has_state(name, source):
            yield name


def _stores(source: Source) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Containers and what is put into them: `c.append(v)`, `c.insert(0, v)`, `c[k] = v`."""
    for call in source.nodes(cst.Call):
        if isinstance(call.func, cst.Attribute) and _called(call) in ("append", "insert"):
            yield from ((call.func.value, arg.value) for arg in call.args[-1:])
    for assign in source.nodes(cst.Assign):
        target = assign.targets[0].target
        if isinstance(target, cst.Subscript):
            yield target.value, assign.value


def _scope(node: cst.BaseExpression, source: Source) -> cst.CSTNode | None:
    """Where a name means the same: the class of `self.x`, the function of a local."""
    kind = cst.FunctionDef if isinstance(node, cst.Name) else cst.ClassDef
    return source.enclosing(node, kind)


# what becomes of it


def _local_list(name: cst.Name, source: Source) -> cst.BaseExpression | None:
    """The container that a local name stands for, where it goes nowhere but into the attribute."""
    bound = source.bound(name)
    if len(bound) != 1 or bound[0].kind != "assign" or not isinstance(bound[0].node, _CONTAINERS):
        return None
    function = source.enclosing(name, cst.FunctionDef)
    uses = [
        n
        for n in source.mentions_of(name.value)
        if n is not name and not _is_attr(n, source)
        if source.enclosing(n, cst.FunctionDef) is function
    ]
    plain = all(_is_harmless(use, source) for use in uses)
    return bound[0].node if plain else None


def _given_back(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """What a function of the file gives, where it has one return."""
    function = source.function(call.func)
    if function is None or function.decorators:
        return None
    return _only_return(function, source)


def _only_return(function: cst.FunctionDef, source: Source) -> cst.BaseExpression | None:
    if function.asynchronous is not None:
        return None
    returns = [
        each
        for each in source.nodes(cst.Return)
        if source.enclosing(each, cst.FunctionDef) is function
    ]
    return returns[0].value if len(returns) == 1 else None


def _is_attr(name: cst.Name, source: Source) -> bool:
    """The `x` of `self.x`."""
    outer = source.parent(name)
    return isinstance(outer, cst.Attribute) and outer.attr is name


def _stays_plain(name: str, info: ClassInfo, source: Source) -> bool:
    """Whether nothing in the class may register what the attribute holds."""
    if any(_called(c) in _REGISTERS for c in source.nodes(cst.Call) if _within(c, info, source)):
        return False
    by_hand = any(_within(n, info, source) for n in source.mentions_of("_modules"))
    if by_hand or _BY_HAND & info.methods.keys():
        return False
    uses = [
        a
        for a in source.nodes(cst.Attribute)
        if a.attr.value == name and _is_attribute(a) and _within(a, info, source)
    ]
    return all(_is_harmless(use, source) for use in uses)


def _within(node: cst.CSTNode, info: ClassInfo, source: Source) -> bool:
    return source.classes.around(node) is info


def _called(call: cst.Call) -> str:
    func = call.func
    if isinstance(func, cst.Attribute):
        return func.attr.value
    return func.value if isinstance(func, cst.Name) else ""


def _is_harmless(use: cst.CSTNode, source: Source) -> bool:
    """Whether a use reads layers one by one, adds some, or is the assignment of the container."""
    outer = source.parent(use)
    if isinstance(outer, cst.AssignTarget):
        assign = source.parent(outer)
        if isinstance(assign, cst.Assign) and isinstance(assign.value, cst.Call):
            return _given_back(assign.value, source) is not None
        return isinstance(assign, cst.Assign) and isinstance(assign.value, (*_CONTAINERS, cst.Name))
    if isinstance(outer, cst.AnnAssign):
        return outer.target is use
    if isinstance(outer, (cst.For, cst.CompFor)):
        return outer.iter is use and _is_loop_harmless(outer, source)
    if isinstance(outer, cst.Subscript):
        return outer.value is use and not _is_kept(outer, source)
    if isinstance(outer, cst.Arg):
        call = source.parent(outer)
        if not isinstance(call, cst.Call) or outer.star or _called(call) not in _LOOKS:
            return False
        return _called(call) not in _HANDS_ON or _is_harmless(call, source)
    if isinstance(outer, cst.Attribute):
        call = source.parent(outer)
        given = outer.attr.value in _GIVES and isinstance(call, cst.Call)
        return _is_harmless(call, source) if given and call else outer.attr.value in _CHANGES
    return isinstance(outer, (cst.If, cst.Comparison, cst.ComparisonTarget))


def _is_loop_harmless(loop: cst.For | cst.CompFor, source: Source) -> bool:
    """Whether the layers that a loop goes through are called there, not put anywhere else."""
    around = loop if isinstance(loop, cst.For) else source.enclosing(loop, *_COMPREHENDS)
    bound = {name.value for name in names_in(loop.target)}
    where = loop.body if isinstance(loop, cst.For) else around
    uses = [n for n in names_in(where) if n.value in bound] if where is not None else []
    if any(_is_kept(use, source) for use in uses if not _is_attr(use, source)):
        return False
    gives = any(source.parent(use) is around for use in uses)
    return not gives or around is None or not _is_kept(around, source)


def _is_kept(layers: cst.CSTNode, source: Source) -> bool:
    """Whether an expression goes into a container, a module or an attribute, which may register it."""
    outer = source.parent(layers)
    if isinstance(outer, cst.Arg):
        call = source.parent(outer)
        name = _called(call) if isinstance(call, cst.Call) else ""
        return name in _KEEPS or name.lstrip("_")[:1].isupper()
    if isinstance(outer, cst.Assign):
        places = [target.target for target in outer.targets]
        return any(_is_attribute(p) or isinstance(p, cst.Subscript) for p in places)
    return False


# the fix


def _fix(value: cst.BaseExpression, kept: cst.BaseExpression, source: Source) -> Fix | None:
    values = [e.value for e in getattr(kept, "elements", ())]
    wanted = "ModuleList"
    if isinstance(kept, (cst.Dict, cst.DictComp)):
        keys = [literal(getattr(e, "key", None)) for e in getattr(kept, "elements", ())]
        if not keys or not all(isinstance(key, str) and key and "." not in key for key in keys):
            return None
        wanted = "ModuleDict"
    spelled = source.spell(f"torch.nn.{wanted}", value)
    if not spelled or not all(layer_made(v, source) for v in values):
        return None
    edits = tuple(_wrapped(value, spelled, source))
    return Fix(f"register them by an nn.{wanted}", edits, Applicability.UNSAFE)


def _wrapped(value: cst.BaseExpression, spelled: str, source: Source) -> Iterator[Edit]:
    """The container as the argument of a call; the brackets of a tuple give way to those of a list."""
    whole = source.replace(value, "")
    start, end = whole.start, whole.end
    if isinstance(value, cst.List) and not value.elements:
        yield Edit(start, end, f"{spelled}()")
    elif not isinstance(value, cst.Tuple):
        yield from (Edit(start, start, f"{spelled}("), Edit(end, end, ")"))
    elif value.lpar:
        opened, closed = source.text.rindex("(", 0, start), source.text.index(")", end)
        yield from (Edit(opened, opened + 1, f"{spelled}(["), Edit(closed, closed + 1, "])"))
    else:
        yield from (Edit(start, start, f"{spelled}(["), Edit(end, end, "])"))
