"""Findings that may be behind a message, by the operator that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lintorch.core.finding import Finding
from lintorch.core.text_rows import split_rows
from lintorch.files import FileText
from lintorch.messages import Recognised
from lintorch.targets.written_operators import list_writers

_OF_OPERATORS = frozenset(
    {"operator-missing", "opset-out-of-range", "type-unsupported", "shape-unsupported", "exotic-operator",
     "grid-sample", "align-corners"}
)  # fmt: skip
"""Rules whose findings speak of one operator each."""
_WRITTEN = {
    "Concat": ("cat", "concat", "stack", "hstack", "vstack"),
    "Reshape": ("view", "reshape", "flatten", "unflatten", "view_as", "rearrange"),
    "Expand": ("expand", "expand_as", "repeat", "broadcast_to"),
    "Gather": ("embedding", "Embedding", "index_select", "gather"),
    "Pad": ("pad",),
    "Resize": ("interpolate", "Upsample", "upsample"),
    "Split": ("split", "chunk", "tensor_split"),
    "Slice": ("narrow", "chunk"),
    "TopK": ("topk", "sort", "argsort"),
    "ScatterND": ("scatter", "index_put", "index_put_"),
    "Conv": ("conv1d", "conv2d", "conv3d"),
}
"""By ONNX operator, functions of PyTorch beside those of the measured table."""


def narrow_findings(
    findings: Sequence[Finding], texts: Mapping[str, FileText], found: Recognised
) -> tuple[Finding, ...]:
    """Without those that speak of another operator; those at calls that write this one come first.

    All, in their order, where the message names no operator. `texts` holds the files that they are in.
    """
    words = {*_list_words(found)}
    if not words:
        return tuple(findings)
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b")
    kept = [
        (each, bool(named.search(each.said + each.detail) or named.search(_find_line(each, texts))))
        for each in findings
    ]
    fitting = [(each, names) for each, names in kept if names or each.name not in _OF_OPERATORS]
    return tuple(each for each, _ in sorted(fitting, key=lambda pair: not pair[1]))


def _list_words(found: Recognised) -> Iterator[str]:
    """How the operator is called in findings and in source."""
    if operator := found.operator:
        yield operator
        yield from _WRITTEN.get(operator, ())
        yield from _end_names(list_writers(operator))
    if torch := found.groups.get("torch", ""):
        bare = re.sub(r"^(?:aten|torch|prims|quantized)(?:::|\.)", "", torch.strip("`'\" ")).split(
            "."
        )[0]
        yield bare
        yield bare.strip("_")
        yield from _strip_module(bare)
        yield from _end_names(list_writers(f"aten.{bare}"))


def _strip_module(bare: str) -> Iterator[str]:
    """`eigvals` of `linalg_eigvals`, which is written `torch.linalg.eigvals`; `rfft` of `fft_rfft`."""
    module, _, name = bare.partition("_")
    if name and module in ("linalg", "fft", "special"):
        yield name


def _end_names(names: Iterable[str]) -> Iterator[str]:
    yield from (name.rpartition(".")[2] for name in names)


def _find_line(finding: Finding, texts: Mapping[str, FileText]) -> str:
    """The line that a finding is at; "" of a file that is not there."""
    place, held = finding.place, texts.get(finding.place.path)
    lines = split_rows(held.text).lines if held is not None else []
    return "".join(lines[place.row - 1 : place.row])
