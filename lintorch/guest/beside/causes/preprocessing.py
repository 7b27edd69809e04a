"""The file prepares its input, or the model does, and the other does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.distances import match_outputs
from lintorch.guest.beside.layer_calls import record_calls
from lintorch.guest.beside.run_file import FileRunner
from lintorch.record.arguments import pick_tensors
from lintorch.record.file_comparisons import Cause

Change = Callable[[torch.Tensor], torch.Tensor]
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the colors of ImageNet's pictures, as torchvision's models are trained."""
_STEPS = frozenset({"Transpose", "Cast", "Mul", "Div", "Sub", "Add", "Gather", "Slice", "Concat", "Split",
                    "Identity", "BatchNormalization"})  # fmt: skip
"""Operators of which preparations are made."""
_MOST_STEPS = 12


def find_preprocessing(case: Case) -> Iterator[Cause]:
    """The first change of one input, or of all alike, under which both agree: in the file, or in the model."""
    tensors, given = case.list_tensors(), case.run_file()
    labels = [each.label for each in pick_tensors(case.model.inputs)]
    for numbers, words, changes in _list_trials(case):
        changed = list(tensors)
        for number, change in zip(numbers, changes, strict=True):
            changed[number] = change(tensors[number])
        names = ", ".join(f"`{labels[number]}`" for number in numbers)
        if _agrees(lambda c=changed: case.run_model(tensors=c), given):  # type: ignore[misc]
            yield _tell_file(names, words)
            return
        feed = {**case.pairs.make_feed(changed), **case.extra}
        if _agrees(lambda f=feed: case.runner.run(f), case.expected):  # type: ignore[misc]
            yield _tell_model(names, words)
            return


def _list_trials(case: Case) -> Iterator[tuple[Sequence[int], str, Sequence[Change]]]:
    """Which inputs are changed, in words and how: one by one, then all together."""
    tensors = case.list_tensors()
    numbers = [n for n, v in enumerate(tensors) if v.is_floating_point() and v.dim() > 1]
    for number in numbers:
        for words, change in (*_list_changes(tensors[number]), *_fit_inside(case, number)):
            yield [number], words, [change]
    if len(numbers) < 2:
        return
    usual = [dict(_list_changes(tensors[number])) for number in numbers]
    for words in usual[0]:
        if all(words in each for each in usual):
            yield numbers, words, [each[words] for each in usual]


def _agrees(run: Callable[[], list[torch.Tensor]], wanted: Sequence[torch.Tensor]) -> bool:
    try:
        return match_outputs(wanted, run()).difference is None
    except Exception:  # an input that is not taken
        return False


def _tell_file(names: str, words: str) -> Cause:
    return Cause(
        "preprocessing",
        f"the file prepares {names} itself, and the model does not: {words}",
        "the model fed so agrees with the file fed the plain input",
        "leave that step out before session.run, or export the model without it",
    )


def _tell_model(names: str, words: str) -> Cause:
    return Cause(
        "preprocessing",
        f"the model prepares {names} itself, and the file does not: {words}",
        "the file fed so agrees with the model fed the plain input",
        "do that step before session.run, or export the whole model",
    )


def _list_changes(value: torch.Tensor) -> Iterator[tuple[str, Change]]:
    """Usual ways to prepare an input, of pictures those of colors too."""
    affine: list[tuple[str, Change]] = [
        ("x / 255", lambda x: x / 255),
        ("x * 255", lambda x: x * 255),
        ("x / 127.5 - 1", lambda x: x / 127.5 - 1),
        ("2 * x - 1", lambda x: 2 * x - 1),
        ("(x + 1) / 2", lambda x: (x + 1) / 2),
        ("x / 255, then (x - 0.5) / 0.5", lambda x: (x / 255 - 0.5) / 0.5),
    ]
    if value.dim() == 4 and value.shape[1] == 3:
        mean = torch.tensor(_MEAN, dtype=value.dtype).reshape(1, 3, 1, 1)
        spread = torch.tensor(_SPREAD, dtype=value.dtype).reshape(1, 3, 1, 1)
        affine += [
            ("(x - mean) / std of ImageNet", lambda x: (x - mean) / spread),
            ("x / 255, then (x - mean) / std of ImageNet", lambda x: (x / 255 - mean) / spread),
            ("x * std + mean of ImageNet", lambda x: x * spread + mean),
            ("x - mean of ImageNet", lambda x: x - mean),
        ]
        yield "channels in the other order (RGB against BGR)", lambda x: x.flip(1)
        yield from affine
        for words, change in affine:
            yield f"{words}, and channels in the other order", _flip_then(change)
        return
    yield from affine


def _flip_then(change: Change) -> Change:
    return lambda x: change(x.flip(1))


def _fit_inside(case: Case, number: int) -> Iterator[tuple[str, Change]]:
    """What the model does to an input before its first layer, or the file, where that is a scale and a shift."""
    value = case.list_tensors()[number]
    calls = record_calls(case.module, case.arrange(case.list_tensors()), case.extra)
    taken = [c.inputs[0] for c in calls if c.leaf and c.inputs]
    prepared = reversed([*_list_prepared(case, number)])
    for inner in (*taken[:2], *prepared):
        if inner.shape != value.shape or not inner.is_floating_point():
            continue
        for turned, words in ((value, ""), (value.flip(1), "channels in the other order, then ")):
            if (fitted := _fit_affine(turned, inner)) is not None:
                scale, shift = fitted
                words += f"x * {_list_numbers(scale)} + {_list_numbers(shift)}"
                yield words, _make_change(scale, shift, turned is not value)


def _make_change(scale: torch.Tensor, shift: torch.Tensor, flipped: bool) -> Change:
    return lambda x: (x.flip(1) if flipped else x) * scale + shift


def _list_prepared(case: Case, number: int) -> Iterator[torch.Tensor]:
    """The values that the file makes of an input by steps of which preparations are made."""
    known = {taken.name for taken, place in case.pairs.pairs if place == number}
    names: list[str] = []
    for node in case.file.graph.node:
        if node.op_type in _STEPS and known.intersection(node.input) and len(names) < _MOST_STEPS:
            known.update(node.output)
            names += node.output[:1]
    if names:
        feed = case.make_feed()
        for _, value in FileRunner(case.file, outputs=names, plain=True).run_named(feed):
            yield value.float()


def _fit_affine(
    value: torch.Tensor, inner: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """A scale and a shift for each channel that make the one of the other; None where there are none."""
    if value.dim() < 2 or not inner.is_floating_point():
        return None
    axes = [axis for axis in range(value.dim()) if axis != 1]
    center, other = value.mean(axes, keepdim=True), inner.mean(axes, keepdim=True)
    spread = ((value - center) ** 2).mean(axes, keepdim=True)
    if not bool((spread > 0).all()):
        return None
    scale = ((value - center) * (inner - other)).mean(axes, keepdim=True) / spread
    shift = other - scale * center
    near = torch.allclose(value * scale + shift, inner, rtol=1e-4, atol=1e-5)
    is_same = torch.allclose(value, inner)
    return (scale, shift) if near and not is_same else None


def _list_numbers(values: torch.Tensor) -> str:
    numbers = [f"{float(each):.4g}" for each in values.reshape(-1)[:4]]
    return numbers[0] if len(set(numbers)) == 1 else f"[{', '.join(numbers)}]"
