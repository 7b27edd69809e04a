import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask


class Reads(nn.Module):
    def forward(self, batch):
        return batch["x"]


X = torch.ones(2, 4)


def of_models(model, path):
    net = Masked()
    torch.export.export(net(X, X), (X, X))  # hit
    torch.export.export(net, (X, X))
    torch.export.export(Masked, (X, X))  # hit
    torch.export.export((X, X), net)  # hit
    torch.onnx.export(net(X, X), (X, X), path)  # hit
    torch.onnx.export(net, (X, X), path)
    torch.jit.trace(net(X, X), (X, X))  # hit
    torch.jit.trace(net, (X, X))
    torch.jit.trace(torch.relu, X)
    torch.export.export(model, (X, X))
    torch.export.export(model(X), (X, X))


def of_traces(model):
    net = Masked()
    torch.jit.trace(net, X, X)  # hit
    torch.jit.trace(net, {"x": X, "mask": X})  # hit
    torch.jit.trace(net, example_kwarg_inputs={"x": X, "mask": X})
    torch.jit.trace(Reads(), ({"x": X},), strict=False)
    torch.jit.trace(model, X, None)


def of_keywords():
    torch.export.export(Masked(), (X, {"mask": X}))  # hit
    torch.export.export(Masked(), (X,), {"mask": X})
    torch.export.export(Reads(), ({"x": X},))
