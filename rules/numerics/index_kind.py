"""LT805: a value of a kind that an operation does not take, told by how it is written."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed, ItemSet, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled, UnknownMethod
from lintorch.evaluator.values import (
    Constant,
    Held,
    Items,
    Number,
    Slice,
    Tensor,
    Unknown,
    Value,
)
from lintorch.facts.models.gradient_flow import GradientFlow
from lintorch.facts.models.gradient_graphs import has_weights
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.unreduced_losses import is_unreduced
from lintorch.facts.models.value_ways import is_common
from lintorch.source import Source, literal
from lintorch.syntax.tree import ends_in_jump

rule = Rule(
    __name__,
    code="LT805",
    summary="an index, mask or sequence of the wrong kind",
    why="""
        Each of these raises whenever the line runs, measured on torch 2.13: a quotient as an
        index or the bound of a slice (`/` gives a float, since torch 1.6 also of integer tensors);
        a float tensor as an index, also of gather, scatter, index_select and embeddings; a minus before or after a mask,
        which is bool; chunk or split unpacked into another number of names than it was asked
        for pieces; cat or stack of tensors that are not in a list; a literal whose rows are of
        different length; an index into a tensor of one number, such as loss.data[0]; item() on what
        has more than one element; numpy() of a parameter,
        of a loss and of what a layer gave outside torch.no_grad().

        chunk(n) may also give fewer than n pieces where n does not divide the length
        (5 in 4: 3 pieces); tensor_split(n) always gives n. As the length is seldom written
        down, that is not reported. Neither are tensors on different devices.
    """,
    bad="""
        import torch


        def background(scores: torch.Tensor):
            mask = scores > 0.5
            return 1 - mask
    """,
    good="""
        import torch


        def background(scores: torch.Tensor):
            mask = scores > 0.5
            return ~mask
    """,
    proof="""
        assert background(torch.tensor([0.1, 0.9])).tolist() == [1, 0]
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

FLOATS = ("float", "half", "double", "bfloat16")
FLOAT_TYPES = frozenset({"float16", "bfloat16", "float32", "float64"})
INDEXED: tuple[str, ...] = (
    "gather",
    "scatter",
    "scatter_",
    "scatter_add",
    "scatter_add_",
    "take_along_dim",
)
INDEXED += ("index_select", "index_add", "index_add_", "index_copy", "index_copy_", "take")
PLACES = {f"{home}.{name}": "index" for home in ("torch", "torch.Tensor") for name in INDEXED}
PLACES |= dict.fromkeys(("torch.take_along_dim", "torch.Tensor.take_along_dim"), "indices")
PLACES |= {
    "torch.nn.functional.embedding": "input",
    "torch.nn.functional.one_hot": "tensor",
    "torch.nn.Embedding.forward": "input",
}
WHOLE = "divide by //, or use long()"
PIECES = ("chunk", "tensor_split", "split")
SEQUENCES = {"torch.cat": "cat", "torch.concat": "concat", "torch.stack": "stack"}
NO_GRAD = frozenset(
    {"no_grad", "inference_mode", "set_grad_enabled", "requires_grad", "enable_grad"}
)
PLACING = frozenset({"view", "reshape", "unsqueeze", "squeeze", "expand", "expand_as", "repeat"})
MOST_STEPS = 12
MOVES = frozenset({"cpu", "float", "to", "clone"})

NO_AXIS = "a tensor of one number has no axis to index: this raises"
COUNTED = re.compile(
    r"\.((max|min|sort|topk|median|mode|kthvalue)\(\)\[|(arg(max|min|sort)|long|int|byte|bool|detach)\(\))"
)
"""In how something unknown came about: it may be indices, which need no gradient."""
DETACHED = "use detach().numpy()"


