from collections import OrderedDict

import torch
from torch import nn


class DenseLayer(nn.Sequential):
    def __init__(self, channels, number):
        super().__init__()
        self.add_module("norm.1", nn.BatchNorm2d(channels))  # hit
        self.add_module("norm.2", nn.BatchNorm2d(channels)),  # hit
        self.add_module("layer_%d" % number, nn.ReLU())
        self.add_module("layer.%d" % number, nn.ReLU())  # hit
        self.add_module(f"denselayer{number}", nn.ReLU())
        self.add_module(f"block.{number}", nn.ReLU())  # hit
        self.add_module("scale%.1f" % number, nn.ReLU())
        self.add_module("", nn.ReLU())  # hit


class Named(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.features = nn.Sequential(OrderedDict([("conv.0", nn.Conv2d(3, 3, 1))]))  # hit
        self.more = nn.Sequential(OrderedDict([("conv0", nn.Conv2d(3, 3, 1))]))
        self.heads = nn.ModuleDict({"type": nn.Linear(3, 3)})  # hit
        self.sizes = nn.ModuleDict({"box": nn.Linear(3, 3), "class": nn.Linear(3, 3)})
        self.sizes["mask"] = nn.Linear(3, 3)
        self.sizes["a.b"] = nn.Linear(3, 3)  # hit
        self.scales = nn.ParameterDict({"values": nn.Parameter(torch.ones(3))})  # hit
        self.register_buffer("running.mean", torch.zeros(3))  # hit
        self.register_buffer("running_mean", torch.zeros(3))
        self.register_parameter("weight.g", None)  # hit
        setattr(self, "a.b", nn.ReLU())
        table = {"type": nn.ReLU()}
        table["a.b"] = nn.ReLU()
        for name in ("box", "keys"):
            self.add_module(name, nn.ReLU())
        for name in ("first", "second.1"):
            self.add_module(name, nn.ReLU())  # hit
        self.add_module(str(sizes), nn.ReLU())

    def try_name(self, name):
        try:
            self.add_module("a.b", nn.ReLU())
        except KeyError:
            self.add_module("a_b", nn.ReLU())
        self.add_module(name, nn.ReLU())


class Holder:
    def __init__(self):
        self.add_module("norm.1", 3)

    def add_module(self, name, what):
        setattr(self, name.replace(".", "_"), what)
