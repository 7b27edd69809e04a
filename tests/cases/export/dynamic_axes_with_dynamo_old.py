# torch: 2.8
import torch


def export(model, image, axes):
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes, dynamo=True)  # hit
