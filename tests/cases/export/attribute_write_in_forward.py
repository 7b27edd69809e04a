import torch
from torch import nn


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.rate = 0.5
        self.state = None
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("keys", torch.zeros(8, 3))

    def forward(self, x, position):
        self.calls += 1  # hit
        self.rate = self.rate * 0.9  # hit
        if self.state is None:
            self.state = torch.zeros(3)
        self.state = self.state + x.sum(0)  # hit
        self.total += x.sum(0)  # hit
        self.total.add_(x.mean(0))  # hit
        self.keys[position] = x[0]  # hit
        return self.after(x) * self.calls * self.rate

    def after(self, x):
        return x + self.state + self.total + self.keys.sum(0)


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.attention = None
        self.width = 3
        self.seen = 0
        self.mask = torch.ones(3)
        self.names = []
        self.layer = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("scratch", torch.zeros(3))

    def forward(self, x):
        self.calls += 1
        if self.calls % 100 == 0:
            print(self.calls)
        done = self.calls > 100
        self.attention = self.layer(x).softmax(-1)
        self.width = x.shape[-1]
        x = x * self.attention + self.width if done else x
        if self.training:
            self.mean = self.mean * 0.9 + x.mean(0) * 0.1
            self.mean.mul_(0.9)
        self.scratch[:] = x.sum(0)
        self.scratch[0] = 2
        self.names += ["a"]
        self.mask = self.mask.to(x.device).float()
        x = x + self.mask
        total = 0
        total += 1
        return x - self.mean + self.scratch + total

    def step(self):
        self.seen += 1
        return self.seen


class Counter:
    def __init__(self):
        self.n = 0

    def forward(self, x):
        self.n += 1
        return x * self.n


START = 0


class KeepsCount(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin()

    def begin(self, settings={"rate": 1.0}):
        self.calls, self.rate = START, settings["rate"]

    def count(self):
        self.calls += 1  # hit

    def fade(self, by):
        match by:
            case _:
                self.rate = by * self.rate  # hit

    def forward(self, x):
        self.count()
        self.fade(0.9)
        return x * self.calls * self.rate


class Shown(KeepsCount):
    def fade(self, by):
        self.rate = by

    def forward(self, x):
        self.fade(0.5)
        return x * self.rate


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("queue", torch.zeros(8, 3))
        self.register_buffer("fresh", torch.zeros(3))
        self.register_buffer("seen", torch.zeros(3))

    def update(self, buffer, value):
        buffer.mul_(0.9).add_(value, alpha=0.1)  # hit

    def push(self, rows, at):
        self.queue[at : at + rows.shape[0]] = rows  # hit

    def forward(self, x, at):
        self.update(self.mean, x.mean(0))
        self.push(rows=x, at=at)
        self.fresh.zero_()
        self.fresh.add_(x.sum(0))
        self.seen.add_(x.sum(0))
        return x - self.mean + self.queue.mean(0) + self.fresh


class Gate(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        return torch.sigmoid(self.alpha * x)


class Annealed(nn.Module):
    """A number of a part that is set from another, though it was the same before."""

    def __init__(self, width, alpha=0.1):
        super().__init__()
        self.width, self.alpha, self.epoch = width, alpha, 0
        self.part = Gate(self.alpha)

    def forward(self, x):
        self.part.alpha = self.alpha * (self.epoch + 1)
        return self.part(x)


class Partial(nn.Module):
    """What is worked out anew at another size, in two steps."""

    def __init__(self):
        super().__init__()
        self.last, self.mask = None, None

    def forward(self, x):
        if self.last != tuple(x.shape):
            self.last = tuple(x.shape)
            with torch.no_grad():
                self.mask = nn.functional.avg_pool2d(torch.ones_like(x), 3, 1, 1)  # hit
                self.mask = torch.clamp(self.mask, 0, 1)
        return x * self.mask


class Smoothed(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 8)
        self.last = self.other = self.seen = self.shown = None

    def forward(self, x):
        y = self.f(x)
        if self.last is not None:
            y = 0.9 * self.last + 0.1 * y
        self.last = y  # hit
        if not self.other:
            z = y
        else:
            z = torch.cat([self.other, y])
        self.other = y  # hit
        if self.seen is not None:
            print(len(self.seen))
        self.seen = z
        if self.shown is not None and self.training:
            y = y + self.shown
        self.shown = x * 2
        return y


class Normal:
    """Made anew at each call, with what it keeps."""

    def __init__(self, mean, log_sigma):
        self.mean, self.log_sigma = mean, log_sigma
        self.kept = None

    @property
    def sigma(self):
        if self.kept is None:
            self.kept = self.log_sigma.exp()
        return self.kept

    def sample(self):
        return self.mean + self.sigma * torch.randn_like(self.sigma)


class Sampling(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Conv2d(3, 8, 1)

    def forward(self, x):
        mean, log_sigma = self.net(x).chunk(2, 1)
        return Normal(mean, log_sigma).sample()


class Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        self.step += 1  # hit
        return self.out(x) * self.step


class Begun(nn.Module):
    """Each forward begins with a state of its own, which a method sets."""

    def __init__(self, batch):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.begin(batch)

    def begin(self, batch):
        self.state = (torch.zeros(1, batch, 16), torch.zeros(1, batch, 16))

    def forward(self, x):
        self.begin(x.size(0))
        out, self.state = self.lstm(x, self.state)
        return out


class GoneOn(nn.Module):
    """What is set first is made of what an earlier forward left."""

    def __init__(self, batch):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.begin(batch)

    def begin(self, batch):
        self.state = (torch.zeros(1, batch, 16), torch.zeros(1, batch, 16))

    def cut(self):
        self.state = (self.state[0].detach(), self.state[1].detach())

    def forward(self, x):
        self.cut()
        out, self.state = self.lstm(x, self.state)  # hit
        return out


class Whitened(nn.Module):
    """Statistics of all batches, which nothing computes with: what forward gives is of its own batch."""

    def __init__(self):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(4))
        self.register_buffer("running_shift", torch.zeros(4))
        self.running_mean.zero_()

    def forward(self, x):
        mean = x.mean(0)
        self.running_mean = 0.9 * self.running_mean + 0.1 * mean.detach()
        older = 0.9 * self.running_shift
        self.running_shift = older + 0.1 * mean  # hit
        return x - mean, older


class Whitening(nn.Module):
    """The same, and forward computes with them."""

    def __init__(self):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(4))

    def forward(self, x):
        self.running_mean = 0.9 * self.running_mean + 0.1 * x.mean(0).detach()  # hit
        return x - self.running_mean
