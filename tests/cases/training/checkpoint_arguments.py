import functools

import torch
import torch.utils.checkpoint as cp
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(2, 2)
        self.drop = nn.Dropout(0.1)
        self.run = functools.partial(checkpoint, use_reentrant=False)

    def forward(self, x, y, flag, *rest, **options):
        x = cp.checkpoint(self.conv, x)  # hit
        x = checkpoint(self.conv, x, y, preserve_rng_state=True)  # hit
        x = checkpoint(self.conv, *rest)  # hit
        x = checkpoint(self.conv, x, use_reentrant=flag)
        x = checkpoint(self.conv, x, **options)
        x = checkpoint_sequential(self.layers, 2, x)  # hit
        x = checkpoint_sequential(self.layers, 2, x, use_reentrant=False)
        x = torch.utils.checkpoint.checkpoint(
            self.conv,
            x,  # the input
            use_reentrant=False,
        )
        both = [x, y]
        x = checkpoint(self.conv, [x, y], use_reentrant=True)  # hit
        x = checkpoint(self.conv, both, use_reentrant=True)  # hit
        x = checkpoint(self.conv, *both, use_reentrant=True)
        x = checkpoint(self.conv, [x, y], use_reentrant=False)
        x = checkpoint(self.drop, x, use_reentrant=False, preserve_rng_state=False)  # hit
        return self.run(self.conv, x)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(2, 2)

    def forward(self, x):
        return checkpoint(self.conv, x, use_reentrant=False, preserve_rng_state=False)


def save(model, checkpoint):
    return checkpoint(model)


torch_version = tuple(int(part) for part in torch.__version__.split(".")[:2])
RECENT = torch_version >= (2, 4)


def by_release(f, x):
    if RECENT:
        return checkpoint(f, x, use_reentrant=False)
    return checkpoint(f, x)


def by_another_flag(f, x, recompute):
    if recompute:
        return checkpoint(f, x)  # hit
    return f(x)


class Stage(nn.Module):
    def __init__(self, use_checkpoint=False):
        super().__init__()
        self.use_checkpoint = use_checkpoint
        self.block = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1))
        self.save = functools.partial(checkpoint, preserve_rng_state=False)

    def forward(self, x):
        if self.use_checkpoint:
            x = checkpoint(self.block, x)  # hit
        x = self.save(self.run, x, use_reentrant=False)  # hit
        pair = tuple([x, x])
        return checkpoint(self.join, pair, use_reentrant=True)

    def run(self, x):
        return self.block(x)

    def join(self, pair):
        return pair[0] + pair[1]
