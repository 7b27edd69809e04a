"""Models that derive from a framework's class of nn.Module."""

import pytorch_lightning as pl
import torch
from torch import nn


class Learns(pl.LightningModule):
    def __init__(self, width: int = 8, rate: float = 0.1):
        super().__init__()
        self.save_hyperparameters("width", "rate")
        self.conv = nn.Conv2d(3, self.hparams.width, 3, stride=2)

    def forward(self, x):
        y = self.conv(x)
        y  # value: tensor[B, 8, ((x.H + 1) // 2) - 1, ((x.W + 1) // 2) - 1]
        y = y.to(self.device)
        y  # value: tensor[B, 8, ((x.H + 1) // 2) - 1, ((x.W + 1) // 2) - 1]
        return y

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self(x).mean((2, 3)), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)
