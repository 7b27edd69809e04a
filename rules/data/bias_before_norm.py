"""LT507: a bias that the norm right behind it takes away again."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, IdleRow, Occurrence
from lintorch.evaluator.values import TRUE, Tensor
from lintorch.evidence import NormedBias, Site, Trace
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.models.unasked_biases import sets_biases
from lintorch.facts.models.value_ways import ValueWays
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT507",
    summary="a bias that the norm after it subtracts",
    why="""
        BatchNorm and InstanceNorm subtract the mean of each channel, and with it any constant
        that the layer before them added. The bias gets no gradient but rounding noise, and
        still costs memory, an optimizer state, and an operation in training. With bias=False
        the model computes the same. Measured on torch 2.13.

        The fix takes a key out of the state_dict: a checkpoint saved before it no longer loads
        strictly, and one that was trained with the bias has it in its running mean.
    """,
    bad="""
        from torch import nn

        block = nn.Sequential(
            nn.Conv2d(3, 16, 3),
            nn.BatchNorm2d(16),
            nn.ReLU(),
        )
    """,
    good="""
        from torch import nn

        block = nn.Sequential(
            nn.Conv2d(3, 16, 3, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
        )
    """,
    proof="""
        block(torch.randn(4, 3, 16, 16)).square().sum().backward()
        for weight in block.parameters():
            assert weight.grad.abs().max() > 1e-2, f"{tuple(weight.shape)} does not learn"
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

BIASED = frozenset(
    {"Linear", *(f"{kind}{axes}d" for kind in ("Conv", "ConvTranspose") for axes in (1, 2, 3))}
)
NORMS = frozenset(
    {
        "SyncBatchNorm",
        *(f"{kind}Norm{axes}d" for kind in ("Batch", "Instance") for axes in (1, 2, 3)),
    }
)


@rule.event(*(f"torch.nn.{name}.forward" for name in sorted(NORMS)))
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    """`self.norm(self.conv(x))`, in a row or in lines of whatever functions."""
    yield from judge_norm(event, source.evaluation.ways, source)


@rule.event(IdleRow)
def in_row(event: IdleRow, source: Source) -> Iterator[Hit]:
    """The same in a Sequential that nothing of the file runs."""
    for each in event.happened:
        if isinstance(each, Called) and name_layer(each) in NORMS:
            yield from judge_norm(each, ValueWays(event.happened), source)


@rule.trace(NormedBias)
def in_trace(event: NormedBias, trace: Trace) -> Iterator[Hit | Refuted]:
    """All layers that the line made, in all runs."""
    if not all(map(is_whole_run, trace.runs)):
        return
    said = [
        e
        for run in trace.runs
        for e in run.events
        if isinstance(e, NormedBias) and e.site == event.site
    ]
    kind, name = event.kind, trace.record.qualname
    if other := next((e for e in said if not e.normed), None):
        taken = other.other or "nothing"
        yield Refuted(event, f"in {name} what {other.layer} puts out is taken by {taken}")
    elif len(said) == len(trace.runs) and not passes_on(event.site):
        norm, shape = event.norm, list(event.shape)
        message = f"{norm} alone took the {shape} of this {kind}, and with the mean its bias"
        yield Hit(event, message, confirms=not all(e.whole for e in said))


def passes_on(site: Site) -> bool:
    """Whether a line makes layers with a bias that its caller decides: `bias=bias`."""
    try:
        tree = ast.parse("".join(linecache.getlines(site.path)))
    except SyntaxError:
        return False
    return any(
        isinstance(node, ast.Call)
        and node.lineno <= site.row <= (node.end_lineno or 0)
        and any(k.arg == "bias" and not isinstance(k.value, ast.Constant) for k in node.keywords)
        for node in ast.walk(tree)
    )


def judge_norm(event: Called, ways: ValueWays, source: Source) -> Iterator[Hit]:
    """A layer with a bias, and a norm that is run on its output."""
    biased = find_biased(event, ways)
    if biased is None or biased.built is None or biased.built.path != source.path:
        return
    making = source.evaluation.find_making(biased)
    if making is None or not is_fixed(making, source):
        return
    if any(not is_normed(each, ways, source) for each in ways.find_runs(biased.built)):
        return
    if asks_bias(making, source) or is_chosen(event, biased, making, source):
        return
    norm, kind = name_layer(event), name_layer(biased)
    message = f"{norm} subtracts the mean, and with it the bias of this {kind}"
    taken = sets_biases(kind, source.text, source.consulted)
    yield Hit(making, message, None if taken else leave_out(making, source))


def find_biased(norm: Called, ways: ValueWays) -> Called | None:
    """The layer with a bias whose output a norm takes."""
    made = ways.find_maker(norm.positional[1]) if len(norm.positional) == 2 else None
    if not isinstance(made, Called) or name_layer(made) not in BIASED:
        return None
    if name_layer(made) == "Linear":
        axes = made.result.shape if isinstance(made.result, Tensor) else None
        if name_layer(norm) == "InstanceNorm1d" or (axes is not None and len(axes) > 2):
            return None
    return made if made.settings.get("bias") == TRUE else None


def is_normed(run: Called, ways: ValueWays, source: Source) -> bool:
    """Whether what a layer gives is taken by a norm alone, one that no caller chooses."""
    users = ways.find_users(run.result)
    if len({id(each) for each in users}) != 1 or ways.is_kept(run.result):
        return False
    norm = users[0]
    if not isinstance(norm, Called) or find_biased(norm, ways) is not run:
        return False
    making = source.evaluation.find_making(norm)
    named = making is not None and names_class(making, source)
    alone = run.node is not norm.node and is_handed_on(run, source)
    return name_layer(norm) in NORMS and named and not alone


def is_chosen(norm: Called, biased: Called, making: Occurrence, source: Source) -> bool:
    """Whether a branch decides that there is a norm, which the layer is made, or run, outside of."""
    made = source.evaluation.find_making(norm)
    pairs = [(norm, biased), *([(made, making)] if made is not None else [])]
    for inner, outer in pairs:
        beside = {id(each) for each in source.evaluation.list_around(outer)}
        if any(id(each) not in beside for each in list_tests(inner, source)):
            return True
    return False


def list_tests(event: Occurrence, source: Source) -> Iterator[ast.AST]:
    """The branches around something, in its function; at the head of a file all are decided."""
    tests: list[ast.AST] = []
    for each in source.evaluation.list_around(event):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from tests
            return
        if isinstance(each, (ast.If, ast.IfExp, ast.Match)):
            tests.append(each)


def is_handed_on(run: Called, source: Source) -> bool:
    """Whether the function gives back, or puts into a list, the name that a result is given."""
    function = source.evaluation.find_function(run)
    outer = next(source.evaluation.list_around(run), None)
    targets = outer.targets if isinstance(outer, ast.Assign) else []
    names = {each.id for each in targets if isinstance(each, ast.Name)}
    if function is None or outer is None or not names:
        return False
    later = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and each.id in names and each.lineno > run.spot.end_row
    ]
    again = min((e.lineno for e in later if isinstance(e.ctx, ast.Store)), default=None)
    held = {id(item) for each in ast.walk(function) for item in list_held(each)}
    return any(id(each) in held and (again is None or each.lineno <= again) for each in later)


