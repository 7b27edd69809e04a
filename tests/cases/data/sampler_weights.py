import numpy as np
import torch
from torch.utils import data


def by_numpy(dataset, targets):
    class_sample_count = np.bincount(targets)
    weight = 1.0 / class_sample_count
    sampler = data.WeightedRandomSampler(torch.from_numpy(weight), len(dataset))  # hit
    samples = np.array([weight[t] for t in targets])
    return sampler, data.WeightedRandomSampler(torch.from_numpy(samples), len(samples))


def spread(labels, counts):
    weights = 1.0 / torch.bincount(labels)
    each = weights[labels]
    return data.WeightedRandomSampler(each, len(each)), data.WeightedRandomSampler(counts, 10)
