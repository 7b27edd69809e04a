"""The pairs of rule and model as a section of a page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lintorch.catalog import build_catalog
from mending.export_twice import EXPORTERS, Exported, Tried

HEADING = "## Exports before and after"
_ROUNDING = 1e-4
_AMOUNT = re.compile(r"differs by ([\d.]+(?:e[+-]?\d+)?)")
_BAD = ("wrong", "failed")
_INTRO = """`python benchmarks/mended_exports.py --page docs/fixes-measured.md ROOT...` makes this section. Models are exported by torch.export, onnx, onnx-legacy and torchscript-trace, before and after all fixes of their file and of what it imports of its project. A pair is a model and a rule that a wrong or failed export is laid to; it is mended where each of these exports is right afterwards and the model computes the same, in eval and training mode, as `--verify` found; partly mended where some are right, and told apart where a fix, all of which are unsafe then, changed numbers or gradients by more than rounding."""


@dataclass(frozen=True)
class Pair:
    """A rule and a model, with the exports that are laid to the rule, as they were and as they are."""

    code: str
    tried: Tried
    model: str
    before: tuple[Exported, ...]
    after: tuple[Exported, ...]

    @property
    def has_other_numbers(self) -> bool:
        """Whether a fix of the rule made the model compute something else, rounding aside."""
        name = self.model.rpartition(":")[2]
        own = (line for line in self.tried.unequal if self.code in line.partition(":")[0])
        told = (line for line in own if f": {name}: " in line)
        found = (float(each) for line in told for each in _AMOUNT.findall(line))
        return max(found, default=0.0) > _ROUNDING

    @property
    def is_mended(self) -> bool:
        """Whether all of it is right, and the model the same."""
        return not self.left and not self.has_other_numbers

    @property
    def left(self) -> tuple[Exported, ...]:
        """Exports that are not right after all fixes."""
        return tuple(each for each in self.after if each.status != "ok")


def put_on_page(page: Path, section: str) -> None:
    """Write the section behind what other commands wrote; Raises OSError."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text(text.partition(HEADING)[0] + section, encoding="utf-8")


def read_section(page: Path) -> str:
    """What `put_on_page` wrote there, for the command that writes what stands before it; "" for nothing."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return f"\n{HEADING}{text.partition(HEADING)[2]}" if HEADING in text else ""


def write_section(tried: Sequence[Tried]) -> str:
    """The section, in Markdown."""
    pairs = [pair for each in tried for pair in list_pairs(each)]
    mended = sum(pair.is_mended for pair in pairs)
    other = sum(not pair.left and pair.has_other_numbers for pair in pairs)
    worse = [line for each in tried for line in _list_worse(each)]
    told = (
        f"{len(tried)} files; {len(pairs)} pairs, of which {mended} are mended, and {other} export "
        f"right but compute something else. Exports that fixes made worse: {len(worse)}."
    )
    parts = [HEADING, _INTRO, told, _tell_rules(pairs), "### What is left", _tell_left(pairs)]
    if worse:
        parts += ["### What got worse", "\n".join(f"* {line}" for line in worse)]
    return "\n\n".join(parts) + "\n"


def list_pairs(tried: Tried) -> Iterator[Pair]:
    """The pairs of one file."""
    after = {(each.model, each.exporter): each for each in tried.after}
    exports: dict[tuple[str, str], list[Exported]] = defaultdict(list)
    for each in tried.before:
        if each.status in _BAD:
            for code in each.codes:
                exports[code, each.model].append(each)
    for (code, model), was in exports.items():
        now = tuple(after.get((e.model, e.exporter), e) for e in was)
        yield Pair(code, tried, model, tuple(was), now)


def _list_worse(tried: Tried) -> Iterator[str]:
    after = {(each.model, each.exporter): each for each in tried.after}
    for was in tried.before:
        now = after.get((was.model, was.exporter))
        if was.status == "ok" and (now is None or now.status != "ok"):
            became = now.status if now else "not made"
            yield f"{tried.root}: {was.model}, {was.exporter}: ok → {became}"


def _tell_rules(pairs: Sequence[Pair]) -> str:
    head = "| rule | pairs | mended | partly | right, with other numbers |"
    rows = [head, "|---|---|---|---|---|"]
    names = build_catalog().rules
    for code in sorted({pair.code for pair in pairs}):
        own = [pair for pair in pairs if pair.code == code]
        mended = sum(pair.is_mended for pair in own)
        other = sum(not pair.left and pair.has_other_numbers for pair in own)
        partly = sum(0 < len(pair.left) < len(pair.before) for pair in own)
        rows.append(f"| {code} {names[code].name} | {len(own)} | {mended} | {partly} | {other} |")
    return "\n".join(rows)


def _tell_left(pairs: Sequence[Pair]) -> str:
    """Exports that no fix makes right, with the reason."""
    rows = ["| rule | model | exporters | why |", "|---|---|---|---|"]
    for pair in sorted(pairs, key=lambda each: (each.code, each.tried.root, each.model)):
        if pair.left:
            where = f"{pair.tried.root.replace('+', '/')} {pair.model.rpartition(':')[2]}"
            order = sorted((each.exporter for each in pair.left), key=EXPORTERS.index)
            rows.append(f"| {pair.code} | {where} | {', '.join(order)} | {_tell_why(pair)} |")
    return "\n".join(rows)


def _tell_why(pair: Pair) -> str:
    """What lintorch says instead of a fix, or what the export says after it."""
    left = pair.left[0]
    same = {(each.model, each.exporter): each for each in pair.before}
    was = same[left.model, left.exporter]
    remedy = next((r for code, r in pair.tried.offered if code == pair.code and r), "")
    if left.message != was.message:
        told = f"fixed in part; then {left.status}: {left.message}"
    elif remedy and pair.code in left.codes:
        told = f"no fix, but: {remedy}"
    elif pair.code not in {code for code, _ in pair.tried.offered}:
        told = f"found by the run alone; {left.status}: {left.message}"
    else:
        told = f"no fix; {left.status}: {left.message}"
    flat = " ".join(told.split()).replace("|", "\\|").replace("<", "&lt;")
    return flat if len(flat) <= _MOST else f"{flat[:_MOST]}…"


_MOST = 240
"""Characters of a reason."""