@rule.event(Combined)
def in_arithmetic(event: Combined, source: Source) -> Iterator[Hit]:
    """`1 - mask`, `mask - 1`, `mask - other`, `-mask`."""
    left, right = (is_bool_tensor(each) for each in (event.left, event.right))
    if isinstance(event.node, ast.UnaryOp) and isinstance(event.node.op, ast.USub) and left:
        yield Hit(event, "minus a mask, which is bool: this raises", remedy="use ~")
    if event.operator != "Sub" or not (left or right) or is_pooled(event, source):
        return
    what = "two masks, which are bool" if left and right else "a mask, which is bool"
    node = source.node_at(event, cst.BinaryOperation)
    fix = None if node is None else inverted(node, right, source)
    message = f"subtraction with {what}: this raises"
    yield Hit(event, message, fix, remedy="use ~, ^ or float()")


POOLED = {
    f"torch.nn.{home}": name
    for axes in (1, 2, 3)
    for kind, title in (("max", "Max"), ("avg", "Avg"))
    for name in (f"{kind}_pool{axes}d",)
    for home in (f"functional.{name}", f"{title}Pool{axes}d.forward")
}
"""Operators that have no kernel for bool."""


@rule.event(*POOLED)
def in_pool(event: Called, source: Source) -> Iterator[Hit]:
    """`F.max_pool2d(mask, 3)`."""
    given = event.arguments.get("input")
    if given is not None and is_bool_tensor(given):
        said = f"{POOLED[event.name]} takes no mask, which is bool: this raises"
        yield Hit(event, said, remedy="give it mask.float()")


def is_pooled(event: Combined, source: Source) -> bool:
    """Whether a mask was pooled before, of which that is told."""
    makers = (source.evaluation.ways.find_maker(each) for each in (event.left, event.right))
    return any(isinstance(each, Called) and each.name in POOLED for each in makers)