def list_held(node: ast.AST) -> list[ast.expr | None]:
    """What a statement gives back, or a display holds, as it is."""
    if isinstance(node, ast.Return):
        return [node.value]
    if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
        return [*(node.values if isinstance(node, ast.Dict) else node.elts)]
    return []


def name_layer(event: Called) -> str:
    """`Conv2d` of `torch.nn.Conv2d.forward`; "" of what is no layer's."""
    whole = event.name.startswith("torch.nn.") and event.name.endswith(".forward")
    return event.name.removesuffix(".forward").rpartition(".")[2] if whole else ""


def is_fixed(making: Occurrence, source: Source) -> bool:
    """Whether the layer and its bias are what is written there, and no caller decides either."""
    node = making.node
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return False
    given = next((k.value for k in node.keywords if k.arg == "bias"), None)
    plain = given is None or isinstance(given, ast.Constant)
    starred = any(isinstance(each, ast.Starred) for each in node.args)
    return plain and not starred and names_class(making, source)


def names_class(making: Occurrence, source: Source) -> bool:
    """Whether a layer's class is written where it is made: it is no parameter, no attribute of an object."""
    node = making.node.func if isinstance(making.node, ast.Call) else making.node
    if isinstance(node, ast.Attribute):
        return not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    if not isinstance(node, ast.Name):
        return False
    return not any(
        node.id in {each.arg for each in list_parameters(around)}
        for around in source.evaluation.list_around(making)
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    )


def list_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    spec = function.args
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]


def asks_bias(making: Occurrence, source: Source) -> bool:
    """Whether code asks for the bias of the attribute that holds the layer: `self.conv.bias`."""
    holders = {ast.unparse(t) for t in list_targets(making, source)}
    around = [
        each for each in source.evaluation.list_around(making) if isinstance(each, ast.ClassDef)
    ]
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == "bias"
        and ast.unparse(each.value) in holders
        for each in (ast.walk(around[0]) if around else ())
    )


def list_targets(making: Occurrence, source: Source) -> list[ast.expr]:
    """What a layer is assigned to where it is made."""
    outer = next(source.evaluation.list_around(making), None)
    return outer.targets if isinstance(outer, ast.Assign) else []


def leave_out(making: Occurrence, source: Source) -> Fix | None:
    call = source.call_at(making)
    if call is None:
        return None
    written = next((a for a in call.args if a.keyword and a.keyword.value == "bias"), None)
    edit = (
        source.replace(written.value, "False")
        if written is not None
        else source.insert_argument(call, "bias=False")
    )
    return Fix("leave the bias out", (edit,), Applicability.UNSAFE)
