"""What the words and numbers of a known message say beyond its kind."""

from __future__ import annotations

import re
from dataclasses import replace

from lintorch.messages.describe_untranslated import describe_untranslated
from lintorch.messages.message_kinds import load_runtimes
from lintorch.messages.name_details import add_details
from lintorch.messages.read_break import read_break
from lintorch.messages.read_keys import describe_keys
from lintorch.messages.read_load_key import describe_load_key
from lintorch.messages.read_moved import MOVED, describe_moved, find_moved
from lintorch.messages.read_status import describe_status
from lintorch.messages.recognise import Recognised
from lintorch.messages.refused_operators import is_contributed
from lintorch.messages.who_speaks import is_compiled
from lintorch.targets.opset_history import find_definition, is_standard

_KEYS = {"torch/state-dict"}
_OPERATORS = {"onnxruntime/no-op-registered"}
_FOREIGN = "it is one of TensorFlow, of a library of custom operators, or a runtime's own (com.microsoft), and what wrote the file left it in; another opset_version does not help."
_CONVERT_AGAIN = "a newer release of the converter that wrote the file (tf2onnx, keras2onnx), or this operation written by others before it; of a custom operator load its library: SessionOptions().register_custom_ops_library(path)"
_DOMAINS = {"onnxruntime/not-registered", "onnxruntime/no-op-registered"}
_CONTRIB = "is an operator of ONNX Runtime itself (com.microsoft), which its optimizers and quantization write: this build leaves such operators out, or is older than the operator."
_WHOLE_BUILD = "the whole onnxruntime of the newest release, not one of the system, for mobile, or of a binding in another language with an older library (built with --disable_contrib_ops, or --minimal_build); or the file before it was optimized or quantized"
_OLDER = "ONNX has this operator at the opset that the file names: the ONNX Runtime that reads it is older than that opset, or a build that leaves the operator out (mobile, minimal, a binding in another language with an older library)."
_NEWER = "print(onnxruntime.__version__) in the very program that fails, and pip install -U onnxruntime there; or torch.onnx.export(…, opset_version=N, dynamo=False) with one that this release knows (opset 12 wants 1.3, 13 wants 1.6, 17 wants 1.12)"
_UNTRANSLATED = "torch.onnx/unsupported-operator"
_BREAK = "torch.export/dynamo-unsupported"
_STATUS = "onnxruntime/status"
_ARCHIVE = "torch/archive"
_LINEAR = "torch/linear-sizes"
_ASSERT = "torch.onnx/internal-assert"
_DIFFERS = "torchscript/trace-differs"
_QNN = {"onnxruntime/qnn", "qnn/graph-code", "qnn/graph-finalize"}
_DETAILED = {
    _STATUS,
    "onnx/checker",
    "onnxruntime/types-differ",
    "onnxruntime/half-output",
    "coreml/no-convert-function",
    "torch.export/size-log",
    _DIFFERS,
    "executorch/vulkan-form",
    "tensorrt/llm-assert",
    _ASSERT,
    *_QNN,
}
"""Kinds of several causes, which the words of a message tell apart."""
_UNFLATTENED = re.compile(r"^\(?(\d{1,9})x(\d{1,9}) and (\d{1,9})x\d{1,9}\)?$")
_AROUND = 300
_SAID = 300
_LONG = 3000
_BEFORE = 120
_PAIRS = re.compile(
    r"(?P<a>\d{1,6}) (?:by|vs\.?|and|!=|but got) (?P<b>\d{1,6})\b"
    r"|[\[{(](?P<c>(?:is)?\d[\d, xis]{0,60})[\]})](?: (?:and|vs\.?)|, RightShape:) [\[{(](?P<d>(?:is)?\d[\d, xis]{0,60})[\]})]"
    r"|i0=(?P<e>\d{1,6}), i1=(?P<f>\d{1,6})|dim1 = (?P<g>\d{1,6}), dim2 = (?P<h>\d{1,6})"
    r"|tensor a \((?P<i>\d{1,6})\) must match the size of tensor b \((?P<j>\d{1,6})\)"
)
_SMALL = 4
_SIDES = 3
"""Axes of one tensor that are rounded alike: height and width, and a depth."""
_NOTHING = "A size of 0 says that nothing was found: no box, no match, no token is left at this place, for inputs that the model sees nothing in, mostly because they are not prepared as in training (order of the channels, mean and scale, size); the model has to bear that, too."
_ONNX = re.compile(
    r"(?i:onnx)|dynamic_axes|dynamo=|call_function\[target=|occurred when translating|symbolic\(\) takes"
)
"""Words of torch.onnx beside those that it shares with TorchScript."""
_STATUSES = {
    "NOT_IMPLEMENTED": "This build has no kernel of an operator of the file, for its opset or its types; the words behind `Could not find an implementation for` name it. A newer release, or a lower opset_version at the export.",
    "NO_SUCHFILE": "The path is not that of a file, or its second file of weights (model.onnx.data) is not beside it.",
    "INVALID_PROTOBUF": "The file is no whole ONNX file: cut off, a pointer of Git LFS, a web page.",
    "INVALID_GRAPH": "The file contradicts itself, or is of an opset or a domain that this release does not know; the words behind it name the node.",
    "INVALID_ARGUMENT": "What is fed, or asked for, is not what the file declares: names, types, numbers of dimensions, sizes.",
    "EP_FAIL": "The execution provider failed, not the model: try providers=['CPUExecutionProvider'].",
}
_LOADS = re.compile(r"(?i:failed to load model|load model from .{1,200} failed)")
_UNREAD = "The file itself is not taken, before anything is fed: it is of a newer IR version or opset than this ONNX Runtime reads, is cut off or no ONNX file, or contradicts itself; the words behind it say which."


