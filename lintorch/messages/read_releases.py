"""The releases and the opset that a log names, where it names one of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lintorch.targets import Target, TargetError, find_target

_NUMBER = r"(?:\W{0,4}(?:runtime |toolkit |python )?version)?\W{1,6}v?(\d{1,4}(?:\.\d{1,4}){1,3})"
_RELEASES = {
    "tensorrt": (rf"(?i:\b(?:tensorrt|trt){_NUMBER})", r"TensorRT v(\d{4,6})\]"),
    "onnxruntime": (rf"(?i:\b(?:onnx ?runtime|ort)(?:[-_ ](?:gpu|directml|web|node))?{_NUMBER})",),
}
"""By family of targets, of those that have a table for each release; TensorRT's own `v8503` is 8.5.0.3, and `v101200` is 10.12.0."""
_OPSET = re.compile(r"(?i:opset)(?:_version| version)?[\s:=]{1,4}(\d{1,2})\b(?!\.\d)")
_PACKED = 5
"""Digits from which on a packed number has two for the minor release."""


@dataclass(frozen=True)
class Releases:
    """What a log says of the programs that wrote it: `targets` by family, and the opset of the file."""

    targets: tuple[Target, ...] = ()
    opset: int | None = None

    def find(self, family: str) -> Target | None:
        """The release of one runtime that the log names."""
        return next((each for each in self.targets if each.family == family), None)


def read_releases(text: str) -> Releases:
    """Those of a text that `unify_text` has made; nothing of a runtime of which it names several."""
    opsets = {int(found) for found in _OPSET.findall(text)}
    opset = opsets.pop() if len(opsets) == 1 else None
    return Releases(tuple(_read_targets(text)), opset)


def _read_targets(text: str) -> Iterator[Target]:
    for family, patterns in _RELEASES.items():
        found = {_unpack(each) for pattern in patterns for each in re.findall(pattern, text)}
        named = {target for each in found if (target := _find(f"{family}-{each}")) is not None}
        if len(named) == 1:
            yield named.pop()


def _find(name: str) -> Target | None:
    try:
        return find_target(name)
    except TargetError:
        return None


def _unpack(written: str) -> str:
    """`8503` of TensorRT as 8.5.0.3, `101200` as 10.12.0."""
    if "." in written:
        return written
    if len(written) < _PACKED:
        return ".".join(written)
    return f"{int(written[:-4])}.{int(written[-4:-2])}.{int(written[-2:])}"
