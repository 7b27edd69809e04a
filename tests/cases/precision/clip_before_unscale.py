import torch
from torch.cuda.amp import GradScaler
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


def missing(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        clip_grad_value_(model.parameters(), 0.5)  # hit
        scaler.step(optimizer)
        scaler.update()


def late(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        clip_grad_norm_(model.parameters(), 1.0)  # hit
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()


def right(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.unscale_(optimizer)
        clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def behind_a_flag(model, loader, optimizer, amp, clip):
    scaler = GradScaler(enabled=amp)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        if amp:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if clip > 0:
            if amp:
                scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), clip)
        if amp:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()


def flag_forgotten(model, loader, optimizer, amp, clip):
    scaler = GradScaler(enabled=amp)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        if amp:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if clip > 0:
            clip_grad_norm_(model.parameters(), clip)  # hit
        if amp:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.scaler = GradScaler()

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def step(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)  # hit
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def train(self, loader):
        for batch in loader:
            self.optimizer.zero_grad()
            self.backward(self.model(batch).mean())
            self.step()


def accumulated(model, loader, optimizer, every):
    scaler = GradScaler()
    for i, batch in enumerate(loader):
        scaler.scale(model(batch).mean() / every).backward()
        if (i + 1) % every == 0:
            clip_grad_norm_(model.parameters(), 1.0)  # hit
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def handed_on(model, loader, optimizer, prepare):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        prepare(optimizer)
        clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def two_models(maker, judge, batches):
    of_maker = torch.optim.Adam(maker.parameters())
    of_judge = torch.optim.Adam(judge.parameters())
    scaler = torch.amp.GradScaler()
    for batch in batches:
        of_judge.zero_grad()
        scaler.scale(judge(maker(batch).detach()).mean()).backward()
        scaler.unscale_(of_judge)
        clip_grad_norm_(judge.parameters(), 1.0)
        scaler.step(of_judge)
        of_maker.zero_grad()
        scaler.scale(judge(maker(batch)).mean()).backward()
        scaler.unscale_(of_maker)
        clip_grad_norm_(judge.parameters(), 1.0)  # hit
        scaler.step(of_maker)
        scaler.update()
