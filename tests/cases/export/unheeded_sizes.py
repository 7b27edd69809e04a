import torch
from torch import nn
from torch.export import Dim

X = torch.ones(2, 4)


def of_programs(given, path, kept):
    program = torch.export.export(nn.Linear(4, 4).eval(), (X,))
    torch.onnx.export(program, f=path, dynamic_shapes=({0: Dim("batch")},))  # hit
    torch.onnx.export(program, (X,), path, dynamic_axes={"x": {0: "batch"}})  # hit
    torch.onnx.export(program, f=path, dynamic_shapes=None)
    torch.onnx.export(program, f=path)
    torch.onnx.export(given, f=path, dynamic_shapes=({0: Dim("batch")},))
    torch.onnx.export(program, f=path, **kept)
    sized = torch.export.export(nn.Linear(4, 4).eval(), (X,), dynamic_shapes=({0: Dim("b")},))
    torch.onnx.export(sized, f=path, dynamic_shapes=({0: Dim("b")},))


def of_both(model, path):
    shapes, axes = ({0: Dim("batch")},), {"x": {0: "batch"}}
    names = ["x"]
    torch.onnx.export(  # hit
        model, (X,), path, dynamo=True, input_names=names, dynamic_axes=axes, dynamic_shapes=shapes
    )
    torch.onnx.export(model, (X,), path, dynamo=True, dynamic_shapes=shapes)
    torch.onnx.export(model, (X,), path, dynamo=True, dynamic_axes=None, dynamic_shapes=shapes)
