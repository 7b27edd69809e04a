import torch
from torch.utils.data import DataLoader


class Runner:
    def __init__(self, data, model, optimizer):
        self.loader = DataLoader(data, batch_size=4, shuffle=True)
        self.model, self.optimizer = model, optimizer

    def take(self):
        return next(iter(self.loader))  # hit

    def run(self, count):
        for _ in range(count):
            x, y = self.take()
            self.optimizer.zero_grad()
            (self.model(x) - y).square().mean().backward()
            self.optimizer.step()


def mixed(model, optimizer, labelled, unlabelled, total):
    batches, done = iter(unlabelled), 0
    example = next(iter(labelled))
    while done < total:
        try:
            more = next(batches)
        except StopIteration:
            batches = iter(unlabelled)
            more = next(batches)
        x, y = iter(labelled).__next__()  # hit
        if done % 100 == 0:
            print(model(next(iter(labelled))[0]))
        loss = (model(x) - y).square().mean() + model(more).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1
    return example


@torch.no_grad()
def look(model, loaders):
    for loader in loaders:
        print(model(next(iter(loader))[0]))


def epochs(model, optimizer, loader, others, count):
    for _ in range(count):
        shown = next(iter(others))
        for x, y in loader:
            optimizer.zero_grad()
            (model(x) - y).square().mean().backward()
            optimizer.step()
            with torch.no_grad():
                print(model(next(iter(others))[0]))
        print(model(shown[0]))


def other_firsts(model, optimizer, loader, heads, tasks):
    for batch in loader:
        device = next(iter(model.parameters())).device
        key = next(iter(batch))
        name, head = next(iter(heads.items()))
        optimizer.zero_grad()
        loss = head(model(batch[key].to(device))).mean()
        loss.backward()
        optimizer.step()
        print(name, next(iter(optimizer.state.values())))
    for task in tasks:
        support = DataLoader(task, batch_size=4, shuffle=True)
        x, y = next(iter(support))
        optimizer.zero_grad()
        (model(x) - y).square().mean().backward()
        optimizer.step()


def short(model, optimizer, trainloader, count):
    for _ in range(count):
        batch = next(iter(trainloader))  # hit
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
