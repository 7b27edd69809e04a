"""What `lintorch checkpoint` says of torch.load, and the lines that it offers to copy."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.checkpoint.checkpoint import Checkpoint
from lintorch.checkpoint.judge_globals import RefusedGlobal
from lintorch.checkpoint.prefixes import write_stripping
from lintorch.checkpoint.sections import Section
from lintorch.report.styled_lines import Line

_MOST_SHOWN = 30
_MOST_ADMITTED = 100
"""Classes in one line to copy: a file that needs more is read better with weights_only=False."""


def list_refusals(checkpoint: Checkpoint) -> Iterator[Line]:
    """What torch.load refuses and how it is admitted, then the prefixes of keys."""
    raw = checkpoint.raw
    yield ()
    if raw.refusal:
        yield ("torch.load does not read it: ", "warning"), (raw.refusal, "")
    elif checkpoint.refused or checkpoint.obstacles:
        yield (
            ("torch.load refuses it", "warning"),
            (", with weights_only=True as is the default", ""),
        )
    elif checkpoint.problems and raw.weights_only is not None:
        yield (
            ("torch.load refuses no class that it names", ""),
            ("; the file is not whole, as said above", ""),
        )
    elif raw.weights_only is not None:
        yield ("torch.load takes it", "good"), (", with weights_only=True as is the default", "")
    if raw.advice:
        yield ((f"  {raw.advice}", ""),)
    yield from map(_describe_refused, checkpoint.refused[:_MOST_SHOWN])
    if checkpoint.refused[_MOST_SHOWN:]:
        yield ((f"  and {len(checkpoint.refused) - _MOST_SHOWN} more", ""),)
    if not raw.refusal:
        yield from _list_advice(checkpoint)
    if checkpoint.prefixes:
        yield from _list_prefixes(checkpoint)


def _describe_refused(each: RefusedGlobal) -> Line:
    if each.verdict == "dangerous":
        return [("  dangerous ", "error"), (each.path, "strong"), (f": {each.why}", "")]
    return [("  ", ""), (each.path, "strong"), (f": {each.why}", "")]


def _list_advice(checkpoint: Checkpoint) -> Iterator[Line]:
    if checkpoint.is_dangerous:
        yield (("  do not load this file with weights_only=False, and admit nothing of it,", ""),)
        yield (("  unless you know who made it and why it is so", ""),)
        return
    for text in checkpoint.obstacles[:_MOST_SHOWN]:
        yield ((f"  it has {text}, which torch takes of no file", ""),)
    if checkpoint.obstacles:
        yield (
            (
                "  where you trust it: load it with weights_only=False, and save what you need of it",
                "",
            ),
        )
        yield (("  as a dict of tensors and plain values", ""),)
        return
    lines = list(write_admission(checkpoint))
    if lines:
        yield (("  where you trust it:", ""),)
    yield from ([(f"    {line}", "")] for line in lines)


def write_admission(checkpoint: Checkpoint) -> Iterator[str]:
    """The Python lines that load the file with what it needs admitted; none where it should not be."""
    refused = checkpoint.refused
    hindered = checkpoint.is_dangerous or checkpoint.obstacles or checkpoint.raw.refusal
    if hindered or not 0 < len(refused) <= _MOST_ADMITTED:
        return
    imported = [f"import {each.imports}" for each in refused if each.imports]
    yield from dict.fromkeys([*(each for each in imported if each != _TORCH), _TORCH])
    spelled = ", ".join(each.spelled for each in refused if each.spelled)
    if not spelled:
        yield write_loading(checkpoint)
        return
    yield f"with torch.serialization.safe_globals([{spelled}]):"
    yield f"    {write_loading(checkpoint)}"


_TORCH = "import torch"
_TORCH_LOAD = 'torch.load({}, map_location="cpu")'
_READERS = {
    "pickle": 'pickle.load(open({}, "rb"))',
    "TorchScript archive (torch.jit.save)": 'torch.jit.load({}, map_location="cpu")',
}
"""How a file is read, by its format, where torch.load does not."""


def write_loading(checkpoint: Checkpoint) -> str:
    """The Python line that reads the file, or all files that it is in."""
    parts = [path for path, _ in checkpoint.raw.parts]
    last = parts[-1] if parts else checkpoint.path
    safe = last.endswith(".safetensors") if parts else checkpoint.raw.format == "safetensors"
    name = "part" if parts else repr(checkpoint.path)
    read = (
        f"safetensors.torch.load_file({name})"
        if safe
        else _READERS.get(checkpoint.raw.format, _TORCH_LOAD).format(name)
    )
    every = f"{{key: value for part in {parts!r} for key, value in {read}.items()}}"
    return f"checkpoint = {every if parts else read}"


def write_access(section: Section) -> str:
    """The Python line that takes the weights out of what was loaded."""
    steps = "".join(f"[{key if key.isdigit() else repr(key)}]" for key in section.path)
    if section.paired:
        return f"state = dict(checkpoint{steps})"
    return f"state = checkpoint{steps}{'.state_dict()' if section.kind == 'model' else ''}"


def _list_prefixes(checkpoint: Checkpoint) -> Iterator[Line]:
    yield ()
    outer = [prefix for prefix in checkpoint.prefixes if not prefix.inner]
    if outer:
        whole = "".join(prefix.text for prefix in outer)
        wrapped = ", ".join(prefix.wrapper for prefix in outer if prefix.wrapper)
        why = f", which {wrapped} puts there" if wrapped else ""
        yield ("all keys begin with ", ""), (whole, "strong"), (f"{why}; without it:", "")
    for prefix in checkpoint.prefixes:
        if prefix.inner:
            yield (
                ("keys hold ", ""),
                (prefix.text, "strong"),
                (f", which {prefix.wrapper} puts there", ""),
            )
    if checkpoint.chosen:
        lines = [write_access(checkpoint.chosen), *write_stripping(checkpoint.prefixes)]
        yield from ([(f"  {line}", "")] for line in lines)
