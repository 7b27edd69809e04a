"""What is kept of a model as the original text has it: how it was built and fed, its weights, what it computes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from lintorch.guest.construct.make_model import Built
from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.proof.observe_model import Observation
from lintorch.record.models import Purpose
from lintorch.record.wire import pack_value, read_value

_OF_PROCESS = re.compile(r" at 0x[0-9a-f]+|\d[\d\-_:. T]{8,}\d")
"""Addresses, and times of day as in `save_dir="runs/2026-11-27_14-37-27"`."""


@dataclass(frozen=True)
class KeptModel:
    """One model of the original text. `weights` are what it was run with, `built` digests of what it was built with."""

    way: str
    fed: Fed
    built: Mapping[str, str]
    weights: Mapping[str, torch.Tensor]
    seen: Observation
    assumptions: tuple[str, ...]
    purpose: Purpose


def describe_way(built: Built) -> str:
    """How a model was built, in words that are the same in another process."""
    call = getattr(built.recipe.call, "__qualname__", "")
    given = {**built.arguments, **built.recipe.kwargs}
    return _OF_PROCESS.sub("", f"{call} {built.recipe.args!r} {given!r}")


def keep_model(folder: str, identity: ModelIdentity, model: KeptModel) -> None:
    """Write it below the folder, for processes that have loaded another text."""
    place = _find_place(folder, identity)
    words = {
        "way": model.way,
        "fed": pack_value(model.fed),
        "built": dict(model.built),
        "words": model.seen.words,
        "runs": [dict(sizes) for sizes in model.seen.runs],
        "attempts": model.seen.attempts,
        "assumptions": list(model.assumptions),
        "purpose": model.purpose,
    }
    tensors = {"weights": dict(model.weights), "seen": model.seen.tensors}
    torch.save(tensors, place.with_suffix(".pt"))
    place.with_suffix(".json").write_text(json.dumps(words), "utf-8")


def recall_model(folder: str, identity: ModelIdentity) -> KeptModel | None:
    """What was kept of the model of this name; None where nothing was."""
    place = _find_place(folder, identity)
    if not place.with_suffix(".json").exists():
        return None
    words = json.loads(place.with_suffix(".json").read_text("utf-8"))
    tensors = torch.load(place.with_suffix(".pt"), weights_only=True)
    seen = Observation(tensors["seen"], words["words"], words["runs"], words["attempts"])
    return KeptModel(
        words["way"],
        read_value(Fed, words["fed"]),
        words["built"],
        tensors["weights"],
        seen,
        tuple(words["assumptions"]),
        words["purpose"],
    )


def _find_place(folder: str, identity: ModelIdentity) -> Path:
    name = f"{identity.path}:{identity.qualname}"
    return Path(folder, hashlib.sha256(name.encode()).hexdigest()[:24])
