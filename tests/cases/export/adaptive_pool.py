import torch.nn.functional as F
from torch import nn
from torch.nn import AdaptiveMaxPool2d


class Pools(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.one = nn.AdaptiveAvgPool2d(1)
        self.pair = nn.AdaptiveAvgPool2d((1, 1))
        self.rows = nn.AdaptiveAvgPool2d((None, 1))
        self.given = nn.AdaptiveAvgPool2d(size)
        self.keyword = nn.AdaptiveAvgPool2d(output_size=(7, 7))  # hit
        self.maximum = AdaptiveMaxPool2d((1, 4))  # hit

    def forward(self, x):
        own = F.adaptive_avg_pool2d(x, x.shape[-2:])
        fixed = F.adaptive_avg_pool2d(x, 6)  # hit
        return own, fixed


def outside(x):
    return F.adaptive_avg_pool2d(x, 6)
