"""What `lintorch checkpoint FILE MODEL` says of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lintorch.checkpoint.compare_keys import Comparison
from lintorch.checkpoint.prefixes import write_stripping
from lintorch.cli.show_refusals import write_access, write_loading
from lintorch.report.styled_lines import Line
from lintorch.run.inspect_checkpoint import InspectedCheckpoint

_MOST = 12
_LENIENT = "print(model.load_state_dict(state, strict=False))"


def list_comparison(found: InspectedCheckpoint) -> Iterator[Line]:
    """Keys that the model misses or does not know, shapes that differ, and the lines that load it."""
    comparison = found.comparison
    if comparison is None:
        return
    yield ()
    style, text = _summarize(comparison)
    yield ((text, style),)
    for name, value in (found.made_up or {}).items():
        yield ((f"  the model was built with {name} = {value}, which nobody gave", "dim"),)
    yield from _list_keys("missing in the file", comparison.missing)
    yield from _list_keys("unknown to the model", comparison.unexpected)
    yield from _list_keys("no tensors, which load_state_dict does not know", comparison.plain)
    shapes = [
        f"{each.key}: {_sizes(each.here)} in the file, {_sizes(each.wanted)} in the model"
        for each in comparison.other_shapes
    ]
    yield from _list_keys("of other shapes", shapes)
    if comparison.branches:
        yield ((f"  {comparison.branches}", ""),)
    if comparison.turned:
        yield ((f"  {_describe_turned(comparison)}", ""),)
    if hidden := describe_hidden(comparison):
        yield ((f"  {hidden}", ""),)
    lines = list(write_load(found))
    if lines:
        guess = ", with keys paired by shape and order, a guess" if comparison.renaming else ""
        unfit = len(comparison.other_shapes) > len(comparison.turned)
        part = "the part that fits" if comparison.left or unfit else "it"
        yield ((f"  what loads {part}{guess}:", ""),)
    yield from ([(f"    {line}", "")] for line in lines)


def _summarize(comparison: Comparison) -> tuple[str, str]:
    if comparison.loads_as_it_is:
        return (
            "good",
            f"the model takes it: all {comparison.wanted} keys are there, with their shapes",
        )
    if comparison.is_whole and not (comparison.prefixes or comparison.added):
        changes = [f"its {comparison.arrays} NumPy arrays are tensors"] * bool(comparison.arrays)
        changes += ["what is no tensor is out of it"] * bool(comparison.plain)
        changes += ["its list of pairs is a mapping"] * comparison.paired
        return "warning", (
            f"the model takes it once {' and '.join(changes)}: all"
            f" {comparison.wanted} keys are there, with their shapes"
        )
    if comparison.is_whole:
        return "warning", (
            f"the model takes it once its keys are changed: {comparison.before} of"
            f" {comparison.wanted} are called so as it is"
        )
    return "error", (
        f"the model does not take it: {len(comparison.matched)} of its {comparison.wanted} keys are"
        " there with their shapes"
    )


def describe_hidden(comparison: Comparison) -> str:
    """What `strict=False` says nothing of; "" where there is nothing."""
    if not (comparison.missing or comparison.unexpected or comparison.before < comparison.wanted):
        return ""
    left = comparison.wanted - (
        comparison.before
        if comparison.prefixes or comparison.added
        else comparison.wanted - len(comparison.missing) - len(comparison.other_shapes)
    )
    if not left:
        return ""
    hidden = f"load_state_dict(strict=False) leaves {left} of {comparison.wanted} as they were made, and raises nothing"
    raised = comparison.other_shapes and comparison.before
    return f"{hidden} but for the shapes" if raised else hidden


def _describe_turned(comparison: Comparison) -> str:
    number = len(comparison.turned)
    which = "1 of them has" if number == 1 else f"{number} of them have"
    return (
        f"{which} the model's sizes in another order, as TensorFlow, JAX and GPT-2's Conv1D keep weights;"
        " square ones of such a file are turned as well, which no shape shows"
    )


def write_load(found: InspectedCheckpoint) -> Iterator[str]:
    """The Python lines that load the weights into `model`; none where they load as they are, not at all, or run what is dangerous."""
    comparison, chosen = found.comparison, found.checkpoint.chosen
    if comparison is None or chosen is None or comparison.loads_as_it_is:
        return
    if found.checkpoint.is_dangerous or not (comparison.matched or comparison.renaming):
        return
    yield write_loading(found.checkpoint)
    yield write_access(chosen)
    if comparison.plain:
        yield f"for key in {[*comparison.plain]}:"
        yield "    del state[key]"
    if comparison.arrays:
        yield "state = {key: torch.as_tensor(value) for key, value in state.items()}"
    yield from write_stripping(comparison.prefixes)
    if comparison.added:
        yield f"state = {{{comparison.added!r} + key: value for key, value in state.items()}}"
    if comparison.renaming:
        yield from comparison.renaming.write_lines()
    for each in comparison.turned:
        yield f"state[{each.key!r}] = state[{each.key!r}].permute{each.order}"
    unfit = [each.key for each in comparison.other_shapes if not each.order]
    if unfit:
        yield f"for key in {unfit}:"
        yield "    del state[key]"
    whole = not (comparison.left or comparison.unused or unfit)
    yield "model.load_state_dict(state)" if whole else _LENIENT


def _list_keys(what: str, keys: Sequence[str]) -> Iterator[Line]:
    if not keys:
        return
    yield ((f"  {len(keys)} {what}:", "strong"),)
    yield from ([(f"    {key}", "")] for key in keys[:_MOST])
    if keys[_MOST:]:
        yield ((f"    and {len(keys) - _MOST} more", "dim"),)


def _sizes(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "one number"
