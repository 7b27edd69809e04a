"""LT143: a list of modules used as TorchScript does not unroll it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.compiled_code import CompiledCode, report_compiled
from lintorch.facts.exporting.layer_loops import loop_over_layers
from lintorch.facts.exporting.script_terms import SCRIPT
from lintorch.facts.exporting.scripted import is_compiled, is_self_attribute
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT143",
    summary="a list of modules that TorchScript cannot index",
    why="""
        TorchScript unrolls loops over a ModuleList, Sequential or ModuleDict, and reads an item by a
        literal index. An index that is worked out, as `self.blocks[i]`, is refused, and so is `zip`
        of modules and a list, whose length the compiler does not see. Write
        `for block in self.blocks:` or `for i, block in enumerate(self.blocks):` and take the item of
        the list by `i`. Measured on torch 2.13.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or
        `unused` are not compiled.
    """,
    bad="""
        import torch
        from torch import nn


        class Stack(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])

            def forward(self, x):
                for i in range(2):
                    block = self.blocks[i]
                    x = block(x)
                return x


        def compiled():
            return torch.jit.script(Stack())
    """,
    good="""
        import torch
        from torch import nn


        class Stack(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])

            def forward(self, x):
                for block in self.blocks:
                    x = block(x)
                return x


        def compiled():
            return torch.jit.script(Stack())
    """,
    remedy="loop over it: for i, block in enumerate(self.blocks)",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
    formerly=("LT123", "script-syntax"),
)

HOLDERS = frozenset({"torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ModuleDict"})


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    yield from report_compiled(source, in_indexing, in_zips, in_loops)


def in_indexing(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`self.blocks[i]`."""
    for node in here.nodes(cst.Subscript):
        if is_holder(node.value, source) and not is_fixed(node) and is_compiled(node, source):
            said, fix = (
                f"{source.code(node)}: the index is not a literal",
                loop_over_layers(node, source),
            )
            yield Hit(node, said, fix, harm=SCRIPT)


def in_loops(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`for layer in self.blocks[1:]`, `reversed(self.blocks)`, `self.blocks[1:](x)`."""
    for node in here.nodes(cst.Subscript):
        outer = source.enclosing(node, cst.Call)
        counted = outer is not None and source.name(outer.func) == "len"
        cut = isinstance(node.slice[0].slice, cst.Slice) and is_fixed(node) and not counted
        if cut and is_holder(node.value, source) and is_compiled(node, source):
            told = f"{source.code(node)} is a tuple there, whose modules cannot be called"
            remedy = "loop over all, and ask for the number: for i, layer in enumerate(self.blocks)"
            yield Hit(node, told, harm=SCRIPT, remedy=remedy)
    for call in here.nodes(cst.Call):
        given = call.args[0].value if len(call.args) == 1 else None
        turned = source.name(call.func) == "reversed" and given is not None
        if turned and given is not None and is_holder(given, source) and is_compiled(call, source):
            told = f"{source.code(call)}: modules are not turned round there"
            yield Hit(call, told, harm=SCRIPT, remedy="keep them in that order in __init__")


def in_zips(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """`zip(self.blocks, features[::-1])`."""
    for call in here.nodes(cst.Call):
        if source.name(call.func) != "zip" or len(call.args) < 2 or not is_compiled(call, source):
            continue
        held = any(is_holder(arg.value, source) for arg in call.args)
        if held and any(is_sliced(arg.value) for arg in call.args):
            told = "zip of modules and of a list, whose length the compiler does not see"
            yield Hit(call, told, harm=SCRIPT)


def is_holder(value: cst.BaseExpression, source: Source) -> bool:
    """`self.blocks` of a ModuleList."""
    if not is_self_attribute(value):
        return False
    made = {source.name(call.func) for call in source.built(value)}
    return bool(made) and made <= HOLDERS


def is_sliced(value: cst.BaseExpression) -> bool:
    """`features[::-1]` of a local name."""
    cut = isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Slice)
    return cut and isinstance(value, cst.Subscript) and isinstance(value.value, cst.Name)


def is_fixed(node: cst.Subscript) -> bool:
    """`[0]`, `[-1]`, `["a"]`, `[1:]`."""
    index = node.slice[0].slice
    if isinstance(index, cst.Slice):
        bounds = (index.lower, index.upper, index.step)
        return all(each is None or literal(each) is not UNKNOWN for each in bounds)
    return isinstance(index, cst.Index) and literal(index.value) is not UNKNOWN
