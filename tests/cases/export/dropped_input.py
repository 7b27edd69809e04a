from functools import partial

import torch
from torch import nn
from torch.onnx import export

X = torch.ones(2, 4)
to_legacy = partial(export, dynamo=False)


class Net(nn.Module):
    def forward(self, image, mask=None, scale=None):
        return image if mask is None else image * mask


class ByName(nn.Module):
    def forward(self, image, *, mask):
        return image * mask


class Open(nn.Module):
    def forward(self, image, **others):
        return image * others["mask"]


class Whole(nn.Module):
    def forward(self, image, mask):
        return sum(value for value in locals().values() if isinstance(value, torch.Tensor))


class Inner(Net):
    pass


def unused(path):
    export(Net(), (X, X), path, dynamo=False)
    export(Net(), (X, X, X), path, dynamo=False)  # hit
    export(Inner(), (X, X, X), path, input_names=["a", "b", "c"], dynamo=False)  # hit
    to_legacy(Net().eval(), (X, X, X), path)  # hit
    export(Net(), (X, X, X), path)
    export(Net(), (X, None, None), path, dynamo=False)
    export(Whole(), (X, X), path, dynamo=False)


def by_keywords(path, model):
    export(Net(), (X,), path, kwargs={"mask": X}, dynamo=False)
    export(Net(), (X,), path, kwargs={"scale": X}, dynamo=False)  # hit
    export(Net(), (X,), path, kwargs={"masks": X}, dynamo=False)  # hit
    export(Net(), (X, {"masks": X}), path, dynamo=False)  # hit
    export(Net(), (X, {"mask": X}), path, dynamo=False)
    export(Net(), (X,), path, kwargs={"masks": X})  # hit
    export(Net(), (X,), path, kwargs={"mask": X})
    torch.export.export(Net(), (X,), {"masks": X})  # hit
    torch.export.export(Net(), (X,), {"mask": X})
    export(ByName(), (X,), path, kwargs={"mask": X}, dynamo=False)  # hit
    export(ByName(), (X,), path, kwargs={"mask": X})
    export(Open(), (X,), path, kwargs={"mask": X})
    export(model, (X,), path, kwargs={"masks": X}, dynamo=False)


def through(path, options):
    inputs, settings = (X,), {"dynamo": False, "kwargs": {"other": X}}
    export(Net(), inputs, path, **settings)  # hit
    export(Net(), (X, X, X), path, **options)
    write(Net(), inputs, path)


def write(model, inputs, path):
    export(model, (*inputs, X, X), path, dynamo=False)  # hit
