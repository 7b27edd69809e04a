"""What is kept of a piece that trains as the original text has it: how it was called, and what that left."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import torch

from lintorch.guest.proof.observe_model import Observation
from lintorch.guest.training.call_piece import Way


@dataclass(frozen=True)
class KeptTraining:
    """One piece of the original text, and what calling it so came to."""

    way: Way
    seen: Observation


def keep_training(folder: str, name: str, kept: KeptTraining) -> None:
    """Write it below the folder, for processes that have loaded another text."""
    place, seen = _find_place(folder, name), kept.seen
    torch.save(seen.tensors, place.with_suffix(".pt"))
    way = {"goal": kept.way.goal, "form": kept.way.form, "switched": kept.way.switched}
    words = {**way, "words": seen.words}
    place.with_suffix(".json").write_text(json.dumps(words), "utf-8")


def recall_training(folder: str, name: str) -> KeptTraining | None:
    """What was kept of the piece of this name; None where nothing was."""
    place = _find_place(folder, name)
    if not place.with_suffix(".json").exists():
        return None
    words = json.loads(place.with_suffix(".json").read_text("utf-8"))
    tensors = torch.load(place.with_suffix(".pt"), weights_only=True)
    seen = Observation(tensors, words["words"], [{}], 1)
    return KeptTraining(Way(words["goal"], words["form"], words["switched"]), seen)


def _find_place(folder: str, name: str) -> Path:
    return Path(folder, "training-" + hashlib.sha256(name.encode()).hexdigest()[:24])
