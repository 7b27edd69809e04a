import torch


def scaled(model, rate):
    for name, p in model.named_parameters():
        if "bias" in name:
            continue
        p = p * rate  # hit


def moved(model, device):
    for b in model.buffers():
        b = b.to(device)  # hit


def written(model, rate, device):
    for p in model.parameters():
        p.data = p.data.to(device)
    with torch.no_grad():
        for p in model.parameters():
            p *= rate
    rows = []
    for p in model.parameters():
        p = p.detach()
        rows.append(p)
    for p in model.parameters():
        p = torch.zeros(3)
    return rows


def in_place(model, init):
    for p in model.parameters():
        p = p.data.copy_(p * 2)
    for p in model.parameters():
        p = init.xavier_uniform_(p)
    for p in model.buffers():
        p = p.requires_grad_(False)
