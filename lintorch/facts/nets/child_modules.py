"""Which expressions are surely modules: layers, models of the file, children met in a loop."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.classes.classes import ClassInfo, HasClasses
from lintorch.facts.dataflow.steps import HasProvenance
from lintorch.facts.names.lookup import HasNames

_ZOOS = ("torchvision.models.", "timm.create_model", "segmentation_models_pytorch.")
_PARTS = frozenset(
    {
        "conv1", "bn1", "layer1", "layer2", "layer3", "layer4", "fc", "features", "classifier",
        "head", "heads", "backbone", "encoder", "decoder", "avgpool", "blocks", "patch_embed",
    }
)  # fmt: skip
"""Names of children that the models of the zoos have; none of them names a parameter there."""
_CHILDREN = {"children": 0, "modules": 0, "named_children": 1, "named_modules": 1}
"""Methods that go through modules, and where the module stands in what they give."""
_AROUND = ("list", "tuple", "reversed", "itertools.islice", "set")


def is_module(node: cst.CSTNode, source: HasProvenance) -> bool:
    """Whether an expression surely stands for an nn.Module without a `requires_grad` of its own."""
    if isinstance(node, cst.Name) and _is_child(node, source):
        return True
    made = source.provenance.origins(node)
    if made:
        return all(_makes_module(call, source) for call in made)
    if isinstance(node, cst.Subscript):
        holders = {source.names.name(call.func) for call in source.provenance.origins(node.value)}
        return bool(holders) and holders <= {"torch.nn.Sequential", "torch.nn.ModuleList"}
    return isinstance(node, cst.Attribute) and _is_part(node, source)


def _makes_module(call: cst.Call, source: HasProvenance) -> bool:
    name = source.names.name(call.func)
    if name.startswith(_ZOOS):
        return name.rpartition(".")[2] != "list_models"
    info = source.classes.named(name)
    if info is not None:
        return info.is_module and not _has_own(info, source)
    return name.startswith("torch.nn.") and source.classes.is_module_class(name)


def _has_own(info: ClassInfo, source: HasClasses) -> bool:
    """Whether a class has a `requires_grad` itself, or looks at what is assigned."""
    known = [*source.classes.lineage(info)]
    names = {n for one in known for n in (*one.methods, *one.attributes)}
    return bool(names & {"requires_grad", "__setattr__"})


def _is_part(node: cst.Attribute, source: HasProvenance) -> bool:
    """`model.fc`, where the model is of this file or of a zoo."""
    makers = source.provenance.origins(node.value)
    return bool(makers) and all(_part_of(call, node.attr.value, source) for call in makers)


def _part_of(call: cst.Call, part: str, source: HasProvenance) -> bool:
    name = source.names.name(call.func)
    info = source.classes.named(name)
    if info is None:
        return name.startswith(_ZOOS) and part in _PARTS
    given = [v for one in source.classes.lineage(info) for v in one.attributes.get(part, ())]
    return bool(given) and all(
        bool(made := source.provenance.origins(value))
        and all(_makes_module(c, source) for c in made)
        for value in given
    )


def _is_child(name: cst.Name, source: HasNames) -> bool:
    """`for child in model.children():`, where the loop alone says what the name is."""
    if any(b.kind != "other" for b in source.names.bound(name)):
        return False
    for outer in source.file.ancestors(name):
        if isinstance(outer, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(outer, cst.For) and name.value in _names(outer.target):
            return _goes_through(outer, name.value, source)
    return False


def _names(target: cst.BaseExpression) -> set[str]:
    parts = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
    inner = {name for part in parts for name in _names(part.value)}
    return {target.value} if isinstance(target, cst.Name) else inner


def _goes_through(loop: cst.For, name: str, source: HasNames) -> bool:
    target: cst.BaseExpression = loop.target
    given: cst.BaseExpression = loop.iter
    while True:
        if isinstance(given, cst.Subscript):
            given = given.value
        elif (
            isinstance(given, cst.Call) and source.names.name(given.func) in _AROUND and given.args
        ):
            given = given.args[0].value
        elif (
            isinstance(given, cst.Call)
            and source.names.name(given.func) == "enumerate"
            and given.args
        ):
            given, target = given.args[0].value, _item(target, 1)
        else:
            break
    method = given.func if isinstance(given, cst.Call) else None
    if not isinstance(method, cst.Attribute) or method.attr.value not in _CHILDREN:
        return False
    place = _CHILDREN[method.attr.value]
    held = _item(target, place) if place else target
    return isinstance(held, cst.Name) and held.value == name


def _item(target: cst.BaseExpression, index: int) -> cst.BaseExpression:
    if isinstance(target, (cst.Tuple, cst.List)) and len(target.elements) > index:
        return target.elements[index].value
    return cst.Ellipsis()
