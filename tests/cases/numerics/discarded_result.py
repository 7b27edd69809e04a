import time

import pytest
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x, mask=None):
        x.expand(3, -1)  # hit
        x.clamp_(0, 1)
        x.clamp(0, 1)  # hit
        x.contiguous()  # hit
        x.retain_grad()
        torch.clamp(x, 0, 1)  # hit
        torch.clamp(x, 0, 1, out=x)
        x.size(0)
        y = x * 2
        y.to("cuda")  # hit
        y.cpu()
        y.masked_fill(x > 0, 0).detach()  # hit
        self.net.to(x.device)
        self.net.half()
        y.add(1)  # hit
        torch.squeeze(y)  # hit
        self.other.to("cuda")
        y.type()
        return x


def train(model, batch, loader):
    model.to("cuda")
    batch.to("cuda")
    model = nn.Sequential(nn.Linear(3, 3))
    model.cuda()
    seen = set()
    seen.add(3)
    for inputs, labels in loader:
        inputs.to("cuda")
    frame.view(3)
    kept = torch.load("x.pt")
    kept["model"].half()
    x = torch.zeros(3)
    x.cuda()  # hit
    try:
        x.view(4)
    except RuntimeError:
        pass
    with pytest.raises(RuntimeError):
        x.view(4)
    x.fill_(0)
    x.add(
        1,  # what is added
    ) if x is None else None
    x.add(**options)


def limit(scores):
    scores.clamp(0, 1)  # hit
    return scores


def limited(scores: torch.Tensor):
    clamp = scores.clamp
    try:
        clamp(0, 1)  # hit
        torch.Tensor.add(scores, 1)  # hit
        return limit(scores)
    except KeyError:
        raise


def fit(model, loader, criterion, device):
    for images, labels in loader:
        images.to(device)  # hit
        labels.cuda()  # hit
        loss = torch.nn.functional.cross_entropy(model(images.float()), labels)
        loss.backward()


def fit_moved(model, loader, device):
    for step, (images, labels) in enumerate(loader):
        images = images.to(device)
        labels.to(device)  # hit
        torch.nn.functional.cross_entropy(model(images), labels).backward()


def graphs(model, loader, device):
    for graph, label in loader:
        graph.to(device)
        model(graph, label.to(device)).backward()


def one_hot(y, index):
    y.scatter_(1, index, 1).float()
    torch.zeros(3).float()  # hit
    return y


def keep(scores, mask, logger, batch):
    scores.masked_fill(mask == 0, -1e9)  # hit
    logger.log("step", scores)
    logger.log(step=3)
    logger.exp.log(step=3)
    batch["x"].clamp(0, 1)  # hit
    batch.keys()
    return torch.relu(scores)


def either(values, mask):
    if isinstance(values, list):
        values.append(0)
    return torch.relu(values)


def plot(panes, at, y):
    panes[1].scatter(at, y, label="seen")
    panes[0].scatter(at, y)


def timed(moments, device):
    net, begun = Net(), time.time()
    for _ in range(moments):
        net(torch.zeros(3)).to(device)
    return time.time() - begun


def moved_alone(net, loader, device):
    for x, y in loader:
        x.to(device)  # hit
        torch.clamp(y, x - 1, x + 1)  # hit
        net(x)
    for _, (x, y) in enumerate(loader):
        y.cuda()  # hit
        net(x, y)
    for batch in loader:
        batch.to(device)
        net(batch)
    for name, part in net.parts:
        part.to(device)


def wake(model, optimizer, rate):
    for layer in model.modules():
        if isinstance(layer, nn.Dropout):
            layer.training == True  # hit
    optimizer.param_groups[0]["lr"] == rate  # hit
    model.training = rate == 0
    rate == 1
    with pytest.raises(AttributeError):
        model.missing == 1
    return model.training == rate


def load_unknown(device):
    net, noise, options = create_net_and_noise()
    net.requires_grad_(True)
    net.to(device)
    net.eval()
    other = load_parts()[0]
    other.half()
    other.to(device)
    return net, other


def pick(signal, device):
    energy = torch.zeros(8).float().to(device)
    energy[0] = torch.sum(signal)
    loud = energy > torch.mean(energy) * 0.1
    loud.to(device)
    rows = torch.arange(8)
    rows.to(device)  # hit
    return energy[loud], rows
