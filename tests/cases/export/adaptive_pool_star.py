# profile: onnx-legacy@17 torchscript-trace onnx torch.export
from torch.nn import *


class Head(Module):
    def __init__(self):
        super().__init__()
        self.conv = Conv2d(3, 8, 3)
        self.pool = AdaptiveAvgPool2d(7)
        self.all = AdaptiveAvgPool2d(1)

    def forward(self, x):
        x = self.conv(x)
        return self.pool(x), self.all(x)  # hit
