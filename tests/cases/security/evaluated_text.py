import argparse
import json

import torch
import yaml
from torch import nn


class Net(nn.Module):
    def __init__(self, path):
        super().__init__()
        with open(path) as file:
            settings = yaml.safe_load(file)
        self.act = eval(settings["act"])()  # hit
        self.layers = nn.ModuleList(eval(name)(*given) for name, given in settings["layers"])  # hit
        self.kind = getattr(nn, settings["kind"])


def of_checkpoint(path):
    kept = torch.load(path, weights_only=True)
    return eval("nn." + kept["name"])  # hit


def of_options(name):
    options = argparse.ArgumentParser().parse_args()
    return eval(options.betas), eval(name), eval("1 + 1"), json.loads(name)


def of_lengths(path):
    with open(path) as file:
        settings = yaml.safe_load(file)
    return eval(str(len(settings["layers"])))


def of_names(path, prefix):
    with open(path) as file:
        settings = json.loads(file.read())
    size = eval(f"({prefix}, 3)")
    return eval(f"nn.{settings['act']}")(), size  # hit
