"""Decoders that keep the past in themselves, and are told only where the tokens stand."""

from __future__ import annotations

from dataclasses import replace

import torch

from lintorch.guest.decoding.decoder import Decoder
from lintorch.guest.decoding.held_tensors import Place, list_held
from lintorch.guest.decoding.subject import LENGTH, LONGER, TEXTS, Subject
from lintorch.guest.export.compare_numbers import find_difference
from lintorch.guest.export.module_state import copy_module


def keeps_past(subject: Subject, decoder: Decoder) -> bool:
    """Whether the module changes by a prompt, and a step then gives what the whole text gives."""
    tokens = subject.make_tokens(TEXTS, LONGER).flip(1)  # no text that it may have kept already
    try:
        with copy_module(subject.module) as module, torch.no_grad():
            own, before = replace(decoder, module=module), _list_state(module)
            own.begin(tokens[:, :LENGTH])
            if not _is_changed(before, _list_state(module)):
                return False
            for place in range(LENGTH, LONGER):
                step = own.go_on(tokens[:, place : place + 1], place, None)
        with copy_module(subject.module) as module, torch.no_grad():
            whole = replace(decoder, module=module).begin(tokens)
    except Exception:  # whatever user code raises
        return False
    return find_difference([whole.logits], [step.logits]) is None


def _list_state(module: torch.nn.Module) -> dict[tuple[str, Place], torch.Tensor]:
    """The tensors that modules hold beside their parameters, as they are now."""
    held: dict[tuple[str, Place], torch.Tensor] = {}
    for path, part in module.named_modules():
        for name, value in (*vars(part).items(), *part.named_buffers(recurse=False)):
            if not name.startswith("_"):
                for place, tensor in list_held(value):
                    held[f"{path}.{name}", place] = tensor.detach().clone()
    return held


def _is_changed(
    before: dict[tuple[str, Place], torch.Tensor], after: dict[tuple[str, Place], torch.Tensor]
) -> bool:
    return before.keys() != after.keys() or any(
        not torch.equal(before[key], value) for key, value in after.items()
    )
