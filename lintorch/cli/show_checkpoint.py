"""What `lintorch checkpoint` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from lintorch.checkpoint.checkpoint import (
    Checkpoint,
    count_numbers,
    count_types,
    list_devices,
    list_shared,
    measure_bytes,
)
from lintorch.checkpoint.sections import Section
from lintorch.checkpoint.values import Tensor
from lintorch.cli.show_comparison import list_comparison
from lintorch.cli.show_refusals import list_refusals
from lintorch.cli.terminal import choose_style
from lintorch.report.styled_lines import Line, Screen
from lintorch.run.inspect_checkpoint import InspectedCheckpoint

_FIRST_KEYS = 8
_MOST_GROUPS = 4
_WIDEST = 60


def write_checkpoint(found: InspectedCheckpoint, out: TextIO, *, all_keys: bool = False) -> None:
    """What the file holds, what torch.load refuses, and how the model takes it."""
    style = choose_style(out)
    screen = Screen.of(out, style.color, style.width)
    checkpoint = found.checkpoint
    screen.write(_list_contents(checkpoint))
    if checkpoint.chosen:
        screen.write(_list_keys(checkpoint.chosen, all_keys))
    screen.write(_list_problems(found))
    screen.write(list_refusals(checkpoint))
    screen.write(list_comparison(found))


def _list_contents(checkpoint: Checkpoint) -> Iterator[Line]:
    raw = checkpoint.raw
    about = "".join(f", {name} {text}" for name, text in raw.about.items())
    yield (checkpoint.path, "strong"), (f": {raw.format}{about}", "")
    width = max((len(each.name) for each in checkpoint.sections), default=0)
    for section in checkpoint.sections:
        mark = "weights of " if section is checkpoint.chosen and section.kind == "model" else ""
        parts = [section.kind, *_measure(section), mark + section.about]
        yield (f"  {section.name:{min(width, _WIDEST)}}  ", "strong"), (_join(parts), "")
    plain = ", ".join(f"{name} = {text}" for name, text in checkpoint.plain.items())
    if plain:
        yield ((f"  {plain}", "dim"),)
    if not checkpoint.sections and raw.root is not None:
        yield (("  it holds no tensors", ""),)
    elif checkpoint.sections and checkpoint.chosen is None:
        yield (("  it holds no weights of a model by their names", ""),)


def _measure(section: Section) -> Iterator[str]:
    if not section.tensors:
        return
    yield count_things(len(section.tensors), "tensor")
    yield f"{shorten_number(count_numbers(section.tensors))} numbers"
    yield shorten_bytes(measure_bytes(section.tensors))
    types = count_types(section.tensors)
    yield ", ".join(
        f"{count} {name}" if types.keys() - {name} else name for name, count in types.items()
    )
    devices = [each for each in list_devices(section.tensors) if each != "cpu"]
    if devices:
        yield f"saved on {', '.join(devices)}"


def _list_keys(section: Section, all_keys: bool) -> Iterator[Line]:
    yield ()
    shown = section.tensors if all_keys else section.tensors[:_FIRST_KEYS]
    width = min(max((len(name) for name, _ in shown), default=0), _WIDEST)
    for name, tensor in shown:
        yield (f"  {name:{width}}  ", ""), (describe_tensor(tensor), "dim")
    if left := len(section.tensors) - len(shown):
        yield ((f"  and {left} more: --keys shows all", "dim"),)
    shared = list_shared(section.tensors)
    for names in shared[:_MOST_GROUPS]:
        yield ((f"  the same numbers: {', '.join(names[:6])}", ""),)
    if shared[_MOST_GROUPS:]:
        yield ((f"  and {len(shared) - _MOST_GROUPS} more groups with the same numbers", ""),)


def _list_problems(found: InspectedCheckpoint) -> Iterator[Line]:
    problems = list(found.checkpoint.problems)
    for name, count in found.nonfinite or ():
        problems.append(f"{count_things(count, 'number')} of {name} are NaN or infinite")
    if found.nonfinite == ():
        yield (("  no number is NaN or infinite", "good"),)
    if problems:
        yield ()
    yield from ([("error ", "error"), (text, "")] for text in problems[:20])
    if problems[20:]:
        yield ((f"and {len(problems) - 20} more", ""),)


def describe_tensor(tensor: Tensor) -> str:
    """`64×3×7×7 float32`."""
    sizes = "×".join(map(str, tensor.shape)) or "one number"
    return _join([f"{sizes} {tensor.dtype}", tensor.kind, tensor.subclass], " ")


def count_things(count: int, what: str) -> str:
    """`1 tensor`, `2 tensors`."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def shorten_number(count: int) -> str:
    """`11.7 M`."""
    for size, name in ((10**9, "G"), (10**6, "M")):
        if count >= size:
            return f"{count / size:.1f} {name}" if count < 10**15 else "very many"
    return f"{count:,}"


def shorten_bytes(count: int) -> str:
    """`44.7 MiB`."""
    for size, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= size:
            return f"{count / size:.1f} {name}" if count < 2**60 else "very many bytes"
    return count_things(count, "byte")


def _join(parts: Sequence[str], by: str = ", ") -> str:
    return by.join(part for part in parts if part)
