"""LT604: a name that torch or torchvision does not have."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.profile import MEASURED_TORCH
from lintorch.core.rule import Rule
from lintorch.core.tables import Table
from lintorch.facts.api.nearest_name import nearest_names
from lintorch.facts.api.offered_names import names_by_module
from lintorch.facts.api.tentative import is_added, is_looked_up, is_tentative
from lintorch.facts.names.scopes import dotted_text
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT604",
    summary="a name that torch or torchvision does not have",
    why="""
        Python looks a name up only when the line runs, so a slip in a branch that is seldom
        taken (a loss, a scheduler, the fallback of an old import) waits until then and raises
        AttributeError or ImportError. Names are compared with those of torch 2.13 and
        torchvision 0.29: all that these builds have and all that their source binds in any
        branch. For a deployment with another release only slips of a known name are reported,
        as other names may exist there.

        A setting such as torch.backends.cudnn.benchmarks = True does not raise at all: the
        attribute is made and nothing reads it. Lookups that are guarded by try, hasattr or a
        check of the version are left alone, and so are private names and those of vendor
        plugins.
    """,
    bad="""
        import torch.nn as nn


        def criterion():
            return nn.NLLoss()
    """,
    good="""
        import torch.nn as nn


        def criterion():
            return nn.NLLLoss()
    """,
    proof="""
        criterion()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)
NAMES = Table(__file__, "_names.json")
PARAMETERS = Table(__file__, "_parameters.json")
RETIRED = Table(__file__, "_retired_names.json")
ELSEWHERE = (
    "torch.nn", "torch.nn.functional", "torch", "torch.linalg", "torch.fft", "torch.special",
    "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data", "torch.nn.utils",
    "torch.nn.init", "torchvision.models", "torchvision.transforms", "torchvision.ops",
)  # fmt: skip
"""Where a name is looked for that stands in the wrong module."""
OF_NUMPY = {
    "torch.rint": "round", "torch.expand_dims": "unsqueeze",
    "torch.around": "round", "torch.fabs": "abs", "torch.power": "pow", "torch.mod": "remainder",
    "torch.expm": "matrix_exp", "torch.linalg.expm": "matrix_exp",
}  # fmt: skip
"""Names that NumPy or SciPy has, and what torch calls the same."""
_CONV_NORM = "torchvision.ops.Conv2dNormActivation, and name groups=, which padding comes before"
WRITTEN_OUT = {
    "torch.percentile": "torch.quantile(x, q / 100)",
    "torch.nanpercentile": "torch.nanquantile(x, q / 100)",
    "torch.interp": "numpy.interp, of arrays",
    "torch.array": "torch.tensor",
    "torch.nn.L2Loss": "torch.nn.MSELoss()",
    "torch.nn.L2loss": "torch.nn.MSELoss()",
    "torch.nn.functional.l2_loss": "torch.nn.functional.mse_loss(x, y)",
    "torchvision.models.mobilenetv2.ConvBNActivation": _CONV_NORM,
    "torchvision.models.mobilenetv2.ConvBNReLU": _CONV_NORM,
    "torch.nanmax": "x.nan_to_num(-torch.inf).max()",
    "torch.nanmin": "x.nan_to_num(torch.inf).min()",
}
"""Names that NumPy, or a paper, has and torch has not, and what gives the same."""
DTYPES = frozenset({"int", "long", "short", "float", "double", "half", "bool", "dtype", "layout"})
"""Near names of what is not called."""
PLUGINS = frozenset(
    {
        "npu", "mlu", "musa", "hpu", "xla", "gcu", "sdaa", "ppu", "dipu", "maia", "spyre", "tpu",
        "neuron", "rbln", "supa", "txda",
    }
)  # fmt: skip
"""Modules that a vendor's plugin adds to torch."""
MOVED = {
    "torchvision.transforms.functional_tensor": ((2, 2), "torchvision.transforms.functional"),
    "torch.utils.ffi": ((1, 0), "build the extension with torch.utils.cpp_extension"),
    "torchvision.models.utils": ((1, 12), "torch.hub"),
    "torchvision.transforms.Scale": ((2, 0), "torchvision.transforms.Resize"),
    "torchvision.transforms.RandomSizedCrop": ((2, 0), "torchvision.transforms.RandomResizedCrop"),
}
"""What torch and torchvision have dropped or moved: gone since which torch, and what has it now."""
SIX = {
    "container_abcs": "import collections.abc as {}",
    "string_classes": "{} = (str, bytes)",
    "int_classes": "{} = int",
    "inf": "from math import inf as {}",
    "nan": "from math import nan as {}",
    "queue": "import queue as {}",
}
"""What `torch._six` held."""
SIX_GONE = (2, 0)
URLS_GONE = (1, 13)
PILLOW = frozenset({"Image", "ImageOps", "ImageEnhance", "ImageFilter", "ImageDraw", "ImageFile"})
"""Modules of Pillow, which torchvision's modules import for themselves."""
NO_NAME_NEAR = "write what torch has for it, or name the release that has it: --target-torch 2.4"
"""torchvision's tables `model_urls` went with the release for this torch."""


