from dataclasses import dataclass

import torch
from torch import nn
from torch.amp import GradScaler, autocast
from torch.nn.utils import clip_grad_norm_


def textbook(model, loader, optimizer, scheduler, epochs):
    scaler = GradScaler("cuda")
    for _ in range(epochs):
        for images, labels in loader:
            optimizer.zero_grad(set_to_none=True)
            with autocast("cuda", dtype=torch.float16):
                loss = nn.functional.cross_entropy(model(images), labels)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        scheduler.step()


def behind_a_flag(model, loader, optimizer, args):
    scaler = torch.cuda.amp.GradScaler() if args.amp else None
    for step, batch in enumerate(loader):
        loss = model(batch).mean() / args.accumulate
        if scaler is not None:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if (step + 1) % args.accumulate == 0:
            if scaler is not None:
                if args.clip:
                    scaler.unscale_(optimizer)
                    clip_grad_norm_(model.parameters(), args.clip)
                scaler.step(optimizer)
                scaler.update()
            else:
                if args.clip:
                    clip_grad_norm_(model.parameters(), args.clip)
                optimizer.step()
            optimizer.zero_grad()


def one_expression(model, loader, optimizer, amp):
    scaler = GradScaler(enabled=amp)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        scaler.scale(loss).backward() if amp else loss.backward()
        scaler.step(optimizer) if amp else optimizer.step()
        if amp:
            scaler.update()


def mixed_names(model, loader, optimizer, amp):
    scaler = GradScaler(enabled=amp)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        if amp:
            loss = scaler.scale(loss)
        loss.backward()
        if amp:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()


