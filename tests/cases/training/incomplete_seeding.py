import random

import numpy as np
import torch
from torch.backends import cudnn


def seed(n):
    torch.manual_seed(n)  # hit
    random.seed(n)
    torch.cuda.manual_seed_all(n)
    torch.manual_seed(n + 1)


def augment(image, rng=np.random.default_rng(0)):
    return image + np.random.rand() + random.random() + rng.random()


def flags():
    cudnn.deterministic = True
    cudnn.benchmark = True  # hit


def chosen_flags(exactly):
    if exactly:
        cudnn.deterministic = True
        cudnn.benchmark = False
    else:
        cudnn.deterministic = False
        cudnn.benchmark = True


def other_flags():
    cudnn.deterministic = True
    cudnn.benchmark = False
