"""LT603: mixed precision by the names of one device, `torch.cuda.amp` and `torch.cpu.amp`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.api.version_guards import is_name_guarded
from lintorch.facts.names.scopes import dotted_text
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT603",
    summary="mixed precision of one device, which torch.amp replaces",
    why="""
        `torch.cuda.amp` and `torch.cpu.amp` warn since torch 2.4, at each call. What takes
        their place names the device: `torch.amp.autocast("cuda")`, `torch.amp.GradScaler("cuda")`.
        The other parameters of autocast stand in another order there: `autocast(False)` has to
        become `enabled=False`. The fix changes an import together with all calls it serves,
        or writes the full name where it cannot.

        `import torch.cuda.amp.autocast as autocast` was never an import: it is a
        ModuleNotFoundError, as autocast is a class.
    """,
    bad="""
        import torch
        from torch.cuda.amp import autocast


        def forward(model, images, half):
            with autocast(half):
                return model(images)
    """,
    good="""
        import torch
        from torch.amp import autocast


        def forward(model, images, half):
            with autocast("cuda", enabled=half):
                return model(images)
    """,
    proof="""
        assert forward(torch.relu, torch.ones(2), False).sum() == 2
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

SINCE = (2, 4)
PARAMETERS = {
    "autocast": ("enabled", "dtype", "cache_enabled"),
    "GradScaler": (),
    "custom_fwd": (),
    "custom_bwd": (),
}
"""What stands at another place in torch.amp, so that it has to be named."""
_HOMES = ("torch.cuda.amp", "torch.cpu.amp")
_MODULES = ("", ".autocast_mode", ".grad_scaler")
NAMES = {
    f"{home}{module}.{name}": (home.split(".")[1], name)
    for home in _HOMES
    for module in _MODULES
    for name in PARAMETERS
}
"""From each old name to its device and its name in torch.amp."""
_NEEDS = ("cuda.amp", "cpu.amp", "cuda import", "cpu import")
_Use = cst.Name | cst.Attribute


