import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, weights = torch.randn(64, 3), torch.randn(5, 1)
y = x.sum(dim=1)

for _ in range(3):
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()  # hit
    loss.backward()
    optimizer.step()

for _ in range(3):
    optimizer.zero_grad()
    advantage = y - net(x)  # hit
    advantage.pow(2).mean().backward()
    optimizer.step()

for _ in range(3):
    optimizer.zero_grad()
    loss = ((net(x).squeeze(-1) - y) ** 2).mean()
    loss = loss + (net(x) - y[:, None]).abs().mean()
    apart = y[:, None] - y
    loss = loss + apart.mean()
    loss.backward()
    optimizer.step()
