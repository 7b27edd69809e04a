# target: rknn-2.1 tensorrt-5.1 tensorrt-8.6
import torch


def export(model, x, axes):
    torch.onnx.export(model, (x,), "a.onnx", dynamic_axes={"x": {0: "n"}}, dynamo=False)  # hit
    torch.onnx.export(model, (x,), "b.onnx", dynamic_axes=axes, dynamo=False)  # hit
    torch.onnx.export(model, (x,), "c.onnx", dynamic_axes=None, dynamo=False)
    torch.onnx.export(model, (x,), "d.onnx", dynamo=False)
    torch.export.export(model, (x,), dynamic_shapes=axes)
