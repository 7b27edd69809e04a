# profile: torch.export
import torch
from torch import nn


def check(condition, message="bad"):
    if not condition:
        raise ValueError(message)


def require(message, *, condition):
    assert condition, message


def check_made(condition):
    condition = condition & True
    if not condition:  # hit
        raise ValueError


class Checked(nn.Module):
    def demand(self, holds):
        if not holds:
            raise ValueError

    def forward(self, x):
        check(x.dim() == 4)
        check(x.shape[1] == 3, "channels")
        check(torch.all(x > -100))  # hit
        check(message="finite", condition=torch.isfinite(x).all())  # hit
        require("finite", condition=torch.isfinite(x).all())  # hit
        require("rank", condition=x.dim() == 4)
        self.demand(x.min() > 0)  # hit
        self.demand(x.dim() > 1)
        check_made(torch.all(x > -100))
        return x
