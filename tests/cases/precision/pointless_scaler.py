import torch
from torch.amp import GradScaler, autocast


def at_every_step(model, loader, optimizer):
    for batch in loader:
        scaler = GradScaler("cuda")  # hit
        optimizer.zero_grad()
        with autocast("cuda", dtype=torch.float16):
            loss = model(batch).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def for_every_fold(make, folds):
    for loader in folds:
        model = make()
        optimizer = torch.optim.Adam(model.parameters())
        scaler = GradScaler("cuda")
        for batch in loader:
            optimizer.zero_grad()
            with autocast("cuda", dtype=torch.float16):
                loss = model(batch).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()


def before_the_loop(model, loader, optimizer):
    scaler = torch.cuda.amp.GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = model(batch).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
