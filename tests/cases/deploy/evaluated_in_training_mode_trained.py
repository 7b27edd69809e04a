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
        return [net(x).mean() for x in held_out] + look(net, held_out)  # hit


def look(net, held_out):
    found = []
    with torch.no_grad():
        for x in held_out:
            found.append(net(x).mean())  # hit
    return found


def once(path, x):
    net = Net()
    with torch.no_grad():
        return net(x)


def both(loaders, epochs):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        net.train()
        for x, y in loaders["train"]:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        hits = 0
        with torch.no_grad():
            for x, y in loaders["test"]:
                hits += (net(x).argmax(1) == y).sum().item()  # hit
        print(hits)


def listed(loader, held_out, epochs):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            print(sum((net(x).argmax(1) == y).sum().item() for x, y in held_out))  # hit


def played(world, epochs):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        with torch.no_grad():
            for _ in range(20):
                world.step(net(world.state))
        optimizer.zero_grad()
        world.loss(net).backward()
        optimizer.step()


def averaged(loader, held_out, epochs):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        net.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            for x, y in held_out:
                print((net(x).argmax(1) == y).sum().item())


def taught(student, loader, path):
    teacher, other = Net(), Net()
    teacher.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    other.load_state_dict(student.state_dict())
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for x in loader:
        with torch.no_grad():
            goal = teacher(x) + other(x)  # hit
        optimizer.zero_grad()
        (student(x) - goal).square().mean().backward()
        optimizer.step()
