"""LT415: an initialisation that raises, or that hits what it should leave alone."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed, ItemSet
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Constant, Held, Tensor
from lintorch.facts.classes.classes import ClassInfo
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT415",
    summary="an initialisation that hits the wrong thing",
    why="""
        A nonlinearity that torch.nn.init does not know (`gelu`, `swish`, a misspelling) raises.
        Choosing layers by `"Conv" in type(m).__name__` also chooses modules of one's own such
        as ConvBlock, which have no weight: AttributeError. Choosing parameters by
        `"weight" in name` also chooses the scales of norm layers: normal_ with a small deviation
        takes them from 1 to about 0, and the signal with them, without a word;
        xavier, kaiming and orthogonal raise on these vectors. So does choosing by the number of axes,
        where what has one gets zeros. Initialising the
        weight of an embedding with a padding_idx fills the padding row, which then never
        changes again, as no gradient reaches it. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                nn.init.kaiming_normal_(self.conv.weight, nonlinearity="leaky-relu")
    """,
    good="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                nn.init.kaiming_normal_(self.conv.weight, nonlinearity="leaky_relu")
    """,
    proof="""
        Net()
    """,
    fix=Applicability.SAFE,
)

_INIT = "torch.nn.init."
_SCALED = tuple(
    f"{_INIT}{name}"
    for name in (
        "kaiming_normal_", "kaiming_uniform_", "kaiming_normal", "kaiming_uniform", "calculate_gain",
    )
)  # fmt: skip
NONLINEARITIES = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu",
)  # fmt: skip
"""What `calculate_gain` of torch 2.13 knows."""
_MATRICES = re.compile(r"^(xavier|kaiming|orthogonal|sparse)")
_NORMS = re.compile(
    r"^torch\.nn\.(Lazy)?(BatchNorm\dd|LayerNorm|GroupNorm|InstanceNorm\dd|RMSNorm)$"
)
_FILLS = ("normal_", "uniform_", "trunc_normal_")
_EMBEDDINGS = ("torch.nn.Embedding", "torch.nn.EmbeddingBag")
_FILLING = (
    *(f"{_INIT}{name}" for name in _FILLS),
    *(f"{_INIT}{kind}_{how}_" for kind in ("xavier", "kaiming") for how in ("normal", "uniform")),
    f"{_INIT}orthogonal_",
    f"{_INIT}sparse_",
    *(f"torch.Tensor.{name}" for name in _FILLS),
)


_NEAREST = 'write nonlinearity="relu", which such functions are near to'


@rule.event(*_SCALED)
def in_nonlinearities(event: Called, source: Source) -> Iterator[Hit]:
    """`kaiming_normal_(w, nonlinearity="gelu")`."""
    given = name_given(event).get("nonlinearity")
    value = given.value if isinstance(given, Constant) else None
    if not isinstance(value, str) or value in NONLINEARITIES:
        return
    short = event.name.rpartition(".")[2]
    message = f"{short} knows no nonlinearity {value!r}: ValueError"
    fix = _respell(event, value, source)
    near = _respelled(value)
    remedy = f'write nonlinearity="{near}"' if near else _NEAREST
    yield Hit(event, message, fix, severity=Severity.ERROR, remedy=remedy)


def _respell(event: Called, value: str, source: Source) -> Fix | None:
    """The name that torch knows, where the wrong one is written in the call."""
    near, call = _respelled(value), source.call_at(event)
    for arg in call.args if near and call is not None else ():
        if isinstance(arg.value, cst.SimpleString) and literal(arg.value) == value:
            quoted = f"{arg.value.quote}{near}{arg.value.quote}"
            return Fix(f"write {quoted}", (source.replace(arg.value, quoted),))
    return None


def _respelled(value: str) -> str:
    """The same word as torch writes it: in small letters, with `_`, or with its slip mended.

    A short one stays: `lrelu` is nearest to `relu`, and means `leaky_relu`, which has another gain.
    """
    plain = re.sub(r"[-_ ]", "", value.lower())
    names = {name.replace("_", ""): name for name in NONLINEARITIES}
    if plain in names:
        return names[plain]
    near = difflib.get_close_matches(plain, [name for name in names if len(name) > 6], 1, 0.9)
    return names[near[0]] if near else ""


