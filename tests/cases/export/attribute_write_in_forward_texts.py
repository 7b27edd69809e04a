# profile: torchscript-trace
import torch
from torch import nn


class Masked(nn.Module):
    """A tracer has sizes as numbers, and keeps the mask of its example."""

    def __init__(self):
        super().__init__()
        self.masks = {}

    def forward(self, x):
        height, width = x.shape[-2:]
        key = "%s-%s" % (height, width)
        if key not in self.masks:
            self.masks[key] = torch.ones(height, width)  # hit
        return x * self.masks[key]


GRIDS, LEVELS, KEPT = {}, {}, {}


def shift(flow):
    key = (str(flow.device), str(flow.size()))
    if key not in GRIDS:
        across = torch.arange(flow.shape[3]).expand(flow.shape[2], -1)
        GRIDS[key] = across / 7  # hit
    return flow + GRIDS[key]


def shift_by(flow, grids):
    key = str(flow.shape)
    if key not in grids:
        grids[key] = torch.arange(flow.shape[3]) / 7
    return flow + grids[key]


def scale(flow):
    key = f"{flow.shape[1]}"
    if key not in LEVELS:
        LEVELS[key] = torch.ones(1, 1, 1, 1)
    return flow * LEVELS[key]


def scale_again(flow):
    key = f"{flow.shape[3]}"
    if not torch.jit.is_tracing() and key not in KEPT:
        KEPT[key] = torch.ones(flow.shape[3])
    return flow * (torch.ones(flow.shape[3]) if torch.jit.is_tracing() else KEPT[key])


def scale_anew(flow):
    key = f"{flow.shape[3]}"
    GRIDS[key] = torch.ones(flow.shape[3])
    return flow * GRIDS[key]


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.flow = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, image):
        flow = scale_again(scale(shift_by(shift(self.flow(image)), {})))
        return scale_anew(flow)
