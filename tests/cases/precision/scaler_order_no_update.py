import torch


def train(model, loader, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.step(optimizer)  # hit


def one_step(model, batch, optimizer, scaler):
    optimizer.zero_grad()
    scaler.scale(model(batch).mean()).backward()
    scaler.step(optimizer)
