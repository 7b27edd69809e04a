# profile: torchscript-script
import torch
from torch import nn
from torch.nn import SyncBatchNorm


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.SyncBatchNorm(8)  # hit
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), SyncBatchNorm(8), nn.ReLU())  # hit
        self.last = nn.BatchNorm2d(8)

    def forward(self, x):
        return self.last(self.body(self.first(x)))

    def norms(self):
        return [m for m in self.modules() if isinstance(m, nn.SyncBatchNorm)]


def train():
    model = nn.SyncBatchNorm.convert_sync_batchnorm(Net())
    return torch.compile(model)


def deploy():
    model = nn.SyncBatchNorm.convert_sync_batchnorm(Net()).eval()
    return torch.jit.script(model)  # hit
