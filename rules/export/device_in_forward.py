"""LT112: a forward pass that names the GPU, wherever its input lies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import OF_PROJECT, Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Unknown, Value
from lintorch.facts.models.device_names import name_device
from lintorch.facts.models.value_ways import Operation, is_one
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT112",
    summary="a GPU named in forward",
    why="""
        `.cuda()`, `device="cuda"` and `.to("cuda:0")` in forward mean the current GPU, or the
        first, whatever device the model and its input are on. The model cannot run on a CPU, on
        another GPU or under DataParallel, and a traced or exported graph keeps the device as a
        constant. `x.get_device()` is -1 on a CPU, which is no device. Measured on torch 2.13.

        Take the device of a tensor at hand: `torch.zeros(n, device=x.device)`, `y.to(x.device)`.
        Lines under a test of `is_cuda` or of a device are left alone.
    """,
    bad="""
        import torch
        from torch import nn


        class Shift(nn.Module):
            def forward(self, x):
                return x + torch.ones(x.shape[1], device=x.get_device())
    """,
    good="""
        import torch
        from torch import nn


        class Shift(nn.Module):
            def forward(self, x):
                return x + torch.ones(x.shape[1], device=x.device)
    """,
    remedy="take the device of an input: device=x.device",
    proof="""
        import torch

        Shift()(torch.zeros(2, 3))
    """,
    fix=Applicability.SAFE,
)

CAUSE = f"{OF_PROJECT}a GPU named in forward"
ASKS = f"{OF_PROJECT}get_device() asked in forward"
GPU = re.compile(r"^cuda(:\d+)?$")
_LIKE = ("zeros", "ones", "full", "empty", "rand", "randn", "randint")
MAKERS = tuple(
    sorted(
        {
            *(f"torch.{name}{end}" for name in _LIKE for end in ("", "_like")),
            *(f"torch.{name}" for name in (
                "arange", "linspace", "logspace", "eye", "randperm", "tensor", "as_tensor",
                "tril_indices", "triu_indices", "hann_window", "hamming_window", "range",
            )),
            *(f"torch.Tensor.new_{name}" for name in ("zeros", "ones", "full", "empty", "tensor")),
        }
    )
)  # fmt: skip
"""Functions that are told on which device to make a tensor."""
OF_WEIGHTS = "device = next(self.parameters()).device"
ASKED = re.compile(r"device|cuda|gpu", re.I)


@rule.event("torch.device", "torch.Tensor.to", *MAKERS)
def in_name(event: Called, source: Source) -> Iterator[Hit]:
    """`device="cuda"` of what is made, `y.to("cuda")`, `torch.device("cuda:0")`."""
    given = [event.keyword.get("device")]
    if event.name in ("torch.device", "torch.Tensor.to"):
        given += event.positional[event.name == "torch.Tensor.to" :][:1]
    named = [each.value for each in given if isinstance(each, Constant)]
    if not event.way.forward or not any(isinstance(n, str) and GPU.match(n) for n in named):
        return
    if is_in_kernel(event, source) or is_device_chosen(event, source):
        return
    if is_told(event, source):
        return
    if not is_asked_around(event, source) and not is_setting(event, source):
        text = source.evaluation.text(event.spot)
        said = f"`{text}` is on a GPU wherever the input is"
        remedy = None if takes_tensor(event, source) else f"write {OF_WEIGHTS}"
        yield Hit(event, said, fix=name_it(event, source), remedy=remedy, cause=CAUSE)


def is_in_kernel(event: Called, source: Source) -> bool:
    """Whether it is made in an autograd Function, or for one, of a kernel that runs nowhere else."""
    call = source.call_at(event)
    info = source.classes.around(call) if call is not None else None
    if info is not None and "torch.autograd.Function" in info.bases:
        return True
    around = [
        each for each in source.evaluation.list_around(event) if isinstance(each, ast.ClassDef)
    ]
    if any(ast.unparse(base).endswith("autograd.Function") for e in around for base in e.bases):
        return True
    kernels = {
        each.name for each in source.classes.all.values() if "torch.autograd.Function" in each.bases
    }
    return any(
        isinstance(each, ast.Call)
        and ast.unparse(each.func) in {f"{name}.apply" for name in kernels}
        for each in source.evaluation.list_around(event)
    )


def is_device_chosen(event: Called, source: Source) -> bool:
    """`with torch.cuda.device(x.device): … device="cuda"`: that is the GPU of x."""
    return any(
        ast.unparse(item.context_expr).startswith("torch.cuda.device(")
        for each in source.evaluation.list_around(event)
        if isinstance(each, (ast.With, ast.AsyncWith))
        for item in each.items
    )


def is_setting(event: Called, source: Source) -> bool:
    """Whether the device is what the constructor was told: `self.device = args.device`."""
    call = source.call_at(event)
    if call is None:  # in another file, which says of itself what it names
        return any(isinstance(each, (ast.Attribute, ast.Name)) for each in write_device(event))
    held = [arg.value for arg in call.args]
    given = [n for h in held if isinstance(h, cst.Attribute) for n in source.classes.assigned(h)]
    return bool(given) and all(is_parameter(each, source) for each in given)


def is_told(event: Called, source: Source) -> bool:
    """Whether the device is an argument without a default of the helper around: who calls it says where."""
    function = source.evaluation.find_function(event)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    asked = positional[: len(positional) - len(spec.defaults)]
    asked += [
        each for each, given in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if not given
    ]
    names = {each.arg for each in asked}
    return any(isinstance(each, ast.Name) and each.id in names for each in write_device(event))


def write_device(event: Called) -> list[ast.expr]:
    """What is written for the device."""
    node = event.node
    if not isinstance(node, ast.Call):
        return []
    first = node.args[:1] if event.name in ("torch.device", "torch.Tensor.to") else []
    return [*first, *(each.value for each in node.keywords if each.arg == "device")]


def is_parameter(node: cst.CSTNode, source: Source) -> bool:
    """Whether it is a parameter of the function around, or an attribute or item of one."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    function = source.enclosing(node, cst.FunctionDef)
    if function is None or not isinstance(node, cst.Name) or node.value == "self":
        return False
    spec = function.params
    return node.value in {each.name.value for each in (*spec.params, *spec.kwonly_params)}


