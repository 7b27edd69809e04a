import torch


def scalers():
    first = torch.amp.GradScaler()  # hit
    second = torch.amp.GradScaler("cpu")
    return first, second


def forward(model, batch):
    with torch.autocast("cpu", dtype=torch.float16):
        return model(batch)
