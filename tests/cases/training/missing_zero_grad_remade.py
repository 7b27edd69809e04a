import torch
from torch import nn


def make(model):
    return torch.optim.AdamW([{"params": [p for p in model.parameters() if p.requires_grad]}])


def train_one(model, loader, optimizer, scaler, scaled):
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        if scaled:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()


def train_fold(model: nn.Module, loader, scaled, epochs=10):
    scaler = torch.amp.GradScaler("cuda", enabled=scaled)
    optimizer = None
    stage = None
    for epoch in range(epochs):
        if stage != epoch // 3:
            optimizer = make(model)
            stage = epoch // 3
        train_one(model, loader, optimizer, scaler, scaled)
