"""Flags of models that are set ahead of an export."""

from torch import nn


class FlaggedHead(nn.Module):
    export = False

    def __init__(self):
        super().__init__()
        self.deploy = False
        self.traced = False

    def forward(self, x):
        exported = self.export  # value: bool
        deployed = self.deploy  # value: bool
        traced = self.traced  # value: False
        return x, exported, deployed, traced


def write(model, path):
    for each in model.modules():
        if isinstance(each, FlaggedHead):
            each.export = True
            each.deploy = True
            each.done = True
