import torch
import torch.nn.functional as F
from torch import nn


class Weighted:
    def __init__(self, net):
        self.net = net
        self.ce = nn.CrossEntropyLoss(reduction="none")
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(self, x, y, w):
        self.optimizer.zero_grad()
        loss = self.ce(self.net(x), y) * w
        loss.backward()  # hit
        self.optimizer.step()

    def step_well(self, x, y, w):
        self.optimizer.zero_grad()
        loss = self.ce(self.net(x), y) * w
        loss.sum().backward()
        self.optimizer.step()

    def step_given(self, x, y, w):
        self.optimizer.zero_grad()
        loss = self.ce(self.net(x), y)
        loss.backward(w)
        self.optimizer.step()

    def step_by_function(self, x, y):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.net(x), y, reduction="none") / 2
        loss.backward()  # hit
        self.optimizer.step()

    def step_mean(self, x, y):
        self.optimizer.zero_grad()
        F.cross_entropy(self.net(x), y).backward()
        self.optimizer.step()
