"""Tensors: sizes through operators, indexing, and numbers that are made of sizes."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from torch import nn


class Net(nn.Module):
    def __init__(self, patch=16):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        self.embed = nn.Conv2d(3, 32, patch, stride=patch)
        self.dilated = nn.Conv2d(3, 8, 3, padding=2, dilation=2)
        self.up = nn.ConvTranspose2d(3, 8, 2, stride=2)
        self.pool = nn.MaxPool2d(2, 2)
        self.linear = nn.Linear(32, 10)
        layer = nn.TransformerEncoderLayer(32, 4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.same = nn.Conv2d(3, 8, 3, padding="same")

    def forward(self, x):
        later = nn.Transformer.generate_square_subsequent_mask(x.size(2))  # value: float32[x.H, x.H]
        self.stem(x)  # value: tensor[B, 64, (x.H + 1) // 2, (x.W + 1) // 2]
        self.embed(x)  # value: tensor[B, 32, x.H // 16, x.W // 16]
        self.dilated(x)  # value: tensor[B, 8, x.H, x.W]
        self.up(x)  # value: tensor[B, 8, 2 * x.H, 2 * x.W]
        self.pool(x)  # value: tensor[B, 3, x.H // 2, x.W // 2]
        self.same(x)  # value: tensor[B, 8, x.H, x.W]

        b, c, h, w = x.shape
        c  # value: 3
        h // 2 * 2  # value: int 2 * (x.H // 2) (varies)
        int(h / 2)  # value: int x.H // 2 (varies)
        h % 8  # value: int x.H % 8 (varies)
        -h % 8  # value: int (-x.H) % 8 (varies)
        (8 - h % 8) % 8  # value: int (-(x.H % 8)) % 8 (varies)
        max(h, 32)  # value: int max(32, x.H) (varies)
        min(h, h + 1)  # value: int x.H (varies)
        max(h, int(x.sum()))  # value: int (read from data)
        h * 2 // 2  # value: int x.H (varies)
        h * w  # value: int x.H * x.W (varies)
        math.ceil(h / 32)  # value: int (x.H + 31) // 32 (varies)
        -(-h // 32)  # value: int -((-x.H) // 32) (varies)
        2.0 * math.pi  # value: 6.283185307179586
        math.sqrt(2.0 / math.pi) * x  # value: tensor[B, 3, x.H, x.W]
        np.pi * x.mean(1)  # value: tensor[B, x.H, x.W]
        math.sqrt(h)  # value: float sqrt(x.H) (varies)
        int(h * 0.5)  # value: int (varies)
        h / 2  # value: float /(x.H, 2) (varies)
        h == 3  # value: bool (varies)
        torch.zeros(1) == "learned"  # value: False
        torch.zeros(1) != "learned"  # value: True
        h > 0  # value: True
        h + 1 > h  # value: True
        x.dim()  # value: 4
        x.ndim == 4  # value: True
        len(x)  # value: int B (varies)
        x.size()  # value: Size(int B (varies), 3, int x.H (varies), int x.W (varies))
        x.size(-1)  # value: int x.W (varies)
        x.numel()  # value: int 3 * B * x.H * x.W (varies)
        x.shape[2:].numel()  # value: int x.H * x.W (varies)
        x.mean().item()  # value: number (read from data)
        tuple(x.shape[-2:])  # value: (int x.H (varies), int x.W (varies))
        [side // 2 for side in x.shape[2:]]  # value: [int x.H // 2 (varies), int x.W // 2 (varies)]
        x.shape == x.shape  # value: True
        round(h / 2)  # value: int (varies)
        2**3  # value: 8
        h**2  # value: int x.H * x.H (varies)
        float(h)  # value: float x.H (varies)
        str(c)  # value: '3'

        x.view(b, c, -1)  # value: tensor[B, 3, x.H * x.W]
        x.view(b, -1, h, w)  # value: tensor[B, 3, x.H, x.W]
        x.view(-1, 3)  # value: tensor[B * x.H * x.W, 3]
        x.reshape(b, c * h, w)  # value: tensor[B, 3 * x.H, x.W]
        x.flatten(1)  # value: tensor[B, 3 * x.H * x.W]
        x.flatten(2).transpose(1, 2)  # value: tensor[B, x.H * x.W, 3]
        x.permute(0, 2, 3, 1)  # value: tensor[B, x.H, x.W, 3]
        x.permute(0, 2, 3, 1).contiguous().view(-1, c)  # value: tensor[B * x.H * x.W, 3]
        x.mT  # value: tensor[B, 3, x.W, x.H]
        x.unsqueeze(1)  # value: tensor[B, 1, 3, x.H, x.W]
        x.unsqueeze(-1).squeeze(-1)  # value: tensor[B, 3, x.H, x.W]
        x.unfold(2, 4, 4)  # value: tensor[B, 3, x.H // 4, x.W, 4]
        x.expand(2, b, c, h, w)  # value: tensor[2, B, 3, x.H, x.W]
        x.repeat(1, 2, 1, 1)  # value: tensor[B, 6, x.H, x.W]
        x.view(b, c, h // 2, 2, w // 2, 2)  # value: tensor[B, 3, x.H // 2, 2, x.W // 2, 2]

        x[0]  # value: tensor[3, x.H, x.W]
        x[:, 0]  # value: tensor[B, x.H, x.W]
        x[:, :2]  # value: tensor[B, 2, x.H, x.W]
        x[..., 0]  # value: tensor[B, 3, x.H]
        x[:, None]  # value: tensor[B, 1, 3, x.H, x.W]
        x[:, :, 1:]  # value: tensor[B, 3, x.H - 1, x.W]
        x[:, :, ::2]  # value: tensor[B, 3, (x.H + 1) // 2, x.W]
        x[:, :, 0::2, 1::2]  # value: tensor[B, 3, (x.H + 1) // 2, x.W // 2]
        x[:, :, :-1]  # value: tensor[B, 3, x.H - 1, x.W]
        x[:, :, h - 1 :]  # value: tensor[B, 3, 1, x.W]
        for part in (slice(0, -8), slice(1, None)):
            x[:, :, part]  # value: tensor[B, 3, max(0, x.H - 8), x.W], then tensor[B, 3, x.H - 1, x.W]
        x[:, [0, 2]]  # value: tensor[B, 2, x.H, x.W]
        x[x > 0]  # value: tensor[data(B, 3, x.H, x.W)]

        torch.cat([x, x], dim=1)  # value: tensor[B, 6, x.H, x.W]
        torch.cat((x, self.pool(x)[:, :, :1, :1].expand(b, c, h, w)), 1)  # value: tensor[B, 6, x.H, x.W]
        torch.stack([x, x])  # value: tensor[2, B, 3, x.H, x.W]
        x + x[:, :1]  # value: tensor[B, 3, x.H, x.W]
        x * x.mean(dim=(2, 3), keepdim=True)  # value: tensor[B, 3, x.H, x.W]
        x.mean(dim=(2, 3))  # value: tensor[B, 3]
        x.max(dim=1)[0]  # value: tensor[B, x.H, x.W]
        x.max(1).values  # value: tensor[B, x.H, x.W]
        x.argmax(1)  # value: int64[B, x.H, x.W]
        x.sum()  # value: tensor[]
        one, two = x.chunk(2, dim=2)
        one  # value: tensor[B, 3, (x.H + 1) // 2, x.W]
        first, *_ = x.split([1, 2], dim=1)
        first  # value: tensor[B, 1, x.H, x.W]
        left, middle, right = x.unbind(1)
        middle  # value: tensor[B, x.H, x.W]
        for image in x.unbind(1):
            image  # value: tensor[B, x.H, x.W]
        tokens = x.flatten(2).transpose(1, 2) @ torch.ones(3, 32)
        tokens  # value: float32[B, x.H * x.W, 32]
        self.encoder(tokens)  # value: float32[B, x.H * x.W, 32]
        self.linear(tokens)  # value: float32[B, x.H * x.W, 10]
        tokens @ tokens.transpose(-2, -1)  # value: float32[B, x.H * x.W, x.H * x.W]
        torch.einsum("bnc,bmc->bnm", tokens, tokens)  # value: float32[B, x.H * x.W, x.H * x.W]
        tokens.reshape(b, -1, 4, 8).permute(0, 2, 1, 3)  # value: float32[B, 4, x.H * x.W, 8]
        tokens.softmax(-1)  # value: float32[B, x.H * x.W, 32]
        F.layer_norm(tokens, (32,))  # value: float32[B, x.H * x.W, 32]
        rearrange(x, "b c h w -> b (h w) c")  # value: tensor[B, x.H * x.W, 3]
        rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)  # value: tensor[B, (x.H // 4) * (x.W // 4), 48]
        repeat(x, "b c h w -> b n c h w", n=2)  # value: tensor[B, 2, 3, x.H, x.W]

        F.interpolate(x, size=(h // 2, w // 2))  # value: tensor[B, 3, x.H // 2, x.W // 2]
        F.interpolate(x, scale_factor=2)  # value: tensor[B, 3, 2 * x.H, 2 * x.W]
        F.adaptive_avg_pool2d(x, 1)  # value: tensor[B, 3, 1, 1]
        F.adaptive_avg_pool2d(x, (1, None))  # value: tensor[B, 3, 1, x.W]
        F.pad(x, (0, 1, 2, 3))  # value: tensor[B, 3, x.H + 5, x.W + 1]
        F.pad(x, (0, -w % 8, 0, -h % 8))  # value: tensor[B, 3, 8 * ((x.H + 7) // 8), 8 * ((x.W + 7) // 8)]
        F.conv2d(x, torch.ones(5, 3, 3, 3))  # value: tensor[B, 5, x.H - 2, x.W - 2]
        F.unfold(x, 3)  # value: tensor[B, 27, -2 * x.H + x.H * x.W - 2 * x.W + 4]
        F.pixel_shuffle(self.up(x), 2)  # value: tensor[B, 2, 4 * x.H, 4 * x.W]
        F.one_hot(x.argmax(1), 5)  # value: int64[B, x.H, x.W, 5]

        torch.zeros(b, 4)  # value: float32[B, 4]
        torch.arange(h)  # value: int64[x.H]
        torch.arange(0, h, 2)  # value: int64[(x.H + 1) // 2]
        torch.arange(2, h)  # value: int64[x.H - 2]
        torch.linspace(0, 1, w)  # value: float32[x.W]
        torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")[0]  # value: int64[x.H, x.W]
        torch.zeros_like(x)  # value: tensor[B, 3, x.H, x.W]
        x.new_zeros(b, 2)  # value: tensor[B, 2]
        torch.tensor([1.0, 2.0])  # value: float32[2]
        torch.tensor(3)  # value: int64[]
        x.float()  # value: float32[B, 3, x.H, x.W]
        x > 0  # value: bool[B, 3, x.H, x.W]
        x.long()  # value: int64[B, 3, x.H, x.W]
        x.to(torch.float16)  # value: float16[B, 3, x.H, x.W]
        torch.where(x > 0, x, -x)  # value: tensor[B, 3, x.H, x.W]
        x.masked_fill(x > 0, 0.0)  # value: tensor[B, 3, x.H, x.W]
        x[(x > 0).byte()]  # value: tensor[data(B, 3, x.H, x.W)]
        torch.ones(h, w).tril()  # value: float32[x.H, x.W]
        x.gather(1, x.argmax(1, keepdim=True))  # value: tensor[B, 1, x.H, x.W]
        x.topk(2, dim=1)[1]  # value: int64[B, 2, x.H, x.W]
        x.std(1, keepdim=True)  # value: tensor[B, 1, x.H, x.W]
        x.roll((1, 1), dims=(2, 3))  # value: tensor[B, 3, x.H, x.W]
        x.clamp(min=0).sqrt()  # value: tensor[B, 3, x.H, x.W]
        torch.sigmoid(x).add_(1)  # value: tensor[B, 3, x.H, x.W]
        F.scaled_dot_product_attention(tokens, tokens, tokens)  # value: float32[B, x.H * x.W, 32]
        x.shape[0] * x.size(1)  # value: int 3 * B (varies)
        x.tolist()  # value: list of any number of [list of any number of list of any number of number (read from data), list of any number of list of any number of number (read from data), list of any number of list of any number of number (read from data)]
        x.numpy().shape  # value: (int B (varies), 3, int x.H (varies), int x.W (varies))
        x.new_tensor([1])  # value: tensor[1]
        return x


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, times):
        ctx.times = times
        return x.flatten(2)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Unknown(nn.Module):
    """Of inputs that no layer is given as they are, and of what foreign functions give."""

    def __init__(self, config, steps=None):
        super().__init__()
        self.stem = nn.Conv2d(6, 16, 3, padding=1)
        self.head = nn.utils.weight_norm(nn.Conv1d(16, 8, 1))
        self.steps = steps["many"]
        self.wide = nn.Linear(config.width * int(np.ceil(5 / 2)), config.width)

    def forward(self, x, y, z, mask):
        turned = y.permute(0, 3, 1, 2)  # value: tensor[B, y.W, y.C, y.H]
        pair = torch.cat([x[:, :3] / 255, x[:, 3:]], 1)
        self.stem(pair)  # value: tensor[B, 16, x.H, x.W]
        torch.cat([turned, z], 1)  # value: tensor[B, y.W + z.C, y.C, y.H]
        far = foreign(x)
        near = self.head(far)
        near.shape[1]  # value: 8
        near != None  # value: True
        Twice.apply(self.stem(pair), 2)  # value: tensor[B, 16, x.H * x.W]
        rearrange(self.stem(pair), "b c ... -> b (...) c")  # value: tensor[B, x.H * x.W, 16]
        self.wide.in_features  # value: int 3 * config.width
        return torch.arange(0, 4, dtype=torch.long, device=x.device)  # value: int64[4]


class Masked(nn.Module):
    def forward(self, x, mask):
        b, c, n, m = x.shape
        torch.where(mask > 0, x, 0.0)  # value: tensor[B, x.1, x.2, x.3]
        return x.masked_fill(mask == 0, -1e9)  # value: tensor[B, x.1, x.2, x.3]


class Indexed(nn.Module):
    """Of inputs that are indexed before anything else is known of them."""

    def __init__(self, wide):
        super().__init__()
        self.row = nn.Conv1d(4, 8, 3, padding=1 if wide else 2)

    def forward(self, marks, line):
        marks = marks.long()
        day = marks[:, :, 1]  # value: int64[B, marks.1]
        line = self.row(line)
        line.shape[1]  # value: 8
        return day


class Unfolded(nn.Module):
    """Layers and patterns that say how many axes an input has, and no more."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Unfold(3, padding=1)
        self.bigger = nn.Upsample(scale_factor=2, mode="bilinear")

    def forward(self, x, image, tokens, layers):
        self.bigger(image)  # value: tensor[B, image.C, 2 * image.H, 2 * image.W]
        torch.einsum("bti,mi->btm", tokens, torch.ones(4, 8))
        tokens.relu()  # value: tensor[B, tokens.1, tokens.2]
        len(layers)  # value: int
        return self.patches(x)  # value: tensor[B, 9 * x.C, x.H * x.W]


