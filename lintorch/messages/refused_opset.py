"""The opset that an error refuses, and those that it asks for, in whatever words."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(\d{1,2})\b(?!\.\d)"
_REFUSED = re.compile(
    rf"(?i:(?:unsupported|unknown|invalid|not support(?:ed)?) (?:\w{{1,10}} )?opset(?:[ _]?version)?s?[\s:=\[('\"]{{1,5}}(?:ai\.onnx)?:?{_NUMBER}"
    rf"|opset(?:[ _]?version)?[\s:=]{{0,3}}{_NUMBER}[\s,'\"]{{1,3}}(?:\w{{1,8}} ){{0,3}}?(?:not (?:yet )?support|unsupported|too (?:new|old|high|low))"
    rf"|does(?:n't| not) support (?:\w{{1,10}} )?opset(?:[ _]?version)?[\s:=]{{1,3}}{_NUMBER})"
)
_LEAST = re.compile(
    rf"(?i:(?:requires?|needs?|at least|minimum|min\.?|least)(?: \w{{1,10}}){{0,3}}? opset(?:[ _]?version)?[\s:=>]{{1,4}}{_NUMBER}|opset(?:[ _]?version)?s? {_NUMBER} (?:or|and) (?:higher|later|newer|above|up)|(?:requires?|needs?|must|supported|available)\b.{{0,40}}?opset(?:[ _]?version)? ?>= ?{_NUMBER}|opset(?:[ _]?version)? ?must be (?:at least|>=) ?{_NUMBER}|opset(?:[ _]?version)? ?>= ?{_NUMBER}(?=.{{0,20}}(?:required|needed)))"
)
_MOST = re.compile(
    rf"(?i:(?:up to|at most|maximum|max\.?|highest|latest)(?: \w{{1,10}}){{0,4}}? opset(?:[ _]?version)?[\s:=<]{{1,4}}(?:is )?{_NUMBER}|opset(?:[ _]?version)? {_NUMBER} (?:or|and) (?:lower|below|earlier|older)|opset(?:[ _]?version)? ?<= ?{_NUMBER})"
)
_OLD = 11


@dataclass(frozen=True)
class RefusedOpset:
    """The opset of the file, and the lowest and highest that the program takes; 0 where it does not say."""

    file: int = 0
    lowest: int = 0
    highest: int = 0

    def describe(self, who: str) -> str:
        """A sentence; `who` is the program."""
        of = f" of opset {self.file}" if self.file else " of another opset than it reads"
        wants = f": it asks for opset {self.lowest} or higher" if self.lowest else ""
        wants = wants or (f": it reads up to opset {self.highest}" if self.highest else "")
        return f"{who} does not read a file{of}{wants}."

    def write_remedy(self) -> str:
        """What to write."""
        if self.lowest:
            return f"export again: torch.onnx.export(…, opset_version={max(self.lowest, _OLD)}); a file without its model is turned by onnx.version_converter.convert_version(model, {self.lowest})"
        if self.highest:
            return f"export again with opset_version={self.highest} (dynamo=False below 18), or a newer release of the program"
        if self.file and self.file < _OLD:
            return "export again with a higher opset: opset_version=13 or 17, dynamo=False; a file without its model is turned by onnx.version_converter.convert_version(model, 13)"
        return "export again with a lower opset_version, as the program's own page names (13 to 17 is read by most, dynamo=False), or a newer release of the program"


def find_refused_opset(said: str) -> RefusedOpset | None:
    """`RefusedOpset(file=8)` of `unsupported opset [:8]`; None where the text refuses none."""
    file, lowest, highest = (_find(pattern, said) for pattern in (_REFUSED, _LEAST, _MOST))
    if not (file or lowest or highest):
        return None
    return RefusedOpset(file, lowest, highest)


def _find(pattern: re.Pattern[str], said: str) -> int:
    match = pattern.search(said)
    return next((int(each) for each in match.groups() if each), 0) if match else 0
