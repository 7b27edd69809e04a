# profile: onnx-legacy@17
import torch
from torch import nn


class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, 6)

    def forward(self, ids):
        x = self.table(ids)
        back = torch.arange(x.size(1) - 1, -1, -1)
        turned = x[:, back]  # hit
        turned = turned + x.index_select(1, back.to(x.device))  # hit
        turned = turned + x[:, torch.arange(x.size(1) - 1, -1, -2).long()].mean()  # hit
        kept = x[..., torch.arange(5, -1, -1)] + x[:, torch.arange(x.size(1))] + x.flip(1)
        kept = kept + x[:, torch.arange(x.size(1) - 1, 0, -1)].mean()
        near = torch.cdist(x, x) + torch.cdist(x, x, p=2)
        far = torch.cdist(x, x, p=1)  # hit
        return turned, kept, near, far