def name_it(event: Called, source: Source) -> Fix | None:
    """`device=x.device` for `device="cuda"`, `x.device` for `torch.device("cuda")`."""
    call = source.call_at(event)
    device = find_device(event, call, source)
    if call is None or not device:
        return None
    if event.name == "torch.device":
        return at_hand(device, source.replace(call, device))
    named = [arg.value for arg in call.args if arg.keyword and arg.keyword.value == "device"]
    if event.name == "torch.Tensor.to" and not named and isinstance(call.func, cst.Attribute):
        named = [arg.value for arg in call.args[:1] if not arg.keyword and not arg.star]
    if len(named) != 1 or not is_gpu(named[0], source):
        return None
    return at_hand(device, source.replace(named[0], device))


def find_device(event: Called, call: cst.Call | None, source: Source) -> str:
    """A device that forward can name; "" where none is sure."""
    if call is None:
        return ""
    return name_device(event, source.evaluation, lambda name: source.spell(name, call))


def is_gpu(written: cst.BaseExpression, source: Source) -> bool:
    """`"cuda"`, `"cuda:0"`, as a literal."""
    text = source.code(written)
    return isinstance(written, cst.SimpleString) and bool(GPU.match(text.strip("\"'")))


def at_hand(device: str, edit: Edit) -> Fix:
    return Fix(f"write {device}", (edit,), Applicability.UNSAFE)


