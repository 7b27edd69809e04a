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


class Spelled(nn.Module):
    def __init__(self, low=0.0, draw=random.uniform):
        super().__init__()
        self.low = low
        self.draw = draw
        self.flip = random.random() < 0.5

    def forward(self, x):
        bounds = {"low": self.low, "high": 1.0}
        x = x * np.random.uniform(**bounds)  # hit
        x = x + self.draw(0, 1)  # hit
        order = np.random.permutation(3)  # hit
        shift, keep = random.gauss(0, 1), chance() < 0.1  # hit
        if keep and self.low:
            x = x + shift
        for scale in random.sample([1, 2, 3], 2):  # hit
            x = x * scale
        return pad(x[order]) if self.flip else x


def pad(x):
    return torch.nn.functional.pad(x, (random.randrange(4), 0))  # hit


class Silent(nn.Module):
    def forward(self, x):
        if random.random() < 0.01:
            print("still here", x.shape)
        name = "run {}".format(random.random())
        logging.info(name)
        random.seed(3)
        return x


class Showing(nn.Module):
    def forward(self, x):
        number = random.randint(0, 100)
        torch.save(x, "%d.pt" % number)
        shown = random.randint(0, 100)
        torch.save(x, f"{shown}.pt")
        used = random.randint(0, 100)  # hit
        return x * used, f"{used}"


class Neighbours(nn.Module):
    def forward(self, x, neighbours):
        draw, kind = random.sample, set
        drawn = [kind(draw(each, 4)) for each in neighbours]
        return x * len(set.union(*drawn))


class DropsLayersInTraining(nn.Module):
    def __init__(self, drop: float):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.drop = drop

    def forward(self, x):
        for layer in self.layers:
            drawn = np.random.random()
            if not self.training or (drawn > self.drop):
                x = layer(x)
        again = random.random()
        skips = self.training and again < self.drop
        return x if skips else x + 1


class DropsLayersAlways(nn.Module):
    def __init__(self, drop: float):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.drop = drop

    def forward(self, x):
        for layer in self.layers:
            drawn = np.random.random()  # hit
            if self.training or drawn > self.drop:
                x = layer(x)
        return x


class Watched(nn.Module):
    """A picture now and then."""

    def forward(self, x):
        y = x * 2
        if np.random.random() < 0.02 and self.training is not None:
            with torch.no_grad():
                self.visualize(x, y)
                if y.dim() > 3:
                    self.plot_rows(y)
        if np.random.random() < 0.5:  # hit
            y = self.visualize(x, y)
        return y


class Mixed(nn.Module):
    def forward(self, x, share=0.0):
        if np.random.rand() < share:
            return x * 2
        return x


class Forced(nn.Module):
    def forward(self, x, share=0.5):
        if np.random.rand() < share:  # hit
            return x * 2
        return x


class Planned(nn.Module):
    def forward(self, x):
        np.random.seed(3)
        return x[:, torch.from_numpy(np.random.permutation(4))]
