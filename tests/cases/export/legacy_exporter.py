import torch
from torch import jit


def export(model, image, new):
    torch.onnx.export(model, (image,), "m.onnx", dynamo=False)  # hit
    torch.onnx.export(model, (image,), "m.onnx", dynamo=new)
    torch.onnx.export(model, (image,), "m.onnx")
    scripted = jit.script(model)  # hit
    scripted.save("m.pt")
    torch.jit.trace(model, image).save("m.pt")  # hit
    torch.jit.save(torch.jit.trace(model, image), "m.pt")  # hit


def onnx_of_trace(model, image):
    traced = torch.jit.trace(model, image)
    torch.onnx.export(traced, (image,), "m.onnx")  # hit


def kept_in_memory(model, image):
    fast = torch.jit.script(model)
    return fast(image)


@torch.jit.script
def relu_squared(x):
    return x.relu() ** 2


MAJOR, MINOR = map(int, torch.__version__.split(".")[:2])
if (MAJOR, MINOR) >= (2, 6):
    torch.export.save(torch.export.export(model, (x,)), "model.pt2")
else:
    torch.onnx.export(model, x, "model.onnx", dynamo=False)
    torch.jit.script(model).save("model.pt")


class Choice:
    new = False


def write(export, *inputs, **how):
    export(*inputs, "m.onnx", **how)  # hit


def handed_on(model, image, choice=Choice()):
    write(torch.onnx.export, model, (image,), dynamo=choice.new)
