import json

import torch
from torch import nn

image = torch.rand(10, 32, 28, 28)
conv = nn.Conv2d(64, 32, 3)  # hit
fine = nn.Conv2d(32, 64, 3)


def main():
    print(conv(image).shape, fine(image).shape)


narrow = conv(image)
wide = fine(image)
main()
scores, classes = torch.rand(2, 3, 4), torch.zeros(2, 4, dtype=torch.long)
nn.functional.nll_loss(scores, classes, torch.rand(2))  # hit
nn.functional.nll_loss(scores, classes, torch.rand(3), reduction="sum")
nn.functional.nll_loss(scores, classes, reduction="average")  # hit
nn.functional.kl_div(scores, scores, reduction="batchmean")


class Settings:
    def __init__(self, words):
        self.words = words

    @classmethod
    def read(cls, path):
        settings = cls(-1)
        with open(path) as file:
            for key, value in json.loads(file.read()).items():
                settings.__dict__[key] = value
        return settings


def load(path):
    settings = Settings.read(path)
    return nn.Embedding(settings.words, 4), torch.zeros(settings.words)
