import copy

import torch


def best(model, loader, optimizer, path):
    kept, copied, cloned, saved = None, None, None, None
    for epoch in range(3):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
        if epoch == 2:
            kept = model.state_dict()  # hit
            copied = copy.deepcopy(model.state_dict())
            cloned = {k: v.clone() for k, v in model.state_dict().items()}
            saved = model.state_dict()
            torch.save(saved, path)
    model.load_state_dict(kept)
    return copied, cloned


def helped(model, loader, optimizer):
    best_state = model.state_dict()
    for epoch in range(3):
        step(model, loader, optimizer)
        if epoch:
            best_state = model.module.state_dict()  # hit
    return best_state


def step(model, loader, optimizer):
    for x in loader:
        model(x).mean().backward()
        optimizer.step()


def partial(model, pretrained):
    own = model.state_dict()
    own.update(pretrained)
    model.load_state_dict(own)


def reset(model, loader, optimizer):
    start = model.state_dict()  # hit
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
    model.load_state_dict(start)


def other(model, twin, loader, optimizer):
    start = model.state_dict()
    twin.load_state_dict(start)
    for x in loader:
        model(x).mean().backward()
        optimizer.step()


def last(model, loader, optimizer):
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
    state = model.state_dict()
    return state


def evaluate(model, loader):
    state = None
    for x in loader:
        if model(x).mean() > 0:
            state = model.state_dict()
    return state


def helped_reset(model, loader, optimizer):
    start = model.state_dict()  # hit
    step(model, loader, optimizer)
    model.load_state_dict(start)


def unchanged(model, loader):
    start = model.state_dict()
    model.load_state_dict(start)
    for x in loader:
        model(x).mean().backward()


class Stopping:
    def __init__(self):
        self.lowest, self.state, self.copied = float("inf"), None, None

    def __call__(self, loss, model):
        if loss < self.lowest:
            self.lowest = loss
            self.state = model.state_dict()  # hit
            self.copied = {k: v.clone() for k, v in model.state_dict().items()}

    def restore(self, model, other):
        model.load_state_dict(self.state)
        other.load_state_dict(self.copied)


def in_dictionaries(model, optimizer, loader, score):
    best, kept, high = None, None, 0.0
    for _ in range(3):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        if best is None or score(model) > best["score"]:
            best = {"score": score(model), "model": model.state_dict()}  # hit
        if score(model) > high:
            high, kept = score(model), {k: v.detach() for k, v in model.state_dict().items()}  # hit
    model.load_state_dict(best["model"])
    model.load_state_dict(kept)
    return model


def saved_at_once(model, optimizer, loader, score):
    high = 0.0
    for _ in range(3):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        if score(model) > high:
            weights = {"model": model.state_dict()}
            torch.save(weights, "best.pth")
    weights = {"model": model.state_dict()}
    torch.save(weights, "last.pth")


def saved_later(model, optimizer, loader, score):
    high = 0.0
    for _ in range(3):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        if score(model) > high:
            weights = {"model": model.state_dict()}  # hit
    if high > 1:
        weights = {"model": model.state_dict()}
    torch.save(weights, "last.pth")


def trained_elsewhere(model, run_epoch, measure):
    best, weights, first = 1e9, None, None
    for epoch in range(9):
        run_epoch(model)
        loss = measure(model)
        if loss < best:
            best = loss
            weights = model.state_dict()  # hit
        if epoch == 0:
            first = {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(weights)
    model.load_state_dict(first)
    return model


def measured_alone(model, measure):
    weights = model.state_dict()
    measure(model)
    model.load_state_dict(weights)


def best_of(net, steps, optimizer, x, y, measure):
    lowest, kept, named, copied, listed = 1e9, None, None, None, None
    for _ in range(steps):
        optimizer.zero_grad()
        loss = measure(net(x), y)
        loss.backward()
        optimizer.step()
        if loss.item() < lowest:
            lowest = loss.item()
            kept = [p.data for p in net.parameters()]  # hit
            named = {n: p.detach() for n, p in net.named_parameters()}  # hit
            copied = [p.data.clone() for p in net.parameters()]
            listed = sum(p.numel() for p in net.parameters() if p.requires_grad)
    for p, old in zip(net.parameters(), kept):
        p.data.copy_(old)
    for p, old in zip(net.parameters(), copied):
        p.data = old
    return named, listed


def train_average(model, loader, optimizer, decay):
    shadow = {n: p.data for n, p in model.named_parameters()}  # hit
    kept = {n: p.data.clone() for n, p in model.named_parameters()}
    ema = model.state_dict()  # hit
    weights = {n: p.data for n, p in model.named_parameters()}
    ema_grads = {n: p.data for n, p in model.named_parameters()}
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        for n, p in model.named_parameters():
            shadow[n].mul_(decay).add_(p.data, alpha=1 - decay)
            kept[n].mul_(decay).add_(p.data, alpha=1 - decay)
            ema[n].lerp_(p.data, 1 - decay)
            weights[n].mul_(decay).add_(p.data, alpha=-0.1)
            ema_grads[n].mul_(decay).add_(p.grad, alpha=-0.1)
    return shadow, kept, ema
