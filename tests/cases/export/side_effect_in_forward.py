import logging
import random
import time
from random import random as chance

import numpy as np
import torch
from torch import nn


class Draws(nn.Module):
    def forward(self, x):
        x = x * random.random()  # hit
        if random.random() < 0.5:  # hit
            x = x * 2
        x = x.flip(0) if chance() < 0.5 else x  # hit
        order = list(range(3))
        random.shuffle(order)  # hit
        i = np.random.randint(0, 3)  # hit
        noise = torch.from_numpy(np.random.rand(3))  # hit
        return x[order] + x[i] + noise + self.picked(x)

    def picked(self, x):
        return random.choice([x, x + 1])  # hit


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = random.random()

    def forward(self, x):
        print(x.shape, random.random())
        logging.info("%s", time.time())
        if self.training:
            x = x * random.random()
        if self.training and random.random() < 0.5:
            x = x * 2
        x = x + torch.rand(1) + np.sqrt(2.0)
        return x * self.rate

    def sample(self):
        return random.random()


class RandomFlip(nn.Module):
    def forward(self, x):
        return x.flip(0) if random.random() < 0.5 else x


class ChanceLoss(nn.Module):
    def forward(self, x, target):
        return (x - target).sum() * random.random()


def batch(x):
    return x * random.random()
