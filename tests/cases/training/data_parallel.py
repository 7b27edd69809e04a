from torch import nn


def wrap(model):
    return nn.DataParallel(model)  # hit


def train(model, batches, optimizer, names):
    model = wrap(model)
    other = nn.parallel.DataParallel(model.cuda(), device_ids=[0, 1])  # hit
    for batch in batches:
        model(batch).sum().backward()
        optimizer.step()
    return other, names
