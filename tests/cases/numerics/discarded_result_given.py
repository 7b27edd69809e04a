import torch


def clean(x, bad, batch, box):
    x.masked_fill(bad, 0.0)  # hit
    x.clamp(0, 1)  # hit
    x.clamp_(0, 1)
    x = x.clamp(0, 1)
    batch.shuffle()
    box.clip(0, 1)
    torch.nan_to_num(x)  # hit
    return x
