"""LT216: an attribute that a module, a Sequential or a wrapper does not have."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import PARALLEL_WRAPPERS
from lintorch.evaluator.events import AttributeRead, Indexed
from lintorch.evaluator.objects import MODULE, has_open_base, list_ancestors
from lintorch.evaluator.values import Class, External, Held, Value
from lintorch.facts.classes.misspelled import find_forward, list_slips
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT216",
    summary="an attribute that the module does not have",
    why="""
        nn.Module has no `device` and no `dtype`: its parameters have. nn.Sequential is indexed by
        number, its layers by name are attributes. DataParallel and DistributedDataParallel hold
        the model in `.module` and pass no attribute on. Each raises where it is reached. Only
        what was surely built so, in the same function or class, is reported.
        Measured on torch 2.13.
    """,
    bad="""
        from torch import nn

        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())


        def predict(x):
            return model(x.to(model.device))
    """,
    good="""
        from torch import nn

        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())


        def predict(x):
            return model(x.to(next(model.parameters()).device))
    """,
    remedy="ask one of its parameters: next(model.parameters()).device",
    proof="""
        predict(torch.ones(1, 4))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_OF_PARAMETERS = ("device", "dtype")
_OF_WRAPPERS = frozenset(
    {
        "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children",
        "compile", "cpu", "cuda", "dim", "double", "dump_patches", "eval", "extra_repr", "float",
        "forward", "gather", "get_buffer", "get_extra_state", "get_parameter", "get_submodule",
        "half", "ipu", "join", "join_hook", "load_state_dict", "module", "modules", "mtia",
        "named_buffers", "named_children", "named_modules", "named_parameters", "no_sync",
        "parallel_apply", "parameters", "register_backward_hook", "register_buffer",
        "register_comm_hook", "register_forward_hook", "register_forward_pre_hook",
        "register_full_backward_hook", "register_full_backward_pre_hook",
        "register_load_state_dict_post_hook", "register_load_state_dict_pre_hook",
        "register_module", "register_parameter", "register_state_dict_post_hook",
        "register_state_dict_pre_hook", "replicate", "requires_grad_", "scatter", "set_extra_state",
        "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train", "type",
        "will_sync_module_buffers", "xpu", "zero_grad", "training", "device", "device_ids",
        "device_type", "output_device", "process_group", "reducer", "logger", "mixed_precision",
        "static_graph", "broadcast_buffers", "find_unused_parameters", "require_backward_grad_sync",
        "require_forward_param_sync", "bucket_bytes_cap", "gradient_as_bucket_view", "ddp_uneven_inputs_config",
        "parameters_to_ignore", "src_device_obj", "device_mesh", "is_multi_device_module",
    }
)  # fmt: skip


_IN_PLACE_OF_MODULE = rb"""|\bnn\.Module\s*=[^=]|\bnn\s*,\s*["']Module["']\s*,"""
"""`patch(nn, "Module", Module)`: a class of its own, of which nothing is known, takes the place of torch's."""


@rule.event(AttributeRead)
def of_parameters(event: AttributeRead, source: Source) -> Iterator[Hit]:
    if event.attribute not in _OF_PARAMETERS or not _is_plain(event.held):
        return
    if ast.unparse(event.node) == f"self.{event.attribute}" and _may_be_given(event, source):
        return
    if not isinstance(event.node, ast.Attribute) or _is_tried(event, source):
        return
    if not event.way.certain and _asks_kind(event.node, event, source):
        return
    model, node = ast.unparse(event.node.value), source.node_at(event, cst.Attribute)
    fix = None
    if node is not None:
        text = f"next({model}.parameters()).{event.attribute}"
        fix = Fix("ask a parameter", (source.replace(node, text),), Applicability.UNSAFE)
    message = f"{model} is a module: it has no {event.attribute}, its parameters have"
    remedy = f"write next({model}.parameters()).{event.attribute}"
    yield Hit(event, message, fix, remedy=remedy)


def _is_plain(held: Value) -> bool:
    """Whether it is a layer of torch, or of a class of the project with no such attribute."""
    kinds = [*list_ancestors(held.of)] if isinstance(held, Held) else []
    own = [each for each in kinds if isinstance(each, Class)]
    foreign = [each.path for each in kinds if isinstance(each, External)]
    if any(path.endswith(("Buffer", "Parameter")) for path in foreign):
        return False  # tensors that torch.nn makes
    layer = not own and all(p.startswith("torch.nn.") and p.count(".") == 2 for p in foreign)
    if not kinds or any(map(has_open_base, own)) or not (layer or foreign == [MODULE]):
        return False
    return not any(_gives(node) for each in own for node in ast.walk(each.node))


