import functools

import torch
import torch.cuda.amp.autocast as wrong  # hit
from torch.amp import GradScaler as New
from torch.cuda import amp
from torch.cuda.amp import GradScaler, autocast, custom_bwd, custom_fwd


class Mul(torch.autograd.Function):
    @staticmethod
    @custom_fwd  # hit
    def forward(ctx, a):
        return a

    @staticmethod
    @custom_bwd  # hit
    def backward(ctx, grad):
        return grad


class Cast(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)  # hit
    def forward(ctx, a):
        return a


@autocast()  # hit
def decorated(x):
    return x


def train(model, x, half, options, scaler: GradScaler):
    with autocast():  # hit
        model(x)
    with amp.autocast(enabled=half):  # hit
        model(x)
    with torch.cuda.amp.autocast(half, torch.bfloat16):  # hit
        model(x)
    with torch.cpu.amp.autocast():  # hit
        model(x)
    with torch.cuda.amp.autocast_mode.autocast(*options):  # hit
        model(x)
    with torch.amp.autocast("cuda"), torch.autocast("cuda"):
        model(x)
    scaler = GradScaler(enabled=half)  # hit
    scaler = torch.cuda.amp.GradScaler(2.0**8)  # hit
    scaler = New("cuda")
    cast = functools.partial(torch.cuda.amp.autocast, enabled=half)  # hit
    if isinstance(scaler, torch.cuda.amp.GradScaler):
        scaler.step(cast)


class Scaler(torch.cuda.amp.GradScaler):  # hit
    pass


def guarded(torch_version):
    if torch_version >= (2, 4):
        return torch.amp.autocast("cuda")
    return torch.cuda.amp.autocast()


try:
    from torch.amp import autocast as cast
except ImportError:
    from torch.cuda.amp import autocast as cast


def both():
    return cast()


def encoded(model):
    @ torch.cuda.amp.autocast()  # hit
    def encode(batch):
        return model(batch)

    return encode
