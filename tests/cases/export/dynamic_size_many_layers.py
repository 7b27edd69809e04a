# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import torch
from torch import nn


class Config:
    def __init__(self, width=64, layers=48, drop_rate=0.1, kinds=None):
        self.width = width
        self.layers = layers
        self.drop_rate = drop_rate
        self.kinds = kinds or ["near", "far"]


class Drop(nn.Module):
    def __init__(self, drop_prob=0.0):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        if self.drop_prob == 0.0 or not self.training:
            return x
        keep = 1 - self.drop_prob
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        return x.div(keep) * (keep + torch.rand(shape, dtype=x.dtype, device=x.device)).floor_()


class Mixer(nn.Module):
    def __init__(self, config, layer_idx):
        super().__init__()
        self.layer_idx = layer_idx
        self.heads = 4
        self.size = config.width // 4
        self.q_proj = nn.Linear(config.width, config.width)
        self.k_proj = nn.Linear(config.width, config.width)
        self.v_proj = nn.Linear(config.width, config.width)
        self.o_proj = nn.Linear(config.width, config.width)

    def forward(self, x, past=None, **more):
        b, s, c = x.shape
        q = self.q_proj(x).view(b, s, self.heads, self.size).transpose(1, 2)
        k = self.k_proj(x).view(b, s, self.heads, self.size).transpose(1, 2)
        v = self.v_proj(x).view(b, s, self.heads, self.size).transpose(1, 2)
        if past is not None:
            k, v = past.update(k, v, self.layer_idx)
        weights = torch.matmul(q, k.transpose(2, 3)) * self.size**-0.5
        weights = torch.softmax(weights, dim=-1)
        x = torch.matmul(weights, v).transpose(1, 2).reshape(b, s, c)
        return self.o_proj(x), weights


class Layer(nn.Module):
    def __init__(self, config, layer_idx, drop_rate):
        super().__init__()
        self.mixer = Mixer(config, layer_idx=layer_idx)
        self.norm = nn.LayerNorm(config.width)
        self.drop = Drop(drop_rate)
        self.up = nn.Linear(config.width, 4 * config.width)
        self.down = nn.Linear(4 * config.width, config.width)

    def forward(self, x, **more):
        mixed, _ = self.mixer(self.norm(x), **more)
        x = x + self.drop(mixed)
        return x + self.drop(self.down(torch.relu(self.up(self.norm(x)))))


class Odd(nn.Module):
    """Its place among others is asked for."""

    def __init__(self, config, layer_idx):
        super().__init__()
        self.layer_idx = layer_idx
        self.norm = nn.LayerNorm(config.width)

    def forward(self, x):
        if self.layer_idx == 5:
            return self.norm(x)[:, : int(x.shape[1] // 2)]  # hit
        return self.norm(x)


class Kind(nn.Module):
    """Every fourth is another."""

    def __init__(self, config, layer_idx):
        super().__init__()
        self.is_far = layer_idx % 4 == 3
        self.norm = nn.LayerNorm(config.width)

    def forward(self, x):
        if self.is_far:
            return self.norm(x)[:, : int(x.shape[1] // 2)]  # hit
        return self.norm(x)


class Body(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(100, config.width)
        rates = [config.drop_rate * (i + 1) / config.layers for i in range(config.layers)]
        self.layers = nn.ModuleList([Layer(config, i, rates[i]) for i in range(config.layers)])
        self.odd = nn.ModuleList([Odd(config, layer_idx=i) for i in range(8)])
        self.kinds = nn.ModuleList([Kind(config, layer_idx=i) for i in range(8)])

    def forward(self, ids, **more):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, **more)
        return x


class FirstHead(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.body = Body(config)
        self.out = nn.Linear(config.width, 2)

    def forward(self, ids):
        x = self.body(ids)
        return self.out(x[:, : int(x.shape[1] // 2)])  # hit


class SecondHead(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.body = Body(config)
        self.out = nn.Linear(config.width, 3)

    def forward(self, ids):
        x = self.body(ids)
        return self.out(x[:, : int(x.shape[1] // 3)])  # hit


class ThirdHead(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.body = Body(config)
        self.out = nn.Linear(config.width, 3)

    def forward(self, ids):
        x = self.body(ids)
        for layer in self.body.odd:
            x = layer(x)
        for layer in self.body.kinds:
            x = layer(x)
        return self.out(x[:, : int(x.shape[1] // 4)])  # hit
