import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head(x)


def at_once():
    net, wrapped = Net(), nn.DataParallel(Net())
    net.load_state_dict(wrapped.state_dict(), strict=False)  # hit
    net.load_state_dict(wrapped.state_dict())  # hit
    net.load_state_dict(wrapped.module.state_dict(), strict=False)
    wrapped.load_state_dict(net.state_dict(), strict=False)  # hit
    wrapped.module.load_state_dict(net.state_dict())
    other = nn.DataParallel(Net())
    other.load_state_dict(wrapped.state_dict())


def by_file(path):
    model = nn.DataParallel(Net()).cuda()
    torch.save(model.state_dict(), path)
    fresh = Net()
    state = torch.load(path, map_location="cpu")
    fresh.load_state_dict(state, strict=False)  # hit
    fresh.load_state_dict({k.removeprefix("module."): v for k, v in state.items()})
    again = nn.DataParallel(Net())
    again.load_state_dict(state)


def by_checkpoint(rank):
    model = DDP(Net(), device_ids=[rank])
    torch.save({"model": model.state_dict(), "epoch": 1}, "last.pt")
    checkpoint = torch.load("last.pt")
    fresh = Net()
    fresh.load_state_dict(checkpoint["model"], False)  # hit
    return fresh


def unwrapped(path, many):
    model = Net()
    if many:
        model = nn.DataParallel(model)
    torch.save(model.state_dict(), path)
    fresh = Net()
    fresh.load_state_dict(torch.load(path))


def inner(path):
    model = nn.DataParallel(Net())
    torch.save(model.module.state_dict(), path)
    fresh = Net()
    fresh.load_state_dict(torch.load(path), strict=False)


def from_elsewhere(path, other):
    model = nn.DataParallel(Net())
    torch.save(model.state_dict(), other)
    fresh = Net()
    fresh.load_state_dict(torch.load(path), strict=False)


class Trainer:
    def __init__(self):
        self.model = nn.DataParallel(Net())

    def save(self, path):
        torch.save(self.model.state_dict(), path)

    def copy(self):
        net = Net()
        net.load_state_dict(self.model.state_dict(), strict=False)  # hit
        return net


def rounds(path):
    trainer = Trainer()
    trainer.save(path)
    fresh = Net()
    fresh.load_state_dict(torch.load(path))  # hit
