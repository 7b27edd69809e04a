import torch
import torch.onnx as tonnx
from torch import onnx as o

OPSET = 11


def export(model, image, opset, **kwargs):
    torch.onnx.export(model, (image,), "m.onnx", opset_version=9)  # hit
    tonnx.export(model, (image,), "m.onnx", dynamo=True, opset_version=13)  # hit
    o.export(model, (image,), "m.onnx", opset_version=40)  # hit
    torch.onnx.export(model, (image,), "m.onnx", opset_version=18)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=17)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=25)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=opset)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=None)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=11, dynamo=False)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=23, dynamo=False)  # hit
    torch.onnx.export(model, (image,), "m.onnx", opset_version=11, dynamo=opset > 17)
    torch.onnx.export(model, (image,), "m.onnx", opset_version=11, **kwargs)
    model.export(opset_version=9)


OLD = {"opset_version": 11}


def by_settings(model, image, number=OLD["opset_version"]):
    torch.onnx.export(model, (image,), "m.onnx", **OLD)  # hit
    torch.onnx.export(model, (image,), "m.onnx", opset_version=number)  # hit


def of_script(model, image):
    torch.onnx.export(torch.jit.script(model), (image,), "m.onnx", opset_version=12)
