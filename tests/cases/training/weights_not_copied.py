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


class ModelEma:
    def __init__(self, model, beta):
        self.beta = beta
        self.state = model.state_dict()  # hit
        self.copied = {k: v.clone() for k, v in model.state_dict().items()}
        self.average = [p.data for p in model.parameters()]  # hit

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.state[k].lerp_(v, 1 - self.beta)
            self.copied[k].lerp_(v, 1 - self.beta)
        for mine, p in zip(self.average, model.parameters()):
            mine.mul_(self.beta).add_(p, alpha=1 - self.beta)


class OwnEma:
    def __init__(self, model):
        self.ema = copy.deepcopy(model)
        self.kept = self.ema.state_dict()

    def update(self, model):
        for k, v in model.state_dict().items():
            self.kept[k].mul_(0.9).add_(v, alpha=0.1)


class Descent:
    def __init__(self, model):
        self.weights = [p for p in model.parameters()]

    def step(self):
        for p in self.weights:
            p.data.add_(p.grad, alpha=-0.1)


class OfAverage:
    def __init__(self, avg_model):
        self.ema = [p for p in avg_model.parameters()]

    def update(self, parameters):
        for mine, p in zip(self.ema, parameters):
            mine.data.mul_(0.9).add_(p.data, alpha=0.1)


class BufferedEma(nn.Module):
    """Its own averages are buffers; the weights it is given are read, and written back on demand."""

    def __init__(self, model):
        super().__init__()
        for name, p in model.named_parameters():
            self.register_buffer(name.replace(".", ""), p.clone().detach())

    def forward(self, model):
        weights, shadow = dict(model.named_parameters()), dict(self.named_buffers())
        current = dict(model.named_parameters())
        for key in current:
            name = key.replace(".", "")
            shadow[name].sub_(0.1 * (shadow[name] - current[key]))

    def copy_to(self, model):
        current = dict(model.named_parameters())
        for key in current:
            current[key].data.copy_(getattr(self, key.replace(".", "")).data)


def train_averaged(model, loader):
    ema_params = [p.data for p in model.parameters()]  # hit
    for x in loader:
        model(x).sum().backward()
        for mine, p in zip(ema_params, model.parameters()):
            mine.mul_(0.9).add_(p.data, alpha=0.1)


class WeightEMA:
    """Mixes one network into another, which is there to be the average."""

    def __init__(self, target, source):
        self.target_params = list(target.parameters())
        self.source_params = list(source.parameters())

    def step(self):
        for p, q in zip(self.target_params, self.source_params):
            p.data.mul_(0.99)
            p.data.add_(q.data * 0.01)


class Agent:
    """Names that are given networks later."""

    def __init__(self):
        self.online = None
        self.target = None

    def restore(self, path):
        self.online.load_state_dict(torch.load(path))
        self.target.load_state_dict(self.online.state_dict())


class WeightEMA:  # decays the weights on purpose, beside the average
    def __init__(self, model, ema_model):
        self.params = list(model.state_dict().values())
        self.ema_params = list(ema_model.state_dict().values())

    def step(self):
        for param, ema_param in zip(self.params, self.ema_params):
            ema_param.mul_(0.9)
            ema_param.add_(param * 0.1)
            param.mul_(0.99)


class Solver:
    def __init__(self, model):
        self.model = model

    def restore(self, path):
        model = build_model(path)
        self.model.load_state_dict(model.state_dict())
