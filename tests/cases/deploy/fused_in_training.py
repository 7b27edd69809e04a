import copy

import torch
from torch import nn
from torch.ao.quantization import fuse_modules, fuse_modules_qat


def wrongly(model):
    fused = copy.deepcopy(model)
    model.train()
    fused.train()
    fused = torch.quantization.fuse_modules(fused, [["conv1", "bn1", "relu"]], inplace=True)  # hit
    return fused


def rightly(model, training):
    model.train()
    fuse_modules_qat(model, [["conv1", "bn1"]], inplace=True)
    fuse_modules(model, [["conv", "relu"]], inplace=True)
    model.eval()
    fuse_modules(model, [["conv1", "bn1"]], inplace=True)
    model.train(training)
    fuse_modules(model, [["conv1", "bn1"]], inplace=True)
    other = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval()
    fuse_modules(other, [["0", "1"]], inplace=True)


def later(model):
    fuse_modules(model, [["conv1", "bn1"]], inplace=True)
    model.train()


def of_parts(model):
    model.train()
    for name, part in model.named_children():
        fuse_modules(part, [["conv1", "bn1"]], inplace=True)
