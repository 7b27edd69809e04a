"""LT510: image transforms in an order in which one of them gets what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Items
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT510",
    summary="image transforms in an order that one of them refuses",
    why="""
        Normalize, RandomErasing, LinearTransformation and ConvertImageDtype of
        torchvision.transforms take tensors, ToTensor and PILToTensor take images and arrays.
        So [Normalize, ToTensor] raises TypeError whatever comes in, and so do Normalize after
        ToPILImage and ToTensor after ToTensor. Normalize wants floats, which PILToTensor does
        not give. Lists are only judged as far as every transform in them is known; those of
        transforms.v2 take tensors and images alike and are left alone.
    """,
    bad="""
        from torchvision import transforms

        prepare = transforms.Compose([
            transforms.Resize(224),
            transforms.Normalize([0.5], [0.5]),
            transforms.ToTensor(),
        ])
    """,
    good="""
        from torchvision import transforms

        prepare = transforms.Compose([
            transforms.Resize(224),
            transforms.ToTensor(),
            transforms.Normalize([0.5], [0.5]),
        ])
    """,
    unproven="""
        Running it takes torchvision, which these proofs do not install. Its functions normalize,
        erase, convert_image_dtype and to_tensor begin with a check of the type they are given
        and raise TypeError, as their source shows.
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)
HOME = ("torchvision.transforms.", "torchvision.transforms.transforms.")
WANTS_TENSOR = frozenset(
    {"Normalize", "RandomErasing", "LinearTransformation", "ConvertImageDtype"}
)
WANTS_IMAGE = frozenset({"ToTensor", "PILToTensor"})
KEEPS = frozenset(
    {
        "Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop", "RandomHorizontalFlip",
        "RandomVerticalFlip", "ColorJitter", "Pad", "Grayscale", "RandomGrayscale",
        "RandomRotation", "RandomAffine", "RandomPerspective", "GaussianBlur", "RandomInvert",
        "RandomPosterize", "RandomSolarize", "RandomAdjustSharpness", "RandomAutocontrast",
        "RandomEqualize", "AutoAugment", "RandAugment", "TrivialAugmentWide", "AugMix",
    }
)  # fmt: skip
"""Transforms that give an image for an image and a tensor for a tensor."""


@dataclass(frozen=True)
class State:
    """What comes out of the transforms so far: "tensor", "bytes", "image", or "" if not known."""

    kind: str = ""
    asked: Called | None = None
    """The making of the transform that showed a tensor came in."""


@rule.event(*(f"{home}Compose" for home in HOME))
def in_order(event: Called, source: Source) -> Iterator[Hit]:
    listed = name_given(event).get("transforms", next(iter(event.positional), None))
    steps = listed.items if isinstance(listed, Items) else None
    state = State()
    for step in steps or ():
        made = source.evaluation.ways.find_maker(step)
        if not isinstance(made, Called):
            return
        name = short(made.name)
        if refused := refusal(name, state):
            said, remedy = refused
            yield Hit(made, said, exchanged(made, state, source), remedy=remedy)
            return
        state = after(name, made, state)


def short(dotted: str) -> str:
    """The name of a transform of torchvision's first generation; "" of anything else."""
    head, _, last = dotted.rpartition(".")
    return last if f"{head}." in HOME else ""


def refusal(name: str, state: State) -> tuple[str, str] | None:
    """Why a transform raises on what it gets, and what to do; None where it may not."""
    if name in WANTS_IMAGE and state.kind in ("tensor", "bytes"):
        before = short(state.asked.name) if state.asked is not None else "a tensor"
        return f"{name} takes an image and comes after {before}: TypeError", "put it before that"
    if name in WANTS_TENSOR and state.kind == "image":
        return f"{name} takes a tensor and gets an image: TypeError", "put it after ToTensor"
    if name == "Normalize" and state.kind == "bytes":
        return "Normalize takes floats and gets the bytes of PILToTensor: TypeError", "use ToTensor"
    return None


def after(name: str, made: Called, state: State) -> State:
    if name == "ToTensor":
        return State("tensor", made)
    if name == "PILToTensor":
        return State("bytes", made)
    if name == "ToPILImage":
        return State("image")
    if name == "RandomErasing" and state.kind == "bytes":
        return state
    if name in WANTS_TENSOR:
        return State("tensor", made if state.kind == "" else state.asked)
    return state if name in KEEPS else State()


def exchanged(made: Called, state: State, source: Source) -> Fix | None:
    """ToTensor where the transform stands that wants a tensor, and that one where ToTensor stood."""
    if state.asked is None or short(made.name) != "ToTensor":
        return None
    early, late = source.call_at(state.asked), source.call_at(made)
    if short(state.asked.name) not in WANTS_TENSOR or early is None or late is None:
        return None
    beside = source.parent(source.parent(early) or early) is source.parent(
        source.parent(late) or late
    )
    if not beside or _is_commented(early, late, source):
        return None
    edits = (source.replace(early, source.code(late)), source.replace(late, source.code(early)))
    return Fix("swap the two", edits, Applicability.UNSAFE)


def _is_commented(first: cst.CSTNode, last: cst.CSTNode, source: Source) -> bool:
    """Whether a comment speaks of one of the two, or of what stands between: it would stay behind."""
    (row, _), (end, _) = source.spans.of(first)[0], source.spans.of(last)[1]
    lines = source.text.splitlines()
    above = lines[row - 2].lstrip() if row > 1 else ""
    return above.startswith("#") or any("#" in line for line in lines[row - 1 : end])