@rule.source(cst.Attribute, needs=_NEEDS)
def by_attribute(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    known = node.attr.value in PARAMETERS and source.name(node) in NAMES
    if known and _served(node, source) and not source.enclosing(node, cst.Import, cst.ImportFrom):
        yield from _judged(node, source, _alone(node, source))


@rule.source(cst.ImportFrom, needs=_NEEDS)
def by_import(node: cst.ImportFrom, source: Source) -> Iterator[Hit]:
    aliases = [] if isinstance(node.names, cst.ImportStar) else node.names
    locals_ = [alias.asname.name if alias.asname else alias.name for alias in aliases]
    uses = [
        use
        for local in locals_
        if isinstance(local, cst.Name) and source.name(local) in NAMES
        for use in _uses(local, source)
    ]
    together = _together(node, aliases, uses, source) if uses else ()
    for use in uses:
        if _served(use, source):
            yield from _judged(use, source, together or _alone(use, source))


@rule.source(cst.Import, needs=_NEEDS)
def as_module(node: cst.Import, source: Source) -> Iterator[Hit]:
    for alias in node.names:
        dotted = dotted_text(alias.name)
        home, _, last = dotted.rpartition(".")
        if home in (*_HOMES, "torch.amp") and last in PARAMETERS:
            message = f"{dotted} is no module: this import raises ModuleNotFoundError"
            yield Hit(node, message, _as_from(node, home, last, source), severity=Severity.ERROR)


def _judged(node: _Use, source: Source, edits: tuple[Edit, ...]) -> Iterator[Hit]:
    device, name = NAMES[source.name(node)]
    if source.profile.torch < SINCE or is_name_guarded(node, source):
        return
    how = f'device_type="{device}"' if name.startswith("custom") else f'"{device}", ...'
    message = f"{source.name(node)} is deprecated since torch 2.4"
    call = _call_of(node, source)
    applicability = (
        Applicability.UNSAFE if "set_autocast" in source.text else Applicability.SAFE
    )  # the new names take the dtype that was set, the old ones float16
    fix = Fix(f"use torch.amp.{name}", edits, applicability) if edits else None
    yield Hit(call or node, message, fix, remedy=f"use torch.amp.{name}({how})")


def _call_of(node: _Use, source: Source) -> cst.Call | None:
    parent = source.parent(node)
    return parent if isinstance(parent, cst.Call) and parent.func is node else None


def _served(node: _Use, source: Source) -> bool:
    """Whether a use makes one: a call, a decorator, or a base; not an annotation or isinstance."""
    if _call_of(node, source) or isinstance(source.parent(node), cst.Decorator):
        return True
    outer = source.parent(node)
    call = source.parent(outer) if isinstance(outer, cst.Arg) else None
    return isinstance(call, cst.ClassDef) or (
        isinstance(call, cst.Call) and source.name(call.func) == "functools.partial"
    )


def _uses(local: cst.Name, source: Source) -> Iterator[cst.Name]:
    for name in source.mentions_of(local.value):
        parent = source.parent(name)
        inside = isinstance(parent, (cst.ImportAlias, cst.AsName, cst.Param, cst.AssignTarget))
        other = name in (getattr(parent, "attr", None), getattr(parent, "keyword", None))
        read = not inside and not other
        if read and source.name(name) in NAMES:
            yield name


# the fix


def _alone(node: _Use, source: Source) -> tuple[Edit, ...]:
    """One use by its full name."""
    _, name = NAMES[source.name(node)]
    device = _device(node, source)
    spelled, imports = source.reach(f"torch.amp.{name}", node)
    if not device or not spelled:
        return ()
    start, end = _ends(node, source)
    touching = [edit for edit in device if edit.start == end]
    written = spelled + "".join(edit.content for edit in touching)
    others = [edit for edit in device if edit.start != end]
    return (Edit(start, end, written), *others, *imports)


def _together(
    node: cst.ImportFrom,
    aliases: Sequence[cst.ImportAlias],
    uses: list[cst.Name],
    source: Source,
) -> tuple[Edit, ...]:
    """An import from torch.amp and every use it serves; () where one of them has to stay."""
    known = all(alias.evaluated_name in PARAMETERS for alias in aliases)
    if node.module is None or dotted_text(node.module) not in _HOMES or not known:
        return ()
    edits = [source.replace(node.module, "torch.amp")]
    for use in uses:
        bound = source.bound(use)
        if len(bound) != 1 or bound[0].node not in aliases or is_name_guarded(use, source):
            return ()
        if _only_named(use, source):
            continue
        device = _device(use, source)
        if not device:
            return ()
        edits += device
    return tuple(edits)


def _only_named(node: cst.Name, source: Source) -> bool:
    """In an annotation or in isinstance: the new class serves, as the old one is made from it."""
    if source.enclosing(node, cst.Annotation):
        return True
    call = source.enclosing(node, cst.Call)
    return call is not None and source.name(call.func) == "isinstance"


def _device(node: _Use, source: Source) -> tuple[Edit, ...]:
    """The device as an argument of a call or decorator; () where the arguments are not known."""
    device, name = NAMES[source.name(node)]
    call = _call_of(node, source)
    if name.startswith("custom"):
        written = f'device_type="{device}"'
        if call is not None:
            return (source.insert_argument(call, written),)
        end = _ends(node, source)[1]
        return (Edit(end, end, f"({written})"),) if _decorates(node, source) else ()
    if call is None:
        return ()
    if not call.args:
        return (source.insert_argument(call, f'"{device}"'),)
    return _first(call, device, PARAMETERS[name], source)


def _decorates(node: _Use, source: Source) -> bool:
    return isinstance(source.parent(node), cst.Decorator)


def _first(
    call: cst.Call, device: str, parameters: tuple[str, ...], source: Source
) -> tuple[Edit, ...]:
    """The device before the other arguments, and names for those that stand elsewhere now."""
    edits: list[Edit] = []
    for index, arg in enumerate(call.args):
        if arg.star == "*" and parameters:
            return ()
        before = f'"{device}", ' if index == 0 else ""
        if parameters and arg.keyword is None and not arg.star:
            before += f"{parameters[index]}="
        start = _ends(arg, source)[0]
        if before:
            edits.append(Edit(start, start, before))
    return tuple(edits)


def _ends(node: cst.CSTNode, source: Source) -> tuple[int, int]:
    edit = source.replace(node, "")
    return edit.start, edit.end


def _as_from(node: cst.Import, home: str, last: str, source: Source) -> Fix | None:
    asname = node.names[0].asname
    if len(node.names) > 1 or asname is None or not isinstance(asname.name, cst.Name):
        return None
    local = asname.name.value
    also = f" as {local}" if local != last else ""
    edit = source.replace(node, f"from {home} import {last}{also}")
    return Fix("import it from its module", (edit,))
