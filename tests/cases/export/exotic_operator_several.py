"""Forwards and methods that give losses: whoever deploys the model runs others."""

import torch
from losses import LossBreakdown
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x, return_loss=True):
        if return_loss:
            return self.forward_train(x)
        return self.forward_test(x)

    def forward_train(self, x):
        losses = {}
        chosen = x[torch.randperm(x.shape[0])[:16]]
        losses["head"] = (self.head(chosen) - chosen).abs().mean()
        return losses

    def forward_test(self, x):
        return self.head(x)


class Aligner(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x, y):
        attention = torch.erfinv(x @ y.transpose(1, 2))
        duration_loss = self.head(x).sum()
        prior_loss = (x - y).abs().mean()
        match_loss = (attention @ x - y).square().mean()
        return duration_loss, prior_loss, match_loss, attention


class Together(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        loss_values = {}
        made = self.head(x)
        loss_values["turn"] = torch.erfinv(made).sum()
        return loss_values, made


class Asked(nn.Module):
    """Says itself that there are losses in training alone."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        losses = {}
        made = torch.erfinv(self.head(x))  # hit
        if self.training:
            losses["turn"] = made.sum()
        return losses, made


class Quantized(nn.Module):
    """One loss beside what the model is for."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        made = torch.erfinv(self.head(x))  # hit
        loss = (made - x.detach()).square().mean()
        return loss, made


class Pretraining(nn.Module):
    """A loss, and what is logged of it."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x, records=None):
        loss = torch.erfinv(self.head(x)).sum()
        return loss, records


class Breakdown(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x, critic=None):
        loss = torch.erfinv(self.head(x)).sum()
        if critic is None:
            return loss, LossBreakdown(loss, None)
        return loss + critic(x), LossBreakdown(loss, critic(x))
