# profile: onnx-legacy@17 torchscript-trace onnx torch.export
from typing import Optional

import torch
from torch import Tensor, nn
from transformers.utils import is_torchdynamo_compiling


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3)])

    def forward(self, x, y: Tensor, mask: Optional[Tensor] = None):
        b, c = x.shape
        if x.sum() > 0:  # hit
            x = x * 2
        if x.max().item() > 1:  # hit
            x = x / 255
        if (x < 0).any() and c == 3:  # hit
            x = x * 2
        if not torch.isfinite(x).all():  # hit
            x = torch.nan_to_num(x)
        if torch.isnan(x).any() or torch.isinf(x).any():  # hit
            x = x * 2
        flag = y.mean() > 0
        x = x * 2 if flag else x  # hit
        while torch.max(x) > 1:  # hit
            x = x * 0.5
        if bool((y > 0).all()):  # hit
            x = x + 1
        if torch.equal(x, y):  # hit
            x = x + 1
        if x.allclose(y):  # hit
            x = x + 1
        if float(y[0, 0]) > 0.5:  # hit
            x = x + 1
        if mask is not None and not mask.all():  # hit
            x = x * mask
        if x.min() < 0:  # hit
            raise ValueError
        assert (y > 0).all(), "positive"  # hit
        assert y.max() < 4, f"{y.max()}"  # hit
        torch._assert((x > 0).any(), "positive")  # hit
        kept = torch.nonzero(x[:, 0] > 0)
        if kept.numel() == 0:  # hit
            return x
        if len(kept) == 0:  # hit
            return x
        if not kept.shape[0]:  # hit
            return x
        if x[y > 0].numel() > 0:  # hit
            x = x + 1
        if 0.0 in y:  # hit
            x = x + 1
        rows = [row for row in x.unbind(1) if row.sum() > 0]  # hit
        low = max(x[0, 0], y[0, 0])  # hit
        low = min(y.mean(), 1.0)  # hit
        n = y.argmax().item()
        k = n + 1
        if k > 3:  # hit
            x = x + low
        if known(x):
            x = x + 1
        return self.helped(x), rows

    def helped(self, x):
        if (x.abs() > 1).sum() > 3:  # hit
            return x / 2
        return x


def known(x):
    return bool(x.any()) if x.any() else x  # hit


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = 0.5
        self.act = nn.ReLU()
        self.prefix = None

    def forward(self, x, y: Tensor, scale, mode="a", mask: Optional[Tensor] = None, cache=None):
        b, c, h, w = x.size()
        if mask is None or cache is not None:
            mask = torch.ones_like(x)
        if mask == None or mode == "a":
            mask = x
        if x.dim() == 4 and x.dtype == torch.float32 and x.device.type == "cpu":
            x = x + 1
        if x.is_cuda or x.requires_grad or x.is_contiguous() or torch.is_complex(x):
            x = x * 1
        if isinstance(x, Tensor) and torch.is_tensor(y) and hasattr(x, "names"):
            x = x + 1
        if scale > 1:
            x = x * scale
        if self.alpha > 0 and self.training and x.sum() > 0:
            x = x * 2
        if not torch.jit.is_tracing() and (x > 0).any():
            x = x + 1
        if not is_torchdynamo_compiling() and (x > 0).any():
            x = x + 1
        if torch.rand(1) < 0.5 or torch.rand(1).item() < self.alpha:
            x = x + 1
        if x.device.type == "mps":
            if not (x > 0).all():
                x = x + 1
        if torch.is_grad_enabled() and self.prefix:
            x = x + 1
        if c > 3 or b == 1 or len(x) == 0 or x.numel() == 0:
            x = x + 1
        if cache and cache.get("x"):
            x = cache["x"]
        if y.is_floating_point() and y.ndim > 2 and x.get_device() < 0:
            x = x + 1
        assert h == w, f"{h}"
        assert x.max().item() < 4
        torch._assert(h > 8, "small")
        x = torch.where(x.sum() > 0, x, -x)
        n = max(h, w)
        heads = max(self.alpha, 1)
        y = y * (x > 0) + torch.maximum(x, y)
        out = self.act(x)
        if out is x:
            x = x + 1
        for name, part in {"a": x}.items():
            if name == "b":
                x = part
        return x * heads, y, n

    def report(self, x: Tensor):
        if x.sum() > 0:
            return "yes"
        return "no"

    @torch.jit.unused
    def eager(self, x: Tensor):
        return x if x.sum() > 0 else -x


class PositiveLoss(nn.Module):
    def forward(self, x, target):
        if (target > 0).sum() == 0:
            return x.sum() * 0
        return x.mean()


def prepare(x: Tensor):
    return x / 255 if x.max() > 1 else x


class Clamped(nn.Module):
    def forward(self, x):
        x = self.norm(x)
        if x.dtype == torch.float16 and not torch.isfinite(x).all():
            x = x.clamp(-1000, 1000)
        if not torch.isfinite(x).all():  # hit
            x = x.nan_to_num()
        return x
