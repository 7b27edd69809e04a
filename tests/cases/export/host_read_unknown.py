# profile: torch.export onnx onnx-legacy@17 torchscript-trace
import torch
from encoders import create_encoder, measure
from torch import nn


class Encoded(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.encoder = create_encoder("small")
        self.head = head
        self.names = create_encoder("names")

    def forward(self, x):
        y = self.encoder(x)
        array = y.detach().cpu().numpy()  # hit
        peak = self.head(x).max().item()  # hit
        sizes = measure(x).tolist()
        width = self.names("width").item()
        return torch.from_numpy(array) * peak + torch.ones(sizes) + x.mean() * width
