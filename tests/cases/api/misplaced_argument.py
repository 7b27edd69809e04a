import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import functional as fn
from torch.utils.data import DataLoader


def losses(a, b, reduction, label_smoothing, weight, pos_weight):
    F.mse_loss(a, b, reduction)  # hit
    F.mse_loss(a, b, None, None, reduction)
    F.mse_loss(a, b, reduction=reduction)
    nn.CrossEntropyLoss(label_smoothing)  # hit
    nn.CrossEntropyLoss(weight)
    nn.BCEWithLogitsLoss(pos_weight, pos_weight=pos_weight)
    nn.BCEWithLogitsLoss(weight, pos_weight=pos_weight)


def loaders(data, batch_size, num_workers, sampler, options):
    DataLoader(data, batch_size, num_workers)  # hit
    DataLoader(data, batch_size, False, sampler)
    DataLoader(data, num_workers, num_workers=num_workers)
    DataLoader(data, batch_size, sampler, **options)


class Net(nn.Module):
    def __init__(self, in_features, out_features, hidden_size, config, stride, bias):
        super().__init__()
        self.dropout = config.dropout
        self.down = nn.Linear(out_features, in_features)
        self.again = nn.Conv2d(out_features, out_features, stride, stride)
        self.pool = nn.MaxPool2d(stride)
        self.rnn = nn.LSTM(hidden_size, hidden_size, config.dropout)  # hit
        self.layer = nn.TransformerEncoderLayer(hidden_size, 4, self.dropout)  # hit
        self.norm = nn.LayerNorm(hidden_size, bias)  # hit

    def forward(self, x, dim, scale_factor, size):
        x = F.normalize(x, dim)  # hit
        x = fn.normalize(x, 2, dim)
        x = F.interpolate(x, size)
        x = F.interpolate(x, scale_factor)  # hit
        return torch.sum(x, dim), self.missing(x, dim)


def moved(net: nn.Module, dtype):
    nn.Linear(2, 2).to(dtype)
    nn.Module.to(net, dtype)
    return net.to(dtype)