def is_bool_tensor(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dtype == "bool"


@rule.event(Indexed, ItemSet)
def in_index(event: Indexed | ItemSet, source: Source) -> Iterator[Hit]:
    """`x[n / 2]`, `x[: n / 2]`, `x[i.float()]`."""
    if not isinstance(event.held, Tensor) or not event.held.sure:
        return
    whole = event.index
    if is_asked_first(event, source):
        return
    if event.held.shape == () and not event.held.guessed and takes_axis(whole):
        yield Hit(event, NO_AXIS, read_number(event, source), remedy="use item()")
        return
    for part in (whole.items or ()) if isinstance(whole, Items) else (whole,):
        sliced = isinstance(part, Slice)
        for bound in (part.start, part.stop, part.step) if isinstance(part, Slice) else (part,):
            if is_quotient(bound, source):
                message = "a quotient is a float and cannot be an index: this raises"
                fix = without_rest(event, source)
                yield Hit(event, message, fix, remedy="divide by //")
            elif not sliced and (told := tell_float(bound, source)):
                yield Hit(event, f"{told} cannot be an index: this raises", remedy=WHOLE)


@rule.event(*PLACES)
def in_places(event: Called, source: Source) -> Iterator[Hit]:
    """`x.gather(1, i / 2)`, `embedding(x.float())`."""
    given = event.arguments.get(PLACES[event.name])
    told = tell_float(given, source) if given is not None else ""
    if told and given is not None and not asks_type(event, source):
        short, quotient = name_operation(event), find_quotient(given, source)
        told = "and / gives floats" if quotient is not None else f"but {told}"
        message = f"{short} takes no float for an index, {told}: this raises"
        yield Hit(quotient or event, message, remedy="divide by //" if quotient else WHOLE)


def asks_type(event: Called, source: Source) -> bool:
    """Whether it stands behind a question for the type: `if not targets.is_floating_point():`, also by a name."""
    function = source.evaluation.find_function(event)
    lines = [e for e in ast.walk(function) if isinstance(e, ast.Assign)] if function else []
    asked = {"is_floating_point"} | {
        ast.unparse(each.targets[0])
        for each in lines
        if "is_floating_point" in ast.unparse(each.value)
    }
    return any(
        isinstance(outer, (ast.If, ast.IfExp))
        and any(re.search(rf"\b{re.escape(each)}\b", ast.unparse(outer.test)) for each in asked)
        for outer in source.evaluation.list_around(event)
    )


def find_quotient(value: Value, source: Source) -> Occurrence | None:
    """The division of an earlier line that made an index, through what only places it elsewhere."""
    waiting: list[Value | None] = [value]
    for each in waiting:
        made = source.evaluation.ways.find_maker(each)
        if isinstance(made, Combined):
            if made.operator == "Div":
                return made
            waiting += (made.left, made.right) if len(waiting) < MOST_STEPS else ()
        elif made is not None and name_operation(made) in PLACING and len(waiting) < MOST_STEPS:
            waiting.append(find_operand(made))
    return None


def is_asked_first(event: Indexed | ItemSet, source: Source) -> bool:
    """Whether it is the way of older releases: `x.item() if hasattr(x, "item") else x[0]`."""
    asks = source.mentions(("hasattr",))
    node = source.node_at(event, cst.Subscript) if asks else None
    if node is None:
        return False
    around = [each for each in source.ancestors(node) if isinstance(each, (cst.If, cst.IfExp))]
    tests = [each.test for each in around]
    return any("hasattr(" in source.code(test) for test in tests) or is_left_before(node, source)


def is_left_before(node: cst.Subscript, source: Source) -> bool:
    """Whether `if hasattr(x, "item"): return x.item()` stands above in its function."""
    function = source.enclosing(node, cst.FunctionDef)
    if not isinstance(function, cst.FunctionDef):
        return False
    asked = re.compile(rf"hasattr\(\s*{re.escape(source.code(node.value))}\s*,\s*['\"]item['\"]")
    return any(
        isinstance(each, cst.If)
        and asked.search(source.code(each.test)) is not None
        and ends_in_jump(each.body)
        for each in function.body.body
    )


def takes_axis(index: Value) -> bool:
    """Whether an index asks for places of an axis: 0, a slice, several of them."""
    parts = (index.items or ()) if isinstance(index, Items) else (index,)
    whole = [p for p in parts if isinstance(p, Constant) and type(p.value) is int]
    return bool(whole) or any(isinstance(part, (Slice, Number)) for part in parts)


def read_number(event: Indexed | ItemSet, source: Source) -> Fix | None:
    """`loss.item()` for `loss.data[0]`."""
    node = source.node_at(event, cst.Subscript) if isinstance(event, Indexed) else None
    if node is None:
        return None
    text = source.code(node.value).removesuffix(".data")
    edit = source.replace(node, f"{text}.item()")
    return Fix("read the number", (edit,), Applicability.UNSAFE)


@rule.event(Indexed)
def in_sum(event: Indexed, source: Source) -> Iterator[Hit]:
    """`loss.sum().data[0]` of what is unknown but for what is called on it, or starts from it."""
    held = event.held
    if is_asked_first(event, source):
        return
    read = isinstance(held, UnknownMethod) and held.method == "data"
    inner = held.held if isinstance(held, UnknownMethod) and read else held
    lost = any(each is inner for each in source.evaluation.single_losses) and not is_common(inner)
    if read and lost and takes_axis(event.index):
        yield Hit(event, NO_AXIS, read_number(event, source), remedy="use item()")
        return
    made = source.evaluation.ways.find_unknown_maker(inner)
    if made is None or made.method not in ("sum", "mean") or made.given.values or made.given.open:
        return
    below = source.evaluation.ways.find_unknown_maker(made.held)
    if (read or (below is not None and below.method in OF_TENSORS)) and takes_axis(event.index):
        yield Hit(event, NO_AXIS, read_number(event, source), remedy="use item()")


@rule.source(cst.Subscript, needs=(".data[0]",))
def in_loss(node: cst.Subscript, source: Source) -> Iterator[Hit]:
    """`loss.data[0]` behind `loss.backward()`, also in a script that is not followed that far."""
    held = node.value.value if isinstance(node.value, cst.Attribute) else None
    if not isinstance(held, cst.Name) or source.code(node) != f"{held.value}.data[0]":
        return
    if runs_backward_before(node, held.value, source) or is_added_to_loss(node, held.value, source):
        edit = source.replace(node, f"{held.value}.item()")
        fix = Fix("read the number", (edit,), Applicability.UNSAFE)
        yield Hit(node, NO_AXIS, fix, remedy="use item()")


def runs_backward_before(node: cst.CSTNode, name: str, source: Source) -> bool:
    """Whether the last that is done with a name ahead of a node, also in a loop that ends there, is backward()."""
    inner = node
    for outer in source.ancestors(node):
        lines = outer.body if isinstance(outer, (cst.IndentedBlock, cst.Module)) else ()
        earlier = lines[: lines.index(inner)] if inner in lines else ()
        given = next((e for e in reversed(earlier) if names(e, name, source)), None)
        if given is not None:
            rows = [row for row in source.code(given).splitlines() if names_in_text(row, name)]
            return bool(rows and re.match(rf"\s*{name}{BACKWARD}", rows[-1]))
        if isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
            return False
        inner = outer
    return False


def is_added_to_loss(node: cst.CSTNode, name: str, source: Source) -> bool:
    """`total += kl_loss`, in a function that calls total.backward()."""
    function = source.enclosing(node, cst.FunctionDef)
    text = source.code(function) if function is not None else ""
    totals = re.findall(rf"^\s*(\w+) *\+= *{name}\s*$", text, re.MULTILINE)
    return any(re.search(rf"^\s*{each}{BACKWARD}", text, re.MULTILINE) for each in totals)


BACKWARD = r"\.backward\((retain_graph=\w+)?\)"


def names(line: cst.CSTNode, name: str, source: Source) -> bool:
    """Whether a statement gives a name its value, or calls backward of it."""
    return names_in_text(source.code(line), name)


def names_in_text(text: str, name: str) -> bool:
    return bool(re.search(rf"\b{name}\.backward\(|(?<![\w.]){name}\s*([-+*/]?=)(?!=)", text))


OF_TENSORS = frozenset({"eq", "ne", "view", "float", "cpu", "cuda", "long", "gt", "lt"})
"""Methods that tensors alone have."""


def is_quotient(value: Value, source: Source) -> bool:
    """Whether it is what `/` gives, of whatever but tensors."""
    if isinstance(value, Tensor):
        return False
    made = source.evaluation.ways.find_maker(value)
    return isinstance(made, Combined) and made.operator == "Div"


def tell_float(value: Value, source: Source) -> str:
    """What makes a tensor one of floats; nothing of any other, or of what is given from outside."""
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(value, Tensor) or not value.sure or made is None:
        return ""
    name = name_operation(made)
    if value.dtype in FLOAT_TYPES and name in ("div", "Div"):
        return "what / gives, a float tensor,"
    return "a float tensor" if name in FLOATS or value.dtype in FLOAT_TYPES else ""


@rule.event(*(f"{home}.{name}" for home in ("torch", "torch.Tensor") for name in PIECES))
def in_unpacking(event: Called, source: Source) -> Iterator[Hit]:
    """`a, b, c = x.chunk(2)`."""
    outer = next(source.evaluation.list_around(event), None)
    targets = outer.targets if isinstance(outer, ast.Assign) else []
    target = targets[0] if len(targets) == 1 else None
    if not isinstance(target, (ast.Tuple, ast.List)):
        return
    starred = any(isinstance(each, ast.Starred) for each in target.elts)
    pieces = 0 if starred else count_pieces(event)
    if pieces < 0:
        message = f"chunk is asked for {pieces} pieces: this raises"
        remedy = f"write chunk({len(target.elts)}, dim={pieces}) where {pieces} is the axis"
        yield Hit(event, message, remedy=remedy)
    elif pieces and pieces != len(target.elts):
        message = f"{pieces} pieces are unpacked into {len(target.elts)} names: this raises"
        remedy = f"unpack into {pieces} names, or split otherwise"
        yield Hit(event, message, remedy=remedy)


def count_pieces(event: Called) -> int:
    """How many pieces chunk or split is asked for; 0 where that cannot be told."""
    given = (*event.positional[1:], *event.keyword.values())
    words = ("chunks", "split_size_or_sections", "indices_or_sections", "split_size", "sections")
    named = next((event.keyword[word] for word in words if word in event.keyword), None)
    asked = named if named is not None else (given[0] if len(event.positional) > 1 else None)
    if event.open or asked is None:
        return 0
    if event.name.endswith(".split"):
        return len(asked.items or ()) if isinstance(asked, Items) else 0
    pieces = asked.value if isinstance(asked, Constant) else 0
    return pieces if type(pieces) is int else 0


@rule.event(*SEQUENCES)
def in_joining(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.cat(a, b)`."""
    given = (*event.positional, *(event.keyword[k] for k in ("dim", "axis") if k in event.keyword))
    if len(given) == 2 and all(isinstance(each, Tensor) and is_told(each) for each in given):
        message = f"{SEQUENCES[event.name]} takes a list or tuple of tensors: this raises"
        yield Hit(event, message, remedy="write [a, b]")


def is_told(value: Tensor) -> bool:
    """Whether more says that it is a tensor than that a forward is given it."""
    return value.sure and (value.origin != "input" or value.data is True)


@rule.event("torch.tensor")
def in_literal(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.tensor([[1, 2], [3]])`."""
    if event.positional and is_ragged(event.positional[0]):
        message = "the rows of this literal are of different length: this raises"
        yield Hit(event, message, remedy="fill them up to one length")


@rule.event("torch.Tensor.item")
def in_item(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.ones(2).item()`."""
    if event.positional and has_many(event.positional[0], source):
        message = "item() on more than one element raises"
        yield Hit(event, message, remedy="write tolist(), which gives them all")


@rule.event("torch.Tensor.numpy")
def in_numpy(event: Called, source: Source) -> Iterator[Hit]:
    """`self.fc.weight.cpu().numpy()`."""
    ways = source.evaluation.ways
    value: Value | None = event.positional[0] if event.positional else None
    while (made := ways.find_maker(value)) is not None and name_operation(made) in MOVES:
        value = find_operand(made)
    if needs_gradient(value, event, source):
        message = "numpy() of what requires grad: this raises"
        yield Hit(event, message, detach_first(event, source), remedy=DETACHED)
        return
    own = made is None or name_operation(made) == "Parameter"
    plain = isinstance(value, Tensor) and value.origin == "parameter"
    if not plain or not own or NO_GRAD & source.evaluation.words:
        return
    message = "numpy() of a parameter, which requires grad: this raises"
    yield Hit(event, message, detach_first(event, source), remedy=DETACHED)


@rule.event(UnknownCalled)
def in_unknown_numpy(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """`loss.numpy()` of what is unknown but for its backward()."""
    value = event.held
    if event.method != "numpy" or COUNTED.search(getattr(value, "path", "")):
        return
    while (called := source.evaluation.ways.find_unknown_maker(value)) is not None:
        if called.method not in MOVES:
            break
        value = called.held
    if needs_gradient(value, event, source):
        message = "numpy() of what requires grad: this raises"
        yield Hit(event, message, detach_first(event, source), remedy=DETACHED)


def needs_gradient(value: Value | None, event: Occurrence, source: Source) -> bool:
    """Whether backward() starts from it, or a layer with weights gave it, where gradients are recorded."""
    graph = source.evaluation.graphs.get(event.way.root)
    if graph is None and value is not None and event.way.root.endswith(":"):
        quiet = NO_GRAD & source.evaluation.words or is_quiet(value, event, source)
        return not quiet and bool(GradientFlow(source.evaluation).list_runs(value))
    if graph is None or value is None:
        return False
    if any(each is value for each in source.evaluation.losses) and not isinstance(value, Held):
        return not is_common(value)
    trained = event.way.root.endswith(":") or graph.has_backward
    if not trained or source.evaluation.freezes:
        return False
    return graph.is_made_by(value, lambda made: isinstance(made, Called) and has_weights(made))


def is_quiet(value: Value, event: Occurrence, source: Source) -> bool:
    """Whether it is made or asked for without gradients, in whatever file that stands."""
    made = source.evaluation.ways.find_maker(value)
    return any(may_be_free(each, source.evaluation) for each in (event, made) if each is not None)


def detach_first(event: Called | UnknownCalled, source: Source) -> Fix | None:
    """`x.detach().numpy()`."""
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    inner = call.func.value
    edit = source.replace(inner, f"{source.code(inner)}.detach()")
    return Fix("detach it first", (edit,), Applicability.SAFE)


def inverted(node: cst.BinaryOperation, right: bool, source: Source) -> Fix | None:
    """`~mask` of `1 - mask`."""
    if literal(node.left) != 1 or not right:
        return None
    text = source.code(node.right)
    bare = isinstance(node.right, (cst.Name, cst.Call)) or bool(node.right.lpar)
    edit = source.replace(node, f"~{text}" if bare else f"~({text})")
    return Fix("invert the mask", (edit,), Applicability.UNSAFE)


def without_rest(event: Indexed | ItemSet, source: Source) -> Fix | None:
    """`x[n // 2]` of `x[n / 2]`, where the quotient is written there."""
    node = source.node_at(event, cst.Subscript)
    found = [each for each in offspring_of(node) if isinstance(each.operator, cst.Divide)]
    plain = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer)
    if len(found) != 1 or found[0].lpar:
        return None
    quotient = found[0]
    if not all(isinstance(n, plain) for n in (quotient.left, quotient.right)):
        return None
    text = f"{source.code(quotient.left)} // {source.code(quotient.right)}"
    return Fix("divide without a rest", (source.replace(quotient, text),), Applicability.UNSAFE)


def offspring_of(node: cst.Subscript | None) -> Iterator[cst.BinaryOperation]:
    """The operations that stand in an index by themselves."""
    for element in node.slice if node is not None else ():
        part = element.slice
        bounds = [part.value] if isinstance(part, cst.Index) else []
        if isinstance(part, cst.Slice):
            bounds = [each for each in (part.lower, part.upper, part.step) if each is not None]
        yield from (each for each in bounds if isinstance(each, cst.BinaryOperation))


def is_ragged(value: Value) -> bool:
    """Whether the rows of a nested list differ in length."""
    rows = value.items if isinstance(value, Items) and value.kind in ("list", "tuple") else None
    inner = [each.items for each in rows or () if isinstance(each, Items)]
    if rows is None or len(inner) != len(rows) or not inner:
        return False
    lengths = {None if each is None else len(each) for each in inner}
    return (len(lengths) > 1 and None not in lengths) or any(map(is_ragged, rows))


def has_many(value: Value, source: Source) -> bool:
    """Whether a tensor surely has more than one element."""
    shape = value.shape if isinstance(value, Tensor) and not value.guessed else None
    if shape and all(isinstance(size, int) for size in shape):
        return math.prod(size for size in shape if isinstance(size, int)) > 1
    made = source.evaluation.ways.find_maker(value)
    return (
        isinstance(made, Called) and is_unreduced(made) and not any(map(is_part, made.positional))
    )


def is_part(value: Value) -> bool:
    """Whether it was taken out of something unknown, by an index that may leave one element."""
    return isinstance(value, Unknown) and "[]" in value.path
