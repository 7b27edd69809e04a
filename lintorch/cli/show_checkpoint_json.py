"""What `lintorch checkpoint --output-format json` prints; docs/output.md says what each key means."""

from __future__ import annotations

import json
from typing import Any

from lintorch.checkpoint.checkpoint import (
    Checkpoint,
    count_numbers,
    list_devices,
    list_shared,
    measure_bytes,
)
from lintorch.checkpoint.compare_keys import Comparison
from lintorch.checkpoint.sections import Section
from lintorch.checkpoint.values import Tensor
from lintorch.cli.show_comparison import write_load
from lintorch.cli.show_refusals import write_admission
from lintorch.run.inspect_checkpoint import InspectedCheckpoint


def format_checkpoint_json(found: InspectedCheckpoint) -> str:
    """One object."""
    checkpoint = found.checkpoint
    data = {
        "file": checkpoint.path,
        "format": checkpoint.raw.format,
        "about": dict(checkpoint.raw.about),
        "sections": [_section_object(each, checkpoint) for each in checkpoint.sections],
        "values": dict(checkpoint.plain),
        "prefixes": [
            {"text": each.text, "wrapper": each.wrapper or None, "inner": each.inner}
            for each in checkpoint.prefixes
        ],
        "weights_only": _weights_only_object(checkpoint),
        "problems": list(checkpoint.problems),
        "nonfinite": None if found.nonfinite is None else dict(found.nonfinite),
        "model": _comparison_object(found, found.comparison) if found.comparison else None,
    }
    return json.dumps(data, indent=2) + "\n"


def _section_object(section: Section, checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "name": section.name,
        "kind": section.kind,
        "chosen": section is checkpoint.chosen,
        "about": section.about or None,
        "numbers": count_numbers(section.tensors),
        "bytes": measure_bytes(section.tensors),
        "devices": list(list_devices(section.tensors)),
        "shared": [list(names) for names in list_shared(section.tensors)],
        "tensors": [_tensor_object(name, tensor) for name, tensor in section.tensors],
    }


def _tensor_object(name: str, tensor: Tensor) -> dict[str, Any]:
    return {
        "key": name,
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
        "kind": tensor.kind or None,
        "subclass": tensor.subclass or None,
        "storage": tensor.storage.key if tensor.storage else None,
    }


def _weights_only_object(checkpoint: Checkpoint) -> dict[str, Any]:
    """`taken` is null where the file is none that torch.load reads so."""
    raw = checkpoint.raw
    read = raw.weights_only is not None and not raw.refusal
    return {
        "taken": not (checkpoint.refused or checkpoint.obstacles) if read else None,
        "refusal": raw.refusal or None,
        "advice": raw.advice or None,
        "refused": [
            {"name": each.path, "verdict": each.verdict, "why": each.why}
            for each in checkpoint.refused
        ],
        "obstacles": list(checkpoint.obstacles),
        "admission": list(write_admission(checkpoint)),
    }


def _comparison_object(found: InspectedCheckpoint, comparison: Comparison) -> dict[str, Any]:
    return {
        "keys": comparison.wanted,
        "matched": len(comparison.matched),
        "missing": list(comparison.missing),
        "unexpected": list(comparison.unexpected),
        "no_tensors": list(comparison.plain),
        "other_shapes": [
            {"key": each.key, "file": list(each.here), "model": list(each.wanted)}
            for each in comparison.other_shapes
        ],
        "renamed": [list(pair) for pair in comparison.renaming.pairs]
        if comparison.renaming
        else [],
        "branches": comparison.branches or None,
        "made_up": dict(found.made_up or {}),
        "load": list(write_load(found)),
    }
