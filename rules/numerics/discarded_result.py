"""LT802: the result of a tensor operation that nothing takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import (
    FALSE,
    Tensor,
    Unknown,
    find_unproven,
)
from lintorch.facts.models.moved_before import is_there_already
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT802",
    summary="a tensor operation whose result is dropped",
    why="""
        Methods of tensors return a new tensor and leave theirs as it was, unless their name
        ends in an underscore. `x.to(device)`, `x.clamp(0, 1)` or `x.contiguous()` as a
        statement does nothing, silently. Only modules are moved in place by `to` and `cuda`;
        what is not surely a tensor is not reported; of what a loader gives it is one where operators
        or methods of tensors take it, and of a parameter where only tensors have the method.
        Measured on torch 2.13.

        The fix assigns the result, and so changes what the code after it works with.
    """,
    bad="""
        import torch


        def limited(scores: torch.Tensor):
            scores.clamp(0, 1)
            return scores
    """,
    good="""
        import torch


        def limited(scores: torch.Tensor):
            scores = scores.clamp(0, 1)
            return scores
    """,
    proof="""
        assert limited(torch.tensor([2.0])).max() <= 1
    """,
    fix=Applicability.UNSAFE,
)

ONLY_TENSORS = frozenset(
    {
        "expand", "expand_as", "clamp", "clamp_min", "clamp_max", "contiguous", "unsqueeze",
        "permute", "masked_fill", "masked_scatter", "index_fill", "index_add", "index_copy",
        "scatter", "scatter_add", "view", "view_as", "reshape", "flatten", "squeeze", "transpose",
        "detach", "type_as", "nan_to_num", "sigmoid", "softmax", "relu",
        "repeat_interleave", "movedim", "tril", "triu", "roll", "flip", "bfloat16", "long",
    }
)  # fmt: skip
"""Methods that give a new tensor or another view of it."""
ALSO_OTHERS = frozenset(
    ("to", "cuda", "float", "half", "double", "type", "add", "sub", "mul", "div", "exp", "log")
)
"""Methods of the same kind that modules, sets, batches and counters have too."""
METHODS = ONLY_TENSORS | ALSO_OTHERS
FUNCTIONS = ONLY_TENSORS | {"add", "sub", "mul", "div", "where"}
_IN_PLACE = ("out", "inplace")


@rule.event(
    *(f"torch.Tensor.{name}" for name in sorted(METHODS)),
    *(f"torch.{name}" for name in sorted(FUNCTIONS)),
)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    given = event.keyword
    in_place = event.open or any(given.get(name, FALSE) != FALSE for name in _IN_PLACE)
    asks_type = event.name.endswith(".type") and len(event.positional) < 2
    if in_place or asks_type or not source.evaluation.is_dropped(event):
        return
    if not is_tensor(event, source) or is_tried(event, source) or follows_write(event):
        return
    if ends_cell(event, source) or warms_up(event, source) or goes_elsewhere(event, source):
        return
    if is_there_already(event, source.evaluation.ways):
        return
    called = event.node.func if isinstance(event.node, ast.Call) else event.node
    tensor = name_tensor(called, event)
    shown = " ".join(ast.unparse(called).split())[-60:]
    said = tensor if len(tensor) < 30 else "its tensor"
    message = f"{shown}() leaves {said} as it was, and its result is dropped"
    cause = "moves" if shown.endswith((".cuda", ".to", ".cpu")) else ""
    fix, remedy = assigned(event, tensor, source), "assign it, or leave it out"
    yield Hit(event, message, fix, remedy=remedy, cause=cause)


def warms_up(event: Called, source: Source) -> bool:
    """`torch.zeros(1).cuda()`: the line is there to reach the GPU, with a tensor that nobody has."""
    match event.node:
        case ast.Call(func=ast.Attribute(value=ast.Call(), attr="to" | "cuda")):
            made = source.evaluation.ways.find_maker(event.positional[0])
            return isinstance(made, Called) and made.name in MADE
    return False


def goes_elsewhere(event: Called, source: Source) -> bool:
    """`x.to(device)` above `x = x.cpu()`: all that it is used for moves it first."""
    users = [e for e in source.evaluation.ways.find_users(event.positional[0]) if e is not event]
    names = {e.name if isinstance(e, Called) else "" for e in users}
    return bool(names) and event.name in MOVES and names <= MOVES


MOVES = frozenset(f"torch.Tensor.{name}" for name in ("to", "cuda", "cpu"))


@rule.source(cst.Expr, needs=("training ==", "requires_grad ==", "] =="))
def in_statement(statement: cst.Expr, source: Source) -> Iterator[Hit]:
    """`layer.training == True` as a statement: nothing is set."""
    match statement.value:
        case cst.Comparison(left, comparisons=[cst.ComparisonTarget(operator=cst.Equal() as sign)]):
            held = source.code(left)
        case _:
            return
    if SETTING.search(held) and source.enclosing(statement, cst.With, cst.Try) is None:
        said = f"{held} is compared, not set, and nothing takes the answer"
        fix = Fix("write =", (source.replace(sign, "="),), Applicability.UNSAFE)
        yield Hit(statement, said, fix, remedy="write =, or leave it out")


SETTING = re.compile(r"\.(training|requires_grad)$|param_groups\[.*\]\[.*\]$|group\[.*\]$")
"""What one sets by assignment."""


MADE = frozenset(
    f"torch.{name}" for name in ("zeros", "ones", "empty", "rand", "randn", "tensor", "Tensor")
)


def ends_cell(event: Called, source: Source) -> bool:
    """Whether it is the last line of a notebook's cell, which shows what that gives."""
    if not source.path.endswith(".ipynb") or event.spot.column:
        return False
    rows = source.text.split("\n")[event.spot.end_row :]
    following = next((row for row in rows if row.strip() and not _COMMENT.match(row)), "")
    return not following or following.startswith("#")


