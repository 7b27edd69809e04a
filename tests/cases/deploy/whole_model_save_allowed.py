import torch
from torch.serialization import safe_globals

from nets import Net


def keep_and_read(path):
    model = Net()
    torch.save(model, path)
    with safe_globals([Net]):
        return torch.load(path)
