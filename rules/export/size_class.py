"""LT137: a question for the class of a size, which exporters answer otherwise than Python."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Decided
from lintorch.evaluator.exporters import EAGER, EVERYONE, TRACERS
from lintorch.evaluator.values import ByExporter
from lintorch.evidence import Outcome, Site, Trial
from lintorch.evidence.treatment import read_first_line, report_refusal
from lintorch.source import Source
from lintorch.syntax.python_ast import parse_or_empty

rule = Rule(
    __name__,
    code="LT137",
    summary="a question for the class of a size, which exporters answer otherwise than Python",
    why="""
        `isinstance(x.shape[2], int)` holds where a model just runs. Where it is exported, a size
        that varies is a `torch.SymInt` under `torch.export` and the new ONNX exporter, and a tensor
        under the legacy exporter and jit.trace: neither is an int, a float or a `numbers.Number`.
        So the other side of the branch is exported: an assertion fails, what follows takes a number
        for a tuple, or the exported model computes something else than the model, at the size of the
        example too. A traced size is `Iterable` and has a `__len__` besides, and `tuple(size)`
        raises "iteration over a 0-d tensor". `len(x)`, `x.dim()` and `int(size)` are ints
        everywhere. With `strict=True` torch.export answers as Python does, and so does the new ONNX
        exporter where it tries again after an error. Measured on torch 2.13.

        Ask for what is left, `isinstance(size, (tuple, list))`, or for all that a size may be,
        `isinstance(size, (int, torch.SymInt, torch.Tensor))`. The fix writes one of the two, of
        `type(size) == int`, `hasattr(size, "__len__")` and `isinstance(size, Iterable)` as well.
    """,
    bad="""
        import torch
        import torch.nn.functional as F
        from torch import nn


        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)

            def forward(self, image):
                size = 2 * image.shape[2]
                if isinstance(size, int):
                    size = (size, size)
                height, width = size
                return F.interpolate(self.conv(image), size=(height, width))
    """,
    good="""
        import torch
        import torch.nn.functional as F
        from torch import nn


        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 3, 1)

            def forward(self, image):
                size = 2 * image.shape[2]
                if isinstance(size, (int, torch.SymInt, torch.Tensor)):
                    size = (size, size)
                height, width = size
                return F.interpolate(self.conv(image), size=(height, width))
    """,
    remedy="ask isinstance(size, (tuple, list)), or (int, torch.SymInt, torch.Tensor)",
    proof="""
        import torch

        sizes = ({2: torch.export.Dim.DYNAMIC, 3: torch.export.Dim.DYNAMIC},)
        torch.export.export(Twice(), (torch.ones(1, 3, 8, 12),), dynamic_shapes=sizes)
    """,
    fix=Applicability.UNSAFE,
    severity=Severity.ERROR,
)

REFUSED = dict.fromkeys((*TRACERS, "torch.export"), Harm.REFUSED)
"""The new ONNX exporter tries again with dynamo, which answers as Python does."""
OTHER = dict.fromkeys(EVERYONE, Harm.SILENT)
_ASKING = frozenset({"isinstance", "type", "hasattr"})
_OF_SEQUENCES = frozenset({"tuple", "list", "len", "iter", "sorted", "zip", "enumerate", "map"})
_NUMBERS = frozenset(
    {"int", "float", "builtins.int", "builtins.float", "numbers.Number", "numbers.Real"}
    | {"numbers.Integral"}
)
_WRAPPING = frozenset({"tuple", "list", "int", "float", "repeat", "tensor", "as_tensor"})
"""Functions that a number is given to for another form of it."""
_PLAIN = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.expr_context, ast.Pass),
    *(ast.Return, ast.Assign, ast.Call, ast.BinOp, ast.Mult, ast.Expr, ast.keyword),
)


@rule.event(Decided)
def in_model(event: Decided, source: Source) -> Iterator[Hit]:
    """`if isinstance(size, int)`, of a size that varies."""
    if not (event.way.forward and source.profile.dynamic and isinstance(event.test, ByExporter)):
        return
    asked = find_asked(event.node)
    if asked is None or event.kind == "while":
        return
    said = "eager" in event.test.told
    exporters = event.way.exporters - EAGER
    others = [each for each in exporters if (each in event.test.told) is not said]
    weighed = weigh(event, asked, said, source).items() if others else ()
    harm = {name: kind for name, kind in weighed if name in others}
    if harm:
        text = source.evaluation.text(event.spot)
        message = f"`{text}` is {not said} where it is exported, and {said} elsewhere"
        yield Hit(event, message, ask_all(event, asked, source), harm)


def ask_all(event: Decided, asked: ast.expr, source: Source) -> Fix | None:
    """`isinstance(size, (int, torch.SymInt, torch.Tensor))`, where no side is for tensors alone."""
    test, around = find_test(event, asked, source), event.branch
    if test is None or not isinstance(around, (ast.If, ast.IfExp, ast.Assert)):
        return None
    name = ast.unparse(asked)
    others = [] if isinstance(around, ast.Assert) else list(ast.walk(around))
    if asks_sequence(test, source):
        text = f"isinstance({name}, (tuple, list))"
        return Fix(f"ask {text}", (source.replace(test, text),), Applicability.UNSAFE)
    classes = name_classes(test, source)
    if not classes or reads_attribute(name, others) or asks_axis(name, others):
        return None
    whole = classes not in (["int"], ["numbers.Integral"])
    more = ["torch.SymInt", *(["torch.SymFloat"] if whole else []), "torch.Tensor"]
    given = test.args[1].value if isinstance(test, cst.Call) else test.comparisons[0].comparator
    written = given.elements if isinstance(given, cst.Tuple) else [given]
    spelled = [source.reach(each, test) for each in more]
    if not all(each for each, _ in spelled):
        return None
    edits = dict.fromkeys(edit for _, needed in spelled for edit in needed)
    names = (*map(source.code, (each_class(w) for w in written)), *(each for each, _ in spelled))
    refused = isinstance(test, cst.Comparison) and is_refused(test)
    text = f"{'not ' if refused else ''}isinstance({name}, ({', '.join(names)}))"
    edit = source.replace(test, text)
    return Fix(f"ask {text}", (edit, *edits), Applicability.UNSAFE)


def each_class(written: cst.BaseExpression | cst.BaseElement) -> cst.BaseExpression:
    """One class of a tuple of them."""
    return written.value if isinstance(written, cst.BaseElement) else written


def find_test(event: Decided, asked: ast.expr, source: Source) -> cst.Call | cst.Comparison | None:
    """The call or comparison that asks, which may stand behind a `not`."""
    if event.spot.path != source.path:
        return None
    name = ast.unparse(asked)
    begins = (f"isinstance({name},", f"hasattr({name},", f"type({name}) ")
    rows = range(event.spot.row, event.spot.row + 3)
    asking: list[cst.Call | cst.Comparison]
    asking = [*source.nodes(cst.Call), *source.nodes(cst.Comparison)]
    for each in asking:
        if source.place(each).row in rows and source.code(each).startswith(begins):
            return each
    return None


def asks_sequence(test: cst.Call | cst.Comparison, source: Source) -> bool:
    """`hasattr(size, "__len__")`, `isinstance(size, Iterable)`, which hold of a traced size, too."""
    if not isinstance(test, cst.Call) or len(test.args) != 2:
        return False
    asked = test.args[1].value
    if source.code(test.func) == "hasattr":
        return isinstance(asked, cst.SimpleString) and asked.raw_value in ("__len__", "__iter__")
    return source.name(asked).rpartition(".")[2] in ("Iterable", "Sized", "Collection")


def is_refused(test: cst.Comparison) -> bool:
    """`type(size) != int`, `is not`, `not in`."""
    return isinstance(test.comparisons[0].operator, (cst.NotEqual, cst.IsNot, cst.NotIn))


def name_classes(test: cst.Call | cst.Comparison, source: Source) -> list[str]:
    """The classes of numbers that are asked for; [] where others are."""
    if isinstance(test, cst.Call):
        if source.code(test.func) != "isinstance" or len(test.args) != 2:
            return []
        given = test.args[1].value
    else:
        if len(test.comparisons) != 1:
            return []
        given = test.comparisons[0].comparator
    nodes = [e.value for e in given.elements] if isinstance(given, cst.Tuple) else [given]
    names = [source.name(each) or source.code(each) for each in nodes]
    return [each.removeprefix("builtins.") for each in names] if _NUMBERS.issuperset(names) else []


def find_asked(test: ast.AST) -> ast.expr | None:
    """What it is asked of, of which class it is."""
    for each in ast.walk(test):
        match each:
            case ast.Call(func=ast.Name(id=function), args=[first, *_]) if function in _ASKING:
                return first
    return None


def weigh(event: Decided, asked: ast.expr, said: bool, source: Source) -> dict[str, Harm]:
    """What comes of the other side for each exporter; nothing where it comes to the same."""
    branch = event.branch
    if isinstance(branch, ast.Assert):
        return REFUSED if said else {}
    if isinstance(branch, ast.IfExp):
        sides: list[list[ast.AST]] = [[branch.body], [branch.orelse]]
        behind: Sequence[ast.AST] = ()
    elif isinstance(branch, ast.If):
        sides = [[*branch.body], [*branch.orelse]]
        behind = source.evaluation.list_following(event)
    else:
        return {}
    mine, other = sides if said else sides[::-1]
    name = ast.unparse(asked)
    if other and isinstance(other[0], ast.Raise):
        return REFUSED
    if takes_sequence(name, [*other, *(behind if rewrites(name, mine) else ())]):
        return REFUSED
    if asks_axis(name, other):
        return dict.fromkeys(TRACERS, Harm.REFUSED)
    if reads_attribute(name, other):
        return {"torch.export": Harm.REFUSED}
    thought_of = "Tensor" in ast.unparse(event.node) or "Sym" in ast.unparse(event.node)
    return {} if thought_of or is_same_value(mine) else OTHER


def rewrites(name: str, side: Iterable[ast.AST]) -> bool:
    """Whether what follows is for what was asked as it came: it is set anew, or the function is left."""
    nodes = [node for each in side for node in ast.walk(each)]
    left = any(isinstance(node, ast.Return) for node in nodes)
    targets = (t for node in nodes if isinstance(node, ast.Assign) for t in node.targets)
    return left or any(ast.unparse(each) == name for each in targets)


def takes_sequence(name: str, nodes: Iterable[ast.AST]) -> bool:
    """Whether what was asked is used there as a tuple or list: `tuple(size)`, `size[0]`, `a, b = size`, `*size`."""
    return any(map(name.__eq__, (ast.unparse(each) for each in list_sequences(nodes))))


def list_sequences(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """What is used as a sequence."""
    for node in (inner for each in nodes for inner in ast.walk(each)):
        match node:
            case ast.Subscript(value=held) | ast.Starred(value=held):
                yield held
            case ast.For(iter=held) | ast.comprehension(iter=held):
                yield held
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=held):
                yield held
            case ast.Call(func=ast.Name(id=function), args=given) if function in _OF_SEQUENCES:
                yield from given


def asks_axis(name: str, nodes: Iterable[ast.AST]) -> bool:
    """`size.size(-1)`, of what a tracer makes a tensor without axes."""
    calls = (n for each in nodes for n in ast.walk(each) if isinstance(n, ast.Call) and n.args)
    return any(ast.unparse(each.func) == f"{name}.size" for each in calls)


def reads_attribute(name: str, nodes: Iterable[ast.AST]) -> bool:
    """`size.item()`, which no torch.SymInt has."""
    held = (n for each in nodes for n in ast.walk(each) if isinstance(n, ast.Attribute))
    return any(ast.unparse(each.value) == name for each in held)


def is_same_value(side: Iterable[ast.AST]) -> bool:
    """Whether a side gives no more than another form of what was asked: `(size, size)`, `[size] * 2`."""
    nodes = [node for each in side for node in ast.walk(each)]
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    named = all(getattr(f, "attr", getattr(f, "id", "")) in _WRAPPING for f in calls)
    return named and all(isinstance(node, _PLAIN) for node in nodes)


TAKEN = re.compile(
    r"SymInt'? (object|has no)|iterable SymInt|(iteration over|len\(\) of) a 0-d tensor"
)
"""How Python and torch refuse a size that is taken for a sequence, or read as a tensor."""


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """An export that ends at an assertion of a size's class, or where a size is taken for what it is none of."""
    site = outcome.site
    asserted = outcome.message.startswith("AssertionError")
    if site is not None and (asserted or TAKEN.search(outcome.message)):
        row = find_question(site, asserted)
        if row is not None:
            why = read_first_line(outcome.message)
            yield report_refusal(Site(site.path, row, site.function), outcome, why)


def find_question(site: Site, asserted: bool) -> int | None:
    """The row of the last question for a class, ahead of a line that reads what was asked; of an assertion, its own."""
    tree = parse_or_empty("".join(linecache.getlines(site.path)).encode())
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and spans(n, site.row)]
    inner = list(ast.walk(max(functions, key=lambda n: n.lineno))) if functions else []
    tests = [n.test for n in inner if isinstance(n, (ast.If, ast.IfExp)) and n.lineno <= site.row]
    if asserted:
        tests = [n.test for n in inner if isinstance(n, ast.Assert) and spans(n, site.row)]
    line = linecache.getline(site.path, site.row)
    return max((n.lineno for n in tests if is_asked_of(n, line)), default=None)


def is_asked_of(test: ast.expr, line: str) -> bool:
    """Whether a question for a class is about something that a line reads."""
    asked = find_asked(test)
    name = re.escape(ast.unparse(asked)) if asked is not None else ""
    return bool(name) and re.search(rf"(?<!\w){name}(?!\w)", line) is not None


def spans(node: ast.stmt | ast.expr, row: int) -> bool:
    """Whether it stands on a row."""
    return node.lineno <= row <= (node.end_lineno or 0)