@rule.source(cst.Module, needs=("torch",))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    for suspect in sorted(suspects(source)):
        for attribute in source.nodes(cst.Attribute):
            if attribute.attr.value == suspect and not is_import(attribute, source):
                yield from of_attribute(attribute, source)


@rule.source(cst.ImportFrom, cst.Import, needs=("torch",))
def in_imports(node: cst.ImportFrom | cst.Import, source: Source) -> Iterator[Hit]:
    if isinstance(node, cst.Import):
        for alias in node.names:
            yield from of_import(alias, dotted_text(alias.name), source)
        return
    origin = dotted_text(node.module)
    if node.relative or not origin.startswith("torch") or isinstance(node.names, cst.ImportStar):
        return
    if origin == "torch._six":
        yield from of_six(node, node.names, source)
    elif moved := gone(origin, source):
        if not is_tentative(node, source):
            fix = moved_fix(node, node.names, origin, source)
            yield Hit(node, f"{origin} is no more", fix, remedy=moved)
    else:
        for alias in node.names:
            yield from of_import(alias, f"{origin}.{dotted_text(alias.name)}", source)


# attributes


def suspects(source: Source) -> set[str]:
    """Last names that the text writes after a module of torch which has no such name."""
    heads = dict(imported(source))
    found: set[str] = set()
    if not heads:
        return found
    known = names_by_module(NAMES)
    for chain in re.findall(
        rf"(?<![\w.])(?:{'|'.join(map(re.escape, heads))})(?:\.\w+)+", source.text
    ):
        first, *rest = chain.split(".")
        module = heads[first]
        for name in rest:
            if name not in known[module] and not name.startswith("_"):
                found.add(name)
            if (module := f"{module}.{name}") not in known:
                break
    return found


def imported(source: Source) -> Iterator[tuple[str, str]]:
    """Local names of modules whose names are known, and the modules."""
    known = names_by_module(NAMES)
    for node in source.nodes(cst.Import):
        for alias in node.names:
            full = dotted_text(alias.name)
            local = alias.asname.name if alias.asname else None
            dotted = full if local else full.partition(".")[0]
            if dotted in known:
                yield dotted_text(local) if local else dotted, dotted
    for origin in source.nodes(cst.ImportFrom):
        if origin.relative or isinstance(origin.names, cst.ImportStar):
            continue
        for alias in origin.names:
            dotted = f"{dotted_text(origin.module)}.{dotted_text(alias.name)}"
            if dotted in known:
                yield dotted_text(alias.asname.name if alias.asname else alias.name), dotted


