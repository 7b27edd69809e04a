from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Result:
    scores: torch.Tensor


torch.export.register_dataclass(Result)


class ReturnsDataclass(nn.Module):
    def forward(self, x):
        return Result(x)
