# torch: 1.10
import torch.utils.checkpoint as cp


def run(block, x):
    return cp.checkpoint(block, x)
