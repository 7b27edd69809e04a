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


def with_lora(net, inject_lora):
    net.requires_grad_(False)
    inject_lora(net, rank=4)
    return torch.optim.Adam(net.parameters())


def with_adapter(net, config):
    net.requires_grad_(False)
    net.add_adapter(config)
    return torch.optim.Adam(net.parameters())


def helped(net, train_again):
    for p in net.parameters():
        p.requires_grad = False
    train_again(net.layer4[0])
    return torch.optim.Adam(net.parameters())


def applied(net, wake):
    net.requires_grad_(False)
    net.apply(wake)
    return torch.optim.Adam(net.parameters())


def still_frozen(net, device):
    net.requires_grad_(False)
    net.to(device)
    net.fc.reset_parameters()
    print(net)
    return torch.optim.Adam(net.fc.parameters())  # hit