def sharpen(found: Recognised, text: str) -> Recognised:
    """A message with what its own words tell, put before what is known of its kind."""
    if found.kind.full_name in _DOMAINS and _is_contributed(found):
        bare = found.operator.rpartition(":")[2]
        kind = replace(found.kind, cause=f"{bare} {_CONTRIB}", remedy=_WHOLE_BUILD, rules=())
        return replace(found, kind=kind)
    if found.kind.full_name in _OPERATORS and _is_foreign(found.operator):
        cause = f"No opset of ONNX has an operator {found.operator}: {_FOREIGN}"
        return replace(
            found, kind=replace(found.kind, cause=cause, remedy=_CONVERT_AGAIN, rules=())
        )
    if found.kind.full_name in _OPERATORS and _is_defined(found):
        kind = replace(found.kind, cause=_OLDER, remedy=_NEWER, rules=())
        return replace(found, kind=kind)
    if found.kind.full_name == _UNTRANSLATED and (way := _tell_untranslated(found)):
        return replace(found, kind=replace(found.kind, cause=way[0], remedy=way[1]))
    if moved := find_moved(found.groups) if found.kind.full_name == MOVED else None:
        kind, runtime = (
            describe_moved(found.kind, moved),
            replace(found.runtime, title=moved.package),
        )
        return replace(found, kind=kind, runtime=runtime)
    if found.kind.full_name == _BREAK:
        found = _add_break(found, text)
    if found.runtime.name == "torch.export" and is_compiled(text):
        return _name_compile(found)
    detailed = found
    if found.kind.error == "sizes" or found.kind.full_name in _DETAILED:
        detailed = replace(found, kind=add_details(found.kind, _read_near(found, text)))
    if found.runtime.name == "torch.onnx" and not _ONNX.search(text):
        scripts = next(r for r in load_runtimes() if r.name == "torchscript")
        return replace(detailed, runtime=scripts)
    if detailed.kind is not found.kind:
        return detailed
    told = _describe(found, text)
    if told and found.kind.full_name not in _KEYS:
        told = f"{told} {found.kind.cause}"
    return replace(found, kind=replace(found.kind, cause=told or found.kind.cause))


def _tell_untranslated(found: Recognised) -> tuple[str, str] | None:
    asked, name = found.groups.get("opset", ""), found.groups.get("torch", "")
    return describe_untranslated(name, int(asked)) if name and asked.isdigit() else None


