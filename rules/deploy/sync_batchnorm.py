"""LT203: SyncBatchNorm where it cannot run: in TorchScript, and on a CPU inside a process group."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import ModalLayer, Outcome, Site, Trace, Trial
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT203",
    summary="SyncBatchNorm where it cannot run",
    why="""
        In eval mode SyncBatchNorm is BatchNorm: torch.export and both ONNX exporters write the
        same numbers, and the state dicts have the same keys. So it needs no replacing for most
        deployment, whatever older advice says. Two things do fail: `torch.jit.script` refuses
        it, and training on a CPU inside a process group raises. The legacy ONNX exporter and
        torch.jit.trace give a needless warning. Measured on torch 2.13.

        Replaced by the BatchNorm of the right dimension, with the same state dict, the model
        gives bitwise the same outputs in eval mode; training on several processes then no
        longer shares its statistics. Converting only the model that is trained leaves the
        class as it is for deployment.
    """,
    bad="""
        from torch import nn


        class Stem(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                self.norm = nn.SyncBatchNorm(8)

            def forward(self, x):
                return self.norm(self.conv(x))
    """,
    good="""
        from torch import nn


        class Stem(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                self.norm = nn.BatchNorm2d(8)

            def forward(self, x):
                return self.norm(self.conv(x))
    """,
    remedy="script the model with nn.BatchNorm2d in its place: state dicts and numbers are the same",
    proof="""
        warnings.simplefilter("ignore")
        torch.jit.script(Stem().eval())
    """,
    fix=Applicability.UNSAFE,
    example_profile=("torchscript-script",),
)

LAYER = "torch.nn.SyncBatchNorm"
CONVERT = f"{LAYER}.convert_sync_batchnorm"
HARM = {
    "onnx-legacy": Harm.NOISY,
    "torchscript-trace": Harm.NOISY,
    "torchscript-script": Harm.REFUSED,
}
_DEVICES = ("cuda", "xpu", "hpu", "npu")
_RANKED = re.compile(r"^torch\.nn\.(Lazy)?(Conv|ConvTranspose|MaxPool|AvgPool|BatchNorm)([123])d$")

REFUSAL = "attribute lookup is not defined on python value of type 'module'"
"""What the compiler says of `torch.distributed` in the layer's forward."""


@rule.source(cst.Call, needs=("SyncBatchNorm",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name == LAYER and _in_model(call, source):
        yield Hit(call, "SyncBatchNorm in a model", _fix(call, source), harm=HARM)
    elif name == "torch.jit.script" and (converted := _converted(call, source)):
        message = f"torch.jit.script refuses SyncBatchNorm, which {converted} was given"
        yield Hit(call, message, severity=Severity.ERROR)
    if name in (LAYER, CONVERT) and (group := _gloo(call, source)):
        message = f"training raises on a CPU inside a process group, and {group} is for one"
        yield Hit(call, message, remedy="use the nccl backend, or nn.BatchNorm2d on a CPU")


@rule.trace(ModalLayer)
def in_trace(event: ModalLayer, trace: Trace) -> Iterator[Hit]:
    if event.layer_class == LAYER:
        yield Hit(
            _site(event),
            f"{event.layer or 'the whole'} of {trace.record.qualname} is a SyncBatchNorm",
            harm=HARM,
        )


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.exporter != "torchscript-script" or REFUSAL not in outcome.message:
        return
    for event in trial.trace.find_events(ModalLayer):
        if event.layer_class == LAYER:
            message = f"torch.jit.script refuses the model: {outcome.message}"
            yield Hit(_site(event), message, severity=Severity.ERROR)


def _site(event: ModalLayer) -> Site:
    return event.built or event.site


def _in_model(call: cst.Call, source: Source) -> bool:
    """Whether a layer becomes part of a model; a function that converts others' layers makes one too."""
    info, method = source.classes.around(call), source.enclosing(call, cst.FunctionDef)
    if info and info.is_module and method is not None and method.params.params:
        return method.params.params[0].name.value == "self"
    return isinstance(source.parent(call), cst.Arg)


def _converted(call: cst.Call, source: Source) -> str:
    """The model given to `torch.jit.script`, if it was converted in the same scope."""
    given = call.args[0].value if call.args else None
    if not isinstance(given, cst.Name):
        return ""
    made = [value for value in source.classes.assigned(given) if isinstance(value, cst.Call)]
    return given.value if any(_is_conversion(value, source) for value in made) else ""


def _is_conversion(value: cst.Call, source: Source) -> bool:
    """`convert_sync_batchnorm(model)`, maybe followed by `.to(device)` or `.eval()`."""
    node: cst.BaseExpression = value
    while isinstance(node, cst.Call):
        if source.name(node.func) == CONVERT:
            return True
        node = node.func.value if isinstance(node.func, cst.Attribute) else cst.Name("_")
    return False


def _gloo(call: cst.Call, source: Source) -> str:
    """The start of a process group on CPU in a file that knows no other device; "" if none."""
    if source.mentions(_DEVICES):
        return ""
    for other in source.nodes(cst.Call):
        if source.name(other.func) == "torch.distributed.init_process_group":
            backend = source.arguments(other, "backend").get("backend")
            if literal(backend) == "gloo":
                return "gloo without another device"
    return ""


def _fix(call: cst.Call, source: Source) -> Fix | None:
    """BatchNorm of the one rank that the layers of the class have; none where they differ."""
    info = source.classes.around(call)
    spelled = source.spell("torch.nn", call)
    if info is None or not spelled or source.arguments(call).by_name.get("process_group"):
        return None
    ranks = {
        match[3]
        for other in source.nodes(cst.Call)
        if source.classes.around(other) is info
        and (match := _RANKED.match(source.name(other.func)))
    }
    if len(ranks) != 1:
        return None
    edit = source.replace(call.func, f"{spelled}.BatchNorm{ranks.pop()}d")
    return Fix("use BatchNorm of the same dimension", (edit,), Applicability.UNSAFE)
