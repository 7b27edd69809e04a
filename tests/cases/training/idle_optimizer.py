import torch
from torch import nn, optim


def distill(student, teacher, loader):
    teacher.eval()
    opt = optim.Adam(teacher.parameters(), lr=1e-4)  # hit
    for x in loader:
        with torch.no_grad():
            wanted = teacher(x)
        loss = (student(x) - wanted).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


def gan(generator, critic, loader):
    opt = optim.Adam(critic.parameters(), lr=1e-4)
    for x in loader:
        with torch.no_grad():
            print(critic(x))
        loss = critic(generator(x)).mean()
        loss.backward()
        opt.step()


def handed(net, loader, measure):
    opt = optim.Adam(net.parameters(), lr=1e-4)
    for x in loader:
        loss = measure(net, x)
        with torch.no_grad():
            net(x)
        loss.backward()
        opt.step()


def fit(encoder, loader):
    head = nn.Linear(8, 2)
    opt = optim.Adam(head.parameters(), lr=1e-4)
    for x in loader:
        with torch.no_grad():
            features = encoder(x)
        head(features).mean().backward()
        opt.step()


def weighed(net, loader, loss):
    opt = optim.Adam(net.parameters(), lr=1e-4)
    for x in loader:
        with torch.no_grad():
            y = net(x)
        (loss(y) + sum(p.square().sum() for p in net.parameters())).backward()
        opt.step()


G = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
D = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
of_g = optim.Adam(G.parameters())  # hit
of_d = optim.Adam(D.parameters())
for _ in range(3):
    fake = G(torch.randn(4, 8)).detach()
    of_g.zero_grad()
    D(fake).mean().backward()
    of_g.step()
    of_d.step()


class Trainer:
    def __init__(self, student, teacher, critic):
        self.student, self.critic = student, critic
        self.teacher = teacher

    def run(self, loader):
        held = self.teacher.parameters()
        optimizer = optim.SGD(held, lr=0.1)  # hit
        other = optim.SGD(self.critic.parameters(), lr=0.1)
        for x in loader:
            with torch.no_grad():
                wanted, scores = self.teacher(x), self.critic(x)
            (self.student(x) - wanted).square().mean().backward()
            optimizer.step()
            other.step()
            print(scores)

    def criticize(self, x):
        return self.critic(x).mean()
