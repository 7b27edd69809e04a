"""Draws docs/pictures/architecture.svg: what lintorch's parts are and what goes between them.

python docs/architecture.py
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

_OURS, _YOURS, _DATA = "#b7410e", "#37647a", "#5b6a2f"
_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 440" role="img" \
font-family="Helvetica, Arial, sans-serif">
<title>From source, runs and trial exports to one finding</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 8 4 0 8z" fill="#8a8f98"/></marker></defs>
<rect x="8" y="160" width="572" height="122" rx="10" fill="none" stroke="#37647a" \
stroke-width="2" stroke-dasharray="7 5"/>
<text x="24" y="270" font-size="13" fill="#6f9fb7">in a worker process of your interpreter, \
only when runs or exports are asked for</text>
"""


@dataclass(frozen=True)
class Box:
    """A part: where its upper left corner is, its name, and what it does."""

    x: int
    y: int
    name: str
    work: str
    color: str = _OURS
    width: int = 168

    def draw(self) -> str:
        middle = self.x + self.width / 2
        return (
            f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="64" rx="8" fill="{self.color}"/>\n'
            f'<text x="{middle:g}" y="{self.y + 27}" text-anchor="middle" font-size="16" '
            f'font-weight="bold" fill="#fff">{escape(self.name)}</text>\n'
            f'<text x="{middle:g}" y="{self.y + 48}" text-anchor="middle" font-size="12.5" '
            f'fill="#fff">{escape(self.work)}</text>\n'
        )


BOXES = (
    Box(24, 24, "*.py, *.ipynb", "your project", _DATA),
    Box(212, 24, "syntax", "parsed by libcst"),
    Box(400, 24, "facts, evaluator", "what models compute"),
    Box(588, 24, "Source", "text and its meaning", _DATA),
    Box(24, 180, "build and feed", "as your project does", _YOURS),
    Box(212, 180, "run", "at several sizes", _YOURS),
    Box(400, 180, "export, compare", "with eager PyTorch", _YOURS, 160),
    Box(588, 180, "Trace, Trial", "what each of them did", _DATA),
    Box(784, 102, "rules", "one for each hazard", _OURS, 160),
    Box(784, 336, "merge", "one finding, all evidence", _OURS, 160),
    Box(588, 336, "suppress, baseline", "what is known or excused"),
    Box(400, 336, "fix", "edits, then read again", _OURS, 160),
    Box(212, 336, "report", "one of 12 formats"),
)
ARROWS = (
    *("M192 56H208", "M380 56H396", "M568 56H584"),
    *("M108 88V176", "M192 212H208", "M380 212H396", "M560 212H584"),
    *("M756 56H864V98", "M756 212H830V170", "M898 166V332"),
    *("M784 368H760", "M588 368H564", "M400 368H384"),
)


def draw() -> str:
    """The picture as SVG; its colors are read on light and on dark."""
    arrows = "".join(
        f'<path d="{way}" fill="none" stroke="#8a8f98" stroke-width="2" marker-end="url(#tip)"/>\n'
        for way in ARROWS
    )
    return _HEAD + arrows + "".join(box.draw() for box in BOXES) + "</svg>\n"


if __name__ == "__main__":
    (Path(__file__).parent / "pictures" / "architecture.svg").write_text(draw(), "utf-8")