def of_attribute(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    module, name = source.name(node.value), node.attr.value
    if not is_unknown(module, name) or not doubtless(node, module, name, source):
        return
    near = meant(module, name, is_called(node, source))
    if said := gone(f"{module}.{name}", source):
        now = MOVED.get(f"{module}.{name}", ((), ""))[1]
        fix = renamed(node, [now], module, source) if now else None
        yield Hit(node, f"{module}.{name} is no more", fix, remedy=said)
    elif is_target(node, source):
        if module.startswith("torch.backends.") and near:
            said = f"{module} has no setting {name}: nothing reads it"
            fix = renamed(node, near, module, source)
            yield Hit(node, said, fix, severity=Severity.WARNING, remedy=advise(module, name, near))
    elif near or source.profile.torch == MEASURED_TORCH:
        fix = renamed(node, near, module, source)
        yield Hit(node, f"{module} has no {name}", fix, remedy=advise(module, name, near))


def is_import(node: cst.CSTNode, source: Source) -> bool:
    return source.enclosing(node, cst.Import, cst.ImportFrom) is not None


def is_target(node: cst.CSTNode, source: Source) -> bool:
    return isinstance(source.parent(node), (cst.AssignTarget, cst.AnnAssign, cst.Del))


def is_unknown(module: str, name: str) -> bool:
    known = names_by_module(NAMES).get(module)
    return known is not None and name not in known and not name.startswith("_")


def doubtless(node: cst.CSTNode, module: str, name: str, source: Source) -> bool:
    """Whether nothing says that the name may be there, or that another rule speaks of it."""
    dotted = f"{module}.{name}"
    return not (
        name in PLUGINS
        or dotted in RETIRED.by_name
        or is_never_run(node, source)
        or is_tentative(node, source)
        or is_looked_up(name, source)
        or (is_added(dotted, source) and not is_target(node, source))
    )


def is_never_run(node: cst.CSTNode, source: Source) -> bool:
    """Whether a node stands in an annotation that Python does not evaluate."""
    annotation = source.enclosing(node, cst.Annotation)
    if annotation is None:
        return False
    local = isinstance(source.parent(annotation), cst.AnnAssign)
    within = local and source.enclosing(annotation, cst.FunctionDef) is not None
    return within or bool(re.search(r"^from __future__ import .*annotations", source.text, re.M))


def meant(module: str, name: str, called: bool = False) -> list[str]:
    """What the name is a slip of, by full name: of the same module, or the same name elsewhere."""
    if f"{module}.{name}" in OF_NUMPY:
        return [f"{module}.{OF_NUMPY[f'{module}.{name}']}"]
    known = names_by_module(NAMES)[module]
    own = [
        f"{module}.{other}"
        for other in nearest_names(name, known)
        if not (called and other in DTYPES)
    ]
    callables = PARAMETERS.rows
    family = module.partition(".")[0]
    others = [f"{place}.{name}" for place in ELSEWHERE if place.partition(".")[0] == family]
    exact = [dotted for dotted in others if dotted in callables]
    return exact + [dotted for dotted in own if dotted not in exact]


def advise(module: str, name: str, near: list[str]) -> str:
    """What to write instead: the nearest names, or, where there is none, what may be the cause."""
    if f"{module}.{name}" in WRITTEN_OUT:
        return f"write {WRITTEN_OUT[f'{module}.{name}']}"
    if name in PILLOW or name in sys.stdlib_module_names:
        origin = f"from PIL import {name}" if name in PILLOW else f"import {name}"
        return f"write {origin}: {module} had only imported it"
    shown = [n.removeprefix(f"{module}.") for n in near[:2]]
    return f"write {' or '.join(shown)}" if shown else NO_NAME_NEAR


def renamed(node: cst.BaseExpression, near: list[str], module: str, source: Source) -> Fix | None:
    if len(near) != 1:
        return None
    own = near[0].rpartition(".")[0] == module
    if own:
        last = node.attr if isinstance(node, cst.Attribute) else node
        edits: tuple[Edit, ...] = (source.replace(last, near[0].rpartition(".")[2]),)
    else:
        spelled, imports = source.reach(near[0], node)
        edits = (source.replace(node, spelled), *imports) if spelled else ()
    return Fix(f"write {near[0]}", edits, Applicability.UNSAFE) if edits else None


def is_called(node: cst.CSTNode, source: Source) -> bool:
    outer = source.parent(node)
    return isinstance(outer, cst.Call) and outer.func is node


# imports


def of_import(alias: cst.ImportAlias, dotted: str, source: Source) -> Iterator[Hit]:
    """The first part of a dotted name that its module does not have."""
    module, *rest = dotted.split(".")
    for name in rest:
        if is_unknown(module, name):
            if doubtless(alias, module, name, source):
                yield from of_alias(alias, module, name, source)
            return
        module = f"{module}.{name}"


def of_alias(alias: cst.ImportAlias, module: str, name: str, source: Source) -> Iterator[Hit]:
    said = gone(f"{module}.{name}", source)
    near = meant(module, name)
    if said:
        yield Hit(alias, f"{module}.{name} is no more", remedy=said)
    elif source.profile.torch == MEASURED_TORCH or near:
        own = [n for n in near if n.rpartition(".")[0] == module]
        fix = None
        if len(near) == 1 and own and isinstance(alias.name, cst.Name) and alias.asname:
            fix = renamed(alias.name, near, module, source)
        yield Hit(alias, f"{module} has no {name}", fix, remedy=advise(module, name, near))


def gone(dotted: str, source: Source) -> str:
    """What became of a name of torch or torchvision, for the release that is deployed with."""
    since, now = MOVED.get(dotted.replace(".transforms.transforms.", ".transforms."), ((9, 9), ""))
    if dotted.startswith("torchvision.models.") and dotted.endswith(".model_urls"):
        since, now = (
            URLS_GONE,
            "the addresses are in the weights, such as ResNet50_Weights.DEFAULT.url",
        )
    return (now if " " in now else f"use {now}") if source.profile.torch >= since else ""


def moved_fix(
    node: cst.ImportFrom, names: Sequence[cst.ImportAlias], origin: str, source: Source
) -> Fix | None:
    """The same names from the module that has them now."""
    _, now = MOVED[origin]
    asked = {dotted_text(alias.name) for alias in names}
    if (
        now not in names_by_module(NAMES)
        or not asked <= names_by_module(NAMES)[now]
        or node.module is None
    ):
        return None
    return Fix(f"import from {now}", (source.replace(node.module, now),), Applicability.SAFE)


def of_six(node: cst.ImportFrom, names: Sequence[cst.ImportAlias], source: Source) -> Iterator[Hit]:
    if source.profile.torch < SIX_GONE or is_tentative(node, source):
        return
    lines = [six_line(alias) for alias in names]
    fix, remedy = None, STANDARD
    if all(lines):
        edit = source.replace(node, stacked(lines, node, source))
        fix = Fix("write it without", (edit,), Applicability.SAFE)
        remedy = f"write `{'; '.join(lines)}`"
    said = "torch._six is no more: it held names of the standard library"
    yield Hit(node, said, fix, remedy=remedy)


STANDARD = (
    "take them from there: collections.abc, math, queue; a text is a str, a whole number an int"
)


def stacked(lines: list[str], node: cst.ImportFrom, source: Source) -> str:
    """One statement under the other, where the import has a line of its own."""
    row, column = source.spans.of(node)[0]
    before = source.text[source.spans.offset(row, 1) :][: column - 1]
    line = source.parent(node)
    alone = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
    return (f"\n{before}" if alone and not before.strip() else "; ").join(lines)


def six_line(alias: cst.ImportAlias) -> str:
    name = dotted_text(alias.name)
    local = dotted_text(alias.asname.name) if alias.asname else name
    line = SIX.get(name, "").format(local)
    return line.removesuffix(f" as {name}") if line.endswith(f" {name} as {name}") else line
