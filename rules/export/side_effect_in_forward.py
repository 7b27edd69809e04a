"""LT113: a random number that Python or NumPy draws in forward, which a graph keeps for ever."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.make_arguments import pair_defaults
from lintorch.evaluator.values import Tensor, Value
from lintorch.evidence import FeltDraw, Trace, UnusedDraw
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.models.branch_purpose import only_checks
from lintorch.facts.models.torch_draws import write_draw
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT113",
    summary="a random number drawn by Python or NumPy in forward",
    why="""
        What `random` and `numpy.random` draw while a model is exported becomes a constant: every
        call of the exported model uses the same number, takes the same branch, keeps the same
        order. No exporter warns, and jit.script refuses. `torch.rand` is drawn anew by each call.
        Printing, logging and the clock do no harm: they happen while the model is exported, and
        never again. Measured on torch 2.13. Augmentations, which nobody exports, are not meant.

        Draw with `torch.rand`, or only where `self.training` is set. The fix draws one number so,
        of the same spread, where tensors are worked out of it: measured, torch.export, both ONNX
        exporters and jit.trace draw it anew at each call. A seed gives other numbers than before.
        What picks a branch, a layer or an order is left to the author, as no exporter follows that.
    """,
    bad="""
        import random

        import torch
        from torch import nn

        random.seed(0)
        torch.manual_seed(0)


        class Jitter(nn.Module):
            def forward(self, x):
                return x + random.uniform(-0.1, 0.1)
    """,
    good="""
        import random

        import torch
        from torch import nn

        random.seed(0)
        torch.manual_seed(0)


        class Jitter(nn.Module):
            def forward(self, x):
                return x + (torch.rand(()) * 0.2 - 0.1)
    """,
    remedy="draw with torch.rand, torch.randn or torch.randint, which stay in the graph",
    proof="""
        import torch

        x = torch.ones(2, 3)
        program = torch.export.export(Jitter(), (x,)).module()
        assert not torch.equal(program(x), program(x))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

HARM = {
    **dict.fromkeys(("torch.export", "onnx", "onnx-legacy", "torchscript-trace"), Harm.SILENT),
    "torchscript-script": Harm.REFUSED,
}
DRAWS = frozenset(
    f"{module}{name}"
    for module in ("random.", "numpy.random.")
    for name in (
        "random", "rand", "randn", "randint", "randrange", "uniform", "normal", "gauss", "choice",
        "choices", "sample", "shuffle", "permutation", "betavariate", "beta", "normalvariate",
        "random_sample", "binomial", "poisson",
    )
)  # fmt: skip
AUGMENTS = re.compile(
    r"Aug|Random|Mix(up)?$|Transform|Erasing|Cut(out|mix)|Mask(ing|Generator)", re.I
)


APART = re.compile(r"^(print|repr|str|format|(str|logging|warnings)\.\w+|set|frozenset)$")
"""What tells a number, and sets, of which no tensor is made: neighbours in a graph."""


@rule.event(*DRAWS)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    if not event.way.forward or augments(event, source):
        return
    if is_out_of_reach(event, source) or is_seeded(event, source):
        return
    if event.name.endswith("shuffle") or is_used(event, source):
        written = ast.unparse(event.node.func) if isinstance(event.node, ast.Call) else event.name
        said = f"{written}() is drawn once, for the example"
        reached = weigh_draw(event, source)
        fix, remedy = draw_by_torch(event, source), name_argument(event, source)
        yield Hit(event, said, fix, harm=HARM, severity=reached, cause="draws", remedy=remedy)


def weigh_draw(event: Called, source: Source) -> Severity | None:
    """How grave a draw is: where nobody says what exports, most models draw in training alone."""
    if not source.profile.is_chosen:
        return Severity.NOTE
    return None if event.way.certain else Severity.WARNING  # such as where styles are mixed


