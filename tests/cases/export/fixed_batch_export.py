import torch
from torch.export import export as to_program


def export(model, image, axes, shapes, **options):
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=None)  # hit
    to_program(model, (image,))  # hit
    to_program(model, (image,), dynamic_shapes=shapes)
    torch.onnx.export(model, (image,), "m.onnx", dynamic_axes=axes)
    torch.onnx.export(model, (image,), "m.onnx", **options)
    model.export(image)
    program = to_program(model, (image,), dynamic_shapes=shapes)
    torch.onnx.export(program, args=(), f="m.onnx")


def kept(model, image, axes=None):
    how = {"dynamic_axes": axes}
    to_onnx = torch.onnx.export
    to_onnx(model, (image,), "m.onnx", **how)  # hit
    how["dynamic_axes"] = {"image": {0: "n"}}
    to_onnx(model, (image,), "m.onnx", **how)
