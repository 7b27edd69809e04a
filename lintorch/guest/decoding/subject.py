"""A model that may be a decoder: what it is fed as a text, and texts of any size for it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import nn

from lintorch.record.models import FedArgument, Input

TEXTS, LENGTH, LONGER = 2, 5, 7
"""Texts and tokens that forms are tried with."""


@dataclass(frozen=True)
class Subject:
    """A model that runs on these inputs, of which `tokens` is the text."""

    module: nn.Module
    inputs: tuple[FedArgument, ...]
    tokens: Input

    def make_tokens(self, batch: int, length: int) -> torch.Tensor:
        """Numbers of tokens, the first of a longer text the same as a shorter one."""
        high = max(self.tokens.high, self.tokens.low + 2)
        generator = torch.Generator().manual_seed(7)
        whole = torch.randint(self.tokens.low, high, (8, 64), generator=generator)
        return whole[:batch, :length].contiguous()


def choose_subject(module: nn.Module, inputs: tuple[FedArgument, ...]) -> Subject | None:
    """The input that holds tokens; None where there is none."""
    parameters = list_parameters(module)
    texts = [
        given
        for given in inputs
        if isinstance(given, Input) and given.dtype in ("int64", "int32") and not given.at
        if len(given.shape) == 2 and given.high > 2 and given.name in parameters
    ]
    if not texts:
        return None
    first = next((each for each in texts if each.name.startswith("decoder")), texts[0])
    config = getattr(module, "config", None)
    if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in parameters:
        first = replace(first, name="decoder_input_ids")
    return Subject(module, inputs, first)


def list_parameters(module: nn.Module) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(module.forward).parameters
    except (TypeError, ValueError):
        return {}
