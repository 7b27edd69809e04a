import argparse
import collections
import copy
import datetime
import pathlib

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


class Meter:
    def __init__(self):
        self.total = 0.0


class Packed:
    def __reduce__(self):
        return dict, ()


Best = collections.namedtuple("Best", "epoch loss")


def beside(model, path, epoch):
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    meter, files = Meter(), pathlib.Path(path)
    torch.save({"model": model.state_dict(), "optimizer": optimizer}, path)  # hit
    torch.save({"model": model.state_dict(), "scheduler": scheduler}, path)  # hit
    torch.save({"meter": meter, "epoch": epoch}, path)  # hit
    torch.save({"meters": {"train": [meter]}}, path)  # hit
    torch.save({"meter": vars(meter), "total": meter.total}, path)
    torch.save({"when": datetime.datetime.now()}, path)  # hit
    torch.save({"when": datetime.datetime.now().isoformat()}, path)
    torch.save({"last": collections.deque([1])}, path)  # hit
    torch.save({"seen": frozenset([1]), "kinds": {1}}, path)  # hit
    torch.save({"files": files}, path)  # hit
    torch.save({"files": str(files)}, path)
    torch.save({"best": Best(1, 0.5)}, path)  # hit
    torch.save({"activation": make}, path)  # hit
    torch.save({"class": Net}, path)  # hit
    torch.save({"release": torch.__version__}, path)  # hit
    torch.save({"packed": Packed()}, path)
    torch.save(torch.utils.data.TensorDataset(torch.ones(2)), path)  # hit
    torch.save({"seen": collections.Counter("ab"), "order": collections.OrderedDict()}, path)
    torch.save({"optimizer": optimizer.state_dict(), "type": torch.float32}, path)


def of_unknown(model, optimizer, path):
    optimizer.zero_grad()
    model(torch.ones(1)).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer}, path)  # hit
    torch.save((model.state_dict(), optimizer.state_dict()), path)


def save_pickled(model: nn.Module, path, pickle):
    net = nn.Linear(4, 2)
    torch.save(net, path, pickle_module=pickle)
    torch.save(net, path)  # hit


class Keeper:
    def save(self, net: torch.nn.Module, rows: list, path):
        torch.save(rows, path)
        torch.save(net, path)  # hit


def save_all(path, args):
    model = Net()
    torch.save({"model": model, "args": args, "loss": np.float64(0.1)}, path)  # hit


def keep_center(model, center, path):
    center = torch.relu(center).cpu().numpy()
    torch.save({"center": center.tolist(), "model": model.state_dict()}, path)
    torch.save({"center": center, "model": model.state_dict()}, path)  # hit
