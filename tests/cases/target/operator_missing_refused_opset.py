# profile: onnx # target: rknn-2.1 openvino-2026.4
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        y = torch.abs(x)  # hit
        return y + torch.randn_like(x) + torch.relu(x)  # hit
