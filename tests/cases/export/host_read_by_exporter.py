# profile: torch.export onnx
import torch
from torch import nn


class OfTracers(nn.Module):
    """What the tracers of TorchScript alone come to says nothing of torch.export."""

    def forward(self, x):
        if torch.jit.is_tracing():
            n = int(x.max())
        else:
            n = float(x.min())  # hit
        return x * n


class Program(nn.Module):
    def forward(self, x):
        if not torch.compiler.is_compiling():
            x = x * float(x.max())
        if torch.compiler.is_exporting() or x.shape[0] == 3:
            return x
        return x * float(x.max())


class State(nn.Module):
    def forward(self, x):
        if torch._C._get_tracing_state() is not None:
            return x * float(x.max())
        return x


class Passes(nn.Module):
    """What a pass asks holds until its end."""

    def forward(self, x):
        for step in range(3):
            if torch.jit.is_tracing():
                x = x * float(x.max())
                continue
            x = x * step
        return x * float(x.min())  # hit
