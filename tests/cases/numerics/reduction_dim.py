import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x, names):
        a = x.squeeze()  # hit
        a = x.squeeze(1)
        a = torch.squeeze(x)  # hit
        a = torch.squeeze(x, dim=1)
        a = x.argmax()  # hit
        a = x.argmax(dim=-1)
        a = self.fc(x.flatten())  # hit
        a = x.flatten()
        a = x.flatten(1)
        a = self.fc(torch.flatten(x))  # hit
        a = torch.flatten(x, 1)
        a = torch.flatten(x, start_dim=1)
        a = F.softmax(x)  # hit
        a = F.softmax(x, dim=1)
        a = x.squeeze(*names)
        a = names.squad.squeeze()
        return a


def outside(x):
    return x.squeeze()
