import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p
        self.none = 0.0
        self.drop = nn.Dropout(p)

    def forward(self, x, deterministic=False):
        x = F.dropout(x, self.p, self.training)
        x = F.dropout2d(x, p=0.1, training=self.training)
        x = F.dropout(x, 0.0)
        x = F.dropout(x, p=self.p)  # hit
        x = F.dropout(x, 0.5, True)  # hit
        x = torch.dropout(x, 0.5, True)  # hit
        x = torch.dropout(x, 0.5, self.training)
        x = F.alpha_dropout(x, 0.5)
        x = F.alpha_dropout(x, 0.5, training=True)  # hit
        x = nn.Dropout(0.5)(x)  # hit
        if self.training:
            x = F.dropout(x, 0.5)
        if not deterministic:
            x = F.dropout(x, 0.5)
        x = self.own_helper(x)
        x = F.dropout(x, **self.options)
        return self.drop(mix(x, 0.1))

    def own_helper(self, x):
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=self.p)  # hit
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=self.none)
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=0.1)  # hit
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=self.p if self.training else 0.0)
        return F.scaled_dot_product_attention(x, x, x)

    def augment(self, x):
        return F.dropout(x, 0.5)


def mix(x, p):
    return F.dropout(x, p)  # hit


def noise(x):
    return F.dropout(x, 0.5)


def drop(x, how, **given):
    return how(x, **given)  # hit


class Settings:
    rate = 0.1


class Handed(nn.Module):
    settings = Settings()

    def forward(self, x):
        x = drop(x, F.dropout, p=self.settings.rate)
        return drop(x, F.dropout, p=self.settings.rate, training=self.training)


class Gated(nn.Module):
    """Layers of a dictionary that a lambda runs were made by the constructor."""

    def __init__(self, dim):
        super().__init__()
        self.parts = nn.ModuleDict({"linear": nn.Linear(dim, dim), "drop": nn.Dropout(0.1)})
        parts = self.parts
        self.gate = lambda x: parts.drop(parts.linear(x))
        self.loose = lambda x: nn.Dropout(0.2)(x)  # hit

    def forward(self, x):
        return self.loose(x + self.gate(x))
