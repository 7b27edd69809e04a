import torch


def spreads(x, y, mean):
    one = x.pow(2).mean(0) - x.mean(0).pow(2)  # hit
    two = torch.mean(x**2, dim=1) - torch.mean(x, dim=1) ** 2  # hit
    three = (x**2).mean(dim=0, keepdim=True) - x.mean(dim=0, keepdim=True) ** 2  # hit
    four = (x - x.mean()).pow(2).mean()
    five = x.pow(2).mean() - y.mean() ** 2
    six = (x * y).mean() - x.mean() * y.mean()
    seven = x.var(unbiased=False) - mean**2
    return one, two, three, four, five, six, seven
