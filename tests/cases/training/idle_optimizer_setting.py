import torch


class Wrapped:
    def __init__(self, inner):
        self.inner = inner
        self.lr = 0.1


def set_rate(optimizer, lr):
    optimizer.lr = lr  # hit


def set_and_note(optimizer, lr):
    for group in optimizer.param_groups:
        group["lr"] = lr
    optimizer.lr = lr


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    own = Wrapped(optimizer)
    own.lr = 0.2
    optimizer.name = "adam"
    for number, batch in enumerate(batches):
        set_rate(optimizer, 0.1 / (number + 1))
        set_and_note(optimizer, 0.1 / (number + 1))
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
