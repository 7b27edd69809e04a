import functools

import torch
from torch import optim
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, MultiStepLR, StepLR


def ahead(model, loader, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, epochs)
    for _ in range(epochs):
        scheduler.step()  # hit
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def ahead_in_the_step(model, loader, optimizer, lr_scheduler):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        lr_scheduler.step()  # hit
        optimizer.step()


def behind(model, loader, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(optimizer, 30)
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        scheduler.step()


def at_the_top_but_not_first(model, loader, optimizer, scheduler, epochs):
    for epoch in range(epochs):
        if epoch > 0:
            scheduler.step()
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def warmed_up(model, loader, optimizer, scheduler):
    optimizer.step()
    for batch in loader:
        scheduler.step()
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def of_another_library(model, loader, optimizer, scheduler, epochs):
    for epoch in range(epochs):
        scheduler.step(epoch)
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def gan(critic, generator, loader, opt_d, opt_g, sched_d, sched_g):
    for batch in loader:
        opt_d.zero_grad()
        critic(batch).mean().backward()
        opt_d.step()
        sched_d.step()
        opt_g.zero_grad()
        critic(generator(batch)).mean().backward()
        opt_g.step()
        sched_g.step()


def train_one_epoch(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def through_a_helper(model, loader, optimizer, epochs):
    scheduler = StepLR(optimizer, 10)
    for _ in range(epochs):
        scheduler.step()  # hit
        train_one_epoch(model, loader, optimizer)


def with_accumulation(model, loader, optimizer, scheduler):
    for i, batch in enumerate(loader):
        model(batch).mean().backward()
        if i % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
            scheduler.step()


def rebound(optimizer):
    scheduler = StepLR(optimizer, 30)
    scheduler = MultiStepLR(optimizer, [2, 4])  # hit
    return scheduler


def chained(optimizer):
    scheduler = lr_scheduler.LinearLR(optimizer)
    scheduler = lr_scheduler.SequentialLR(optimizer, [scheduler, StepLR(optimizer, 3)], [2])
    return scheduler


def chosen(optimizer, kind):
    scheduler = StepLR(optimizer, 30)
    if kind == "cosine":
        scheduler = CosineAnnealingLR(optimizer, 10)
    return scheduler


def verbose(optimizer):
    first = StepLR(optimizer, 30, verbose=True)  # hit
    second = lr_scheduler.ReduceLROnPlateau(optimizer, verbose=False, patience=3)  # hit
    return first, second


def unsorted(optimizer):
    return MultiStepLR(optimizer, [4, 2])


def resumed(model):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    return StepLR(optimizer, 30, last_epoch=5)  # hit


def resumed_with_a_name(model, start):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    return StepLR(optimizer, 30, last_epoch=start)


def not_resumed(model):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    return StepLR(optimizer, 30, last_epoch=-1)


def grown(model, head):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = LambdaLR(optimizer, lambda epoch: 0.9**epoch)
    optimizer.add_param_group({"params": head.parameters()})  # hit
    return scheduler


def grown_before(model, head):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    optimizer.add_param_group({"params": head.parameters()})
    return LambdaLR(optimizer, lambda epoch: 0.9**epoch)


def read(optimizer):
    scheduler = StepLR(optimizer, 30)
    return scheduler.get_lr(), scheduler.get_last_lr()  # hit


class Warmup(lr_scheduler.LRScheduler):
    def get_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def closed(self):
        return self.get_lr()


torch_version = tuple(int(part) for part in torch.__version__.split(".")[:2])
RECENT = torch_version >= (2, 4)


def by_release(optimizer):
    if RECENT:
        return StepLR(optimizer, 30)
    return StepLR(optimizer, 30, verbose=True)


def by_another_flag(optimizer, loud):
    return StepLR(optimizer, 30, verbose=True) if loud else StepLR(optimizer, 30)  # hit


def from_the_start(model, loader, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, epochs, last_epoch=-1)
    for _ in range(epochs):
        scheduler.step()  # hit
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def from_where_it_was(model, loader, epochs, start):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, epochs, last_epoch=start - 1)
    for _ in range(epochs):
        scheduler.step()
        for batch in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def not_resumed_either(model, start=-1):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    last_epoch = -1
    first = StepLR(optimizer, 30, 0.1, -1), CosineAnnealingLR(optimizer, 10, last_epoch=last_epoch)
    return first, LambdaLR(optimizer, lambda epoch: 1.0, last_epoch=start)


def by_partial(optimizer):
    make = functools.partial(StepLR, step_size=3)
    scheduler = make(optimizer)
    read = scheduler.get_lr
    return read()  # hit


def through_too_early(model, loader, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
            scheduler.step()  # hit


def in_time(model, loader, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
            scheduler.step()


def train_epoch(model, loader, optimizer, scheduler):
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        scheduler.step()  # hit


def by_settings(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=args.epochs)
    for epoch in range(args.start, args.epochs):
        train_epoch(model, loader, optimizer, scheduler)


def of_epochs(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        scheduler.step()


def accumulated(model, parts, data):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(data)
    scheduler = lr_scheduler.LinearLR(optimizer, total_iters=len(loader) // parts)
    for i, x in enumerate(loader):
        model(x).mean().backward()
        if (i + 1) % parts == 0:
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()  # hit


def accumulated_alike(model, parts, data):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(data)
    scheduler = lr_scheduler.LinearLR(optimizer, total_iters=len(loader) // parts)
    for i, x in enumerate(loader):
        model(x).mean().backward()
        if (i + 1) % parts == 0:
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


def on_plateau(model, optimizer, loss):
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer)
    scheduler.step()  # hit
    scheduler.step(loss)


def made_anew(model):
    """Each scheduler has an optimizer of its own."""
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = LambdaLR(optimizer, lambda epoch: 1)
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    optimizer.add_param_group({"params": [torch.zeros(1)]})
    scheduler = LambdaLR(optimizer, lambda epoch: 1)
    other = optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 4)  # hit
    return scheduler, other


def one_cycle_by_epochs(model, data, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(data)
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for _ in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        scheduler.step()  # hit


def cosine_by_epochs(model, data, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(data)
    total = epochs * len(loader)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, total)
    for _ in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        scheduler.step()  # hit


def one_cycle_by_batches(model, data, epochs, warm):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(data)
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
            if epoch > 0:
                scheduler.step()
        if epoch < warm:
            scheduler.step()


def cosine_of_epochs(model, data, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(data)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for _ in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        scheduler.step()


def steps_of_whole_batches(model, data, epochs):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=1)
    for _ in range(epochs):
        for x in data:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        scheduler.step()


def resumed_elsewhere(net, path):
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
    start = state["epoch"]
    return lr_scheduler.StepLR(optimizer, 30, last_epoch=start)  # hit


def begun(net, epoch=-1):
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    return lr_scheduler.StepLR(optimizer, 30, last_epoch=epoch)


def resume_early(model, path):
    state = torch.load(path, weights_only=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(optimizer, 30, last_epoch=state["epoch"])  # hit
    optimizer.load_state_dict(state["optimizer"])
    return scheduler


def read_of_the_step_alone(optimizer):
    scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: 0.9**step)
    cycle = lr_scheduler.OneCycleLR(optimizer, 0.1, 20)
    return scheduler.get_lr(), cycle.get_lr()


def read_of_joined(optimizer):
    warm = lr_scheduler.ConstantLR(optimizer, 0.5, 2)
    joined = lr_scheduler.SequentialLR(optimizer, [warm, StepLR(optimizer, 3)], [2])
    return joined.get_lr()  # hit


class Resumed:
    def __init__(self, model):
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def resume(self, path):
        self.optimizer.load_state_dict(torch.load(path, weights_only=True))

    def set_scheduler(self, last=0):
        self.scheduler = StepLR(self.optimizer, 3, last_epoch=last)
