# profile: onnx onnx-legacy
import torch
from torch import nn
from torch.nn.utils import rnn
from torch.nn.utils.rnn import pad_sequence as pad


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 4)

    def forward(self, first, second):
        parts = [self.project(first), self.project(second)]
        return self.join(parts) + pad(parts, padding_value=-1.0)  # hit

    def join(self, parts):
        return rnn.pad_sequence(sequences=parts, batch_first=True)  # hit


class Cut(nn.Module):
    def forward(self, x, lengths):
        return pad([row[:n] for row, n in zip(x, lengths)])  # hit


def collate(batch):
    return pad([torch.as_tensor(each) for each in batch], batch_first=True)


class Joined(nn.Module):
    def forward(self, first, second):
        return torch.cat([first, second])
