import numpy as np
import onnxruntime as ort
import torch
from torch import nn
from torch.export import Dim, export

X = torch.randn(1, 3, 8, 8)


def named(path):
    torch.onnx.export(nn.Conv2d(3, 4, 3), (X,), "a.onnx", input_names=["x"])  # hit
    session = ort.InferenceSession("a.onnx", providers=["CPUExecutionProvider"])
    session.run(None, {"x": X.numpy()})
    session.run(None, {"x": torch.randn(4, 3, 8, 8).numpy()})


def by_path(path):
    torch.onnx.export(nn.Conv2d(3, 4, 3), X, path, dynamo=False, input_names=["x"])  # hit
    session = ort.InferenceSession(path)
    session.run(["y"], {"x": X.expand(2, -1, -1, -1).detach().cpu().numpy()})


def other_axis(path):
    axes = {"x": {0: "batch"}}
    torch.onnx.export(nn.Conv2d(3, 4, 3), X, path, input_names=["x"], dynamic_axes=axes)  # hit
    session = ort.InferenceSession(path)
    session.run(None, {"x": torch.zeros(4, 3, 8, 8).numpy()})
    session.run(None, {"x": torch.zeros(4, 3, 16, 16).numpy()})


def declared(path):
    sizes = {0: "batch", 2: "height", -1: "width"}
    torch.onnx.export(nn.Conv2d(3, 4, 3), X, path, input_names=["x"], dynamic_shapes=(sizes,))
    session = ort.InferenceSession(path)
    session.run(None, {"x": torch.zeros(4, 3, 16, 16).numpy()})


def by_lists(path):
    axes = {"x": [0, 2, 3]}
    torch.onnx.export(
        nn.Conv2d(3, 4, 3), X, path, input_names=["x"], dynamic_axes=axes, dynamo=False
    )
    session = ort.InferenceSession(path)
    session.run(None, {"x": torch.zeros(4, 3, 16, 16).numpy()})


def others(path, other, images):
    torch.onnx.export(nn.Conv2d(3, 4, 3), X, path, input_names=["x"])
    session = ort.InferenceSession(other)
    session.run(None, {"x": torch.zeros(4, 3, 8, 8).numpy()})
    same = ort.InferenceSession(path)
    same.run(None, {"x": images})
    same.run(None, {"x": torch.zeros(1, 3, 8, 8).numpy()})


def program():
    made = export(nn.Conv2d(3, 4, 3), (X,))  # hit
    run = made.module()
    run(X)
    return run(torch.randn(2, 3, 8, 8))


def open_program():
    images = torch.randn(2, 3, 8, 8)
    made = export(nn.Conv2d(3, 4, 3), (images,), dynamic_shapes=({0: Dim("batch")},))
    return made.module()(torch.randn(5, 3, 8, 8))


def at_once():
    return export(nn.Conv2d(3, 4, 3), (X,)).module()(torch.randn(2, 3, 8, 8))  # hit


def by_options(path, **options):
    torch.onnx.export(nn.Conv2d(3, 4, 3), X, path, input_names=["x"], **options)
    session = ort.InferenceSession(path)
    session.run(None, {"x": torch.zeros(4, 3, 16, 16).numpy()})


def check(path, size):
    session = ort.InferenceSession(path)
    return session.run(None, {"x": torch.rand(1, 3, size, size).numpy()})


if __name__ == "__main__":
    torch.onnx.export(nn.Conv2d(3, 4, 3), X, "b.onnx", input_names=["x"])  # hit
    for size in (8, 16):
        check("b.onnx", size)
    print(np.pi)
