import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def wrapped(model, image):
    net = DDP(model)
    torch.export.export(net, (image,))  # hit
    torch.export.export(net.module, (image,))
    torch.export.export(model, (image,))


def rebound(model, image):
    model = nn.DataParallel(model).cuda()
    torch.jit.trace(model, image)  # hit


def unwrapped(model, image):
    model = nn.DataParallel(model)
    train(model)
    model = model.module
    torch.onnx.export(model, (image,), "m.onnx")


def maybe(model, image, many):
    if many:
        model = nn.DataParallel(model)
    torch.onnx.export(model, (image,), "m.onnx")


def direct(model, image):
    torch.onnx.export(nn.DataParallel(model), (image,), "m.onnx", dynamo=False)  # hit
    torch.onnx.export(*args)
    torch.onnx.export(model=nn.DataParallel(model), **more)  # hit


class Exporter:
    def __init__(self, model):
        self.model = nn.DataParallel(model)
        self.plain = model

    def run(self, image):
        torch.jit.script(self.model)  # hit
        torch.jit.script(self.plain)
        self.model.export(image)


def wrap(model, many=True):
    return nn.DataParallel(model) if many else model


def helped(model, image):
    torch.export.export(wrap(model), (image,))  # hit
    torch.export.export(wrap(model, False), (image,))
