"""LT123: Python statements and expressions that TorchScript does not compile."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.compiled_code import CompiledCode, report_compiled
from lintorch.facts.exporting.script_terms import SCRIPT
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT123",
    summary="Python that TorchScript does not compile",
    why="""
        torch.jit.script compiles the text of a function and of all it calls, and of the forward of
        every part of a model, called or not. It knows a part of Python: try, lambda, yield, sets,
        `:=`, match, imports and functions in functions are refused wherever they stand, even in a
        branch that only training or only Python takes. So are `else` after a loop, comprehensions
        with `if` or a second `for`, formats in f-strings, annotations without a value and arguments
        from a dict. Measured on torch 2.13. Write it out, or move it to a method marked
        `torch.jit.unused`.

        What is refused for other reasons are rules of their own, which this code still selects and
        suppresses: parameters (LT141), calls (LT142), lists of modules (LT143), attributes (LT144)
        and empty lists (LT145).

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or
        `unused` are not compiled.
    """,
    bad="""
        import torch


        def doubled(x):
            twice = lambda y: y * 2
            return twice(x)


        def compiled():
            return torch.jit.script(doubled)
    """,
    good="""
        import torch


        def doubled(x):
            return x * 2


        def compiled():
            return torch.jit.script(doubled)
    """,
    remedy="move it into a function that the exported code does not call",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
)

INSTEAD: dict[type[cst.CSTNode], str] = {
    cst.Lambda: "write a function at the top of the file",
    cst.FunctionDef: "write it at the top of the file, or as a method",
    cst.ClassDef: "write it at the top of the file",
    cst.Import: "import it at the top of the file",
    cst.ImportFrom: "import it at the top of the file",
    cst.NamedExpr: "assign it in a line of its own",
    cst.Match: "write it as if and elif",
    cst.Set: "use a list, or a dict",
    cst.SetComp: "use a list, or a dict",
}
NEVER: dict[type[cst.CSTNode], str] = {
    cst.Yield: "yield", cst.Try: "try", cst.TryStar: "try", cst.Lambda: "a lambda",
    cst.Global: "global", cst.FunctionDef: "a function in a function",
    cst.ClassDef: "a class in a function", cst.Import: "an import", cst.ImportFrom: "an import",
    cst.NamedExpr: ":=", cst.Match: "match", cst.Set: "a set", cst.SetComp: "a set",
}  # fmt: skip
"""Refused wherever it stands."""


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    yield from report_compiled(source, in_text)


def in_text(here: CompiledCode, source: Source) -> Iterator[Hit]:
    """What is refused in any branch."""
    for kind, told in NEVER.items():
        for node in here.nodes(kind):
            yield Hit(node, f"{told} is not compiled", harm=SCRIPT, remedy=INSTEAD.get(kind))
    loops: Iterator[cst.For | cst.While] = here.nodes(cst.For, cst.While)
    for loop in loops:
        if loop.orelse is not None:
            yield Hit(
                loop.orelse,
                "else after a loop is not compiled",
                harm=SCRIPT,
                remedy="ask a flag after the loop",
            )
    for part in here.nodes(cst.CompFor):
        if part.ifs or part.inner_for_in is not None:
            yield Hit(
                part,
                "a comprehension with if or a second for is not compiled",
                harm=SCRIPT,
                remedy="write it as a for loop that appends",
            )
    for text in here.nodes(cst.FormattedStringExpression):
        if text.format_spec is not None or text.conversion or text.equal:
            yield Hit(
                text,
                "a format in an f-string is not compiled",
                harm=SCRIPT,
                remedy='write "{}".format(value)',
            )
    for assign in here.nodes(cst.AnnAssign):
        if assign.value is None:
            yield Hit(
                assign,
                "an annotation without a value is not compiled",
                harm=SCRIPT,
                remedy="give it a value",
            )
    for arg in here.nodes(cst.Arg):
        if arg.star == "**":
            yield Hit(
                arg,
                "keyword arguments from a dict are not compiled",
                harm=SCRIPT,
                remedy="name each argument",
            )
