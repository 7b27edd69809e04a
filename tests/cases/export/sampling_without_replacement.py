# profile: onnx
import torch
from torch import nn


class Chooses(nn.Module):
    def forward(self, scores, several):
        one = torch.multinomial(scores, 1)
        again = torch.multinomial(scores, 4, replacement=True)
        some = torch.multinomial(scores, num_samples=4)  # hit
        told = torch.multinomial(scores, 3, replacement=False)  # hit
        unknown = torch.multinomial(scores, several)
        given = torch.multinomial(scores, 4, self.replaces)
        return one, again, some, told, unknown, given


def draw_batch(weights):
    return torch.multinomial(weights, 32)
