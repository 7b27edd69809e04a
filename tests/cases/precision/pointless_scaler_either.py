import torch


def train(model, loader, optimizer, dtype):
    scaler = torch.amp.GradScaler("cuda")
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=dtype):
            loss = model(batch).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def evaluate(model, batch):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return model(batch)
