import torch
import torch.nn.functional as F


def similarity(x, y, window):
    mean = F.conv2d(x, window)
    square = mean**2
    spread = F.conv2d(x * x, window) - square
    low = mean / (mean + 1e-8)  # hit
    return low, ((2 * square + 0.01) * spread) / ((square + 0.01) * (spread + 0.03) + 1e-8)


def train(model, loader, optimizer, scaler, window):
    for x in loader:
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = similarity(model(x), x, window)[1].mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
