# profile: onnx-legacy
import torch
from torch import nn
from torch.nn import functional as F


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.attention = nn.MultiheadAttention(16, 4)
        self.other = nn.MultiheadAttention(16, 4, batch_first=True)
        self.with_bias = nn.MultiheadAttention(16, 4, batch_first=True, add_bias_kv=True)
        self.latent = nn.Parameter(torch.zeros(7, 1, 16))

    def forward(self, tokens):
        x = self.embed(tokens)
        y = x.transpose(0, 1)
        y, _ = self.attention(y, y, y, need_weights=False)  # hit
        x = self.other(query=x, key=x, value=x)[0]  # hit
        x, _ = self.with_bias(x, x, x)
        latent = self.latent.expand(-1, x.size(0), -1)
        z, _ = self.attention(latent, y, y)  # hit
        w, _ = self.attention(y, latent, latent)
        return x, z, w


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def attend(self, x, **options):
        return self.attention(x, x, x, **options)[0]  # hit

    def forward(self, x):
        return x + self.attend(self.norm(x), need_weights=False)


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 16, 8, stride=8)
        self.blocks = nn.ModuleList([Block(16, 2) for _ in range(2)])

    def forward(self, image):
        x = self.cut(image).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return x.mean(1)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.places = nn.Parameter(torch.zeros(1, 512, 16))
        self.decoder = nn.TransformerDecoderLayer(16, 2, 32, batch_first=True)

    def forward(self, words, others):
        memory = self.layer(self.place(words))  # hit
        memory = self.encoder(memory)  # hit
        return self.decoder(self.place(others), memory)  # hit

    def place(self, tokens):
        return self.embed(tokens) + self.places[:, : tokens.size(1)]


class Pooled(nn.Module):
    """As many keys at every size."""

    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 16, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(4)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, image):
        x = self.pool(self.features(image)).flatten(2).transpose(1, 2)
        return self.attention(x, x, x)[0]


class Fused(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.project(x).chunk(3, 2)
        return F.scaled_dot_product_attention(q, k, v)


class Placed(nn.Module):
    """Keys with places are another tensor than the values, and are projected by themselves."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4)

    def forward(self, words, places=None):
        keys = words if places is None else words + places
        return self.attention(keys, keys, value=words)[0]


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.placed = Placed()
        self.attention = nn.MultiheadAttention(16, 4)

    def forward(self, tokens, places):
        words = self.embed(tokens).transpose(0, 1)
        seen = self.placed(words, torch.relu(places))
        apart = self.attention(words, words + 1, words + 1)[0]
        return apart, self.attention(seen, words, words)[0]  # hit
