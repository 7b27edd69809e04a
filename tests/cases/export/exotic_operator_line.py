# profile: torch.export
import torch
import torch.nn.functional as F
from torch import nn


class Heard(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.pool = nn.Conv1d(8, 16, 3), nn.MaxPool1d(2)
        self.paired, self.wide = nn.MaxPool1d(2, return_indices=True), nn.MaxPool2d(2)

    def forward(self, sound, image):
        x = self.pool(self.conv(sound))  # hit
        y = F.max_pool1d(F.relu(self.conv(sound)), kernel_size=3, stride=1)  # hit
        z, places = self.paired(self.conv(sound))
        fixed = F.max_pool1d(F.interpolate(sound, size=64), 2)
        return x, y, z, places, fixed, self.wide(image), torch.max_pool1d(y, 2, 2)  # hit


class Worded(nn.Module):
    def __init__(self, words, wide, sizes=(3, 4)):
        super().__init__()
        self.embed = nn.Embedding(words, wide)
        self.convs = nn.ModuleList([nn.Conv1d(wide, 16, size) for size in sizes])

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        whole = [conv(x).max(2).values for conv in self.convs]
        return torch.cat(whole, 1)
