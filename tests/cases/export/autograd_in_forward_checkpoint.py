# profile: onnx-legacy torchscript-trace
import torch
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.seq = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.gradient_checkpointing = False

    def forward(self, x, flag, options):
        x = checkpoint(self.lin, x)  # hit
        x = checkpoint(self.lin, x, use_reentrant=True)  # hit
        x = cp.checkpoint_sequential(self.seq, 2, x)  # hit
        x = checkpoint(self.lin, x, use_reentrant=False)
        x = checkpoint(self.lin, x, use_reentrant=flag)
        x = checkpoint(torch.relu, x, use_reentrant=True)
        x = checkpoint(self.lin, x, **options)
        if self.training and flag:
            x = checkpoint(self.lin, x)
        if self.gradient_checkpointing:
            x = checkpoint(self.lin, x)
        return x


class Spelled(nn.Module):
    def __init__(self, reentrant=False):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.reentrant = reentrant
        self.run = cp.checkpoint
        self.options = {"use_reentrant": True}

    def forward(self, x):
        for part in self.parts:
            x = self.run(part, x)  # hit
        x = self.run(self.parts[0], x, **self.options)  # hit
        x = self.run(function=self.parts[0], use_reentrant=self.reentrant)
        return self.run(self.body, x)  # hit

    def body(self, x):
        return x * 2
