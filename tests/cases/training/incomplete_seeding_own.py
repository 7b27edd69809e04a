import numpy as np
import torch


def seed(n):
    torch.manual_seed(n)
    return np.random.RandomState(n).rand(), np.random.default_rng(n)
