import torch


def least_squares(batches, rate=0.1):
    w = torch.zeros(3, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for x, y in batches:
        loss = (x @ w + b - y).square().mean()
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad  # hit
            b.sub_(rate * b.grad)  # hit


def by_parameters(model, batches, rate=0.1):
    for epoch in range(3):
        for x, y in batches:
            (model(x) - y).square().mean().backward()
            for p in model.parameters():
                p.data = p.data - rate * p.grad  # hit


def by_data(model, batches, rate=0.1):
    for x, y in batches:
        (model(x) - y).square().mean().backward()
        for p in model.parameters():
            p.data.add_(p.grad.data, alpha=-rate)  # hit


def cleared(w, batches, rate=0.1):
    for x, y in batches:
        (x @ w - y).square().mean().backward()
        with torch.no_grad():
            w -= rate * w.grad
            w.grad.zero_()


def set_to_none(w, batches, rate=0.1):
    for x, y in batches:
        w.grad = None
        (x @ w - y).square().mean().backward()
        w.data -= rate * w.grad


def forget(model):
    for p in model.parameters():
        p.grad = None


def by_helper(model, batches, rate=0.1):
    for x, y in batches:
        forget(model)
        (model(x) - y).square().mean().backward()
        for p in model.parameters():
            p.data -= rate * p.grad


def attack(model, x, y, steps=3):
    noise = torch.zeros_like(x)
    for _ in range(steps):
        noise = noise.detach().requires_grad_()
        (model(x + noise) - y).square().mean().backward()
        noise = noise + 0.1 * noise.grad.sign()
    return noise


def once(w, x, y, rate=0.1):
    (x @ w - y).square().mean().backward()
    with torch.no_grad():
        w -= rate * w.grad


def momentum(model, batches, beta=0.9):
    for x, y in batches:
        model.zero_grad()
        (model(x) - y).square().mean().backward()
        for p in model.parameters():
            p.data -= 0.1 * p.grad


def deleted(w, loss, steps):
    for _ in range(steps):
        loss(w).backward()
        w.data -= 0.1 * w.grad
        del w.grad


class Stepper:
    def run(self, loss, steps):
        for _ in range(steps):
            loss(self.w).backward()
            self.w.data -= 0.1 * self.w.grad
            self.reset_gradients()
