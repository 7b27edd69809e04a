import torch
import torch.nn.init as init
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return self.norm(self.conv(x))


class LinearLike(nn.Linear):
    pass


class Words(nn.Module):
    def __init__(self, pad):
        super().__init__()
        self.words = nn.Embedding(10, 4, padding_idx=0)
        self.zeroed = nn.Embedding(10, 4, padding_idx=0)
        self.plain = nn.Embedding(10, 4)
        self.maybe = nn.Embedding(10, 4, padding_idx=pad)
        nn.init.normal_(self.words.weight, std=0.02)  # hit
        self.words.weight.data.uniform_(-0.1, 0.1)  # hit
        nn.init.normal_(self.zeroed.weight)
        nn.init.constant_(self.zeroed.weight[0], 0)
        nn.init.normal_(self.plain.weight)
        nn.init.xavier_uniform_(self.maybe.weight)
        nn.init.zeros_(self.words.weight)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:  # hit
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("Linear") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
    if "Conv" in type(m).__name__:  # hit
        init.normal_(m.weight)
    if "Conv" in type(m).__name__ and hasattr(m, "weight"):
        init.normal_(m.weight)
    if "Conv" in classname:
        try:
            init.normal_(m.weight)
        except AttributeError:
            pass
    if "Conv" in classname:
        print("conv")
    if "BatchNorm" in classname:
        init.ones_(m.weight)


def by_name(model):
    for name, p in model.named_parameters():
        if "weight" in name:
            nn.init.normal_(p, std=0.01)  # hit
        elif "bias" in name:
            nn.init.zeros_(p)
    for name, param in model.named_parameters():
        if "weight" in name:
            init.xavier_uniform_(param.data)  # hit
    for name, p in model.named_parameters():
        if "weight" in name and p.dim() > 1:
            nn.init.normal_(p, std=0.01)
    for name, p in model.named_parameters():
        if "weight" in name:
            if p.ndim > 1:
                nn.init.normal_(p)
            nn.init.ones_(p)
    for p in model.parameters():
        nn.init.normal_(p)


def gains(w, kind):
    init.kaiming_normal_(w, nonlinearity="leak_relu")  # hit
    init.kaiming_uniform_(w, 0, "fan_in", "gelu")  # hit
    init.kaiming_uniform_(w, a=1, nonlinearity="leaky_relu")
    init.kaiming_uniform_(w, nonlinearity=kind)
    init.xavier_uniform_(w, gain=init.calculate_gain("ReLU"))  # hit
    init.xavier_uniform_(w, gain=nn.init.calculate_gain("tanh"))
    return torch.nn.init.calculate_gain("leaky_relu", 0.2)


def spread(layer, how=nn.init.normal_):
    how(layer.weight)  # hit


class Tables(nn.Module):
    def __init__(self, padding=0):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(10, 4, padding_idx=padding) for _ in range(2)])
        self.free = nn.Embedding(10, 4)
        for table in self.tables:
            spread(table)
        spread(self.free)
        gain = {"nonlinearity": "swish"}
        nn.init.kaiming_normal_(self.free.weight, **gain)  # hit


class Layered(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        # self.reset_parameters_unused()
        self.reset_all()

    def reset_parameters_unused(self):
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_normal_(p)
            else:
                nn.init.zeros_(p)

    def reset_all(self):
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_normal_(p)
            else:
                nn.init.zeros_(p)  # hit


def fill_biases(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.bias)  # hit
        nn.init.xavier_uniform_(m.weight)
    elif isinstance(m, Biased):
        nn.init.xavier_uniform_(m.bias)


class Biased(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 4)
        self.bias = nn.Parameter(torch.zeros(4, 4))
        nn.init.kaiming_normal_(self.line.bias.data)  # hit
        nn.init.kaiming_normal_(self.bias)
        nn.init.zeros_(self.line.bias)
