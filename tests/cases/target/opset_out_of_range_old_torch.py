# target: tensorrt-8.6 # torch: 2.4
import torch


def export(model, x):
    torch.onnx.export(model, (x,), "a.onnx")
    torch.onnx.export(model, (x,), "b.onnx", opset_version=20)  # hit