class Widened(nn.Module):
    """An input of a Linear that turns out to have more axes than batch and channels."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x, steps):
        n = x.shape[1]  # value: int x.1 (varies)
        scores = self.query(x) @ x.transpose(1, 2)
        h = torch.zeros(2, 4)
        for t in range(steps.size(1)):
            h = self.cell(steps[:, t], h)
        steps.size(1)  # value: int steps.1 (varies)
        return scores / n, h


class Taken(nn.Module):
    """The same, where an item of what it gives is taken; and rows, which fit."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(5, 5)

    def forward(self, boxes):
        found = self.score(boxes)[0]
        found[:, 4]  # value: tensor[boxes.1]
        return found


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(6, 6)

    def forward(self, row):
        row.shape[-1]  # value: 6
        return self.plain(row).softmax(1)


class Stretched(nn.Module):
    """What is stretched has the sizes that it is stretched to, whatever it was."""

    def forward(self, anything):
        wide = anything.expand(len(anything), 3, 28, 28)  # value: tensor[B, 3, 28, 28]
        return wide


class Halved(nn.Module):
    """The two halves of a transformer, which it makes itself, and its mask."""

    def __init__(self):
        super().__init__()
        self.model = nn.Transformer(16, 2)

    def forward(self, src):
        later = self.model.generate_square_subsequent_mask(src.size(0))
        memory = self.model.encoder(src, later)
        later.dim()  # value: 2
        half = self.model.decoder  # value: torch.nn.TransformerDecoder()
        return half(memory, memory)


