"""LT133: the device of a tensor, asked for in forward, which a trace keeps as that of its example."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.profile import DEFAULT_EXPORTERS, Profile
from lintorch.core.rule import Rule
from lintorch.evidence import KeptDevice, Outcome, Trace, Trial

rule = Rule(
    __name__,
    code="LT133",
    summary="a tensor's device, which a trace keeps",
    why="""
        `torch.zeros(n, device=x.device)` and `y.to(x.device)` are right in eager, on every device.
        torch.jit.trace and torch.export keep the device of their example as a constant: traced
        on a CPU, the line makes a tensor on the CPU for ever. Run there, nothing is wrong. Loaded
        for a GPU, also with `map_location`, and met there by a tensor of the model, it raises
        "Expected all tensors to be on the same device". ONNX has no devices. Seen on torch 2.13
        without a GPU: what was traced on the CPU is run on the `meta` device.

        Trace on the device that the model runs on. Else write what asks no device:
        `x.new_zeros(n)`, `torch.zeros_like(x)`, `torch.arange(n).type_as(x)`, a registered buffer;
        or put the line into a function under `torch.jit.script`, which asks at each call. A program of
        torch.export is moved by `torch.export.passes.move_to_device_pass`; that exporter is spoken
        of only where settings, options or the project's calls name it.
    """,
    bad="""
        import torch
        from torch import nn


        class Steps(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1], device=x.device)
    """,
    good="""
        import torch
        from torch import nn


        class Steps(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1]).type_as(x)
    """,
    remedy="register what is made here as a buffer, or export on the device it is to run on",
    proof="""
        import torch

        program = torch.export.export(Steps(), (torch.ones(1, 8),)).module()
        program.to("meta")(torch.ones(1, 8, device="meta"))
    """,
    severity=Severity.WARNING,
)


@rule.trace(KeptDevice)
def in_trace(event: KeptDevice, trace: Trace) -> Iterator[Hit]:
    message = "a trace keeps the device of its example here"
    yield Hit(event, message, harm=kept_by(trace.profile), detail=describe(event))


@rule.trial("ok", "wrong", "random")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Where the exported graph holds the device as a constant of the line."""
    if outcome.exporter not in kept_by(trial.profile):
        return
    rows = {(site.path, site.row) for site in outcome.devices}
    for event in trial.trace.find_events(KeptDevice):
        if (event.site.path, event.site.row) in rows:
            message = f"{outcome.exporter} keeps the device of its example here"
            yield Hit(event, message, tried=Harm.FAILS, beside=True, detail=describe(event))


def describe(event: KeptDevice) -> str:
    """What is kept, and what comes of it elsewhere."""
    short, meets = event.function.rpartition(".")[2], event.operator.rpartition(".")[2].strip("_")
    where = "" if event.row == event.site.row else f" in line {event.row}"
    made = f"what {short}() gives, of shape {list(event.made)}, stays on the first"
    return (
        f"traced on one device and run on another, {made}, and {meets} with a tensor of"
        f" {list(event.there)}{where} raises"
    )


def kept_by(profile: Profile) -> dict[str, Harm]:
    """torch.export has a pass that moves a program: spoken of where somebody says it is in use."""
    kept = {"torchscript-trace": Harm.FAILS}
    if profile.stated or profile.exporters != DEFAULT_EXPORTERS:
        kept["torch.export"] = Harm.FAILS
    return kept
