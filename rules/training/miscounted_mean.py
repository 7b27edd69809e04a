"""LT449: a sum over an epoch that is divided by the number of something else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT449",
    summary="a sum over an epoch divided by the wrong number",
    why="""
        A sum of right answers counts samples, and `len(loader)` counts batches: their quotient is as many
        times too large as a batch has samples. A sum of mean losses has a term for each batch, and
        `len(loader.dataset)` counts samples: that quotient is as many times too small, and it changes with
        the batch size. With drop_last the samples of the last batch are not counted. Divide sums over samples by the number of samples, and sums over batches by the
        number of batches. Measured on torch 2.13.
    """,
    bad="""
        import torch


        @torch.no_grad()
        def measure(model, loader):
            correct = 0
            for x, y in loader:
                correct += (model(x).argmax(1) == y).sum().item()
            return correct / len(loader)
    """,
    good="""
        import torch


        @torch.no_grad()
        def measure(model, loader):
            correct = 0
            for x, y in loader:
                correct += (model(x).argmax(1) == y).sum().item()
            return correct / len(loader.dataset)
    """,
    proof="""
        from torch.utils.data import DataLoader, TensorDataset

        samples = TensorDataset(torch.eye(4), torch.arange(4))
        assert measure(torch.nn.Identity(), DataLoader(samples, batch_size=2)) == 1
    """,
    remedy="divide by as many as were added: len(loader.dataset) of samples, len(loader) of batches",
)

HITS = re.compile(r"==|\.eq\(|torch\.eq\(|\bcorrect\b")
SUMMED = re.compile(r"\.sum\(|torch\.sum\(|count_nonzero")
SINGLE = re.compile(r"batch_size\s*=\s*1\b")
"""Loaders whose batches are samples."""
LOSS = re.compile(r"^[\w.]*loss[\w.]*(\.detach\(\)|\.data|\.cpu\(\))*(\.item\(\))?(\[0\])?$")
OF_TORCH = re.compile(
    r"^(torch\.nn\.functional|nn\.functional|F)\.\w+\([^()]*(\([^()]*\)[^()]*)*\)\.item\(\)$"
)
INLINE = re.compile(r"^(self\.)?(\w*loss_?(fn|func|function)?|criterion)\([^*]*\)\.item\(\)$")
"""A loss that is called there, by its name."""
MEAN = re.compile(r"loss|criterion", re.I)
BATCH = re.compile(r"^\w+(\[[^]]*\])?(\.size\(0\)|\.shape\[0\])$|^len\(\w+(\[[^]]*\])?\)$")
"""How many samples a batch has."""
OTHERWISE = re.compile(r"reduction['\"]?\s*[=:]\s*(?!\s*['\"]mean)|size_average")
"""A loss that may be no mean."""
SUMMING = (".sum(", "len(", ".size(", "batch_size", "*")


@rule.source(cst.BinaryOperation, cst.AugAssign, needs=("len(", "+= 1"))
def in_quotients(node: cst.BinaryOperation | cst.AugAssign, source: Source) -> Iterator[Hit]:
    """`correct / len(loader)`, `total_loss / len(loader.dataset)`, `total_loss /= len(loader.dataset)`."""
    if not isinstance(node.operator, (cst.Divide, cst.DivideAssign)):
        return
    above, below = (
        (node.left, node.right)
        if isinstance(node, cst.BinaryOperation)
        else (node.target, node.value)
    )
    total = _find_total(above)
    if total is None or SINGLE.search(source.text):
        return
    below = _find_written(below, source)
    counted, whole = _read_length(below)
    function = source.enclosing(node, cst.FunctionDef)
    for loop in source.nodes(cst.For):
        if source.enclosing(loop, cst.FunctionDef) is not function:
            continue
        if counted is None and _counts_turns(below, loop, source):
            counted, whole = _find_over(loop), False
        if counted is None or not _goes_over(loop, counted, source):
            continue
        added = [*_list_added(loop, source.code(total), source)]
        if not added or source.is_within(node, loop):
            continue
        yield from _judge(node, total, counted, added, loop, source, whole)
        return


@rule.source(cst.BinaryOperation, needs=("drop_last",))
def in_dropped(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    """`correct / len(dataset)` of a loader that drops the last batch."""
    total = _find_total(node.left)
    if not isinstance(node.operator, cst.Divide) or total is None:
        return
    counted, whole = _read_length(_find_written(node.right, source))
    function = source.enclosing(node, cst.FunctionDef)
    for loop in source.nodes(cst.For) if counted is not None else ():
        over = _find_over(loop)
        inside = source.enclosing(loop, cst.FunctionDef) is function
        if over is None or counted is None or not inside or source.is_within(node, loop):
            continue
        added = [*_list_added(loop, source.code(total), source)]
        counts = bool(added) and all(_counts_samples(each, loop, source) for each in added)
        if counts and _drops_of(over, counted, whole, source):
            text = source.code(node.right)
            message = f"the loader drops its last batch: fewer samples are counted than {text}"
            yield Hit(node, message, remedy="leave drop_last out where a model is measured")
            return


def _drops_of(
    over: cst.BaseExpression, counted: cst.BaseExpression, whole: bool, source: Source
) -> bool:
    """Whether a loader drops samples of the dataset whose length is taken."""
    made = [each for each in source.built(over) if source.name(each.func).endswith("DataLoader")]
    for each in made:
        given = source.arguments(each, "dataset")
        held = given.get("dataset")
        of_this = source.code(over) == source.code(counted) if whole else None
        if of_this is None:
            of_this = held is not None and source.code(held) == source.code(counted)
        if not of_this or given.value("drop_last", None) is not True:
            return False
    return bool(made)


def _judge(
    node: cst.CSTNode,
    total: cst.BaseExpression,
    counted: cst.BaseExpression,
    added: list[cst.BaseExpression],
    loop: cst.For,
    source: Source,
    whole: bool,
) -> Iterator[Hit]:
    """Whether what was added goes with what it is divided by; `whole`: the number of samples."""
    text, loader = source.code(total), source.code(counted)
    if not whole and all(_counts_samples(each, loop, source) for each in added):
        message = f"{text} counts samples, and is divided by the number of batches"
        yield Hit(node, message, remedy=f"divide by len({loader}.dataset)")
    elif whole and _is_mean(added, loop, source):
        message = f"{text} has a mean for each batch, and is divided by the number of samples"
        remedy = f"divide by len({loader}), or add loss.item() times the batch's size"
        yield Hit(node, message, remedy=remedy)


def _read_length(node: cst.BaseExpression) -> tuple[cst.BaseExpression | None, bool]:
    """The loader of `len(loader)` or `len(loader.dataset)`, and whether it is the second."""
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return None, False
    if not isinstance(node.func, cst.Name) or node.func.value != "len":
        return None, False
    given = node.args[0].value
    if isinstance(given, cst.Attribute) and given.attr.value == "dataset":
        return given.value, True
    return (given, False) if isinstance(given, (cst.Name, cst.Attribute)) else (None, False)


def _find_written(node: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """`len(loader.dataset)` of `n`, which is given that alone."""
    bound = source.bound(node) if isinstance(node, cst.Name) else []
    one = bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else None
    return one if isinstance(one, cst.Call) else node


def _counts_turns(node: cst.BaseExpression, loop: cst.For, source: Source) -> bool:
    """Whether a name is `count += 1` at each turn of a loop, and nothing else but what it begins with."""
    if not isinstance(node, cst.Name):
        return False
    function = source.enclosing(loop, cst.FunctionDef)
    added = [
        each
        for each in source.nodes(cst.AugAssign)
        if source.code(each.target) == node.value
        and source.enclosing(each, cst.FunctionDef) is function
    ]
    begun = [each for each in source.bound(node) if each.kind == "assign"]
    if len(added) != 1 or len(begun) > 1 + len(added):
        return False
    once = source.code(added[0].value) == "1" and isinstance(added[0].operator, cst.AddAssign)
    statement = source.parent(added[0])
    return once and statement is not None and source.parent(statement) is loop.body


def _find_over(loop: cst.For) -> cst.BaseExpression | None:
    """The loader of `enumerate(loader)`, `tqdm(loader)`."""
    over: cst.BaseExpression = loop.iter
    while isinstance(over, cst.Call) and over.args:
        over = over.args[0].value
    return over if isinstance(over, (cst.Name, cst.Attribute)) else None


def _find_total(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """`correct` of `correct`, `correct.item()`, `100 * correct`, `float(correct)`."""
    if isinstance(node, (cst.Name, cst.Attribute)):
        return node
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return _find_total(node.func.value) if not node.args else None
    if isinstance(node, cst.Call) and len(node.args) == 1:
        return _find_total(node.args[0].value) if _is_conversion(node.func) else None
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, (cst.Integer, cst.Float)):
                return _find_total(other)
    return None


def _is_conversion(function: cst.BaseExpression) -> bool:
    return isinstance(function, cst.Name) and function.value in ("float", "int")


def _goes_over(loop: cst.For, counted: cst.BaseExpression, source: Source) -> bool:
    """`for x in loader`, also through enumerate and tqdm, with batches that have a tensor or several."""
    over = source.code(loop.iter)
    name = re.escape(source.code(counted))
    return re.fullmatch(rf"(?:[\w.]+\()*{name}(?:,.*)?\)*", over, re.S) is not None and (
        _is_loader(counted, loop, source)
    )


def _is_loader(counted: cst.BaseExpression, loop: cst.For, source: Source) -> bool:
    """By its name, by its `.dataset`, or by how it was made."""
    name = source.code(counted).rpartition(".")[2].lower()
    made = any(source.name(c.func).endswith("DataLoader") for c in source.built(counted))
    return made or "loader" in name or name.startswith("dl") or name.endswith("dl")


def _list_added(loop: cst.For, total: str, source: Source) -> Iterator[cst.BaseExpression]:
    """What `total += …` or `total = total + …` adds in a loop, at each turn."""
    for each in source.nodes(cst.AugAssign):
        mine = source.code(each.target) == total and source.is_within(each, loop)
        if mine and isinstance(each.operator, cst.AddAssign):
            yield each.value


def _written(value: cst.BaseExpression, loop: cst.For, source: Source, depth: int = 0) -> str:
    """An expression as it is written, with what its names are given once in the loop in their place."""
    text = source.code(value)
    for name in sorted(set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", text))) if depth < 3 else ():
        given = [
            each.value
            for each in source.nodes(cst.Assign)
            if source.is_within(each, loop) and source.code(each.targets[0].target) == name
        ]
        if len(given) == 1:
            inner = _written(given[0], loop, source, depth + 1)
            text = f"({inner})".join(re.split(rf"(?<![\w.]){name}\b", text))
    return text


def _counts_samples(added: cst.BaseExpression, loop: cst.For, source: Source) -> bool:
    """`(pred == y).sum().item()`: a sum of comparisons, divided by nothing."""
    text = _written(added, loop, source)
    if _is_weighed(text) or _is_weighed(source.code(added)):
        return True
    tree = ast.parse(text.strip(), mode="eval") if _parses(text) else None
    plain = tree is not None and not any(isinstance(n, (ast.Div, ast.Mult)) for n in ast.walk(tree))
    return plain and bool(HITS.search(text)) and bool(SUMMED.search(text)) and ".mean(" not in text


def _is_weighed(text: str) -> bool:
    """`loss.item() * x.size(0)`: a mean times the samples of its batch."""
    tree = ast.parse(text.strip(), mode="eval").body if _parses(text) else None
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Mult):
        return False
    sides = [ast.unparse(tree.left), ast.unparse(tree.right)]
    return any(
        BATCH.match(one) and (MEAN.search(other) or other.endswith(".item()"))
        for one, other in (sides, sides[::-1])
    )


def _parses(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    return True


def _is_mean(added: list[cst.BaseExpression], loop: cst.For, source: Source) -> bool:
    """`loss.item()` of a loss that is a mean, whose sum over the batch nobody asked for."""
    if len(added) != 1 or OTHERWISE.search(source.text):
        return False
    written = source.code(added[0])
    if INLINE.match(written):
        return not any(word in written for word in SUMMING)
    if OF_TORCH.match(written):
        return not any(word in written for word in SUMMING)
    name = written.partition(".")[0]
    given = [
        source.code(each.value)
        for each in source.nodes(cst.Assign)
        if source.is_within(each, loop) and source.code(each.targets[0].target) == name
    ]
    plain = len(given) == 1 and not any(word in given[0] for word in SUMMING)
    return plain and LOSS.match(written) is not None
