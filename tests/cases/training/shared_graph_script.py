import torch
from torch import nn


class Maker(nn.Module):
    def __init__(self, wide=4):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(wide, wide), nn.Tanh())

    def forward(self, z):
        return self.main(z)


class Judge(nn.Module):
    def __init__(self, wide=4):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(wide, 1), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).squeeze(1)


maker, judge, criterion = Maker(), Judge(), nn.BCELoss()
judge_step = torch.optim.Adam(judge.parameters())
make_step = torch.optim.Adam(maker.parameters())

for _ in range(3):
    fake = maker(torch.randn(4, 4))
    judge.zero_grad()
    criterion(judge(fake), torch.zeros(4)).backward()
    judge_step.step()
    maker.zero_grad()
    criterion(judge(fake), torch.ones(4)).backward()  # hit
    make_step.step()

for _ in range(3):
    fake = maker(torch.randn(4, 4))
    judge.zero_grad()
    criterion(judge(fake.detach()), torch.zeros(4)).backward()
    judge_step.step()
    maker.zero_grad()
    criterion(judge(fake), torch.ones(4)).backward()
    make_step.step()
