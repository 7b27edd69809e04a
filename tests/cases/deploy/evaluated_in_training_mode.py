import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4))

    def forward(self, x):
        return self.head(x)


def measure(model, loader):
    hits = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum()  # hit
    return hits


def measure_rightly(model, loader):
    model.eval()
    with torch.inference_mode():
        return [model(x).argmax(1) for x, _ in loader]


def main(loader, path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    return measure(net, loader), measure_rightly(net, loader)


def plain(loader):
    return measure_plainly(Plain(), loader)


@torch.no_grad()
def measure_plainly(model, loader):
    for x in loader:
        yield model(x)


@torch.no_grad()
def losses(loader):
    net, found = Net(), []
    for x, y in loader:
        found.append(F.cross_entropy(net(x), y).item())  # hit
    net.train(False)
    for x, y in loader:
        found.append(F.cross_entropy(net(x), y).item())
    return found


def serve(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))

    def answer(x):
        with torch.no_grad():
            return net(x)

    return answer


def shown(x):
    net = Net()
    with torch.no_grad():
        for _ in range(3):
            print(net(torch.randn(1, 3, 8, 8)).shape)


def handed_on(loader, prepare):
    net = Net()
    prepare(net)
    with torch.no_grad():
        for x in loader:
            print(net(x))


def answers(path, x):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    with torch.no_grad():
        return net(x).softmax(-1)  # hit


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))

    def forward(self, x):
        return self.body(x)

    @torch.no_grad()
    def generate(self, x, steps):
        for _ in range(steps):
            x = self(x)
        return x


def painted(path, count):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    with torch.no_grad():
        return net(torch.randn(count, 3, 8, 8))  # hit


def tried(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    with torch.no_grad():
        print(net(torch.randn(1, 3, 8, 8)).shape)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))])

    @torch.no_grad()
    def generate(self, x):
        for _ in range(3):
            for block in self.blocks:
                x = block(x)
        return x


def generate_once(x):
    return Stack().generate(x)


class Distilled(nn.Module):
    def __init__(self):
        super().__init__()
        self.student_head = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        self.teacher_head = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))

    def follow(self, rate):
        with torch.no_grad():
            for one, other in zip(self.student_head.parameters(),
                                  self.teacher_head.parameters()):
                other.data.mul_(rate).add_((1 - rate) * one.data)

    def forward(self, crops):
        learned = [self.student_head(crop) for crop in crops]
        given = []
        with torch.no_grad():
            for i in range(2):
                given.append(self.teacher_head(crops[i]))
        return learned, given


def try_teacher(student, crops):
    teacher = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    with torch.no_grad():
        for one, other in zip(student.parameters(), teacher.parameters()):
            other.data.mul_(0.9).add_(0.1 * one.data)
        for crop in crops:
            print(teacher(crop))
