import torch
import torchvision
from torch import nn
from torchvision import models


class Gate(nn.Module):
    def __init__(self, requires_grad):
        super().__init__()
        self.requires_grad = requires_grad
        self.weight = nn.Parameter(torch.zeros(3))


class Net(nn.Module):
    def __init__(self, backbone, freeze):
        super().__init__()
        self.backbone = backbone
        self.conv = nn.Conv2d(3, 3, 3)
        self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.token = nn.Parameter(torch.zeros(2))
        self.gate = Gate(True)
        self.conv.requires_grad = False  # hit
        self.blocks[0].requires_grad = False  # hit
        self.conv.weight.requires_grad = False
        self.token.requires_grad = False
        self.gate.requires_grad = False
        self.backbone.requires_grad = not freeze  # hit
        for p in self.backbone.parameters():
            p.requires_grad = False
        for p in self.conv.parameters():
            p.require_grad = False  # hit
        for p in self.conv.parameters():
            p.requires_grad_ = False  # hit
        for p in self.conv.parameters():
            p.requires_grad == False  # hit


def freeze(model, names, upto):
    for child in model.children():
        child.requires_grad = False  # hit
    for i, layer in enumerate(list(model.children())[:upto]):
        layer.requires_grad = i > 3  # hit
    for name, module in model.named_modules():
        if name in names:
            module.requires_grad = False  # hit
    for name, module in model.named_parameters():
        module.requires_grad = name in names
    for child in model.children():
        for param in child.parameters():
            param.requires_grad = False
    for param in model.fc:
        param.requires_grad = False
    if model.requires_grad == False:
        return None
    return model


def main(pretrained, other):
    model = models.resnet18(weights=pretrained).cuda()
    model.requires_grad = False  # hit
    model.layer1.requires_grad = False  # hit
    model.fc.weight.requires_grad = False
    vit = torchvision.models.vit_b_16()
    vit.class_token.requires_grad = False
    net = Net(model, True)
    net.conv.requires_grad = True  # hit
    net.token.requires_grad = False
    net.backbone.requires_grad = False  # hit
    other.requires_grad = False
    x = torch.rand(3)
    x.requires_grad = True
    x.requires_grad = net.training
    return net


def new_head(classes):
    model = models.resnet50()
    for p in model.parameters():
        p.requires_grad = False
    for p in model.parameters():
        model.requires_grad = False  # hit
    model.fc = nn.Linear(2048, classes)
    model.fc.requires_grad = True
    model.layer4.requires_grad = True  # hit
    return model


def misspelt(options, grad):
    x = torch.zeros(1)
    x.require_grad = grad  # hit
    x.require_grad = grad > 2  # hit
    x.requires_grad = grad
    options.require_grad = grad
    require_grad = grad
    return x, require_grad