def name_argument(event: Called, source: Source) -> str | None:
    """What to give the model to keep chance out, where a share that it is given decides: teacher forcing."""
    function = source.evaluation.find_function(event)
    if not isinstance(function, ast.FunctionDef) or function.name != "forward":
        return None
    names = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    for outer in source.evaluation.list_around(event):
        match outer:
            case ast.Compare(
                left=left, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Name(id=name)]
            ):
                if left is event.node and name in names:
                    return f"export with {name}=0, by which nothing is left to chance"
    return None


def is_out_of_reach(event: Called, source: Source) -> bool:
    """Whether a draw of 0 to 1 is compared with a share of forward that is 0 unless somebody gives one."""
    function = source.evaluation.find_function(event)
    if not event.name.endswith((".random", ".rand")) or not isinstance(function, ast.FunctionDef):
        return False
    pairs = pair_defaults(function.args)
    none = {a.arg for a, d in pairs if isinstance(d, ast.Constant) and d.value == 0}
    return function.name == "forward" and any(
        isinstance(each, ast.Compare)
        and each.left is event.node
        and isinstance(each.ops[0], ast.Lt)
        and isinstance(each.comparators[0], ast.Name)
        and each.comparators[0].id in none
        for each in source.evaluation.list_around(event)
    )


def is_seeded(event: Called, source: Source) -> bool:
    """Whether a function on the way sets the seed: each call draws the same then, as the graph does."""
    seed = "numpy.random.seed" if event.name.startswith("numpy.") else "random.seed"
    calls = (each for each in source.nodes(cst.Call) if source.name(each.func) == seed)
    return any(name_around(each, source) in event.way.names for each in calls)


def name_around(node: cst.CSTNode, source: Source) -> str:
    """`Net.forward` of what stands in it."""
    function, owner = (source.enclosing(node, kind) for kind in (cst.FunctionDef, cst.ClassDef))
    named = function.name.value if isinstance(function, cst.FunctionDef) else ""
    return f"{owner.name.value}.{named}" if isinstance(owner, cst.ClassDef) else named


@rule.trace(FeltDraw)
def in_trace(event: FeltDraw, trace: Trace) -> Iterator[Hit]:
    named = any(AUGMENTS.search(n) for n in (event.site.function, event.layer_class))
    if not named and not names_data(event.site.path):
        drawn = f"{event.function}() is drawn once, for the example"
        yield Hit(event, f"{drawn}; with another draw {event.change}", harm=HARM)


@rule.trace(UnusedDraw)
def in_run(event: UnusedDraw, trace: Trace) -> Iterator[Refuted]:
    if all(map(is_whole_run, trace.runs)):
        yield Refuted(event, "in eval mode nothing looks at the number that is drawn here")


def names_data(path: str) -> bool:
    """Whether a file or its folder is named as one that changes training data; chance alone says nothing."""
    parts = Path(path).with_suffix("").parts[-2:]
    return any(AUGMENTS.search(re.sub("random", "", each, flags=re.I)) for each in parts)


def is_used(event: Called, source: Source) -> bool:
    """Whether what is drawn does more than to be told, to decide what is told, or to be kept in a set."""
    if source.evaluation.is_dropped(event) or is_read_by(event, source, list_told):
        return False
    if is_read_by(event, source, list_trained):
        return False
    users = source.evaluation.ways.find_users(event.result)
    told = [isinstance(each, Called) and APART.match(each.name) for each in users]
    if users and all(told):
        return False
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, ast.JoinedStr) or is_outvoted(outer):
            return False
        if isinstance(outer, ast.stmt):
            checks = isinstance(outer, (ast.If, ast.Assert)) and only_checks(outer)
            return not (checks or (isinstance(outer, ast.If) and only_shows(outer)))
    return True


