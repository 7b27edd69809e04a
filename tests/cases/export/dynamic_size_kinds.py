# profile: torch.export onnx onnx-legacy@17 torchscript-trace
import torch
from torch import nn


class Tiles(nn.Module):
    def forward(self, x):
        b, c, h, w = x.size()
        out = x.new(b, c, 2 * h, w).zero_()  # hit
        like = x.new(x.size()).fill_(1.0)  # hit
        data = x.data.new(*x.shape).fill_(1.0)  # hit
        side = x.new(x.shape[2:]).zero_()  # hit
        old = torch.Tensor(b, c, h, w).zero_()  # hit
        kind = torch.FloatTensor(x.size()).zero_()  # hit
        ids = torch.LongTensor(b, 1).fill_(1)  # hit
        single = x.new(w).zero_()  # hit
        listed = x.new([h, w])  # hit
        plain = torch.Tensor([h, w])  # hit
        taken = torch.Tensor(w).zero_()
        fixed = x.new(1, c, 3).zero_(), torch.FloatTensor(4, 4).zero_(), x.new([1.0, 2.0])
        kept = x.new_zeros(b, c, h, w), torch.empty(b, c, h, w), x.new_empty(x.size())
        return out, like, data, side, old, kind, ids, single, listed, plain, taken, fixed, kept


class Pairs(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        every = x.repeat_interleave(w, dim=0)  # hit
        half = torch.repeat_interleave(x, w // 2, dim=1)  # hit
        fixed = x.repeat_interleave(2, dim=1), x.repeat(w, 1, 1, 1)
        return every, half, fixed
