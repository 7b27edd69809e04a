import itertools

import torch
import torch.optim as optim
from torch import nn
from torch.nn import Parameter
from torch.optim import SGD, Adam, AdamW


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(2, 2)
        self.fc = nn.Linear(2, 2)


class Own(optim.SGD):
    def parameters(self):
        return self.param_groups


def wrong_things(device, other, *args, **kwargs):
    net = Net().to(device)
    opt = optim.Adam(net)  # hit
    opt = optim.Adam(net.parameters)
    opt = optim.Adam(net.state_dict())  # hit
    opt = optim.Adam(net.state_dict().values())  # hit
    opt = optim.Adam(net.parameters())
    opt = optim.Adam(params=net.parameters(), lr=0.1)
    opt = optim.Adam(other)
    opt = optim.Adam(*args)
    opt = optim.Adam(**kwargs)
    opt = optim.Adam()
    opt = SGD([net.base.parameters(), net.fc.parameters()], lr=0.1)  # hit
    opt = SGD([*net.base.parameters(), *net.fc.parameters()], lr=0.1)
    opt = SGD(net.base.parameters() + net.fc.parameters(), lr=0.1)  # hit
    opt = SGD(list(net.base.parameters()) + list(net.fc.parameters()), lr=0.1)
    opt = SGD(itertools.chain(net.base.parameters(), net.fc.parameters()), lr=0.1)
    opt = SGD([{"params": net.parameters()}, {"params": net.fc.parameters()}], lr=0.1)  # hit
    opt = SGD([{"params": net.base.parameters()}, {"params": net.fc.parameters()}], lr=0.1)
    opt = SGD([{"params": net.fc1.parameters()}, {"params": net.fc10.parameters()}], lr=0.1)
    opt = SGD(list(net.parameters()) + list(net.fc.parameters()), lr=0.1)  # hit
    opt = SGD([{"params": net.seq[0].parameters()}, {"params": net.seq[1].parameters()}], lr=0.1)
    opt = SGD([{"params": net.seq[0].parameters()}, {"params": net.seq.parameters()}], lr=0.1)  # hit
    opt = SGD(net.parameters())
    opt = nn.DataParallel(opt)  # hit
    net = nn.DataParallel(net)
    return opt, Own(net)


def leaves(device, given):
    a = torch.randn(3, requires_grad=True).to(device)
    b = torch.randn(3, device=device, requires_grad=True)
    c = nn.Parameter(torch.zeros(2)).cuda()
    d = torch.zeros(3)
    e = torch.zeros(3)
    e.requires_grad_()
    f = torch.zeros(3).to(device).requires_grad_()
    g = torch.ones(2, requires_grad=True) * 2
    h = given.to(device)
    opt = Adam([a])  # hit
    opt = Adam([b, e, f, h])
    opt = Adam([b, c], lr=0.1)  # hit
    opt = AdamW([d])  # hit
    opt = AdamW([g])  # hit
    opt = AdamW([Parameter(d).cuda()])  # hit
    opt = AdamW([Parameter(d.cuda())])
    return opt, given


def rates(net, lr):
    optimizer = SGD(
        [{"params": net.base.parameters(), "lr": 0.01}, {"params": net.fc.parameters()}], lr=0.1
    )
    single = SGD(net.parameters(), lr=0.1)
    for group in optimizer.param_groups:
        group["lr"] = lr  # hit
    for group in optimizer.param_groups:
        group["lr"] = lr * group["lr_mult"]
    for group in optimizer.param_groups:
        group["lr"] *= 0.1
    for group in single.param_groups:
        group["lr"] = lr
    return optimizer


def late_head(classes):
    model = Net()
    model.base = nn.Linear(3, 3)
    optimizer = SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(2, classes)  # hit
    return model, optimizer


def head_in_time(classes, frozen):
    model, other = Net(), Net()
    model.fc = nn.Linear(2, classes)
    optimizer = SGD(model.parameters(), lr=0.1)
    other.fc = nn.Linear(2, classes)
    model.name = "net"
    return model, optimizer, frozen


