# profile: torchscript-trace
import torch
from torch import nn


class Returns(nn.Module):
    def forward(self, x):
        if torch.jit.is_tracing():
            return x
        return x * float(x.max())


class Flagged(nn.Module):
    def forward(self, x, flag: bool = True):
        if flag and not torch.jit.is_tracing():
            x = x * float(x.max())
        return x


class Or(nn.Module):
    def forward(self, x, flag: bool = True):
        if flag or not torch.jit.is_tracing():
            x = x * float(x.max())  # hit
        return x


class Second(nn.Module):
    def forward(self, x):
        if not torch.jit.is_tracing() and float(x.max()) > 3:
            return self.scale(x)
        return x

    def scale(self, x):
        return x * float(x.min())


class Named(nn.Module):
    def forward(self, x):
        eager = not torch.jit.is_tracing()
        if eager:
            x = x * float(x.max())
        return x


class OfOnnx(nn.Module):
    def forward(self, x):
        if torch.onnx.is_in_onnx_export():
            return x * float(x.max())
        return x


class Compiled(nn.Module):
    """Whether code is compiled is not asked of the tracers."""

    def forward(self, x):
        if not torch.compiler.is_compiling():
            x = x * float(x.max())  # hit
        return x


class Passes(nn.Module):
    def forward(self, x):
        for step in range(3):
            if torch.jit.is_tracing():
                continue
            x = x * float(x.max()) * step
        return x * float(x.min())  # hit
