# torch: 2.4
import torch


def read(path, flag, options):
    torch.load(path)  # hit
    torch.load(path, "cpu")  # hit
    torch.load(path, weights_only=True)
    torch.load(path, weights_only=flag)
    torch.load(path, **options)
    torch.load(path, weights_only=None)
    torch.load("weights.pt")
    return torch.load(path, weights_only=False)  # hit
