import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 8, batch_first=True)  # hit
        self.rnn = nn.RNN(8, 8)  # hit


def save(model, x, path):
    length = torch.export.Dim("length")
    torch.export.export(model, (x,), dynamic_shapes=({1: length},))
