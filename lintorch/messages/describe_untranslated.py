"""What an operator is that the older ONNX exporter refuses: written from a later opset on, by a newer torch, or never."""

from __future__ import annotations

import re

from lintorch.messages.describe_exporters import is_written_at
from lintorch.targets.legacy_symbolics import find_first_translation
from lintorch.targets.untranslated import UNTRANSLATED
from lintorch.targets.written_out import write_out

_OLDER_TORCH = "The legacy exporter of torch 2.13 writes this operator at the very opset that is refused here: the torch that exported is older than its translation (or the call has an argument that the translation does not take). Another opset does not help."
_NEWER_TORCH = "print(torch.__version__) in the very environment of the export, and pip install -U torch there; where it must stay, write the operator by older ones (F.silu: x * torch.sigmoid(x); x.amax(1): x.max(1).values); or dynamo=True"
_CALLED = {"im2col": "unfold", "col2im": "fold", "grid_sampler": "grid_sample"}
_COMPLEX = re.compile(r"fft_\w+|view_as_(?:complex|real)|complex|polar|angle|_?conj\w*|real|imag")
_SPECTRUM = "leave complex numbers and Fourier transforms to what comes before the model; or products with fixed matrices of cosines and sines, real and imaginary parts as two tensors"
_PRIMS = {
    "prim::DictConstruct": (
        "The part of the model that was scripted (torch.jit.script) makes or returns a dictionary, for which ONNX has no place. No opset helps.",
        'return a tuple of tensors: in a wrapper whose forward does return out["logits"], out["boxes"]; or export the Python model, which is traced, in place of the script',
    ),
    "prim::Uninitialized": (
        "The part of the model that was scripted (torch.jit.script) leaves a name without a value on one way: a return, break or raise within an if or a loop. No opset helps.",
        "one return at the end of the function, and a value for the name before the if; or export the Python model, which is traced, in place of the script",
    ),
}


def describe_untranslated(name: str, opset: int) -> tuple[str, str] | None:
    """The cause and what to write, of `aten::diff` refused at an opset; None of what is not PyTorch's own."""
    space, _, bare = (name if "::" in name else f"aten::{name}").partition("::")
    bare = bare.partition(".")[0]
    bare = bare if find_first_translation(f"aten::{bare}") else bare.rstrip("_")
    if name in _PRIMS:
        return _PRIMS[name]
    if space != "aten" or not re.fullmatch(r"\w{2,60}", bare):
        return None
    called = _CALLED.get(bare, bare)
    plain = called.removeprefix("linalg_")
    written = write_out(plain) or write_out(f"{plain}_")
    instead = f"{written}; or " if written else ""
    if is_written_at(name, opset):
        return _OLDER_TORCH, _NEWER_TORCH
    first = find_first_translation(f"aten::{bare}")
    if first is not None and first <= opset:
        return _OLDER_TORCH, f"{instead}{_NEWER_TORCH}"
    if first is not None:
        cause = f"The older exporter writes {called} from opset {first} on, and this export asks for {opset}."
        return (
            cause,
            f"{instead}opset_version={first}, or higher, if the runtime takes it; or dynamo=True",
        )
    cause = f"The older exporter (dynamo=False) has no translation of {called} at any opset, up to torch 2.13: another opset_version does not help."
    return cause, _write_otherwise(bare, instead)


def _write_otherwise(bare: str, instead: str) -> str:
    """Of an operator that is never written."""
    if _COMPLEX.fullmatch(bare):
        return f"{_SPECTRUM}; or dynamo=True, which writes them"
    if _is_in_neither(bare):
        rest = "work it out before or after the exported part of the model; dynamo=True does not write it either"
        return f"{instead}{rest}"
    return f"{instead}dynamo=True, which writes it, or what it is made of"


def _is_in_neither(bare: str) -> bool:
    plain = re.sub(r"^(?:linalg|special)_|_ex$", "", bare)
    return any(
        f"torch.{prefix}{each}" in UNTRANSLATED
        for each in (plain, f"{plain}_")
        for prefix in ("", "linalg.", "special.", "nn.functional.")
    )
