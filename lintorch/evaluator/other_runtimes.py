"""Parts of a forward pass in which nothing is exported: another runtime's, of the first batches, of graph objects.

`if self.pt: … elif self.onnx: … elif self.engine: …` is left out branch by branch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.syntax.python_ast import list_nodes

_OTHERS = frozenset(
    {
        "tensorrt", "trt", "openvino", "coreml", "tflite", "edgetpu", "ncnn", "paddle", "rknn",
        "mnn", "triton", "tvm", "dnn", "onnxruntime", "ort",
    }
)  # fmt: skip
_FORMATS = frozenset({"onnx", "engine", "xml", "pb", "savedmodel", "mlmodel", "graphdef", "imx"})
"""Words that may as well say what a model is exported to; of another runtime among several."""
_OWN = frozenset({"pt", "pytorch", "torch", "jit", "torchscript"})
_NAMING = _OTHERS | _FORMATS
_Branch = ast.If | ast.match_case


def find_foreign(machine: Machine, node: ast.If) -> tuple[bool, bool]:
    """Whether the body of an `if` that is not decided is for another runtime, and whether its `else` is."""
    foreign, weighed = machine.top.foreign, machine.top.weighed
    if node not in weighed:
        weighed.add(node)
        foreign.update(_list_foreign_branches(node))
    return (node, True) in foreign, (node, False) in foreign


def is_foreign_case(node: ast.Match, case: ast.match_case) -> bool:
    """Whether a case is for another runtime."""
    words = [_collect_words(each.pattern) for each in node.cases]
    return _is_elsewhere(_collect_words(case.pattern), words)


_OF_GRAPHS = ("ndata", "edata", "srcdata", "dstdata")


@keep_beside
def takes_graph(owner: ast.ClassDef) -> bool:
    """Whether a class reads its data off graphs of DGL, as `g.ndata["h"]`: no exporter takes such an input."""
    nodes = list_nodes(owner)
    return any(isinstance(each, ast.Attribute) and each.attr in _OF_GRAPHS for each in nodes)


@keep_beside
def takes_arrays(owner: ast.ClassDef) -> bool:
    """Whether its forward hands an input to OpenCV as it is, which takes arrays of NumPy and no tensor."""
    for each in owner.body:
        if isinstance(each, ast.FunctionDef) and each.name == "forward":
            inputs = {arg.arg for arg in each.args.args[1:]} - set(list_stored(each))
            return any(_is_read_by_opencv(call, inputs) for call in list_nodes(each))
    return False


def list_stored(node: ast.AST) -> Iterator[str]:
    """Names that are given a value."""
    for each in list_nodes(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _is_read_by_opencv(node: ast.AST, inputs: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="cv2")), args=[ast.Name(id=given), *_]):
            return given in inputs
    return False


_DONE = re.compile(r"^_?(is_)?(initiali[sz]ed|init+ed)$")
"""What the first batches of training have set."""
_SETTING = ("fill_", "copy_", "add_", "logical_or_")


def is_preparing(test: ast.expr, within: ast.AST | None = None) -> bool | None:
    """The answer to a test after which the first batches of training go on: `not self.initialized`.

    That is also what a function asks which itself sets it then: `self.seen.fill_(1)`.
    """
    if type(test) is ast.UnaryOp and isinstance(test.op, ast.Not):
        inner = is_preparing(test.operand, within)
        return None if inner is None else not inner
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            answers = [is_preparing(each, within) for each in values]
            return True if True in answers else None
        case ast.Compare(
            left=asked, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=bool() as value)]
        ):
            inner = is_preparing(asked, within)
            return inner if inner is None or value else not inner
    if type(test) is not ast.Attribute or not isinstance(test.value, ast.Name):
        return None
    if _DONE.match(test.attr):
        return False
    return False if within is not None and test.attr in _list_set(within) else None


def returns_prepared(node: ast.If, within: ast.AST | None) -> bool:
    """`if self.initialized: return`, above what the first batches of training do."""
    only = len(node.body) == 1 and isinstance(node.body[0], ast.Return) and not node.orelse
    return only and is_preparing(node.test, within) is False


@keep_beside
def _list_set(function: ast.AST) -> frozenset[str]:
    """Flags of `self` that it sets to true."""
    return frozenset(name for each in list_nodes(function) for name in _name_set(each))


def _name_set(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
            if isinstance(value, ast.Constant) and value.value is True:
                yield name
        case ast.Call(func=ast.Attribute(value=held, attr=how), args=[given, *_]):
            if isinstance(held, ast.Attribute) and held.attr == "data":
                held = held.value
            if isinstance(held, ast.Attribute) and how in _SETTING and _holds_true(given):
                yield held.attr


def _holds_true(given: ast.expr) -> bool:
    """`True`, `1`, `torch.tensor(True)`."""
    return any(isinstance(e, ast.Constant) and e.value in (True, 1) for e in ast.walk(given))


@contextmanager
def leaving_forward(machine: Machine, leaves: bool) -> Iterator[None]:
    """What happens meanwhile is no part of a forward pass that is exported."""
    here = machine.here
    before, here.forward = here.forward, here.forward and not leaves
    try:
        yield
    finally:
        here.forward = before


def follow_apart(machine: Machine, leaves: bool, follow: Callable[[], None]) -> None:
    """Carry something out, inside of the forward pass or, where it `leaves` that, outside."""
    if not leaves:
        follow()
        return
    with leaving_forward(machine, leaves):
        follow()


def _list_foreign_branches(node: ast.If) -> Iterator[tuple[ast.If, bool]]:
    """The branches of a whole chain that are for other runtimes; False is for the last `else`."""
    chain = [node]
    while len(chain[-1].orelse) == 1 and isinstance(inner := chain[-1].orelse[0], ast.If):
        chain.append(inner)
    words = [_collect_words(each.test) for each in chain]
    if not any(each & _NAMING for each in words):
        return
    for each, own in zip(chain, words, strict=True):
        if own & _NAMING and _is_elsewhere(own, words):
            yield each, True
    if len(_keep_naming(words)) > 2 and any(each & _OWN for each in words):
        yield chain[-1], False


def _is_elsewhere(words: set[str], among: list[set[str]]) -> bool:
    if words & _OWN:
        return False
    return bool(words & _OTHERS) or (bool(words & _FORMATS) and len(_keep_naming(among)) > 1)


def _keep_naming(among: list[set[str]]) -> list[set[str]]:
    """The branches that are for some runtime."""
    return [words for words in among if words & (_NAMING | _OWN)]


def _collect_words(node: ast.AST) -> set[str]:
    return set(_list_words(node))


def _list_words(node: ast.AST) -> Iterator[str]:
    """The parts of the names and texts of a test: `use`, `onnx`; none below a `not`."""
    if isinstance(node, ast.UnaryOp):
        return
    if isinstance(node, ast.Attribute):
        text: object = node.attr
    else:
        text = node.id if isinstance(node, ast.Name) else getattr(node, "value", None)
    if isinstance(text, str):
        yield from re.split(r"[^a-z0-9]+", text.lower())
        yield text.lower().replace("_", "")
    for child in ast.iter_child_nodes(node):
        yield from _list_words(child)
