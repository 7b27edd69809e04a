import copy

import torch
from torch import nn


class Agent:
    def __init__(self, wide):
        self.online = nn.Linear(wide, 3)
        self.target = self.online  # hit
        self.copied = copy.deepcopy(self.online)

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())
        self.copied.load_state_dict(self.online.state_dict())


class Careful:
    def __init__(self, net):
        self.net = net
        self.best = None

    def keep(self):
        self.best = copy.deepcopy(self.net)

    def put_back(self):
        self.net.load_state_dict(self.best.state_dict())


class Average:
    def __init__(self, model):
        self.shadow, self.backup, self.new = {}, {}, {}
        for name, p in model.named_parameters():
            self.shadow[name] = p.detach()  # hit
            self.new[name] = p.data.clone()
            self.backup[name] = p.data

    @torch.no_grad()
    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name].lerp_(p, 0.1)
            self.new[name].lerp_(p, 0.1)
            self.backup[name] = 0.9 * self.backup[name] + 0.1 * p.data
