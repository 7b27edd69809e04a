# profile: onnx
import torch.nn.functional as F
from torch import nn


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.rows = nn.AdaptiveAvgPool2d((None, 1))
        self.most = nn.AdaptiveMaxPool2d((None, 1))

    def forward(self, image):
        x = self.conv(image)
        height, width = x.shape[-2:]
        a = self.rows(x)  # hit
        a = a + F.adaptive_avg_pool2d(x, (height, 1))  # hit
        a = a + F.adaptive_avg_pool2d(x, (1, width))  # hit
        a = a + F.adaptive_avg_pool2d(x, (height, width))
        a = a + F.adaptive_avg_pool2d(x, (height // 2, width // 2))
        b = self.most(x)  # hit
        b = b + F.adaptive_max_pool2d(x, (height, width))  # hit
        y = F.interpolate(x, size=(height, 8))
        return a, b, self.rows(y) + F.adaptive_avg_pool2d(y, (height, 1))
