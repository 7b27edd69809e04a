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


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)


def make():
    net = Net()
    net = net.to(dtype=torch.half)  # hit
    weights = net.parameters()
    return torch.optim.SGD(params=weights, lr=0.1)


def make_wide():
    net = Net().half()
    net.to(torch.float32)
    return torch.optim.SGD(net.parameters(), lr=0.1)


class Trainer:
    def __init__(self, net):
        self.net = net.half()  # hit
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
