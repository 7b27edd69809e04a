"""LT448: weights that are no copy of those they are kept beside."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT448",
    summary="weights that are no copy of those they are kept beside",
    why="""
        `self.target = self.online` gives one network a second name: the target moves with every step, and
        load_state_dict() copies it onto itself. `shadow[name] = p.data` holds the weight itself:
        what mul_() and add_() do to the average, they do to the model. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Average:
            def __init__(self, model):
                self.shadow = {}
                for name, p in model.named_parameters():
                    self.shadow[name] = p.data

            def update(self, model):
                for name, p in model.named_parameters():
                    self.shadow[name].mul_(0.9).add_(p.data, alpha=0.1)
    """,
    good="""
        import torch
        from torch import nn


        class Average:
            def __init__(self, model):
                self.shadow = {}
                for name, p in model.named_parameters():
                    self.shadow[name] = p.data.clone()

            def update(self, model):
                for name, p in model.named_parameters():
                    self.shadow[name].mul_(0.9).add_(p.data, alpha=0.1)
    """,
    remedy="copy them: write .clone(), or copy.deepcopy(model)",
    proof="""
        model = nn.Linear(1, 1)
        average = Average(model)
        with torch.no_grad():
            model.weight.add_(1)
        moved = model.weight.clone()
        average.update(model)
        assert torch.equal(moved, model.weight)
        assert not torch.equal(average.shadow["weight"], model.weight)
    """,
    severity=Severity.WARNING,
)

LISTING = ("named_parameters", "parameters", "state_dict")


@rule.source(cst.Assign, needs=("load_state_dict",))
def in_names(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`self.target = self.online`, and a load of the one into the other."""
    target, value = node.targets[0].target, find_first(node, source)
    plain = isinstance(target, (cst.Name, cst.Attribute))
    if len(node.targets) != 1 or not plain or not isinstance(value, (cst.Name, cst.Attribute)):
        return
    left, right = source.code(target), source.code(value)
    if source.code(node.value) == "None":
        return
    if f"{left}.load_state_dict({right}.state_dict()" not in source.text or left == right:
        return
    scope = find_scope(node, source)
    written = [
        source.code(each.targets[0].target)
        for each in source.nodes(cst.Assign)
        if find_scope(each, source) is scope
    ]
    local = source.enclosing(node, cst.FunctionDef) if isinstance(value, cst.Name) else None
    loads = any(
        source.code(each).startswith(f"{left}.load_state_dict({right}.state_dict()")
        for each in source.nodes(cst.Call)
        if find_scope(each, source) is scope
        and (local is None or source.enclosing(each, cst.FunctionDef) is local)
    )
    if loads and written.count(left) == 1 and written.count(right) <= 1:
        yield Hit(node, f"makes {left} another name of {right}, whose weights it is to keep")


def find_first(node: cst.Assign, source: Source) -> cst.BaseExpression:
    """`self.online` for the second `network` of `self.online = network; self.target = network`."""
    function = source.enclosing(node, cst.FunctionDef)
    for each in source.nodes(cst.Assign) if isinstance(node.value, cst.Name) else ():
        target = each.targets[0].target
        mine = each is not node and source.enclosing(each, cst.FunctionDef) is function
        if mine and isinstance(target, cst.Attribute) and each.value.deep_equals(node.value):
            return target
    return node.value


def find_scope(node: cst.CSTNode, source: Source) -> cst.ClassDef | cst.FunctionDef | None:
    """The class, else the function, around something."""
    return source.enclosing(node, cst.ClassDef) or source.enclosing(node, cst.FunctionDef)