@rule.source(cst.Call, needs=("bias",))
def in_biases(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`nn.init.xavier_uniform_(m.bias)` of a layer, whose bias has one axis."""
    name = source.name(call.func)
    short = name.removeprefix(_INIT)
    if not name.startswith(_INIT) or not _MATRICES.match(short) or not call.args:
        return
    given = _BIAS.fullmatch(source.code(call.args[0].value))
    if given is not None and _is_layer(given[1], call, source):
        message = f"{short} takes a tensor of two axes or more, a bias has one: ValueError"
        remedy = "write nn.init.zeros_() for a bias"
        yield Hit(call, message, severity=Severity.ERROR, remedy=remedy)


_BIAS = re.compile(r"([\w.]+)\.bias(?:\.data)?")
_BIASED = re.compile(r"torch\.nn\.(Linear|Conv\w*|(Batch|Layer|Group|Instance)Norm\w*)")


def _is_layer(owner: str, call: cst.Call, source: Source) -> bool:
    """Whether a name is surely a layer of torch: asked for around the call, or built so."""
    for each in source.ancestors(call):
        test = source.code(each.test) if isinstance(each, cst.If) else ""
        if test and re.search(rf"isinstance\({re.escape(owner)}, \(?(torch\.)?nn\.", test):
            return source.is_within(call, each.body) if isinstance(each, cst.If) else False
    func = call.args[0].value
    while isinstance(func, cst.Attribute) and source.code(func) != owner:
        func = func.value
    built = source.built(func)
    return bool(built) and all(_BIASED.fullmatch(source.name(each.func)) for each in built)


@rule.source(cst.If, needs=("__name__",))
def in_class_names(node: cst.If, source: Source) -> Iterator[Hit]:
    """`if type(m).__name__.find("Conv") != -1: init(m.weight)`, where the file has a ConvBlock."""
    found = _class_name_test(node.test, source)
    if found is None:
        return
    module, word = found
    if not _reads_weight(node.body, module, source):
        return
    for info in source.classes.all.values():
        if word in info.name and info.is_module and _has_no_weight(info, source):
            message = f'"{word}" is in the name of {info.name} too, which has no weight'
            remedy = "ask isinstance(m, nn.Conv2d)"
            yield Hit(node.test, message, severity=Severity.ERROR, remedy=remedy)
            return


@rule.source(cst.If, needs=("named_parameters",))
def in_parameter_names(node: cst.If, source: Source) -> Iterator[Hit]:
    """`if "weight" in name: init.normal_(p)`, in a file that builds norm layers."""
    loop = source.enclosing(node, cst.For)
    if loop is None or source.parent(node) is not loop.body or not _asks_for_weight(node.test):
        return
    method = loop.iter.func if isinstance(loop.iter, cst.Call) else None
    target = loop.target.elements[1].value if _is_pair(loop.target) else None
    if not isinstance(method, cst.Attribute) or method.attr.value != "named_parameters":
        return
    if not isinstance(target, cst.Name):
        return
    norm = _find_norm(source)
    for call in source.nodes(cst.Call) if norm else ():
        if source.enclosing(call, cst.If) is node and (how := _fills(call, target, source)):
            short = norm.rpartition(".")[2]
            raises = bool(_MATRICES.match(how))
            does = "which raises" if raises else "in place of ones"
            message = f"{how} hits the weights of {short} too, {does}"
            grave = Severity.ERROR if raises else None
            yield Hit(call, message, severity=grave, remedy="leave out what has p.dim() < 2")


@rule.source(cst.Call, needs=("parameters",))
def in_vectors(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`nn.init.zeros_(p)` of all parameters with one axis, in a file that builds norm layers."""
    choice = source.enclosing(call, cst.If)
    loop = source.enclosing(choice, cst.For) if choice is not None else None
    if choice is None or loop is None or not _goes_over_parameters(loop):
        return
    target = loop.target.elements[1].value if _is_pair(loop.target) else loop.target
    if not isinstance(target, cst.Name) or not _empties(call, target, source):
        return
    asked, inside = source.code(choice.test), source.is_within(call, choice.body)
    axes = (
        rf"({target.value}\.(dim\(\)|ndim|ndimension\(\))|len\({target.value}\.(shape|size\(\))\))"
    )
    pattern = rf"{axes} (== 1|< 2|<= 1)" if inside else rf"{axes} (> 1|>= 2)"
    norm = re.fullmatch(pattern, asked) and _find_norm(source)
    if norm and not _is_called_nowhere(loop, source) and not _is_set_back(loop, source):
        message = (
            f"the scales of {norm.rpartition('.')[2]} have one axis too: 0 lets nothing through"
        )
        yield Hit(call, message, remedy='ask named_parameters() for "bias" in the name')


def _is_set_back(loop: cst.For, source: Source) -> bool:
    """Whether norm layers get their ones again below: `if isinstance(m, nn.LayerNorm): m.reset_parameters()`."""
    function = source.enclosing(loop, cst.FunctionDef, cst.Module)
    return any(
        source.enclosing(node, cst.FunctionDef, cst.Module) is function
        and source.precedes(loop, node)
        and "Norm" in source.code(node.test)
        and bool(_ONES.search(source.code(node.body)))
        for node in source.nodes(cst.If)
    )


_ONES = re.compile(r"reset_parameters\(|ones_\(|fill_\(1|constant_\([\w.]*weight[\w.]*, 1")


def _is_called_nowhere(node: cst.CSTNode, source: Source) -> bool:
    """Whether it stands in a method that nothing in the project names but in a comment."""
    function = source.enclosing(node, cst.FunctionDef)
    if function is None or source.enclosing(function, cst.ClassDef) is None:
        return False
    name = re.escape(function.name.value)
    named = re.compile(rf"^[^#\n]*(?<!def )\b{name}\b".encode(), re.M)
    special = name.startswith("__") or name == "forward"
    return not special and not is_written_around(named, source.path, source.consulted)


def _goes_over_parameters(loop: cst.For) -> bool:
    method = loop.iter.func if isinstance(loop.iter, cst.Call) else None
    return isinstance(method, cst.Attribute) and method.attr.value in (
        "parameters",
        "named_parameters",
    )


def _empties(call: cst.Call, target: cst.Name, source: Source) -> bool:
    """`nn.init.zeros_(p)`, `nn.init.constant_(p, 0)`, `p.data.zero_()`, `p.data.fill_(0)`."""
    name, values = source.name(call.func), [each.value for each in call.args]
    own = call.func.value if isinstance(call.func, cst.Attribute) else None
    filled = values[0] if values and name.startswith(_INIT) else own
    if filled is None or source.code(filled) not in (target.value, f"{target.value}.data"):
        return False
    zero = bool(values) and literal(values[-1]) in (0, 0.0)
    short = name.rpartition(".")[2] if name.startswith(_INIT) else source.code(call.func)
    short = short.rpartition(".")[2]
    return short in ("zeros_", "zero_") or (short in ("constant_", "fill_") and zero)


def _find_norm(source: Source) -> str:
    """A norm layer that the file builds, and not only if it is asked to; "" where it builds none."""
    for call in source.nodes(cst.Call):
        name = source.name(call.func)
        if _NORMS.match(name) and source.enclosing(call, cst.If, cst.IfExp) is None:
            return name
    return ""


@rule.event(*_FILLING)
def in_embeddings(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.init.normal_(self.embed.weight)`, where `self.embed` has a padding row."""
    weight = event.positional[0] if event.positional else event.keyword.get("tensor")
    if not isinstance(weight, Tensor) or weight.origin != "parameter" or weight.name != "weight":
        return
    if _is_padded(weight, source) and not _is_indexed(weight, source):
        owner = _name_owner(event)
        message = f"fills the padding row of {owner} too, and no gradient will change it"
        remedy = f"zero it behind: {owner}.weight.data[{owner}.padding_idx].zero_()"
        yield Hit(event, message, remedy=remedy)


def _name_owner(event: Called) -> str:
    """`self.embed` of `normal_(self.embed.weight)` and `self.embed.weight.data.normal_()`."""
    node = event.node
    if not isinstance(node, ast.Call):
        return "the embedding"
    own = event.name.startswith("torch.Tensor.") and isinstance(node.func, ast.Attribute)
    place: ast.expr | None = node.args[0] if node.args else None
    if own and isinstance(node.func, ast.Attribute):
        place = node.func.value
    text = "" if place is None else ast.unparse(place).removesuffix(".data")
    return text.removesuffix(".weight") or "the embedding"


def _is_padded(weight: Tensor, source: Source) -> bool:
    """Whether it is the weight of an embedding that was made with a padding_idx."""
    for reached in source.evaluation.reached:
        for each in reached.events:
            made = each.result if isinstance(each, Called) and each.name in _EMBEDDINGS else None
            if not isinstance(each, Called) or not isinstance(made, Held):
                continue
            if f"parameter {made.address}" in weight.memory:
                index = name_given(each).get("padding_idx")
                return isinstance(index, Constant) and isinstance(index.value, int)
    return False


def _is_indexed(weight: Tensor, source: Source) -> bool:
    """Whether a row of it is read or set somewhere: it may be made zero again."""
    return any(
        isinstance(each, (Indexed, ItemSet))
        and isinstance(each.held, Tensor)
        and bool(each.held.memory & weight.memory)
        for reached in source.evaluation.reached
        for each in reached.events
    )


def _class_name_test(test: cst.BaseExpression, source: Source) -> tuple[str, str] | None:
    """The module and the word of `classname.find("Conv") != -1` and `"Conv" in classname`."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    other = test.comparisons[0]
    held: cst.BaseExpression | None = None
    word: object = None
    if isinstance(other.operator, cst.In):
        word, held = literal(test.left), other.comparator
    elif isinstance(test.left, cst.Call) and isinstance(other.operator, cst.NotEqual):
        func, args = test.left.func, test.left.args
        finds = isinstance(func, cst.Attribute) and func.attr.value == "find"
        held = func.value if finds and isinstance(func, cst.Attribute) else None
        word = literal(args[0].value) if args else None
    if isinstance(held, cst.Name):
        values = source.classes.assigned(held)
        held = values[0] if len(values) == 1 else None
    text = source.code(held) if held is not None else ""
    match = re.fullmatch(r"(?:type\((\w+)\)|(\w+)\.__class__)\.__name__", text)
    return (match[1] or match[2], word) if match and isinstance(word, str) and word else None


def _reads_weight(block: cst.BaseSuite, module: str, source: Source) -> bool:
    """Whether the first statement of a block already needs the weight."""
    text = source.code(block)
    guarded = any(word in text for word in ("hasattr", "getattr", "isinstance", "try:"))
    return f"{module}.weight" in text and not guarded


def _has_no_weight(info: ClassInfo, source: Source) -> bool:
    """Whether a class is a plain nn.Module that nowhere gets a weight."""
    return info.bases == ("torch.nn.Module",) and "weight" not in source.code(info.node)


def _asks_for_weight(test: cst.BaseExpression) -> bool:
    """`"weight" in name`, and nothing else."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    within = isinstance(test.comparisons[0].operator, cst.In)
    return within and literal(test.left) in ("weight", ".weight")


def _is_pair(target: cst.BaseExpression) -> TypeGuard[cst.Tuple]:
    return isinstance(target, cst.Tuple) and len(target.elements) == 2


def _fills(call: cst.Call, target: cst.Name, source: Source) -> str:
    """The function that fills a parameter, by nn.init or by its own method."""
    name = source.name(call.func)
    first = call.args[0].value if call.args else None
    if name.startswith(_INIT) and first is not None:
        short = name.removeprefix(_INIT)
        given = source.code(first) in (target.value, f"{target.value}.data")
        return short if given and (_MATRICES.match(short) or short in _FILLS) else ""
    func = call.func
    if isinstance(func, cst.Attribute) and func.attr.value in _FILLS:
        own = source.code(func.value) in (target.value, f"{target.value}.data")
        return func.attr.value if own else ""
    return ""
