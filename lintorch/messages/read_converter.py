"""The operator whose converter a traceback ends in, whatever program it is of."""

from __future__ import annotations

import re
from dataclasses import replace

from lintorch.messages.message_kinds import Kind
from lintorch.messages.recognise import Recognised
from lintorch.targets.opset_history import is_standard, spell_standard
from lintorch.targets.written_operators import list_writers

_NEAR = 1500
_LINE = r"""\.py['"]?[,:]? ?(?:(?:line )?\d{1,6},? )?in """
_TORCH = re.compile(
    rf"(?:torch[/\\]onnx[/\\]symbolic_opset\d{{1,2}}{_LINE}(?P<a>[a-z]\w{{0,60}})"
    rf"|mil[/\\]frontend[/\\]torch[/\\]ops{_LINE}(?P<b>[a-z]\w{{0,60}})"
    rf"|conversion[/\\]aten_ops_converters{_LINE}aten_ops_(?P<c>\w{{1,60}})"
    r"|(?:operators|builders)[/\\](?:op|node)_(?P<d>\w{1,60})\.py"
    r"|[Oo]ccurred when translating (?P<e>[\w:.]{1,80}))"
)
_ONNX = re.compile(
    r"(?:onnx2tf[/\\]ops|onnx_tf[/\\]handlers[/\\]backend|onnx2torch[/\\]node_converters|onnx2pytorch[/\\]operations|"
    r"model_optimizer[/\\]extensions[/\\]ops|openvino[/\\]tools[/\\]mo[/\\]ops|front[/\\]onnx)[/\\](?P<a>[A-Za-z]\w{0,60})\.py"
    r"|[Ee]rror converting operator (?P<b>\w{1,60})"
)
_PACKAGE = re.compile(r"(?:site|dist)-packages[/\\]([A-Za-z]\w{1,40})")
_SHARED = ("readers", "tools", "any")
_HELPERS = frozenset(
    [
        "convert_nodes",
        "convert_node",
        "wrapper",
        "convert_single_node",
        "inner",
        "_inner",
        "symbolic",
    ]
)
_PLAIN = ("Add", "Sub", "Mul", "Div", "Cast", "Concat", "Reshape", "Slice", "Gather", "Transpose")
"""Written for so many calls that a few of them say nothing."""
_ONNX2TF = "-kat INPUT (keeps an input's order of axes) or a parameter replacement file for the node (-prf replace.json), since onnx2tf turns channels last and the tensors that meet here were turned in different ways; "
_WHY = "and failed there: its converter does not take the call as it stands here. Mostly a size, an index or a number of repeats is worked out while the model runs where the converter wants a plain number, an argument is None or a list, or the tensor has another number of dimensions."
_REMEDY = "fixed sizes at the export (no dynamic_axes, no dynamic_shapes), and onnxsim in.onnx out.onnx for a file; the newest release of the program; the same call in its plain form at the line of yours that makes it: all arguments given, sizes as numbers, or other operators"


def find_converted(text: str) -> str:
    """`repeat_interleave` of `symbolic_opset9.py, line 2152, in repeat_interleave`, `MatMul` of `ops/MatMul.py`; "" where
    the last frames are no converter's.
    """
    near = text[-_NEAR:]
    named = [match for match in _TORCH.finditer(near) if _name(match) not in _HELPERS]
    if named and not _name(named[-1]).startswith("_"):
        return _name(named[-1])
    files = [*_ONNX.finditer(near)]
    return spell_standard(_name(files[-1])) if files else ""


def add_converted(found: Recognised, text: str) -> Recognised:
    """A message of which the program alone is known, with the operator that it stopped at."""
    name = find_converted(text)
    if not name:
        return found
    kind = replace(
        found.kind,
        error="operator",
        cause=f"{_name_program(found, text)} converted {name}{_describe_writers(name)} {_WHY} {_keep_class(found.kind)}".strip(),
        remedy=f"{_ONNX2TF if 'onnx2tf' in text[-_NEAR:] else ''}{_REMEDY}; {found.kind.remedy}",
        rules=(*found.kind.rules, "operator-missing", "exotic-operator", "dynamic-size"),
    )
    if is_standard(name):
        return replace(found, kind=kind, operator=name)
    return replace(found, kind=kind, groups={**found.groups, "torch": name})


def _name_program(found: Recognised, text: str) -> str:
    """The package that the traceback ends in, where the program is one of many that share a page."""
    packages = _PACKAGE.findall(text) if found.runtime.name in _SHARED else []
    return packages[-1] if packages else found.runtime.title


def _keep_class(kind: Kind) -> str:
    """What the class of the error says."""
    _, found, of_class = kind.cause.partition("By its class: ")
    return found + of_class


def _describe_writers(name: str) -> str:
    if not is_standard(name) or name in _PLAIN:
        return ""
    writers = [each for each in list_writers(name) if each.startswith("torch.")][:3]
    return f" (which the exporters write for {', '.join(writers)})" if writers else ""


def _name(match: re.Match[str]) -> str:
    return next(each for each in match.groups() if each)
