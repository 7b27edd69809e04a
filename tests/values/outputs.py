"""Outputs of transformers and its kin, also where decorators stand around a forward."""

from dataclasses import dataclass
from typing import Optional

import torch
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from torch import nn
from transformers.modeling_outputs import BaseModelOutput, BaseModelOutputWithPooling
from transformers.utils import ModelOutput, auto_docstring, can_return_tuple
from transformers.utils.output_capturing import capture_outputs


@dataclass
class Scores(ModelOutput):
    loss: Optional[torch.FloatTensor] = None
    logits: Optional[torch.FloatTensor] = None
    hidden: Optional[torch.FloatTensor] = None


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 4, 1)

    @can_return_tuple
    @auto_docstring
    def forward(self, x, **kwargs) -> BaseModelOutput:
        return BaseModelOutput(last_hidden_state=self.conv(x))


class Middle(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    @capture_outputs(tie_last_hidden_states=False)
    def forward(self, x):
        one = self.inner(x)[0]  # value: tensor[B, 4, x.L]
        return Scores(logits=one, hidden=x)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.middle = Middle()

    def forward(self, x):
        found = self.middle(x)
        named = found.hidden  # value: tensor[B, 8, x.L]
        first = found[0]  # value: tensor[B, 4, x.L]
        keyed = found["hidden"]  # value: tensor[B, 8, x.L]
        pooled = BaseModelOutputWithPooling(last_hidden_state=x, pooler_output=keyed)
        given = pooled.pooler_output  # value: tensor[B, 8, x.L]
        maybe = pooled[1]  # value: unknown
        sample = Transformer2DModelOutput(sample=x)[0]  # value: tensor[B, 8, x.L]
        return named, first, keyed, given, maybe, sample


class Ordered(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(8, 3) for _ in range(3))

    def forward(self, x):
        parts = [head(x) for head in self.heads]
        best = max(parts, key=add_up)  # value: tensor[B, 3]
        least = min(parts[0], parts[1], key=add_up)  # value: tensor[B, 3]
        return best, least


def add_up(part):
    return float(part.sum())
