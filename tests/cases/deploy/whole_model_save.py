import argparse
import copy

import numpy as np
import torch
import torchvision
from torch import nn


class Net(nn.Module):
    def save(self, path):
        torch.save(self, path)  # hit
        torch.save(self.state_dict(), path)


def save(path, net, history, optimizer):
    model = Net()
    torch.save(model, path)  # hit
    torch.save(copy.deepcopy(model).half(), path)  # hit
    torch.save(torchvision.ops.nms, path)
    torch.save(net, path)  # hit
    net.eval()
    torch.save(model.state_dict(), path)
    torch.save({"model": model, "epoch": 3}, path)  # hit
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    wrapped = nn.DataParallel(model)
    torch.save(wrapped.module, path)  # hit
    checkpoint = {
        "model": model.state_dict(),
        "loss": np.float64(0.1),  # hit
        "means": np.mean(history),  # hit
        "number": float(np.mean(history)),
    }
    torch.save(checkpoint, path)
    torch.save(dict(net=model, history=history), path)  # hit


def weights(path, best_model):
    model = Net().state_dict()
    torch.save(model, path)
    torch.save(best_model, path)


def train(args, model):
    torch.save({"model": model.state_dict(), "args": args}, args.path)  # hit
    torch.save({"model": model.state_dict(), "args": vars(args)}, args.path)


def main():
    parser = argparse.ArgumentParser()
    args = parser.parse_args()
    torch.save({"args": args}, "args.pt")  # hit
    train(args, Net())


def make():
    return nn.Linear(4, 2)


def kept(path, keep=torch.save):
    pair = make(), path
    keep(*pair)  # hit
    keep(pair[0].state_dict(), path)


class Saver:
    def __init__(self):
        self.model = Net()

    def write(self, path):
        torch.save(obj=self.model, f=path)  # hit
        state = {}
        state["model"] = self.model  # found where it is written to a file
        torch.save(state, path)  # hit
        torch.save([self.model.state_dict()], path)


def by_a_tool(network, path):
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    write_file(network, path)
    write_file({"optimizer": optimizer.state_dict()}, path)


def write_file(content, path):
    torch.save(content, path)  # hit