def plain_step(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaled = scaler.scale(model(batch).mean())
        scaled.backward()
        optimizer.step()  # hit


def past_the_check(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.unscale_(optimizer)
        optimizer.step()  # hit
        scaler.update()


def not_scaled(model, loader, optimizer):
    amp_scaler = torch.cuda.amp.GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        amp_scaler.step(optimizer)  # hit
        amp_scaler.update()


def thrown_away(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).mean()
        scaler.scale(loss)  # hit
        loss.backward()
        scaler.step(optimizer)
        scaler.update()


def unscaled_twice(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.unscale_(optimizer)
        clip_grad_norm_(model.parameters(), 1.0)
        scaler.unscale_(optimizer)  # hit
        scaler.step(optimizer)
        scaler.update()


def unscaled_late(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.step(optimizer)
        scaler.unscale_(optimizer)  # hit
        scaler.update()


def stepped_twice(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.step(optimizer)
        scaler.step(optimizer)  # hit
        scaler.update()


def updated_early(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.update()  # hit
        scaler.step(optimizer)


def updated_twice(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        scaler.update()  # hit


def updated_at_every_turn(model, loader, optimizer, every):
    scaler = GradScaler()
    for i, batch in enumerate(loader):
        scaler.scale(model(batch).mean() / every).backward()
        if (i + 1) % every == 0:
            scaler.step(optimizer)
            optimizer.zero_grad()
        scaler.update()  # hit


def unscaled_at_every_turn(model, loader, optimizer, every):
    scaler = GradScaler()
    for i, batch in enumerate(loader):
        scaler.scale(model(batch).mean() / every).backward()
        scaler.unscale_(optimizer)  # hit
        if (i + 1) % every == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def gan(generator, critic, loader, opt_g, opt_d):
    scaler = GradScaler()
    for real in loader:
        opt_d.zero_grad()
        scaler.scale(critic(real).mean()).backward()
        scaler.step(opt_d)
        opt_g.zero_grad()
        scaler.scale(-critic(generator(real)).mean()).backward()
        scaler.step(opt_g)
        scaler.update()


def gan_with_two_updates(generator, critic, loader, optG, optD):
    scaler = GradScaler()
    for real in loader:
        optD.zero_grad()
        scaler.scale(critic(real).mean()).backward()
        scaler.step(optD)
        scaler.update()
        optG.zero_grad()
        scaler.scale(-critic(generator(real)).mean()).backward()
        scaler.step(optG)
        scaler.update()


def two_steps_one_loss(model, loader, encoder_optimizer, decoder_optimizer):
    scaler = GradScaler()
    for batch in loader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.step(encoder_optimizer)
        scaler.update()  # hit
        scaler.step(decoder_optimizer)
        scaler.update()


def many_optimizers(model, loader, optimizers):
    scaler = GradScaler()
    for batch in loader:
        for optimizer in optimizers:
            optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        for optimizer in optimizers:
            scaler.unscale_(optimizer)
        for optimizer in optimizers:
            scaler.step(optimizer)
        scaler.update()


def half_scaled(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        first, second = model(batch)
        scaler.scale(first).backward(retain_graph=True)
        second.backward()  # hit
        scaler.step(optimizer)
        scaler.update()


def skipped_when_not_finite(model, loader, optimizer):
    scaler = GradScaler()
    for batch in loader:
        loss = model(batch).mean()
        if not torch.isfinite(loss):
            optimizer.zero_grad()
            continue
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):
            scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


def lbfgs(model, loader):
    optimizer = torch.optim.LBFGS(model.parameters())
    scaler = GradScaler()
    for batch in loader:
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        scaler.step(optimizer)  # hit
        scaler.update()


class Trainer:
    def __init__(self, model, optimizer, amp):
        self.model = model
        self.optimizer = optimizer
        self.scaler = GradScaler("cuda", enabled=amp)

    def fit(self, loader):
        for batch in loader:
            self.optimizer.zero_grad()
            self.scaler.scale(self.model(batch).mean()).backward()
            self._optimize()

    def _optimize(self):
        self.scaler.unscale_(self.optimizer)
        clip_grad_norm_(self.model.parameters(), 5.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def careless(self, loader):
        for batch in loader:
            self.optimizer.zero_grad()
            self.scaler.scale(self.model(batch).mean()).backward()
            self.scaler.unscale_(self.optimizer)
            self.scaler.unscale_(self.optimizer)  # hit
            self.scaler.step(self.optimizer)
            self.scaler.update()


def step_with(loss, optimizer, scaler=None, clip=None, params=()):
    if scaler is None:
        loss.backward()
        if clip is not None:
            clip_grad_norm_(params, clip)
        optimizer.step()
        return
    scaler.scale(loss).backward()
    if clip is not None:
        scaler.unscale_(optimizer)
        clip_grad_norm_(params, clip)
    scaler.step(optimizer)
    scaler.update()


def uses_helper(model, loader, optimizer, scaler):
    for batch in loader:
        optimizer.zero_grad()
        step_with(model(batch).mean(), optimizer, scaler=scaler, clip=1.0)


def plain_helper(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        step_with(model(batch).mean(), optimizer)


def standardized(features, scaler):
    scaler.fit(features)
    return scaler.transform(features)


def by_a_wrapper(model, loader, optimizer, loss_scaler):
    for batch in loader:
        optimizer.zero_grad()
        loss_scaler(model(batch).mean(), optimizer, parameters=model.parameters())


def flushed(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    for i, batch in enumerate(loader):
        with torch.autocast("cuda"):
            loss = model(batch).mean()
        scaler.scale(loss / k).backward()
        if (i + 1) % k == 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    if (i + 1) % k != 0:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


def flushed_always(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    for i, batch in enumerate(loader):
        loss = model(batch).mean()
        scaler.scale(loss / k).backward()
        if (i + 1) % k == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


def flushed_at_each_epoch(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    for _ in range(10):
        for i, batch in enumerate(loader):
            loss = model(batch).mean()
            scaler.scale(loss / k).backward()
            if (i + 1) % k == 0:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        scaler.step(optimizer)
        scaler.update()


def flushed_by_count(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    n = 0
    for batch in loader:
        loss = model(batch).mean()
        scaler.scale(loss / k).backward()
        n += 1
        if n < k:
            continue
        n = 0
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    if n:
        scaler.step(optimizer)
        scaler.update()


def cleared_ahead_of_update(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    for i, batch in enumerate(loader):
        loss = model(batch).mean()
        scaler.scale(loss / k).backward()
        if (i + 1) % k == 0:
            scaler.step(optimizer)
            optimizer.zero_grad()
            scaler.update()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


def flushed_past_the_scaler(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    for i, batch in enumerate(loader):
        loss = model(batch).mean()
        scaler.scale(loss / k).backward()
        if (i + 1) % k == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    if (i + 1) % k:
        optimizer.step()  # hit


def flushed_without_update(model, loader, optimizer, k):
    scaler = torch.amp.GradScaler()
    for i, batch in enumerate(loader):
        loss = model(batch).mean()
        scaler.scale(loss / k).backward()
        if (i + 1) % k == 0:
            scaler.step(optimizer)  # hit
            optimizer.zero_grad()
    scaler.step(optimizer)  # hit
    scaler.update()


def one_update_between_two(model, loader, first, second):
    scaler = torch.amp.GradScaler()
    for batch in loader:
        scaler.scale(model(batch).mean()).backward()
        scaler.step(first)
        scaler.update()  # hit
        scaler.step(second)


class Fitter:
    def __init__(self, net, rate):
        self.net, self.solver = net, torch.optim.SGD(net.parameters(), lr=rate)
        self.amp = GradScaler()

    def finish(self, solver):
        self.amp.step(solver)
        self.amp.update()

    def fit(self, data):
        advance = self.solver.step
        for item in data:
            self.solver.zero_grad()
            self.amp.scale(self.net(item).mean()).backward()
            advance()  # hit

    def fit_well(self, data):
        for item in data:
            self.solver.zero_grad()
            self.amp.scale(self.net(item).mean()).backward()
            self.finish(self.solver)


class OneOrMore:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.scaler = torch.amp.GradScaler()

    def step(self, loss):
        self.scaler.scale(loss).backward()
        chosen = {"one": self.optimizer}
        for each in chosen.values():
            self.scaler.unscale_(each)
        for each in chosen.values():
            self.scaler.step(each)
        self.scaler.update()


@dataclass
class TrainerParts:
    optimizer: torch.optim.Optimizer
    scaler: torch.amp.GradScaler | None


class PartsTrainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config

    def make(self):
        use = self.config.use_amp and torch.cuda.is_available()
        scaler = torch.amp.GradScaler("cuda") if use else None
        return TrainerParts(torch.optim.Adam(self.model.parameters()), scaler)

    def run(self, loss, scaler):
        if scaler:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        return loss

    @staticmethod
    def step(optimizer, scaler, model):
        if scaler:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        optimizer.zero_grad()

    def fit(self, loader, steps):
        parts = self.make()
        for i, (x, y) in enumerate(loader):
            loss = self.run((self.model(x) - y).square().mean(), parts.scaler)
            if (i + 1) % steps == 0:
                self.step(parts.optimizer, parts.scaler, self.model)
