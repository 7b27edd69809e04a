import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))

    def forward(self, x):
        return self.body(x)


def fit(batches, held_out):
    student, teacher = Net(), Net()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for x in batches:
        with torch.no_grad():
            goal = teacher(x)
        optimizer.zero_grad()
        (student(x) - goal).square().mean().backward()
        optimizer.step()
        check(student, held_out)


def check(net, held_out):
    with torch.no_grad():
        return [net(x).mean() for x in held_out] + look(net, held_out)


def look(net, held_out):
    found = []
    with torch.no_grad():
        for x in held_out:
            found.append(net(x).mean())
    return found


def once(path, x):
    net = Net()
    with torch.no_grad():
        return net(x)