@rule.source(cst.Assign, needs=LISTING)
def in_shadows(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`shadow[name] = p.data`, and what is changed in place in it."""
    target = node.targets[0].target
    loop = source.enclosing(node, cst.For)
    if (
        not isinstance(target, cst.Subscript)
        or loop is None
        or not is_weight(node.value, loop, source)
    ):
        return
    held = source.code(target.value)
    owner = find_scope(node, source)
    for call in source.nodes(cst.Call):
        func = call.func
        place = func.value if isinstance(func, cst.Attribute) else None
        word = func.attr.value if isinstance(func, cst.Attribute) else ""
        inside = isinstance(place, cst.Subscript) and source.code(place.value) == held
        mine = inside and find_scope(call, source) is owner
        if mine and word.endswith("_") and not word.endswith("__"):
            yield Hit(node, f"{held} holds the weights themselves, and {word}() changes them")
            return


def is_weight(value: cst.BaseExpression, loop: cst.For, source: Source) -> bool:
    """`p`, `p.data` or `p.detach()` of a loop over the weights of a model."""
    if not any(f".{name}()" in source.code(loop.iter) for name in LISTING):
        return False
    if isinstance(value, cst.Call) and not value.args:
        func = value.func
        detached = isinstance(func, cst.Attribute) and func.attr.value == "detach"
        value = func.value if detached and isinstance(func, cst.Attribute) else value
    elif isinstance(value, cst.Attribute) and value.attr.value == "data":
        value = value.value
    names = source.code(loop.target).replace("(", "").replace(")", "").split(",")
    return isinstance(value, cst.Name) and value.value == names[-1].strip()


@rule.source(cst.Assign, needs=LISTING)
def in_averages(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`self.average = model.state_dict()`, `[p for p in model.parameters()]`, and what is averaged in it."""
    target, owner = node.targets[0].target, find_scope(node, source)
    if isinstance(target, cst.Name):  # of one call alone, unless it averages them
        owner = source.enclosing(node, cst.FunctionDef)
    if len(node.targets) != 1 or not isinstance(target, (cst.Name, cst.Attribute)) or owner is None:
        return
    held = source.code(target)
    kept = f"{held} {owner.name.value}" if isinstance(target, cst.Attribute) else held
    if not AVERAGE.search(kept) or not holds_weights(node.value, source):
        return
    if is_beside_source(node, source):
        return
    text = re.escape(held)
    code = source.code(owner)
    changed = re.search(rf"{text}\[[^\]]*\](\.data)?({WRITES})", code)
    for loop in source.nodes(cst.For):
        if changed is None and owner in source.ancestors(loop):
            name = find_item(loop, held, source)
            body = source.code(loop.body)
            changed = re.search(rf"\b{name}(\.data)?({WRITES})", body) if name else None
    if changed is not None:
        yield Hit(
            node, f"{held} holds the weights themselves, and what averages them changes the model"
        )


def is_beside_source(node: cst.Assign, source: Source) -> bool:
    """Whether the weights of a second network are given too: the first is made to be the average."""
    own = _OF_NETWORK.findall(source.code(node.value))
    function = source.enclosing(node, cst.FunctionDef)
    others = (
        _OF_NETWORK.findall(source.code(each.value))
        for each in source.nodes(cst.Assign)
        if each is not node and source.enclosing(each, cst.FunctionDef) is function
    )
    return any(other and other != own for other in others)


_OF_NETWORK = re.compile(r"(\w+)\.(?:named_parameters|parameters|state_dict)\(")
AVERAGE = re.compile(r"ema(_|\b)|ema$|EMA|shadow|av(era)?g|Average|polyak|swa\b", re.I)
"""Names of what keeps an average of weights."""
WRITES = r"\.(mul|add|lerp|copy|sub)_\(|\s*[*+-]="
PARTS = ("named_parameters", "parameters", "state_dict", "items", "values")


def holds_weights(value: cst.BaseExpression, source: Source) -> bool:
    """Whether a value is the weights of something that is given, not of a copy that is made there."""
    if isinstance(value, cst.DictComp):
        kept, loop = value.value, value.for_in
    elif isinstance(value, cst.ListComp):
        kept, loop = value.elt, value.for_in
    elif isinstance(value, cst.Call) and source.code(value.func) in ("list", "dict") and value.args:
        return is_of_given(value.args[0].value, source)
    else:
        return source.code(value).endswith(".state_dict()") and is_of_given(value, source)
    if not is_of_given(loop.iter, source) or loop.inner_for_in is not None:
        return False
    names = source.code(loop.target).strip("()").split(",")
    return source.code(kept) in {f"{names[-1].strip()}{end}" for end in ("", ".data", ".detach()")}


def is_of_given(value: cst.BaseExpression, source: Source) -> bool:
    """`model.state_dict().items()` of a parameter that is given nothing else."""
    while isinstance(value, cst.Call) and not value.args and isinstance(value.func, cst.Attribute):
        if value.func.attr.value not in PARTS:
            return False
        value = value.func.value
    if not isinstance(value, cst.Name) or AVERAGE.search(value.value):
        return False  # `avg_model.parameters()` are those of the average itself
    bound = source.bound(value)
    return len(bound) == 1 and bound[0].kind == "param"


def find_item(loop: cst.For, held: str, source: Source) -> str:
    """What a loop calls the weights that it takes out of those that are kept."""
    over = source.code(loop.iter)
    target = loop.target
    names = [source.code(e.value) for e in target.elements] if isinstance(target, cst.Tuple) else []
    if over == f"{held}.items()" and len(names) == 2:
        return names[1]
    if over in (held, f"{held}.values()") and not names:
        return source.code(target)
    given = loop.iter.args if isinstance(loop.iter, cst.Call) and over.startswith("zip(") else []
    at = [source.code(each.value) for each in given]
    found = [n for n, each in zip(names, at, strict=False) if each in (held, f"{held}.values()")]
    return found[0] if found else ""
