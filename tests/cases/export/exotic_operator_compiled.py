# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import torch
from torch import nn
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention.flex_attention import flex_attention


class Compiled(nn.Module):
    def forward(self, x: torch.Tensor, q: torch.Tensor):
        y = torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (x,))  # hit
        count = torch.tensor(0)
        z = while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (count, x))[1]  # hit
        return y + z, flex_attention(q, q, q)  # hit
