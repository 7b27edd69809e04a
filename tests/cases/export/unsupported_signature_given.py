# profile: torch.export onnx onnx-legacy torchscript-trace torchscript-script
from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Output:
    logits: torch.Tensor
    loss: torch.Tensor | None = None


Pair = namedtuple("Pair", "left right")


class Segmenter(nn.Module):
    def __init__(self, auxiliary=False):
        super().__init__()
        self.head = nn.Conv2d(3, 2, 1)
        self.auxiliary = nn.Conv2d(3, 2, 1) if auxiliary else None

    def forward(self, image):
        result = OrderedDict()
        result["out"] = self.head(image)
        if self.auxiliary is not None:
            result["aux"] = self.auxiliary(image)
        return result  # hit


class Inherited(Segmenter):
    pass


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 8)

    def forward(self, tokens, targets=None):
        logits = self.head(tokens)
        if targets is not None:
            loss = (logits - targets).mean()
        else:
            loss = None
        return logits, loss  # hit


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 8)

    def features(self, x):
        return Output(self.head(x))

    def forward(self, x):
        out = self.features(x)
        return out.logits, out  # hit


class Asked(nn.Module):
    def forward(self, x, return_dict=None):
        if return_dict:
            return {"x": x}
        return x, None


class Known(nn.Module):
    def forward(self, x, mask=None):
        if self.training:
            return x, 0.0
        return Pair(x, x * 2)


class Either(nn.Module):
    def __init__(self, deep):
        super().__init__()
        self.deep = deep

    def forward(self, x):
        extra = x * 2 if self.deep else None
        return x, extra


class Nested(nn.Module):
    def forward(self, x):
        levels = [x, [x * 2, x * 3]]
        return levels  # hit


class Empty(nn.Module):
    def forward(self, x):
        kept = []
        return x, kept  # hit


class Levels(nn.Module):
    def forward(self, x):
        kept = []
        for scale in range(3):
            kept.append(x * scale)
        return kept


class Counted(nn.Module):
    def forward(self, x):
        height, width = x.shape[-2:]
        return x.flatten(1), (height, width)


class Read(nn.Module):
    def forward(self, x):
        return x, x.sum().item()  # hit


class Lazy(nn.Module):
    def forward(self, x):
        return (each * 2 for each in x)  # hit


class Backbone(nn.Module):
    def forward(self, x):
        return {"low": x, "high": x * 2}


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()

    def forward(self, x):
        return self.backbone(x)["high"]


class Plain(nn.Module):
    def forward(self, x):
        return [x, (x + 1, x + 2)[0]], x


def build(name):
    return {"language": Language, "wrapped": Wrapped}[name]()
