import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_


def clip_after(model, loader):
    params = model.parameters()
    opt = optim.SGD(params, lr=0.1)
    for x in loader:
        model(x).sum().backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)  # hit
        opt.step()


def clip_in_loop(model, loader, opt):
    trainable = filter(lambda p: p.requires_grad, model.parameters())
    for x in loader:
        model(x).sum().backward()
        clip_grad_norm_(trainable, 1.0)  # hit
        opt.step()


def kept(model, loader):
    params = list(model.parameters())
    opt = optim.SGD(params, lr=0.1)
    for x in loader:
        clip_grad_norm_(params, x)
    return opt


def again(model, opt):
    params = model.parameters()
    first = list(params)
    params = model.parameters()
    return first, list(params), opt


def either(model, kind):
    params = model.named_parameters()
    if kind == "sgd":
        return optim.SGD([p for _, p in params], lr=0.1)
    elif kind == "adam":
        return optim.Adam([p for _, p in params])
    names = [n for n, _ in params]
    count = sum(p.numel() for _, p in params)  # hit
    return names, count


def groups(net):
    ignored = list(map(id, net.fc.parameters()))
    base = filter(lambda p: id(p) not in ignored, net.parameters())
    return optim.SGD([{"params": base}, {"params": net.fc.parameters(), "lr": 0.01}], lr=0.1)


def counted_groups(net):
    base = filter(lambda p: p.requires_grad, net.parameters())
    print(len(list(base)))
    return optim.SGD([{"params": base}, {"params": net.fc.parameters()}], lr=0.1)  # hit


def late(net):
    ids = set(map(id, net.a.parameters()))
    first = filter(lambda p: id(p) not in ids, net.parameters())  # hit
    ids = set(map(id, net.b.parameters()))
    second = filter(lambda p: id(p) not in ids, net.parameters())
    return list(first), list(second)


def nested(xs, net):
    sizes = map(len, xs)
    for x in xs:
        for size in sizes:  # hit
            print(x, size)
    layers = net.children()
    for x in xs:
        for layer in layers:
            x = layer(x)
        return x


def by_hand(net):
    it = net.parameters()
    device = next(it).device
    rest = list(it)
    pairs = map(str, rest)
    return device, dict(zip(pairs, pairs))


def passed(net, function, flag):
    params = net.parameters()
    function(params)
    lazy = (p for p in params)
    other = map(float, [1])
    total = sum(other) if flag else max(other)
    own = net.parameters(3, 4)
    return list(lazy), total, list(own), list(own)


class Both(nn.Module):
    def parameters_of(self):
        children = self.children()
        names = list(children)

        def inner():
            children = self.children()
            return list(children)

        return names, inner


class Trainer:
    def __init__(self, model):
        self.params = filter(lambda p: p.requires_grad, model.parameters())
        self.kept = list(model.parameters())
        self.optimizer = optim.Adam(model.parameters())

    def step(self, loss):
        loss.backward()
        clip_grad_norm_(self.params, 1.0)  # hit
        clip_grad_norm_(self.kept, 1.0)
        self.optimizer.step()


def by_name(args, model):
    trainable = filter(lambda p: p.requires_grad, model.parameters())
    if args.optimizer == "SGD":
        make = torch.optim.SGD
    elif args.optimizer == "Adam":
        make = torch.optim.Adam
    else:
        make = torch.optim.RMSprop
    return make(trainable, lr=args.lr)


def epochs(model, optimizer, loader, count):
    batches = iter(loader)
    for _ in range(count):
        for x, y in batches:  # hit
            optimizer.zero_grad()
            (model(x) - y).abs().mean().backward()
            optimizer.step()


def parts(model, loader, count):
    batches = iter(loader)
    for _ in range(count):
        for x in batches:
            if model(x).sum() > 0:
                break


def once(model, loader):
    for x in iter(loader):
        model(x)


class Runner:
    def __init__(self, net):
        self.net = net
        self.params = net.parameters()
        self.kept = list(net.parameters())
        self.optimizer = torch.optim.SGD(self.params, lr=0.1)

    def step(self, x, y):
        self.optimizer.zero_grad()
        torch.nn.functional.mse_loss(self.net(x), y).backward()
        torch.nn.utils.clip_grad_norm_(self.params, 1.0)  # hit
        torch.nn.utils.clip_grad_norm_(self.kept, 1.0)
        self.optimizer.step()


class Endless(torch.utils.data.Sampler):
    def __iter__(self):
        while True:
            yield 0


def snapshots(model, optimizer, data, shown):
    train_loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    test_loader = torch.utils.data.DataLoader(shown, batch_size=4)
    endless = torch.utils.data.DataLoader(shown, batch_size=4, sampler=Endless())
    test_iter, other_iter = iter(test_loader), iter(test_loader)
    shown_iter = iter(test_loader)
    again_iter = iter(test_loader)
    caught_iter = iter(test_loader)
    endless_iter = iter(endless)
    first_iter = iter(test_loader)
    first = next(first_iter)
    for epoch in range(9):
        for i, (x, y) in enumerate(train_loader):
            optimizer.zero_grad()
            (model(x) - y).abs().mean().backward()
            optimizer.step()
            if i % 100 == 0:
                x, y = next(shown_iter)  # hit
                print(model(x), next(endless_iter), first)
                if i % len(test_loader) == 0:
                    again_iter = iter(test_loader)
                print(next(again_iter))
                try:
                    print(next(caught_iter))
                except StopIteration:
                    break
        for _ in range(3):
            print(next(test_iter), next(other_iter))
