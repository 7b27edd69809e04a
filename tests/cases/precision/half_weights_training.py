import torch
from torch import optim


def moved(model, lr):
    model = model.cuda().half()  # hit
    opt = optim.AdamW(model.parameters(), lr=lr)
    return opt


def typed(net):
    net.to(torch.float16)  # hit
    return torch.optim.Adam(net.parameters())


def back(net):
    net.half()
    net.float()
    return torch.optim.Adam(net.parameters())


def other(net, teacher):
    teacher.half()
    return torch.optim.Adam(net.parameters())


def switched(net, args):
    if args.fp16:
        net.half()
    return torch.optim.Adam(net.parameters())


def later(net):
    optimizer = torch.optim.Adam(net.parameters())
    net.half()
    return optimizer


def bf16(net):
    net.to(torch.bfloat16)
    return torch.optim.Adam(net.parameters())


def inference(net, x):
    net.half()
    return net(x.half())
