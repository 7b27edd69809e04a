import torch
from torch.amp import autocast


def plain(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):  # hit
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()


def by_default(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():  # hit
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()


def bfloat16(model, loader, optimizer, dtype, mixed):
    for batch in loader:
        optimizer.zero_grad()
        with autocast("cuda", dtype=torch.bfloat16):
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        with autocast("cuda", dtype=dtype):
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        with autocast("cuda", enabled=mixed):
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()


def on_cpu(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        with autocast("cpu"):
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()


def evaluated(model, loader):
    for batch in loader:
        with torch.autocast("cuda"):
            print(model(batch).mean())