def _may_be_given(event: AttributeRead, source: Source) -> bool:
    """Whether a class made out of it in the project may have more, or its users set it."""
    kind = event.held.of if isinstance(event.held, Held) else None
    name = getattr(kind.node, "name", "").encode() if isinstance(kind, Class) else b""
    extended = rb"class \w+\([^)]*\b" + re.escape(name) + rb"\b"
    patched = rb"|(?<!self)\.%s\s*=[^=]" % event.attribute.encode()
    pattern = re.compile(extended + patched + _IN_PLACE_OF_MODULE)
    return is_written_around(pattern, source.path, source.consulted)


def _gives(node: ast.AST) -> bool:
    """Whether a class may get such an attribute here."""
    if isinstance(node, ast.FunctionDef):
        return node.name in (*_OF_PARAMETERS, "__getattr__", "__getattribute__")
    if isinstance(node, ast.ClassDef):
        names = (t for each in node.body for t in _list_targets(each) if isinstance(t, ast.Name))
        return any(each.id in _OF_PARAMETERS for each in names)
    if isinstance(node, ast.Attribute):
        stored = isinstance(node.ctx, ast.Store) and node.attr in _OF_PARAMETERS
        return stored or node.attr == "__dict__"
    return isinstance(node, ast.Name) and node.id in ("setattr", "vars")


def _list_targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []


def _asks_kind(read: ast.Attribute, event: AttributeRead, source: Source) -> bool:
    """Whether a test around it asks what stands beside the model: `self.model.device if not self.pt`."""
    held = read.value
    owner = ast.unparse(held.value if isinstance(held, ast.Attribute) else held) + "."
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and owner in ast.unparse(outer.test):
            return True
        if isinstance(outer, (ast.FunctionDef, ast.ClassDef)):
            return False
    return False


def _is_tried(event: AttributeRead, source: Source) -> bool:
    """Whether somebody is ready for an AttributeError, or asks for the attribute first."""
    tests = (
        ast.unparse(outer.test)
        for outer in source.evaluation.list_around(event)
        if isinstance(outer, (ast.If, ast.IfExp))
    )
    if any("hasattr(" in test and f"'{event.attribute}'" in test for test in tests):
        return True
    handlers = (
        handler.type
        for outer in source.evaluation.list_around(event)
        if isinstance(outer, ast.Try)
        for handler in outer.handlers
    )
    return any(kind is None or _CATCHES.search(ast.unparse(kind)) for kind in handlers)


_CATCHES = re.compile(r"AttributeError|Exception")


@rule.source(cst.Module)
def of_slips(module: cst.Module, source: Source) -> Iterator[Hit]:
    """`self.fc_1(x)` of a module that has fc1, `def foward(self, x)` of one that has no forward."""
    for node, near in list_slips(source):
        name = node.attr.value
        given = re.compile(rf"\.{name}\s*(,|[:=][^=])|[\"']{name}[\"']| as self\.{name}".encode())
        if name in _OF_WRAPPERS or is_written_around(given, source.path, source.consulted):
            continue
        edit = source.replace(node.attr, near)
        fix = Fix(f"write {near}", (edit,), Applicability.UNSAFE)
        yield Hit(node, f"self.{name} is not there: it raises", fix, remedy=f"write self.{near}")
    for info in source.classes.all.values():
        method = find_forward(info)
        if method is not None:
            said = f"{info.name} has no forward, and {method.name.value} is never called"
            fix = Fix(
                "write forward", (source.replace(method.name, "forward"),), Applicability.UNSAFE
            )
            yield Hit(method.name, said, fix, remedy="write def forward")


@rule.event(Indexed)
def by_name(event: Indexed, source: Source) -> Iterator[Hit]:
    held, key = event.held, getattr(event.index, "value", None)
    if not isinstance(held, Held) or held.of != External("torch.nn.Sequential"):
        return
    if not isinstance(key, str):
        return
    node = source.node_at(event, cst.Subscript)
    fix = None
    if node is not None and _is_name(key):
        start = source.replace(node.value, "").end
        edit = Edit(start, source.replace(node, "").end, f".{key}")
        fix = Fix("name the layer", (edit,), Applicability.SAFE)
    message = f"a Sequential is not indexed by a name, such as {key!r}: it raises"
    yield Hit(
        event, message, fix, remedy=f"write .{key}" if _is_name(key) else "index it by number"
    )


