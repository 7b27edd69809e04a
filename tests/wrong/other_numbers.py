"""Numbers that data chooses, alike at all sizes tried: only other numbers show what the exporter keeps of them."""

import torch
from torch import nn


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + len(torch.nonzero(x > 3.9))  # wrong: onnx-legacy torchscript-trace -> LT101


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        large = x[x > 3.9]  # wrong: onnx-legacy torchscript-trace -> LT905
        return self.linear(x) + sum(torch.ones(1) for _ in large)


class Selected(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + len(torch.masked_select(x, x > 3.9))  # wrong: onnx-legacy torchscript-trace -> LT101


class Unique(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + len((x > 3.9).unique())  # wrong: onnx-legacy torchscript-trace -> LT101


class Repeated(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        times = (x > 3.9).sum(0)
        return self.linear(x) + len(torch.repeat_interleave(times))  # wrong: onnx-legacy torchscript-trace -> LT101


class Highest(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        count = 1 + int((x > 3.9).any())  # wrong: onnx-legacy torchscript-trace -> LT103
        return self.linear(x) + torch.topk(x, count, 1).values.sum()


class Way(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        if x.max() > 3.9:  # wrong: onnx-legacy torchscript-trace -> LT102
            x = x * 2
        return self.linear(x)


class Followed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + torch.masked_select(x, x > 3.9).sum()


class Beyond(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y, far = self.linear(x), x.abs() > 2
        y[far] = x[far]  # wrong: onnx-legacy torchscript-trace -> LT905
        return y


class Within(Beyond):
    def forward(self, x):
        y, near = self.linear(x), x.abs() > 1.2
        y[near] = x[near]  # wrong: onnx-legacy torchscript-trace -> LT905
        return y


class Turned(Beyond):
    def forward(self, x):
        y, keep = torch.zeros_like(x), x[:, 2] > 0.5
        y[keep] = self.linear(x[keep])  # wrong: onnx-legacy torchscript-trace -> LT905
        return y


class Halved(Beyond):
    def forward(self, x):
        y = self.linear(x).clone()
        y[x.abs() > 2] *= 0.5  # wrong: onnx-legacy torchscript-trace -> LT905
        return y
