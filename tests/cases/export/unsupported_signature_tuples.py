"""Named tuples of a class of one's own, which exporters know as named tuples."""

from collections import namedtuple

import torch
from torch import nn


class ByKey:
    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)


class Answering:
    def answer(self, **results):
        Pair = namedtuple("Pair", results)

        class Output(ByKey, Pair):
            pass

        return Output(**results)


class Forecast(Answering, nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        return self.answer(prediction=self.layer(x))


class Plain:
    def __init__(self, prediction):
        self.prediction = prediction


class Own(ByKey, Plain):
    pass


class Foretold(nn.Module):
    def forward(self, x):
        return Own(torch.relu(x))  # hit