def _is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


@rule.event(AttributeRead)
def of_wrapped(event: AttributeRead, source: Source) -> Iterator[Hit]:
    held, name = event.held, event.attribute
    wrapper = getattr(held.of, "path", "") if isinstance(held, Held) else ""
    known = wrapper in PARALLEL_WRAPPERS and _is_of_model(name, wrapper, source)
    if not known or _is_tried(event, source) or _is_kept_apart(event, source):
        return
    if any(_asks_attribute(outer) for outer in source.evaluation.list_all_around(event)):
        return
    node, fix = source.node_at(event, cst.Attribute), None
    if node is not None:
        end = source.replace(node.value, "").end
        fix = Fix("reach through the wrapper", (Edit(end, end, ".module"),), Applicability.SAFE)
    said = f"the wrapper has no {name}: the model is its .module"
    model = ast.unparse(event.node.value) if isinstance(event.node, ast.Attribute) else ""
    yield Hit(event, said, fix, remedy=f"write .module.{name}", cause=f"wrapped {model}")


def _asks_attribute(outer: ast.AST) -> bool:
    """`if hasattr(model, "hyp"):` around it, or around a call that led there."""
    return isinstance(outer, (ast.If, ast.IfExp)) and "hasattr(" in ast.unparse(outer.test)


def _is_kept_apart(event: AttributeRead, source: Source) -> bool:
    """Whether it is read where the question that wraps the model came out otherwise: `if not args.parallel:`."""
    held = ast.unparse(event.node.value) if isinstance(event.node, ast.Attribute) else ""
    *_, outermost = (event.node, *source.evaluation.list_around(event))
    asked = (
        e
        for e in ast.walk(source.evaluation.find_function(event) or outermost)
        if isinstance(e, ast.If)
    )
    wraps = {ast.unparse(e.test) for e in asked if any(_wraps(line, held) for line in e.body)}
    return bool(wraps & set(_list_denied(event, source))) or _is_reached_beside(event, held, source)


def _is_reached_beside(event: AttributeRead, held: str, source: Source) -> bool:
    """Whether the other side of an `if` around it reaches through the wrapper: here there is none."""
    inner: ast.AST = event.node
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and inner is not outer.test:
            beside = list_beside(inner, outer)
            read = (
                ast.unparse(e)
                for line in beside
                for e in ast.walk(line)
                if isinstance(e, ast.Attribute)
            )
            if f"{held}.module" in read:
                return True
        inner = outer
    return False


def list_beside(inner: ast.AST, outer: ast.If | ast.IfExp) -> Sequence[ast.AST]:
    """The other side of an `if`."""
    if isinstance(outer, ast.IfExp):
        return (outer.orelse if inner is outer.body else outer.body,)
    return outer.orelse if inner in outer.body else outer.body


def _wraps(line: ast.stmt, model: str) -> bool:
    """`model = nn.DataParallel(model)`."""
    made = line.value if isinstance(line, ast.Assign) else None
    held = [ast.unparse(each) for each in line.targets] if isinstance(line, ast.Assign) else []
    return (
        isinstance(made, ast.Call)
        and model in held
        and ast.unparse(made.func).endswith(("DataParallel", "DDP"))
    )


def _list_denied(event: AttributeRead, source: Source) -> Iterator[str]:
    """The conditions that do not hold where something is read."""
    inner: ast.AST = event.node
    for outer in source.evaluation.list_around(event):
        match outer:
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=test)) if inner in outer.body:
                yield ast.unparse(test)
            case ast.If() if inner in outer.orelse:
                yield ast.unparse(outer.test)
        inner = outer


def _is_of_model(name: str, wrapper: str, source: Source) -> bool:
    """Whether only the model can have it: the wrappers, which are modules too, have not, nor does the file add it."""
    if name in _OF_WRAPPERS or name.startswith("_"):
        return False
    models = (info for info in source.classes.all.values() if info.is_module)
    if any(name in info.attributes or name in info.methods for info in models):
        return True
    added = re.search(rf"\.{name}\b[^=\n(]*=[^=]|setattr\(", source.text)
    return not added and "Distributed" not in wrapper
