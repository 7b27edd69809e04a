import torch
from torch import nn


def new_head_frozen_too(net, classes):
    net.fc = nn.Linear(512, classes)
    for p in net.parameters():
        p.requires_grad = False
    return torch.optim.SGD(net.fc.parameters(), lr=0.01)  # hit


def frozen_by_method(net):
    net.requires_grad_(False)
    return torch.optim.Adam(net.parameters())  # hit


def head_after_freeze(net, classes):
    for p in net.parameters():
        p.requires_grad = False
    net.fc = nn.Linear(512, classes)
    return torch.optim.SGD(net.fc.parameters(), lr=0.01)


def woken(net):
    for p in net.parameters():
        p.requires_grad = False
    for p in net.layer4.parameters():
        p.requires_grad = True
    return torch.optim.Adam(net.parameters())


def frozen_if(net, freeze):
    if freeze:
        net.requires_grad_(False)
    return torch.optim.Adam(net.parameters())


def frozen_teacher(student, teacher):
    teacher.requires_grad_(False)
    return torch.optim.Adam(student.parameters())
