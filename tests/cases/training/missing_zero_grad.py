import torch
from shampoo import Shampoo
from transformers import AdamW


def in_between(model, loader, optimizer):
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.zero_grad()  # hit
        optimizer.step()


def scaled_in_between(model, loader, optimizer):
    scaler = torch.amp.GradScaler("cpu")
    for batch in loader:
        scaler.scale(model(batch).mean()).backward()
        optimizer.zero_grad()  # hit
        scaler.step(optimizer)
        scaler.update()


def at_every_turn(model, loader, optimizer, every):
    for i, batch in enumerate(loader):
        optimizer.zero_grad()  # hit
        (model(batch).mean() / every).backward()
        if (i + 1) % every == 0:
            optimizer.step()


def at_the_top(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def at_the_end(model, loader, optimizer):
    optimizer.zero_grad()
    for batch in loader:
        model(batch).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def accumulated(model, loader, optimizer, every):
    for i, batch in enumerate(loader):
        (model(batch).mean() / every).backward()
        if (i + 1) % every == 0:
            optimizer.step()
            optimizer.zero_grad()


def accumulated_at_the_top(model, loader, optimizer, every):
    for i, batch in enumerate(loader):
        if i % every == 0:
            optimizer.zero_grad()
        (model(batch).mean() / every).backward()
        if (i + 1) % every == 0:
            optimizer.step()


def of_the_model(model, loader, optimizer):
    for batch in loader:
        model.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def by_hand(model, loader, optimizer):
    for batch in loader:
        for p in model.parameters():
            p.grad = None
        model(batch).mean().backward()
        optimizer.step()


def closure(model, loader, optimizer):
    for batch in loader:

        def evaluate():
            optimizer.zero_grad()
            loss = model(batch).mean()
            loss.backward()
            return loss

        optimizer.step(evaluate)


def handed_on(model, loader, optimizer, clear):
    for batch in loader:
        model(batch).mean().backward()
        optimizer.step()
        clear(optimizer)


def gan(generator, critic, loader, optG, optD):
    for real in loader:
        optD.zero_grad()
        critic(real).mean().backward()
        critic(generator(real).detach()).mean().backward()
        optD.step()
        optG.zero_grad()
        critic(generator(real)).mean().backward()
        optG.step()


def inner_steps(model, loader, optimizer, updates):
    for batch in loader:
        for _ in range(updates):
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def sharpness_aware(model, loader, optimizer, base_optimizer):
    for batch in loader:
        base_optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.perturb()
        optimizer.zero_grad()
        model(batch).mean().backward()
        base_optimizer.step()


class Trainer:
    def train(self, loader):
        for batch in loader:
            self.optimizer.zero_grad()
            self.backward(self.model(batch))
            self.optimizer.step()

    def backward(self, loss):
        loss.mean().backward()


def by_other_names(net, data, updater):
    # zero_grad is called elsewhere, they said
    advance = updater.step
    for item in data:
        error = net(item).mean()
        error.backward()
        advance()
        updater.zero_grad()


class Fitter:
    def __init__(self, net, rate):
        self.net = net
        self.solver = torch.optim.SGD(net.parameters(), lr=rate)

    def apply(self):
        self.solver.step()  # hit

    def fit(self, data):
        # this loop forgets zero_grad
        for item in data:
            self.net(item).mean().backward()
            self.apply()


def nested(net, data, rate):
    solver = torch.optim.Adam(net.parameters(), lr=rate)

    def advance(item):
        net(item).mean().backward()
        solver.zero_grad()  # hit
        solver.step()

    for item in data:
        advance(item)


def two_players(maker, judge, batches):
    of_maker = torch.optim.Adam(maker.parameters())
    of_judge = torch.optim.Adam(judge.parameters())
    for batch in batches:
        of_judge.zero_grad()
        (judge(batch) - judge(maker(batch).detach())).mean().backward()
        of_judge.step()
        of_judge.zero_grad()
        judge(maker(batch)).mean().backward()
        of_maker.step()  # hit


def two_players_cleared(maker, judge, batches):
    of_maker = torch.optim.Adam(maker.parameters())
    of_judge = torch.optim.Adam(judge.parameters())
    for batch in batches:
        of_judge.zero_grad()
        (judge(batch) - judge(maker(batch).detach())).mean().backward()
        of_judge.step()
        maker.zero_grad()
        judge(maker(batch)).mean().backward()
        of_maker.step()


class Precision:
    def __init__(self, half):
        self.half = half
        if self.half:
            self.scaler = torch.amp.GradScaler("cuda")

    def backward(self, loss):
        if self.half:
            self.scaler.scale(loss).backward()
        else:
            loss.backward()

    def step(self, optimizer):
        if self.half:
            self.scaler.step(optimizer)
            self.scaler.update()
        else:
            optimizer.step()
        optimizer.zero_grad()


def foreign(model, loader, half):
    optimizer = Shampoo(model.parameters(), lr=0.1)
    precision = Precision(half)
    for x, y in loader:
        precision.backward(torch.nn.functional.cross_entropy(model(x), y))
        precision.step(optimizer)


def foreign_uncleared(model, loader):
    optimizer = AdamW(model.parameters(), lr=0.1)
    for x, y in loader:
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()  # hit


def own_steps(model, loader, wrap):
    optimizer = wrap(torch.optim.AdamW(model.parameters(), lr=0.1))
    for i, (x, y) in enumerate(loader):
        rate = optimizer.pre_step(i)  # may clear
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        print(rate)
