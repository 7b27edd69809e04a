"""LT407: an optimizer that is given the wrong things to optimize."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import PARALLEL_WRAPPERS
from lintorch.evaluator.events import AttributeSet, Called, Combined, Entered, ItemSet
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.training_code import OPTIMIZERS
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    TRUE,
    Constant,
    External,
    Held,
    Items,
    Tensor,
    Unknown,
    Value,
)
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import is_one
from lintorch.facts.training.left_out import find_left_out
from lintorch.facts.training.made_anew import find_made_anew
from lintorch.facts.training.part_values import role_of_class, role_of_object
from lintorch.source import Role, Source, literal

rule = Rule(
    __name__,
    code="LT407",
    summary="an optimizer that is given the wrong parameters",
    why="""
        Some mistakes are silent: tensors of a `state_dict()` and tensors that need no gradient
        are accepted and never change, a parameter that groups of all layers leave out does not
        either, a layer, or a whole model, that takes another's place after the optimizer was
        made is not trained, and a loop that sets one learning rate for all groups makes
        different rates the same. Others raise: a model in place of its parameters, a list of
        `parameters()` calls, a parameter in two groups, a tensor that `.to()` or arithmetic
        made out of the one that needs a gradient (with `.to()`, only where it moves
        something), SGD without a rate before torch 2.2, an optimizer wrapped in DataParallel.
        Measured on torch 2.13.

        Which of several models a training step runs is not followed, nor which layers a walk
        over `modules()` leaves out.
    """,
    bad="""
        import torch
        from torch import nn


        def make():
            net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
            return net, torch.optim.SGD(net.state_dict().values(), lr=0.1)
    """,
    good="""
        import torch
        from torch import nn


        def make():
            net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
            return net, torch.optim.SGD(net.parameters(), lr=0.1)
    """,
    remedy="give it model.parameters(), once the model is complete",
    proof="""
        net, optimizer = make()
        before = net[1].weight.clone()
        net(torch.ones(1, 4)).sum().backward()
        optimizer.step()
        assert not torch.equal(net[1].weight, before)
    """,
)

_MOVES = frozenset({"to", "cuda", "cpu", "double", "half", "bfloat16", "type"})
_MAKERS = frozenset(
    f"torch.{name}"
    for name in ("zeros", "ones", "rand", "randn", "tensor", "empty", "full", "zeros_like",
                 "ones_like", "rand_like", "randn_like", "linspace", "arange", "eye")
)  # fmt: skip
_LR_SINCE = (2, 2)


SCALE = "change each by a factor: group['lr'] *= 0.1"


@rule.event(*(f"torch.optim.{name}" for name in OPTIMIZERS))
def in_constructors(event: Called, source: Source) -> Iterator[Hit]:
    short = event.name.rpartition(".")[2]
    given, call = name_given(event), source.call_at(event)
    params = given.get("params")
    if params is None:
        return
    wrong = _not_parameters(params, _written(event, source))
    if wrong:
        yield Hit(event, f"{short} is given {wrong[0]}", severity=wrong[1])
    yield from _judge_elements(event, params, source)
    missing = short == "SGD" and "lr" not in given and not event.open
    grouped = call is not None and bool(_groups(_params_of(call, source)))
    if missing and source.profile.torch < _LR_SINCE and not grouped:
        yield Hit(
            event,
            "SGD has no default for lr before torch 2.2",
            severity=Severity.ERROR,
            remedy="pass lr=",
        )


@rule.event(*PARALLEL_WRAPPERS)
def in_wrappers(event: Called, source: Source) -> Iterator[Hit]:
    wrapped = event.positional[0] if event.positional else event.keyword.get("module", NONE)
    if role_of_object(wrapped) is Role.OPTIMIZER:
        short = event.name.rpartition(".")[2]
        message = f"{short} wraps modules, and is given an optimizer"
        yield Hit(event, message, severity=Severity.ERROR, remedy="give it the model")


@rule.source(cst.Call, needs=("optim",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if not name.startswith("torch.optim.") or role_of_class(name) is not Role.OPTIMIZER:
        return
    short, params = name.rpartition(".")[2], _params_of(call, source)
    if params is None:
        return
    if _is_sum(params):
        yield Hit(call, f"{short} is given a sum of iterators", severity=Severity.ERROR)
    elif wrong := _repeated(params, source):
        yield Hit(call, f"{short} is given {wrong[0]}", severity=wrong[1])
    elif left := find_left_out([*_owners(params, source)], call, source):
        message = f"{short} is given all layers of a model, and not its parameter {left}"
        yield Hit(call, message, remedy=f'add a group: {{"params": [{left}]}}')


@rule.source(cst.Call, needs=("optim",))
def in_renewals(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`model = Net(wider)`, `model = copy.deepcopy(model)` behind the optimizer of the first."""
    name = source.name(call.func)
    if not name.startswith("torch.optim.") or role_of_class(name) is not Role.OPTIMIZER:
        return
    for renewal, model in find_made_anew(call, source):
        said = f"{model} is made anew after its optimizer, which goes on with the old one"
        yield Hit(renewal, said, remedy=RENEW)