class Spectrogram(nn.Module):
    """A signal stands in a row for each of a batch; how its spectrum is written is said by the call."""

    def forward(self, wav):
        parts = torch.stft(wav, 512, 128, onesided=True, return_complex=False)
        parts.shape[3]  # value: 2
        parts.shape[1]  # value: 257
        return parts


class ComparesTokens(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Linear(width, width)

    def forward(self, x):
        n = x.shape[1]  # value: int x.1 (varies)
        like = self.embed(x) @ x.transpose(1, 2)  # value: tensor[B, x.1, x.1]
        return like.masked_fill(torch.ones(n, n).triu(1) == 1, -1e9)


class SwapsTokens(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Linear(width, width)

    def forward(self, x):
        y = self.embed(x).swapaxes(1, 2)  # value: tensor[B, width, x.1]
        return y.movedim(2, 1)


class MixesTokens(nn.Module):
    def __init__(self, width, tokens=16):
        super().__init__()
        self.embed = nn.Linear(width, width)
        self.mix = nn.Linear(tokens, tokens)

    def forward(self, x):
        y = self.embed(x).transpose(1, 2)  # value: tensor[B, width, 16]
        return self.mix(y)


class ScalesFeatures(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Linear(width, width)

    def forward(self, x):
        y = self.embed(x)  # value: tensor[B, width]
        return y * y.transpose(0, 1).sum(0).unsqueeze(1)


class SpreadShape(nn.Module):
    """A shape beside other things, unpacked at once."""

    def __init__(self):
        super().__init__()
        self.to_q = nn.Linear(32, 64)

    def forward(self, x, mask=None):
        b, n, _, h, device = *x.shape, 8, x.device
        q = self.to_q(x).reshape(b, n, h, -1)  # value: tensor[B, x.1, 8, 8]
        n  # value: int x.1 (varies)
        return q


class SpreadLate(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_q = nn.Linear(32, 64)

    def forward(self, x):
        q = self.to_q(x)
        b, n, _, h = *x.shape, 8
        return q.reshape(b, n, h, -1)  # value: tensor[B, x.1, 8, 8]


class StarredAxes(nn.Module):
    def forward(self, data, more, rest):
        b, *axes, _, device = *data.shape, data.device
        first = axes[0]  # value: int (varies)
        _, _, *axes = more.shape
        second = axes[0]  # value: int (varies)
        _, *axes = rest.shape
        third = axes[0]  # value: int
        return first, second, third


class OfNothing(nn.Module):
    def forward(self, x, lengths=None):
        made = torch.tensor(lengths)  # value: unknown (torch.tensor())
        return x, made


class HeldToMost(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most, self.embed = most, nn.Embedding(100, 8)

    def forward(self, ids, marks, kinds):
        b, t = ids.size()
        assert t <= self.most, "too long"
        if marks.shape[1] > 512:
            raise ValueError("too long")
        assert kinds.shape[1] == 4
        t, marks.shape[1]  # value: (int ids.1 (varies), int marks.1 (varies))
        return self.embed(ids), marks, kinds


class CutInTurn(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.embed = nn.Embedding(100, wide)

    def forward(self, ids, fields):
        b, n = ids.shape
        kinds, count = fields.shape
        for part in self.embed(ids).split(16, dim=1):
            b, n, count  # value: (int B (varies), int ids.1 (varies), int fields.1)
        return part


class Attending(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.to_q = nn.Linear(wide, 64)

    def forward(self, x):
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=8)
        return q  # value: tensor[B, 8, x.1, 8]


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(6, 6)

    def forward(self, counted):
        out = self.plain(counted)
        counted.size(1)  # value: int counted.1 (varies)
        return out / counted.shape[1]  # value: tensor[B, counted.1, 6]


class Relabelled(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(6, 6)

    def forward(self, again):
        again = self.plain(again)
        again.size(1)  # value: int again.1 (varies)
        return again  # value: tensor[B, again.1, 6]


class Parted(nn.Module):
    """Python's abs() of a tensor, and a batch that is taken apart into two names."""

    def forward(self, x, pair):
        b, c, h, w = x.shape
        far = abs(x.mean(dim=(2, 3)) - 1)  # value: tensor[B, x.1]
        mean, deviation = x.flatten(1)  # value: tensor[...]
        first, second = x.new_zeros(2, c)  # value: tensor[x.1]
        return far, mean, first
class Cut(nn.Module):
    """What a Linear is given a part of, and is asked how long it is."""

    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(6, 6)

    def forward(self, long):
        if long.size(1) > 16:
            long = long[:, :16]  # value: tensor[B, min(16, long.1), 6]
        return self.plain(long)


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(6, 6)

    def forward(self, moved):
        out = self.plain(moved)
        out.size(1)  # value: int moved.1 (varies)
        for step in range(3):
            out = out[:, step:]
        return out


class Unbound(nn.Module):
    """A Linear would be given a batch as its channels."""

    def __init__(self):
        super().__init__()
        self.first, self.plain = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, rows):
        for row in self.first(rows).unbind(1):
            self.plain(row)  # value: tensor[B, 6]
        return rows


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lines, self.turned = nn.GRU(6, 4, batch_first=True), nn.LSTM(6, 4)

    def forward(self, lines, turned):
        self.lines(lines)[0]  # value: tensor[B, lines.1, 4]
        lines.size(1)  # value: int lines.1 (varies)
        self.turned(turned)[0]  # value: tensor[turned.0, B, 4]


class Rest(nn.Module):
    """A batch is in what is left of an input of which no more than its channels is known."""

    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(6, 6)

    def forward(self, left):
        rows = self.plain(left).reshape(-1, 3)
        rows.shape[0] > 3  # value: bool (varies)
        rows.shape[1]  # value: 3


class Typed(nn.Module):
    """A tensor is what is asked of it, not what it was."""

    def forward(self, image: torch.Tensor):
        torch.as_tensor(image > 1, dtype=torch.float32)  # value: float32[...]
        torch.as_tensor(image > 1)  # value: bool[...]


class TurnedSignal(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 4, 3)

    def forward(self, steps):
        scaled = steps / (1 + steps.std(dim=1, keepdim=True))
        return self.conv(scaled.transpose(1, 2))  # value: tensor[B, 4, steps.1 - 2]


class Film(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, film):
        out = []
        for t in range(film.size(1)):
            out.append(self.conv(film[:, t, :, :, :]))
        film.size(1)  # value: int film.1 (varies)
        return torch.stack(out, 1)


class UnpackedFilm(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, clip):
        b, _, _, h, w = clip.size()
        rest = clip
        out = [self.conv(rest[:, t]) for t in range(clip.size(1))]
        clip.size(1)  # value: int clip.1 (varies)
        return torch.stack(out, 1)


class TurnedWords(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1)
        self.register_buffer("places", torch.zeros(50, 1, 8))
        self.drop = nn.Dropout(0.1)

    def forward(self, words):
        turned = words.transpose(0, 1)
        turned = self.drop(turned + self.places[:1])
        return self.encoder(turned)  # value: tensor[words.1, B, 8]


class ScaledWords(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1)

    def forward(self, scaled):
        return self.encoder(scaled * 2)  # value: tensor[scaled.0, B, 8]


class Inpainted(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 8, 3, padding=1)

    def forward(self, picture, hole):
        return self.conv(torch.cat([picture, hole], 1))  # value: tensor[B, 8, picture.H, picture.W]


class Spoken(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.cell = nn.GRUCell(8, 8)

    def forward(self, said):
        said = said.t()
        steps, batch = said.shape
        state = self.words(said[0])
        for t in range(1, steps):
            state = self.cell(self.words(said[t]), state)
        steps  # value: int said.1 (varies)
        return state


class SpectrumBehindBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)

    def forward(self, x):
        x = x.transpose(1, 2)  # value: tensor[B, x.2, x.1]
        image = F.pad(x, (0, 1)).unsqueeze(1)
        return self.conv(image * 2)


class WaveBehindBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)

    def forward(self, wave):
        n = wave.shape[-1]  # value: int wave.1 (varies)
        return self.conv(wave[:, None, :]), n


class NamedLengths(nn.Module):
    def forward(self, x, y):
        seq_len = x.size(1)  # value: int x.1 (varies)
        width = x.size(2)  # value: int x.2
        T = y.shape[1]  # value: int y.1 (varies)
        other = y.shape[2]  # value: int y.2
        return seq_len, width, T, other


class BackwardsOverClip(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 4, 3, padding=1)

    def forward(self, x):
        b, n, c, h, w = x.size()
        kept = []
        for i in range(n - 1, -1, -1):
            kept.append(self.conv(x[:, i]))
        n  # value: int x.1 (varies)
        return kept


class FilmAhead(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 8)
        self.conv = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, image, t):
        both = torch.cat([image] * 2)
        film = self.emb(torch.cat([t, t]))[:, :, None, None]
        n = image.shape[2]  # value: int image.H (varies)
        return self.conv(both + film), n


class OldTypes(nn.Module):
    def forward(self, image):
        mask = image.type(torch.ByteTensor)  # value: uint8[...]
        kept = mask.to(memory_format=torch.channels_last)  # value: uint8[...]
        return mask, kept


class Columns(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(8, 6)

    def forward(self, s):
        h = self.line(s)
        h = h.view(h.size(0), h.size(1), 1, 1)  # value: tensor[B, 6, 1, 1]
        return h
