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


class Settings(nn.Module):
    """How many, and how, stands elsewhere."""

    def __init__(self, count=8):
        super().__init__()
        self.count = count
        self.options = {"num_samples": count}
        self.single = 1

    def choose(self, weights, many):
        return weights.multinomial(many)  # hit

    def forward(self, scores):
        chosen = self.choose(scores.softmax(-1), self.count)
        draw = torch.multinomial
        more = draw(scores, **self.options)  # hit
        if self.training:
            more = draw(scores, 3)
        return chosen, more, draw(scores, self.single), self.choose(scores, 1)


def draw_batch(weights):
    return torch.multinomial(weights, 32)
