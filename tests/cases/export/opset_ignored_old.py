# torch: 2.8
import torch


def export(model, image):
    torch.onnx.export(model, (image,), "m.onnx", opset_version=9)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=9, dynamo=True)
