"""Twenty kinds of small models, as text with a width left open."""

from __future__ import annotations

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"

_IMAGE = "x: torch.Tensor"
"""What is fed is told by the first layer."""

KINDS: dict[str, tuple[str, str]] = {
    "Mlp": (
        "self.a = nn.Linear({w}, {w}); self.b = nn.Linear({w}, 10)",
        "return self.b(F.relu(self.a(x)))",
    ),
    "Conv": (
        "self.a = nn.Conv2d(3, {w}, 3, padding=1); self.b = nn.BatchNorm2d({w})",
        "return F.relu(self.b(self.a(x)))",
    ),
    "Residual": (
        "self.a = nn.Conv2d(3, 3, 3, padding=1); self.b = nn.Conv2d(3, {w}, 1)",
        "return self.b(x + self.a(x))",
    ),
    "Pooled": (
        "self.a = nn.Conv2d(3, {w}, 3); self.b = nn.Linear({w}, 5)",
        "return self.b(self.a(x).mean((2, 3)))",
    ),
    "Adaptive": (
        "self.a = nn.Conv2d(3, {w}, 3); self.b = nn.AdaptiveAvgPool2d(3)",
        "return self.b(self.a(x)).flatten(1)",
    ),
    "Upsampled": (
        "self.a = nn.Conv2d(3, {w}, 3, 2, 1)",
        "return F.interpolate(self.a(x), size=x.shape[-2:], mode='nearest')",
    ),
    "Sized": (
        "self.a = nn.Conv2d(3, {w}, 3, padding=1)",
        "return self.a(x).view(int(x.size(0)), -1)",
    ),
    "Branching": (
        "self.a = nn.Conv2d(3, {w}, 3, padding=1)",
        "y = self.a(x)\n        return y if x.sum() > 0 else -y",
    ),
    "Listed": (
        "self.a = nn.ModuleList(nn.Conv2d(3, 3, 1) for _ in range(3)); self.b = nn.Conv2d(3, {w}, 1)",
        "for layer in self.a:\n            x = F.gelu(layer(x))\n        return self.b(x)",
    ),
    "Masked": (
        "self.a = nn.Linear({w}, {w})",
        "y = self.a(x)\n        return torch.where(y > 0, y, torch.zeros_like(y))",
    ),
    "Normed": (
        "self.a = nn.LayerNorm({w}); self.b = nn.Linear({w}, {w})",
        "return self.b(self.a(x)) + x",
    ),
    "Gated": (
        "self.a = nn.Linear({w}, {w}); self.b = nn.Linear({w}, {w})",
        "return self.a(x) * torch.sigmoid(self.b(x))",
    ),
    "Embedded": (
        "self.a = nn.Embedding(50, {w}); self.b = nn.Linear({w}, 4)",
        "return self.b(self.a(x).mean(1))",
    ),
    "Recurrent": (
        "self.a = nn.Embedding(50, {w}); self.b = nn.GRU({w}, {w}, batch_first=True)",
        "return self.b(self.a(x))[0]",
    ),
    "Attending": (
        "self.a = nn.Embedding(50, 4 * {w}); self.b = nn.MultiheadAttention(4 * {w}, 4, batch_first=True)",
        "y = self.a(x)\n        return self.b(y, y, y)[0]",
    ),
    "Positioned": (
        "self.a = nn.Embedding(50, {w}); self.b = nn.Parameter(torch.zeros(1, 64, {w}))",
        "return self.a(x) + self.b[:, : x.shape[1]]",
    ),
    "Transposed": (
        "self.a = nn.Conv2d(3, {w}, 3, 2, 1); self.b = nn.ConvTranspose2d({w}, 3, 2, 2)",
        "return torch.tanh(self.b(self.a(x)))",
    ),
    "Shuffled": (
        "self.a = nn.Conv2d(3, 4 * {w}, 3, padding=1); self.b = nn.PixelShuffle(2)",
        "return self.b(self.a(x))",
    ),
    "Depthwise": (
        "self.a = nn.Conv2d(3, 3 * {w}, 3, padding=1, groups=3); self.b = nn.Conv2d(3 * {w}, 8, 1)",
        "return F.hardswish(self.b(self.a(x)))",
    ),
    "Scaled": (
        "self.a = nn.Conv2d(3, {w}, 1)",
        "y = self.a(x)\n        return y / y.norm(dim=1, keepdim=True)",
    ),
}


def write_model(number: int) -> tuple[str, str]:
    """The name of a model and the text of its file; no two of 20,000 are alike."""
    kind = [*KINDS][number % len(KINDS)]
    setup, forward = KINDS[kind]
    name, width = f"{kind}{number}", 4 + number // len(KINDS)
    lines = setup.format(w=width).replace("; ", "\n        ")
    body = (
        f"class {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        {lines}\n\n    def forward(self, {_IMAGE}):\n        {forward}\n"
    )
    return name, HEAD + body
