# target: tensorrt-8.6 rknn-2.1 onnxruntime-1.16
import torch

OPSET = 20


def export(model, x, given):
    torch.onnx.export(model, (x,), "a.onnx", opset_version=17, dynamo=False)
    torch.onnx.export(model, (x,), "b.onnx", opset_version=18)  # hit
    torch.onnx.export(model, (x,), "c.onnx", opset_version=11, dynamo=False)  # hit
    torch.onnx.export(model, (x,), "d.onnx")  # hit
    torch.onnx.export(model, (x,), "e.onnx", opset_version=None)  # hit
    torch.onnx.export(model, (x,), "f.onnx", opset_version=given)
    torch.onnx.export(model, (x,), "g.onnx", **given)
    torch.onnx.export(model, (x,), "h.onnx", opset_version=12)  # hit
    torch.jit.trace(model, x)