def only_shows(line: ast.stmt) -> bool:
    """`if random.random() < 0.02: self.visualize(x)`: a picture now and then, and nothing else."""
    match line:
        case ast.If(body=body, orelse=other):
            return all(map(only_shows, (*body, *other)))
        case ast.With(body=body):
            return all(map(only_shows, body))
        case ast.Expr(value=ast.Call(func=func)):
            return bool(SHOWS.match(getattr(func, "attr", getattr(func, "id", ""))))
    return isinstance(line, ast.Pass)


SHOWS = re.compile(
    r"_?(vis|visualize|plot|show|log|print|add_(image|figure|scalar|histogram))(_|$|s$)"
)
"""Names of what looks at tensors."""


def is_read_by(
    event: Called, source: Source, list_within: Callable[[ast.AST], Iterator[ast.AST]]
) -> bool:
    """Whether it is given a name that is read in such code alone: in texts, such as the name of a file."""
    function = source.evaluation.find_function(event)
    line = next((e for e in source.evaluation.list_around(event) if isinstance(e, ast.stmt)), None)
    if function is None or not isinstance(line, ast.Assign) or line.value is not event.node:
        return False
    match line.targets:
        case [ast.Name(id=name)]:
            named = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
            reads = [n for n in named if isinstance(n.ctx, ast.Load)]
            within = {inner for each in ast.walk(function) for inner in list_within(each)}
            return bool(reads) and all(each in within for each in reads)
    return False


def list_told(node: ast.AST) -> Iterator[ast.AST]:
    """What is written into a text: `f"{x}"`, `"%d" % x`, `"{}".format(x)`, `str(x)`."""
    match node:
        case ast.JoinedStr():
            yield from ast.walk(node)
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=right):
            yield from ast.walk(right)
        case (
            ast.Call(func=ast.Name(id="str" | "print" | "repr"))
            | ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format"))
        ):
            yield from ast.walk(node)


def list_trained(node: ast.AST) -> Iterator[ast.AST]:
    """What is asked in training alone: `self.training and drawn < p`, `not self.training or drawn > p`."""
    if isinstance(node, ast.BoolOp):
        wanted = "self.training" if isinstance(node.op, ast.And) else "not self.training"
        if ast.unparse(node.values[0]) == wanted:
            yield from (inner for each in node.values[1:] for inner in ast.walk(each))


def is_outvoted(node: ast.AST) -> bool:
    """`drawn > p or not self.training`: outside of training it holds, whatever is drawn."""
    if not isinstance(node, ast.BoolOp):
        return False
    wanted = "self.training" if isinstance(node.op, ast.And) else "not self.training"
    return any(ast.unparse(each) == wanted for each in node.values)


def draw_by_torch(event: Called, source: Source) -> Fix | None:
    """`torch.rand(())` for `random.random()`, where tensors are worked out of it by operators alone."""
    call = source.call_at(event)
    if call is None or event.keyword or any(a.star or a.keyword for a in call.args):
        return None
    if not meets_tensors(event.result, source):
        return None
    spelled, edits = source.reach("torch", call)
    text = write_draw(event.name, [write_number(arg.value, source) for arg in call.args], spelled)
    if not spelled or not text:
        return None
    edit = source.replace(call, source.fitted(text, call) if " " in text else text)
    return Fix(f"draw by {text}", (edit, *edits), Applicability.UNSAFE)


def write_number(value: cst.BaseExpression, source: Source) -> str:
    """A number without the brackets round it, else what is written."""
    number = literal(value)
    return repr(number) if type(number) in (int, float) else source.code(value)


def meets_tensors(value: Value, source: Source) -> bool:
    """Whether all that takes a value, or what is worked out of it, is an operation with a tensor."""
    users = source.evaluation.ways.find_users(value)
    return bool(users) and all(
        isinstance(each, Combined)
        and not (each.inplace and each.left is value)
        and (isinstance(each.result, Tensor) or meets_tensors(each.result, source))
        for each in users
    )


def augments(event: Called, source: Source) -> bool:
    """Whether a class, function or file on the way is named as one that changes training data."""
    return any(map(AUGMENTS.search, event.way.names)) or names_data(event.spot.path)