def two_optimizers(classes):
    model = Net()
    optimizer = SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(2, classes)
    optimizer = SGD(model.parameters(), lr=0.1)
    return optimizer


def by_hand():
    first = torch.autograd.Variable(torch.randn(4, 2), requires_grad=True)
    second = torch.autograd.Variable(torch.randn(2, 1), requires_grad=False)
    SGD([first], lr=0.1)
    SGD([first, second], lr=0.1)  # hit


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.values = nn.ParameterList([nn.Parameter(torch.ones(2))])

    def parameters(self):
        return self.values


def by_list():
    model = Listed()
    SGD(model.parameters(), lr=0.1)


def adjust(optimizer, epoch, base=0.01):
    lr = base * 0.1 ** (epoch // 30)
    for group in optimizer.param_groups:
        group["lr"] = lr  # hit
    for i in range(len(optimizer.param_groups)):
        optimizer.param_groups[i]["lr"] = lr  # hit
    for i in range(len(optimizer.param_groups)):
        optimizer.param_groups[0]["lr"] = lr


def adjust_alike(optimizer, lr):
    for group in optimizer.param_groups:
        group["lr"] = lr


def adjust_any(optimizer, lr):
    for group in optimizer.param_groups:
        group["lr"] = lr


def follow(epochs, build):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    slow = {"params": net[0].parameters(), "lr": 1e-3}
    parts = SGD([slow, {"params": net[2].parameters(), "lr": 1e-2}], lr=1e-3)
    alike = SGD([{"params": net[0].parameters()}, {"params": net[2].parameters()}], lr=1e-3)
    for epoch in range(epochs):
        adjust(parts, epoch)
        adjust_alike(alike, 0.1)
        adjust_any(parts, 0.1)
        adjust_any(build(), 0.1)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.head = nn.Linear(4, 2)
        self.warmth = nn.Parameter(torch.ones(()))
        self.shift = nn.Parameter(torch.zeros(2))
        self.idle = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return self.head(self.act(self.body(x))) / self.warmth + self.shift


def left_out(device):
    net = Scaled().to(device)
    groups = [{"params": net.body.parameters(), "lr": 1e-4}, {"params": net.head.parameters()}]
    one = torch.optim.Adam(  # hit
        [{"params": net.body.parameters(), "lr": 1e-4}, {"params": net.head.parameters()}]
    )
    few = torch.optim.Adam([{"params": net.head.parameters(), "lr": 1e-4}])
    return one, few, torch.optim.SGD(groups, lr=0.1)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
        self.deep = nn.Linear(4, 2)
        self.step = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return (self.head(self.body(x)) + self.deep(x)) * self.step


def kept_out():
    net = Frozen()
    pair = [{"params": net.body.parameters(), "lr": 1e-4}, {"params": net.head.parameters()}]
    return torch.optim.Adam(pair), torch.optim.Adam(
        [
            {"params": net.body.parameters(), "lr": 1e-4},
            {"params": [*net.head.parameters(), net.step]},
            {"params": net.deep.parameters()},
        ]
    )


def new_head_in_a_row(loader):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    adam = torch.optim.Adam(net.parameters())
    net[2] = nn.Linear(8, 5)  # hit
    for x, y in loader:
        adam.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        adam.step()


def new_head_of_a_part(net, loader):
    adam = torch.optim.Adam(net.parameters())
    net.classifier[-1] = nn.Linear(8, 5)  # hit
    net.head.out = nn.Linear(8, 5)  # hit
    net.names["last"] = "classifier"
    for x, y in loader:
        adam.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        adam.step()


def new_head_before(net, loader):
    net.classifier[-1] = nn.Linear(8, 5)
    adam = torch.optim.Adam(net.parameters())
    net.classifier[-1].bias = nn.Parameter(torch.zeros(5))  # hit
    for x, y in loader:
        adam.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        adam.step()