def _read_near(found: Recognised, text: str) -> str:
    """The words of a message, with those in front that an assertion names its condition by."""
    before = _BEFORE if found.kind.full_name == _ASSERT else 0
    long = _LONG if found.kind.full_name == _DIFFERS else _SAID
    return text[max(0, found.at - before) : found.at + long]


def _add_break(found: Recognised, text: str) -> Recognised:
    """With what Dynamo explains and hints at, which outweighs what holds of all that it does not follow."""
    why, hints = read_break(text[found.at :])
    if not why:
        return found
    kind = found.kind
    ahead = f"{hints}; " if hints else ""
    told = replace(
        kind,
        cause=f"The tracer of Python stopped here, and says: {why}.",
        remedy=f"{ahead}{kind.remedy}",
        compiled=f"{ahead}{kind.compiled}",
    )
    return replace(found, kind=told)


def _name_compile(found: Recognised) -> Recognised:
    """As a message of torch.compile, whose remedies are others."""
    kind = replace(found.kind, remedy=found.kind.compiled or found.kind.remedy)
    return replace(
        found, kind=kind, runtime=replace(found.runtime, title="torch.compile", exporters=())
    )


def _describe(found: Recognised, text: str) -> str:
    name = found.kind.full_name
    if name in _KEYS:
        return describe_keys(text[max(0, found.at - _AROUND) :])
    if name == _ARCHIVE:
        return describe_load_key(text[max(0, found.at - _AROUND) :])
    if name == _STATUS and _LOADS.search(found.excerpt):
        return _UNREAD
    if name == _STATUS:
        status = found.groups.get("status", found.groups.get("status2", "")).strip()
        return _STATUSES.get(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", status).upper(), "")
    if name == _LINEAR:
        return _describe_unflattened(found.groups.get("shapes", ""))
    if found.kind.error == "sizes":
        return _describe_near_sizes(found)
    return describe_status(found)


def _describe_unflattened(shapes: str) -> str:
    """Of a batch whose features stand in several axes: all of its numbers fill the layer's features a whole number of times."""
    match = _UNFLATTENED.match(shapes)
    if match is None:
        return ""
    rows, columns, features = (int(each) for each in match.groups())
    if not features > columns > 1 or rows * columns % features:
        return ""
    return f"{rows} times {columns} numbers are {rows * columns // features} times {features}: the axes behind the batch were not flattened before the layer, x.flatten(1)."


def _is_contributed(found: Recognised) -> bool:
    """Whether the operator is one of ONNX Runtime's own."""
    domain, _, bare = found.operator.rpartition(":")
    return domain == "com.microsoft" or (not domain and is_contributed(bare))


def _is_defined(found: Recognised) -> bool:
    """Whether ONNX has the operator at the opset that the file names: then the program is the older one."""
    opset = found.groups.get("opset", "")
    return opset.isdigit() and find_definition(found.operator, int(opset)) is not None


def _is_foreign(operator: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]\w{1,60}", operator)) and not is_standard(operator)


def _describe_near_sizes(found: Recognised) -> str:
    """Of two sizes that differ by one or two."""
    match = _PAIRS.search(found.excerpt)
    if match is None:
        return ""
    if "0" in match.groups():
        return _NOTHING
    first, second = (_read_sizes(each) for each in match.groups() if each)
    differing = [(a, b) for a, b in zip(first, second) if a != b]  # noqa: B905 - ranks may differ
    if len(first) != len(second) or not 1 <= len(differing) <= _SIDES:
        return ""
    if any(abs(a - b) > 2 or min(a, b) < _SMALL for a, b in differing):
        return ""
    (left, right), *_ = differing
    return f"{left} and {right} differ by rounding: an input whose size is no multiple of the strides in the model (feed multiples of 32, pad, or F.interpolate(x, size=skip.shape[2:])), or by one item more (a class token, a step of a cache)."


def _read_sizes(written: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d{1,9}", written)]
