import numpy as np
import torch
from torch import nn


def weighted(labels, scores):
    one = nn.CrossEntropyLoss(weight=torch.tensor([1, 5]))  # hit
    two = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0]))
    three = nn.NLLLoss(torch.from_numpy(np.array([0.2, 0.8])))  # hit
    four = nn.NLLLoss(torch.from_numpy(np.array([0.2, 0.8])).float())
    five = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3]))
    counts = torch.arange(1, 3)
    six = nn.functional.cross_entropy(scores, labels, weight=counts)  # hit
    return one, two, three, four, five, six, nn.CrossEntropyLoss(1.0 / counts)
