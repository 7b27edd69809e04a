import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


def features(x, given):
    net = Net().eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        out = nn.functional.linear(x, net.fc.weight)
    rows = out.cpu().numpy()  # hit
    one = out[0].detach().numpy()  # hit
    wide = out.float().cpu().numpy()
    asked = given.to(torch.bfloat16).cpu().numpy()  # hit
    back = given.bfloat16().float().numpy(), given.to(torch.float16).numpy(), given.numpy()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.float16):
        half = net(x)
    return rows, one, wide, asked, back, half.numpy(), torch.ones(2, dtype=torch.bfloat16).numpy()  # hit
