import numpy as np
import torch


def measure(model, loader, device):
    right = total = 0
    for x, y in loader:
        out = model(x.to(device))
        pred = out.argmax()  # hit
        right += (pred == y.to(device)).sum().item()
        right += (torch.argmax(out) == y).float().sum().item()  # hit
        right += out.argmax().eq(y).sum()  # hit
        total += torch.sum(y == out.argmax())  # hit
        best = out.argmax(1)
        right += (best == y).sum() + (out.argmax(dim=1) == y).sum()
        right += int(out.argmax() == y) + (out.argmax() == y[0]).sum()
        right += (np.argmax(out.numpy()) == y).sum()
        right += (out.argmax() == out.argmin()).sum()
    return right, total
