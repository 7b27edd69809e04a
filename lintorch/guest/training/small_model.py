"""A small model that takes whatever it is given, for code that trains any model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from torch.nn import functional

WIDTH, CLASSES = 8, 10
OUTPUTS = ("classes", "like", "dense", "values", "chances", "loss", "losses", "both", "named")
"""What it can give: see `SmallModel.forward`."""


class SmallModel(nn.Module):  # type: ignore[misc]
    """Tensors of any shape in, one of `OUTPUTS` out; with a layer that training mode changes, and one that draws."""

    def __init__(self, output: str, count: int = 1, methods: Iterable[str] = ()) -> None:
        """`count` is how many outputs it gives, `methods` what it is asked for that models have not."""
        super().__init__()
        self.output, self.count = output, count
        for name in methods:
            if not hasattr(self, name):
                setattr(self, name, self._answer)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(WIDTH, CLASSES)
        self.value = nn.Linear(CLASSES, 1)

    @property
    def module(self) -> SmallModel:
        """Itself, as a wrapper for several devices holds its model."""
        return self

    @property
    def device(self) -> torch.device:
        """Where its weights are, as models of some packages tell."""
        return self.head.weight.device

    def forward(self, *given: Any, **named: Any) -> Any:
        """Scores of classes [N, 10]; a tensor like the first; scores at its places [N, 10, …]; numbers [N, 1] as
        they are or between 0 and 1; a loss; that by name; scores with it; both as attributes.
        """
        made = self._give(given, named)
        return (made,) * self.count if self.count > 1 and self.output != "both" else made

    def _answer(self, *given: Any, **named: Any) -> Any:
        """What a method gives that this model has not: the output for tensors, else nothing."""
        is_fed = any(isinstance(each, torch.Tensor) for each in (*given, *named.values()))
        return self(*given, **named) if is_fed else None

    def _give(self, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        tensors = [each for each in (*given, *named.values()) if isinstance(each, torch.Tensor)]
        first = tensors[0]
        features = sum(map(_summarize, tensors[1:]), _summarize(first))
        scores = self.head(self.drop(self.norm(features)))
        value = self.value(scores)
        match self.output:
            case "classes":
                return scores
            case "like":
                return first.float() * self.value.weight.mean() + _spread(value[:, 0], first)
            case "dense":
                return scores[:, :, None, None] * first.float().mean(1, keepdim=True)[
                    :, None
                ].flatten(1, 2)
            case "values":
                return value
            case "chances":
                return value.sigmoid()
        loss = functional.softplus(value).mean()
        match self.output:
            case "loss":
                return loss
            case "losses":
                return {"loss": loss}
            case "both":
                return scores, loss
        return SimpleNamespace(loss=loss, logits=scores)


def _summarize(value: torch.Tensor) -> torch.Tensor:
    """[N, WIDTH] of a tensor with any further axes; one without axes is a batch of one."""
    flat = value.detach().float() if not value.is_floating_point() else value.float()
    flat = flat.reshape(flat.shape[0] if flat.ndim else 1, 1, -1)
    return functional.adaptive_avg_pool1d(flat, WIDTH)[:, 0]


def _spread(value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return value.reshape(-1, *(1,) * (like.ndim - 1))
