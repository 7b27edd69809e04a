"""LT142: a call of what only Python can call, in a function or model that is scripted."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.classes.written_once import find_written
from lintorch.facts.exporting.compiled_code import CompiledCode, report_compiled
from lintorch.facts.exporting.script_lengths import is_listed
from lintorch.facts.exporting.script_terms import SCRIPT
from lintorch.facts.exporting.scripted import is_compiled
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT142",
    summary="a call that TorchScript cannot compile",
    why="""
        TorchScript compiles what a compiled function calls, too. Functions of Python with `**kwargs`
        (einops, checkpoint) are refused, and so are `super()`, `getattr` of a name that is not a
        literal, layers made on the way, `torch.enable_grad` and the like entered by `with`, and
        `*x.shape`, as the number of arguments is not known. Some functions of torch are no operators there:
        `torch.spmm`, `torch.from_numpy`, `torch.asarray`. Use torch's own functions (`permute`,
        `reshape(x.shape)`), call the base class by its own method, and make layers in `__init__`.
        Measured on torch 2.13.

        Reported for what the file scripts itself, and for every forward of a project whose
        settings name torchscript-script among the exporters. Methods marked `torch.jit.ignore` or
        `unused` are not compiled.
    """,
    bad="""
        import torch


        def flat(x):
            return x.view(*x.shape[1:])


        def compiled():
            return torch.jit.script(flat)
    """,
    good="""
        import torch


        def flat(x):
            return x.view(x.shape[1:])


        def compiled():
            return torch.jit.script(flat)
    """,
    remedy="call it before the exported code, and pass in what it gives",
    proof="""
        warnings.simplefilter("ignore")
        compiled()
    """,
    severity=Severity.ERROR,
    formerly=("LT123", "script-syntax"),
)

MODES = ("torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled", "open")
"""What it cannot enter by `with`, unlike no_grad and autocast."""
VARIADIC = frozenset(
    {
        "einops.rearrange",
        "einops.reduce",
        "einops.repeat",
        "torch.utils.checkpoint.checkpoint",
        "torch.utils.checkpoint.checkpoint_sequential",
    }
)
"""Functions of Python with `**kwargs`, which it would have to compile."""
_BESIDE = "make the tensor before, and pass it in"
_LEGACY = (
    "torch.Tensor",
    "torch.FloatTensor",
    "torch.LongTensor",
    "torch.IntTensor",
    "torch.BoolTensor",
)
UNKNOWN_THERE = {
    "torch.spmm": "write torch.mm, which takes sparse matrices too",
    "torch.dsmm": "write torch.mm, which takes sparse matrices too",
    "torch.hsmm": "write torch.hspmm",
    "torch.get_default_dtype": "name the dtype, or take that of a tensor",
    **dict.fromkeys(_LEGACY, "write torch.tensor()"),
    **dict.fromkeys(("torch.from_numpy", "torch.asarray", "torch.frombuffer"), _BESIDE),
}
"""Functions of torch that are no operators of TorchScript, and what to do instead."""


@rule.source(cst.Module)
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    yield from report_compiled(source, in_calls)


def in_calls(here: CompiledCode, source: Source) -> Iterator[Hit]:
    for call in here.nodes(cst.Call):
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        name = source.name(call.func)
        if is_compiled(call, source):
            yield from in_call(call, name, source)
        above = isinstance(owner, cst.Call) and source.name(owner.func) == "super"
        if above and is_compiled(call, source):
            yield Hit(
                call,
                "super() is not compiled",
                harm=SCRIPT,
                remedy="put what it does into a method of another name, and call self.that(x)",
            )
        for arg in call.args:
            if (
                arg.star == "*"
                and is_listed(find_written(arg.value, source))
                and is_compiled(call, source)
            ):
                told = f"*{source.code(arg.value)}: the number of arguments is not known"
                yield Hit(arg, told, harm=SCRIPT, remedy="name each argument")
    for item in here.nodes(cst.WithItem):
        entered = item.item.func if isinstance(item.item, cst.Call) else None
        if source.name(entered) in MODES and is_compiled(item, source):
            yield Hit(
                item,
                f"{source.name(entered)} cannot be entered",
                harm=SCRIPT,
                remedy="use torch.no_grad(), or leave the with out",
            )


def in_call(call: cst.Call, name: str, source: Source) -> Iterator[Hit]:
    """What can be called in Python alone."""
    if name in VARIADIC:
        yield Hit(call, f"{name} takes any number of arguments", harm=SCRIPT)
    elif name in UNKNOWN_THERE:
        remedy = UNKNOWN_THERE[name]
        yield Hit(call, f"{name} is no operator of TorchScript", harm=SCRIPT, remedy=remedy)
    elif name == "getattr" and len(call.args) > 1 and literal(call.args[1].value) is UNKNOWN:
        yield Hit(
            call,
            "getattr of a name that is not a literal",
            harm=SCRIPT,
            remedy="name the attribute, or keep layers in an nn.ModuleList and loop over it",
        )
    elif name == "type" and len(call.args) == 1:
        yield Hit(call, "type() is Python's alone", harm=SCRIPT, remedy="write isinstance()")
    elif name.startswith(("time.", "os.", "sys.")):
        yield Hit(call, f"{name} is not compiled", harm=SCRIPT, remedy="call it outside")
    elif name.startswith(("numpy.", "torch.cuda.")) and is_unknown_there(call, name):
        yield Hit(call, f"{name} is not compiled", harm=SCRIPT, remedy="ask for it in __init__")
    elif name == "setattr":
        remedy = "write self.name = value"
        yield Hit(call, "setattr is Python's alone", harm=SCRIPT, remedy=remedy)
    elif name.startswith("torch.nn.") and source.classes.is_module_class(name):
        yield Hit(
            call,
            f"{name} cannot be made in compiled code",
            harm=SCRIPT,
            remedy="make it in __init__",
        )


def is_unknown_there(call: cst.Call, name: str) -> bool:
    """Whether it is given nothing but literals: of tensors another rule tells."""
    asked = name in ("torch.cuda.is_available", "torch.cuda.device_count", "torch.cuda.synchronize")
    plain = all(literal(each.value) is not UNKNOWN for each in call.args)
    return asked or (name.startswith("numpy.") and plain)
