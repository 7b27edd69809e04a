import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, LinearLR, StepLR


class Pair:
    def __init__(self):
        self.maker, self.judge = nn.Linear(2, 2), nn.Linear(2, 1)
        self.make_step = torch.optim.Adam(self.maker.parameters(), lr=1e-2)
        self.judge_step = torch.optim.Adam(self.judge.parameters(), lr=1e-2)
        self.make_rate = StepLR(self.make_step, 1)
        self.judge_rate = StepLR(self.make_step, 1)  # hit

    def train(self):
        for _ in range(3):
            fake = self.maker(torch.randn(4, 2))
            self.judge_step.zero_grad()
            self.judge(fake.detach()).mean().backward()
            self.judge_step.step()
            self.make_step.zero_grad()
            (-self.judge(fake).mean()).backward()
            self.make_step.step()
            self.make_rate.step()
            self.judge_rate.step()


class Tuned:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        self.rate = ExponentialLR(self.optimizer, gamma=0.5)  # hit

    def fit(self, batches):
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for x in batches:
            self.optimizer.zero_grad()
            self.net(x).mean().backward()
            self.optimizer.step()
            self.rate.step()


def warm_up(net, batches):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    first, then = LinearLR(optimizer), StepLR(optimizer, 5)
    for x in batches:
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()
        first.step()
        then.step()


def alternate(net, other, batches):
    one = torch.optim.SGD(net.parameters(), lr=0.1)
    two = torch.optim.SGD(other.parameters(), lr=0.1)
    rate = StepLR(one, 5)
    for x in batches:
        one.zero_grad()
        two.zero_grad()
        other(net(x)).mean().backward()
        one.step()
        two.step()
        rate.step()


warm_up(nn.Linear(1, 1), [torch.ones(1)] * 2)
alternate(nn.Linear(1, 1), nn.Linear(1, 1), [torch.ones(1)] * 2)
Tuned(nn.Linear(1, 1)).fit([torch.ones(1)] * 2)
Pair().train()


def tune(net, batches, scales, rate):
    if scales:
        step = torch.optim.Adam(net.scales())
        fall = None
    else:
        step = torch.optim.Adam(net.parameters(), lr=rate)
        fall = StepLR(step, 10)
    for x in batches:
        step.zero_grad()
        net(x).square().mean().backward()
        step.step()
        if fall:
            fall.step()
