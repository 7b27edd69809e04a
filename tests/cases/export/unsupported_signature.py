# profile: torch.export onnx onnx-legacy torchscript-trace torchscript-script
import functools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Optional

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Normal
from torch.jit import trace


@dataclass
class Result:
    scores: torch.Tensor
    boxes: torch.Tensor


class Boxes:
    def __init__(self, data):
        self.data = data


class Named(NamedTuple):
    scores: torch.Tensor


class Bag(OrderedDict):
    pass


class ReturnsDataclass(nn.Module):
    def forward(self, x):
        return Result(x, x)  # hit


class ReturnsObject(nn.Module):
    def forward(self, x):
        out = Boxes(x)
        return x, out  # hit


class ReturnsNamed(nn.Module):
    def forward(self, x):
        return Named(x)


class ReturnsBag(nn.Module):
    def forward(self, x):
        bag = Bag(a=x)
        return bag  # hit


class Policy(nn.Module):
    def forward(self, x):
        if self.training:
            return Categorical(logits=x)
        return Normal(x, x.exp())  # hit


class Either(nn.Module):
    def forward(self, x, return_dict=True):
        if not return_dict:
            return (x,)
        return Result(x, x)


class Part(nn.Module):
    def forward(self, x):
        return Result(x, x)


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        return self.part(x).scores


class Base(nn.Module):
    def forward(self, x):
        return Result(x, x)


class Derived(Base):
    def forward(self, x):
        return super().forward(x).scores


class Steps(nn.Module):
    def forward(self, x):
        for step in range(3):
            yield x + step  # hit


class StepsLoss(nn.Module):
    def forward(self, x, target):
        return Result(x, target)


class Dict(nn.Module):
    def forward(self, x):
        return {"a": x, "b": x + 1}  # hit


class DictNumber(nn.Module):
    def forward(self, x):
        return dict(a=x, n=3)  # hit


class Nothing(nn.Module):
    def forward(self, x, mask=None):
        y = [t for t in x if (lambda: t)]
        return x, None, y  # hit


class Size(nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        return x, n


class SizeUnused(nn.Module):
    def forward(self, x):
        return x, x.shape[-1]


class Text(nn.Module):
    def forward(self, x):
        return x, "logits"  # hit


class Keyword(nn.Module):
    def forward(self, x, *, scale: float = 1.0):  # hit
        return x * scale


class Inputs(nn.Module):
    def forward(self, ids, mask, kind: torch.dtype, f: Callable[[int], int], r: Result):  # hit
        return ids - mask

    def other(self, x: Boxes):
        return x


class Optionals(nn.Module):
    def forward(self, ids, mask, y: Optional[Result] = None, z: Result = None, w: Named = None):
        return ids - mask


def main(x, y, path, model, kwargs):
    torch.onnx.export(Dict(), (x,), path, output_names=["a", "b"])
    torch.onnx.export(Dict(), (x,), path, output_names=["b", "a"])  # hit
    torch.onnx.export(Dict(), (x,), path, output_names=["p", "q"])
    torch.onnx.export(Nothing(), (x,), path, output_names=["a", "b", "c"])  # hit
    torch.onnx.export(Nothing(), (x,), path, output_names=["a", "c"])
    torch.onnx.export(DictNumber(), (x,), path)
    torch.onnx.export(Inputs(), (x, y), path, input_names=["mask", "ids"])  # hit
    torch.onnx.export(Inputs(), (x, y), path, input_names=["ids", "mask"])
    torch.onnx.export(Inputs(), (x, y), path, input_names=["a", "b"])
    torch.onnx.export(Optionals(), args=(x, y), f=path, input_names=["ids", "mask"])
    torch.onnx.export(model, (x, None, y), path, input_names=["a", "b", "c"])  # hit
    torch.onnx.export(model, (x, None, y), path, input_names=["a", "b"])
    torch.onnx.export(model, (x, y, None), path, input_names=["a", "b", "c"])
    torch.onnx.export(model, (x, 3), path, input_names=["a", "k"])  # hit
    torch.onnx.export(model, (x, 3), path, input_names=["a"])
    torch.onnx.export(model, (x, True), path)
    torch.onnx.export(*kwargs)
    torch.onnx.export(Size().eval(), (x,), path)
    torch.onnx.export(model=Text(), args=(x,), f=path, dynamo=True)
    torch.onnx.export(Keyword(), (x,), path, dynamo=False)
    torch.jit.trace(Dict(), (x,))
    trace(model, (x, None))  # hit
    trace(model, example_inputs=(x, 3, y))  # hit
    trace(model, (x, y))
    torch.jit.trace(SizeUnused(), (x, y), strict=False)
    torch.export.export(Optionals(), (x, y))
    torch.export.export(model, (x, None, 3))


def with_settings(forward):
    @functools.wraps(forward)
    def wrapper(self, *args, **kwargs):
        names = ["use_cache", "scale"]
        for name in names:
            if kwargs.get(name) is None:
                kwargs[name] = self.settings[name]
        return forward(self, *args, **kwargs)

    return wrapper


def timed(forward):
    @functools.wraps(forward)
    def wrapper(self, *args, **kwargs):
        kwargs.pop("seconds", None)
        return forward(self, *args, **kwargs)

    return wrapper


class Configured(nn.Module):
    @with_settings
    @timed
    def forward(self, x: torch.Tensor | None = None, use_cache=None):  # hit
        return x * 2


class Loose(nn.Module):
    @with_settings
    def forward(self, x, **kwargs):
        return x * 2


class Timed(nn.Module):
    @timed
    def forward(self, x, seconds=None):
        return x * 2


class Weights(nn.Module):
    def __init__(self, keep=False):
        super().__init__()
        self.keep = keep
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x, labels=None):
        weights = []
        for layer in self.layers:
            x = layer(x)
            if self.keep:
                weights.append(x)
        if labels is not None:
            return (x - labels).sum()
        else:
            return x, weights  # hit


class LossFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, labels=None):
        x = self.layer(x)
        if labels is not None:
            loss = (x - labels).sum()
            return loss
        return x, None  # hit


class PairForLabels(nn.Module):
    def forward(self, x, labels=None):
        if labels is not None:
            return x.relu(), None
        return x.relu()


class ByFlag(nn.Module):
    def forward(self, x, as_pair=True):
        if not as_pair:
            return x.relu()
        return x.relu(), None


class Readied(nn.Module):
    def export(self):
        self.forward = self.forward_export

    def forward(self, x):
        return {"x": x.relu()}, None

    def forward_export(self, x):
        return x.relu()


class ReadiedWrongly(nn.Module):
    def switch(self):
        self.forward = self.forward_plain

    def export(self):
        self.forward = self.forward_export

    def forward(self, x):
        return x.relu()

    def forward_plain(self, x):
        return x.relu()

    def forward_export(self, x):
        return x.relu(), None  # hit