@rule.event("torch.Tensor.cuda")
def in_move(event: Called, source: Source) -> Iterator[Hit]:
    """`y.cuda()` of a tensor; of a module it is not said here."""
    if is_in_kernel(event, source):
        return
    if event.way.forward and not is_asked_around(event, source):
        text = source.evaluation.text(event.spot)
        follows = follows_tensor(event)
        said = f"`{text}` " + (NO_CPU if follows else "goes to a GPU wherever the input is")
        remedy = "write .to(x.device) of an input x"
        if not takes_tensor(event, source):
            remedy = f"write .to(device), with {OF_WEIGHTS}"
        yield Hit(event, said, fix=move_to_hand(event, source), remedy=remedy, cause=CAUSE)


NO_CPU = "raises where the input is on the CPU, which cuda() takes for no device"


SETTINGS = re.compile(r"self|cls|\w*(args|cfg|config|opts?|options|params|settings)")


def follows_tensor(event: Called) -> bool:
    """`y.cuda(x.device)`, `y.cuda(x.get_device())`, also where it has a name or is an argument."""
    given = event.positional[1:2] or (event.keyword.get("device"),)
    if any(isinstance(each, Unknown) and each.path == "tensor.device" for each in given):
        return True
    match event.node:
        case ast.Call(args=[ast.Attribute(attr="device", value=held)]):
            return isinstance(held, ast.Name) and not SETTINGS.fullmatch(held.id)
        case ast.Call(args=[ast.Call(func=ast.Attribute(attr="get_device"))]):
            return True
    return False


def takes_tensor(event: Called, source: Source) -> bool:
    """Whether a tensor is at hand in the function around: not in `def init_hidden(self, batch_size)`."""
    function = source.evaluation.find_function(event)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return True
    names = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)} - {"self"}
    return any(name not in COUNTS for name in names)


COUNTS = frozenset(
    {"batch_size", "batchsize", "bsz", "bs", "batch", "n", "b", "size", "length", "seq_len", "T"}
)
"""Names of arguments that are numbers."""


def move_to_hand(event: Called, source: Source) -> Fix | None:
    """`y.to(x.device)` for `y.cuda()`, `y.to(x.device, non_blocking=True)` where that is said."""
    call = source.call_at(event)
    device = find_device(event, call, source)
    if call is None or not device or not isinstance(call.func, cst.Attribute):
        return None
    rest = ""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == "non_blocking":
            rest = f", non_blocking={source.code(arg.value)}"
        elif arg.star or not (isinstance(arg.value, cst.Integer) or is_gpu(arg.value, source)):
            return None
    text = f"{source.code(call.func.value)}.to({device}{rest})"
    return at_hand(device, source.replace(call, text))


@rule.event("torch.Tensor.get_device", "torch.get_device")
def in_question(event: Called, source: Source) -> Iterator[Hit]:
    """`device=x.get_device()`, `y.to(x.get_device())`."""
    ways = source.evaluation.ways
    if not event.way.forward or not any(
        takes_device(user, event.result) for user in ways.find_users(event.result)
    ):
        return
    if is_asked_around(event, source):
        return
    call, fix = source.call_at(event), None
    if call is not None and isinstance(call.func, cst.Attribute) and not call.args:
        text = f"{source.code(call.func.value)}.device"
        fix = Fix(f"write {text}", (source.replace(call, text),))
    text = source.evaluation.text(event.spot)
    remedy = "write x.device for x.get_device()"
    yield Hit(event, f"{text} is -1 on a CPU, which is no device", fix, remedy=remedy, cause=ASKS)


def takes_device(user: Operation, value: Value) -> bool:
    """Whether an operation takes a value for the device to make or move something on."""
    if not isinstance(user, Called):
        return False
    moves = user.name == "torch.Tensor.to" and any(is_one(v, value) for v in user.positional[1:])
    return moves or is_one(user.keyword.get("device"), value)


def is_asked_around(event: Called, source: Source) -> bool:
    """Whether a test around asks what device there is."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and ASKED.search(ast.unparse(outer.test)):
            return True
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
    return False