RENEW = "make the optimizer behind the model that is trained"


def _is_sum(params: cst.BaseExpression) -> bool:
    """`a.parameters() + b.parameters()`."""
    if not isinstance(params, cst.BinaryOperation) or not isinstance(params.operator, cst.Add):
        return False
    return _method(params.left) == _method(params.right) == "parameters"


def _params_of(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    return source.arguments(call, "params").get("params")


def _written(event: Called, source: Source) -> str:
    """What is written for the parameters."""
    call = source.call_at(event)
    params = _params_of(call, source) if call is not None else None
    return source.code(params) if params is not None else "model"


def _not_parameters(params: Value, text: str) -> tuple[str, Severity] | None:
    """What is handed over in place of parameters, and how bad that is."""
    if role_of_object(params) is Role.MODEL and not _lists_parameters(params):
        return f"the module {text} and not its parameters", Severity.ERROR
    path = params.path if isinstance(params, Unknown) else ""
    if path.endswith(".state_dict()"):
        return "the names of a state_dict", Severity.ERROR
    if path.endswith(".state_dict().values()"):
        return "the tensors of a state_dict, which need no gradient", Severity.WARNING
    items = params.items if isinstance(params, Items) and params.kind in ("list", "tuple") else ()
    if any(isinstance(e, Unknown) and e.path.endswith(".parameters()") for e in items or ()):
        return "a list of parameters() calls: each is to be starred or a group", Severity.ERROR
    return None


def _lists_parameters(model: Value) -> bool:
    """Whether a module gives its parameters itself where it is walked over, as ParameterList does."""
    kind = model.of if isinstance(model, Held) else None
    return isinstance(kind, External) and kind.path == "torch.nn.ParameterList"


def _repeated(params: cst.BaseExpression, source: Source) -> tuple[str, Severity] | None:
    """`m.parameters()` beside `m.fc.parameters()`."""
    owners = list(_owners(params, source))
    for index, owner in enumerate(owners):
        for other in owners[:index]:
            short, long = sorted((owner, other), key=len)
            if long == short or long.startswith((f"{short}.", f"{short}[")):
                grouped = bool(_groups(params))
                return (
                    f"the parameters of {long} twice, as those of {short} too",
                    Severity.ERROR if grouped else Severity.WARNING,
                )
    return None


def _owners(params: cst.BaseExpression, source: Source) -> Iterator[str]:
    """Whose parameters() are handed over, group by group or joined."""
    if isinstance(params, cst.BinaryOperation) and isinstance(params.operator, cst.Add):
        yield from _owners(params.left, source)
        yield from _owners(params.right, source)
    elif isinstance(params, (cst.List, cst.Tuple)):
        groups = list(_groups(params))
        starred = [e.value for e in params.elements if isinstance(e, cst.StarredElement)]
        for given in groups or starred:
            yield from _owners(given, source)
    elif isinstance(params, cst.Call) and source.name(params.func) in ("list", "itertools.chain"):
        for arg in params.args:
            yield from _owners(arg.value, source)
    elif _method(params) == "parameters" and isinstance(params, cst.Call) and not params.args:
        yield source.code(_receiver(params))


def _groups(params: cst.BaseExpression | None) -> list[cst.BaseExpression]:
    """What the "params" of literal groups are; [] where there are no groups."""
    items = params.elements if isinstance(params, (cst.List, cst.Tuple)) else ()
    return [given for item in items for given in [_entry(item.value, "params")] if given]


def _entry(group: cst.BaseExpression, key: str) -> cst.BaseExpression | None:
    if isinstance(group, cst.Dict):
        for item in group.elements:
            if isinstance(item, cst.DictElement) and literal(item.key) == key:
                return item.value
    if (
        isinstance(group, cst.Call)
        and isinstance(group.func, cst.Name)
        and group.func.value == "dict"
    ):
        return next((a.value for a in group.args if a.keyword and a.keyword.value == key), None)
    return None


def _judge_elements(event: Called, params: Value, source: Source) -> Iterator[Hit]:
    """Tensors that are handed over one by one."""
    short = event.name.rpartition(".")[2]
    listed = isinstance(params, Items) and params.kind in ("list", "tuple")
    for index, item in enumerate(params.items or () if isinstance(params, Items) else ()):
        if not listed or not isinstance(item, Tensor):
            continue
        text = _write_element(event, index)
        if how := _derived(item, source):
            message = f"{short} is given {text}, which {how} made out of the tensor with a gradient"
            yield Hit(event, message, severity=Severity.ERROR)
        elif _needs_none(item, source):
            yield Hit(event, f"{short} is given {text}, which needs no gradient and never changes")


def _write_element(event: Called, index: int) -> str:
    """How one of the tensors is written."""
    args = event.node.args if isinstance(event.node, ast.Call) else []
    first = args[0] if args else None
    written = first.elts if isinstance(first, (ast.List, ast.Tuple)) else []
    starred = any(isinstance(each, ast.Starred) for each in written)
    return ast.unparse(written[index]) if index < len(written) and not starred else "a tensor"


def _derived(item: Tensor, source: Source) -> str:
    """`.to()` or arithmetic on a leaf; "" where there is none."""
    made = source.evaluation.ways.find_maker(item)
    if isinstance(made, Combined):
        return "arithmetic" if any(_is_leaf(v, source) for v in (made.left, made.right)) else ""
    moved = isinstance(made, Called) and name_operation(made) in _MOVES
    if made is not None and moved and _is_leaf(find_operand(made), source):
        return f".{name_operation(made)}()"
    return ""


def _is_leaf(value: Value | None, source: Source) -> bool:
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(made, Called):
        return False
    return made.name == "torch.nn.Parameter" or (
        made.name in _MAKERS and made.keyword.get("requires_grad") == TRUE
    )


def _needs_none(item: Tensor, source: Source) -> bool:
    """`w = torch.zeros(3)`, of which nothing says that it needs a gradient."""
    made = source.evaluation.ways.find_maker(item)
    if not isinstance(made, Called) or made.name not in _MAKERS or made.open:
        return False
    if made.keyword.get("requires_grad", FALSE) != FALSE:
        return False
    users = source.evaluation.ways.find_users(item)
    asked = any(isinstance(u, Called) and u.name.endswith(".requires_grad_") for u in users)
    return not asked and not any(
        isinstance(each, AttributeSet) and each.held is item
        for reached in source.evaluation.reached
        for each in reached.events
    )


@rule.event(ItemSet)
def in_loops(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`for group in optimizer.param_groups: group["lr"] = lr` where the groups differ in it."""
    owner = _find_owner(event, source) if event.index == Constant("lr") else None
    outer = next(source.evaluation.list_around(event), None)
    plain = isinstance(outer, ast.Assign) and isinstance(
        outer.value, (ast.Name, ast.Attribute, ast.Constant)
    )
    if owner is None or not plain:
        return
    made = [each for each in _list_made(event, source) if _holds(each, owner, source)]
    made = made or _list_given(event, owner, source)
    if made and all(_differ(each, source) for each in made):
        message = "gives all groups one lr, where they were made with different ones"
        yield Hit(event, message, remedy=SCALE)


def _find_owner(event: ItemSet, source: Source) -> ast.expr | None:
    """`optimizer` of a loop over `optimizer.param_groups`, or over their numbers."""
    loop, node = source.evaluation.find_loop(event), event.node
    over = loop.iter if isinstance(loop, ast.For) else None
    group = node.value if isinstance(node, ast.Subscript) else None
    if isinstance(group, ast.Subscript) and isinstance(loop, ast.For):
        numbered = ast.unparse(group.slice) == ast.unparse(loop.target)
        over = group.value if numbered else None
    found = isinstance(over, ast.Attribute) and over.attr == "param_groups"
    return over.value if found and isinstance(over, ast.Attribute) else None


def _list_given(event: ItemSet, owner: ast.expr, source: Source) -> list[Called]:
    """The optimizers that a function was given by that name, each time; [] where one is not known."""
    function = source.evaluation.find_function(event)
    given = [
        source.evaluation.ways.find_maker(each.given.get(ast.unparse(owner)))
        for reached in source.evaluation.reached
        for each in reached.events
        if isinstance(each, Entered) and each.node is function
    ]
    made = [each for each in given if isinstance(each, Called)]
    known = all(role_of_class(each.name) is Role.OPTIMIZER for each in made)
    return made if known and len(made) == len(given) else []


def _list_made(event: ItemSet, source: Source) -> list[Called]:
    """The optimizers that are made before."""
    before = source.evaluation.list_before(event)
    return [e for e in before if isinstance(e, Called) and role_of_class(e.name) is Role.OPTIMIZER]


def _holds(made: Called, owner: ast.expr, source: Source) -> bool:
    """Whether an optimizer is assigned to that name or attribute where it is made."""
    outer = next(source.evaluation.list_around(made), None)
    targets = outer.targets if isinstance(outer, ast.Assign) else ()
    return any(ast.unparse(each) == ast.unparse(owner) for each in targets)


def _differ(event: Called, source: Source) -> bool:
    """Whether an optimizer is made with groups of different rates."""
    made = source.call_at(event)
    if made is None:
        return False
    given = source.arguments(made, "params", "lr")
    params = given.get("params")
    if isinstance(params, cst.Name):
        assigned = source.classes.assigned(params)
        params = assigned[0] if len(assigned) == 1 else None
    items = params.elements if isinstance(params, (cst.List, cst.Tuple)) else ()
    rates = [_entry(item.value, "lr") or given.get("lr") for item in items]
    written = {source.code(rate) for rate in rates if rate is not None}
    return len(written) > 1


@rule.event(AttributeSet)
def in_replacements(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`model.fc = nn.Linear(...)` after the optimizer of `model` was made."""
    node, made = event.node, event.value
    if not isinstance(node, ast.Attribute) or role_of_object(made) is not Role.MODEL:
        return
    if ast.unparse(node.value) == "self" or "add_param_group" in source.evaluation.words:
        return
    if _is_too_late(event, source):
        text = ast.unparse(node)
        yield Hit(event, f"{text} is made after the optimizer, which goes on with the old one")


def _is_too_late(event: AttributeSet, source: Source) -> bool:
    """Whether the one optimizer of the code was made before, of all parameters of the model."""
    for reached in source.evaluation.reached:
        order = {id(each): number for number, each in enumerate(reached.events)}
        if id(event) not in order:
            continue
        made = [
            each
            for each in reached.events
            if isinstance(each, Called) and role_of_class(each.name) is Role.OPTIMIZER
        ]
        only = made[0] if len({each.spot for each in made}) == 1 else None
        early = only is not None and order[id(only)] < order[id(event)]
        return (
            only is not None and early and only.way.certain and _takes_all(only, event.held, source)
        )
    return False


def _takes_all(optimizer: Called, model: Value, source: Source) -> bool:
    """Whether an optimizer is given `model.parameters()`."""
    ways, params = source.evaluation.ways, name_given(optimizer).get("params")
    called = ways.find_unknown_maker(params) if params is not None else None
    if called is not None:
        return called.method == "parameters" and is_one(called.held, model)
    asked = ways.find_maker(params)
    if not isinstance(asked, Called) or asked.name != "torch.nn.Module.parameters":
        return False
    owner = asked.positional[0] if asked.positional else None
    same = isinstance(owner, Held) and isinstance(model, Held)
    return same and isinstance(model, Held) and getattr(owner, "address", None) == model.address


def _method(node: cst.CSTNode | None) -> str:
    """The method that an expression calls."""
    func = node.func if isinstance(node, cst.Call) else None
    return func.attr.value if isinstance(func, cst.Attribute) else ""


def _receiver(node: cst.CSTNode | None) -> cst.BaseExpression:
    assert isinstance(node, cst.Call)
    assert isinstance(node.func, cst.Attribute)
    return node.func.value