_COMMENT = re.compile(r"#(?! -+ cell \d+$)")
"""Not what stands between two cells."""


def follows_write(event: Called) -> bool:
    """`y.scatter_(1, index, 1).float()`: the line is there for what is written in place."""
    called = event.node.func if isinstance(event.node, ast.Call) else None
    inner = called.value if isinstance(called, ast.Attribute) else None
    written = inner.func if isinstance(inner, ast.Call) else None
    return isinstance(written, ast.Attribute) and written.attr.endswith("_")


@rule.event(UnknownCalled)
def in_batches(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """`x.to(device)` of what a loader gives, and torch's functions take as a tensor."""
    if event.method not in ("to", "cuda") or not isinstance(event.held, Unknown):
        return
    if not event.held.path.endswith("]") or not source.evaluation.is_dropped(event):
        return
    called = event.node.func if isinstance(event.node, ast.Call) else None
    if not isinstance(called, ast.Attribute):
        return
    if not is_used_as_tensor(event, source) and not is_unpacked(called.value, event, source):
        return
    if MODULES_OWN & source.evaluation.parts.list_uses(event.held, event):
        return
    tensor = ast.unparse(called.value)
    message = f"{tensor}.{event.method}() leaves {tensor} where it was"
    remedy = f"write {tensor} = {tensor}.{event.method}(…)"
    yield Hit(event, message, assigned(event, tensor, source), remedy=remedy)


@rule.event(UnknownCalled)
def of_unknown(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """`x.masked_fill(bad, 0)`: of a parameter that this says is a tensor, as no class here has the method."""
    if event.method not in NO_OTHERS or not source.evaluation.is_dropped(event):
        return
    called = event.node.func if isinstance(event.node, ast.Call) else None
    named = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
    given = event.given.keyword.get("out", event.given.keyword.get("inplace"))
    if not named or not isinstance(called, ast.Attribute) or given is not None:
        return
    own = re.compile(rb"def %s\(" % event.method.encode())
    if is_written_around(own, source.path, source.consulted) or is_tried(event, source):
        return
    tensor = ast.unparse(called.value)
    if f"{tensor}." in ast.unparse(event.node).removeprefix(f"{tensor}."):
        return  # `data.masked_fill(data.mask, 0)`: a record with methods of its own
    message = f"{tensor}.{event.method}() leaves {tensor} as it was, and its result is dropped"
    yield Hit(event, message, assigned(event, tensor, source), remedy="assign it, or leave it out")


NO_OTHERS = frozenset(
    {
        "masked_fill", "masked_scatter", "unsqueeze", "permute", "type_as", "contiguous", "clamp",
        "clamp_min", "clamp_max", "index_fill", "expand_as", "nan_to_num",
    }
)  # fmt: skip
"""Methods that nothing has but tensors, and classes of one's own."""


def is_used_as_tensor(event: UnknownCalled, source: Source) -> bool:
    """Whether what it is called on is given to operators or has methods that only tensors have."""
    held, ways = event.held, source.evaluation.ways
    if any(is_operator_call(each) for each in ways.find_users(held)):
        return True
    return bool(SURELY & source.evaluation.parts.list_uses(held, event))


def is_unpacked(held: ast.expr, event: UnknownCalled, source: Source) -> bool:
    """Whether it is `x` of `for x, y in loader`: batches that move themselves come alone."""
    loop = source.evaluation.find_loop(event)
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or _MOVE_THEMSELVES.search(source.text):
        return False
    inner = [e for e in ast.walk(loop.target) if isinstance(e, ast.Tuple)]
    pair = inner[-1].elts if inner else []
    over = ast.unparse(loop.iter)
    name = held.id if isinstance(held, ast.Name) else ""
    if name not in [ast.unparse(each) for each in pair] or not _TENSORS.fullmatch(name):
        return False
    given = [e for part in loop.body for e in ast.walk(part) if isinstance(e, ast.Call)]
    used = any(isinstance(a, ast.Name) and a.id == name for each in given for a in each.args)
    return used and bool(_LOADERS.search(over))


_LOADERS = re.compile(r"load|(^|_)dl\b|batches|_iter\b", re.I)
_TENSORS = re.compile(
    r"(batch_?)?(x|y|src|tgt|trg|gt|ids|lbl|(im(g|age)|input|label|target|feature|feat|mask|token|frame"
    r"|input_id|wave(form)?|spectrogram|mel)s?)(_?(batch|\d))?",
    re.I,
)
_MOVE_THEMSELVES = re.compile(
    r"geometric|\bdgl\b|BatchEncoding|BatchFeature|transformers|torchtext"
)
"""Packages whose batches `to(device)` moves in place, or may."""


def is_operator_call(event: object) -> bool:
    if isinstance(event, Combined):
        return any(isinstance(v, Tensor) and v.sure for v in (event.left, event.right))
    known = isinstance(event, Called) and event.name.startswith("torch.")
    return known and isinstance(event, Called) and isinstance(event.result, Tensor)


SURELY = frozenset(
    {
        "view", "unsqueeze", "squeeze", "permute", "contiguous", "detach", "float", "long", "view_as",
        "reshape", "argmax",
    }
)  # fmt: skip


MODULES_OWN = frozenset({"eval", "train", "parameters", "named_parameters", "load_state_dict"})
"""What no tensor has: `to()` of what has it moves it in place."""


def is_tensor(event: Called, source: Source) -> bool:
    """Whether what is left as it was is surely a tensor, not by such dropped calls alone."""
    first = event.positional[0] if event.positional else event.keyword.get("input")
    if isinstance(first, Unknown) and not event.name.startswith("torch.Tensor."):
        return True  # functions of torch take nothing else
    if not isinstance(first, Tensor) or not first.sure:
        return False
    held = find_unproven(first)
    if held is first or (isinstance(held, Unknown) and "[" in held.path):
        return True
    users = source.evaluation.ways.find_users(held)  # `boxes.unsqueeze(0)` may change itself
    return any(not source.evaluation.is_dropped(each) for each in users)


def name_tensor(called: ast.AST, event: Called) -> str:
    """How the tensor is written."""
    if event.name.startswith("torch.Tensor.") and isinstance(called, ast.Attribute):
        return ast.unparse(called.value)
    given = event.node.args if isinstance(event.node, ast.Call) else []
    return ast.unparse(given[0]) if given else "its tensor"


def is_tried(event: Called | UnknownCalled, source: Source) -> bool:
    """Whether a statement is only there to see if it raises, or how long it takes."""
    inner: ast.AST = event.node
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, ast.Try) and inner is outer.body[-1]:
            return True
        if isinstance(outer, ast.With) and "raises" in ast.unparse(outer.items[0]).lower():
            return True
        if isinstance(outer, (ast.For, ast.While)) and outer.body == [inner]:
            return is_timed(event, source)
        if isinstance(outer, ast.FunctionDef):
            return False
        inner = outer
    return False


def is_timed(event: Called | UnknownCalled, source: Source) -> bool:
    """Whether the function reads a clock, and what is called on is a result that nothing holds."""
    function, node = source.evaluation.find_function(event), event.node
    made = (
        node.func.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else None
    )
    text = source.text if function is None else ast.unparse(function)
    return isinstance(made, ast.Call) and bool(_CLOCK.search(text))


_CLOCK = re.compile(r"\btime\.time\(|perf_counter|monotonic|elapsed_time|timeit")


def assigned(event: Called | UnknownCalled, tensor: str, source: Source) -> Fix | None:
    """`x = x.clamp(0, 1)` of a name; an attribute may be a parameter, which takes no tensor."""
    call = source.call_at(event)
    if call is None or not tensor.isidentifier():
        return None
    edit = source.replace(call, f"{tensor} = {source.code(call)}")
    return Fix("assign the result", (edit,), Applicability.UNSAFE)
