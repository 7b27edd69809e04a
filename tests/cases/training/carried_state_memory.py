"""What forward keeps on the model from one step to the next, with its graph."""

import torch
import torch.nn.functional as F
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.register_buffer("bank", torch.zeros(4))
        self.queue = torch.randn(8, 4)


class Mean(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)  # hit
        return z - self.bank


class Added(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank += z.mean(0)  # hit
        return z - self.bank


class Queue(Base):
    def forward(self, x):
        z = F.normalize(self.body(x), dim=1)
        scores = z @ self.queue.t()
        self.push(z)
        return scores

    def push(self, z):
        self.queue = torch.cat([self.queue, z])[-8:]  # hit


class Last(Base):
    def forward(self, x):
        z = self.body(x)
        out = z - self.bank
        self.bank = z.mean(0)  # hit
        return out, out.square()


class Unread(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z


class Beside(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z, self.bank


class Detached(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0).detach()
        self.queue = torch.cat([self.queue, z.detach()])[-8:]
        return z - self.bank + (z @ self.queue.t()).mean()


class OldDetached(Base):
    def forward(self, x):
        z = self.body(x)
        if self.training:
            self.bank = 0.9 * self.bank.detach() + 0.1 * z.mean(0)
        return z - self.bank


class KeptDetached(Base):
    def forward(self, x):
        z = self.body(x)
        mean = 0.9 * self.bank + 0.1 * z.mean(0)
        self.bank = mean.detach()
        return z - mean


class CutAfterwards(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        out = z - self.bank
        self.bank = self.bank.detach()
        return out


class Quiet(Base):
    def forward(self, x):
        z = self.body(x)
        with torch.no_grad():
            self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
            self.push(z)
        return z - self.bank + (z @ self.queue.t()).mean()

    def push(self, z):
        self.queue = torch.cat([self.queue, z])[-8:]


class QuietMethod(Base):
    def forward(self, x):
        z = self.body(x)
        scores = z @ self.queue.t()
        self.push(z)
        return scores

    @torch.no_grad()
    def push(self, z):
        self.queue = torch.cat([self.queue, z])[-8:]


class OfInput(Base):
    def forward(self, x):
        self.bank = 0.9 * self.bank + 0.1 * x.mean(0)
        return self.body(x - self.bank)


class OfLabels(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.argmax(1).float().mean()
        return z - self.bank


class Asked(Base):
    def forward(self, x, update):
        z = self.body(x)
        if update:
            self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z - self.bank


class Begun(Base):
    def forward(self, x):
        self.bank = torch.zeros(4)
        z = self.body(x)
        self.bank = self.bank + z.mean(0)
        return z - self.bank


class Cleared(Base):
    def clear(self):
        self.bank = torch.zeros(4)

    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z - self.bank


class OtherEncoder(Base):
    def __init__(self):
        super().__init__()
        self.keys = nn.Linear(4, 4)

    def forward(self, x):
        scores = self.body(x) - self.bank
        self.bank = self.keys(x).mean(0)
        return scores


class Untrained(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z - self.bank


class Teacher(Untrained):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z - self.bank


class EachAnew(Untrained):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)
        return z - self.bank


class Inner(Base):
    def forward(self, x):
        z = self.body(x)
        self.bank = 0.9 * self.bank + 0.1 * z.mean(0)  # hit
        return z - self.bank


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.inner(x))


def train(batches):
    mean, added, queue, last, unread = Mean(), Added(), Queue(), Last(), Unread()
    beside, outer = Beside(), Outer()
    detached, old_detached, kept_detached = Detached(), OldDetached(), KeptDetached()
    cut, quiet, quiet_method, of_input = CutAfterwards(), Quiet(), QuietMethod(), OfInput()
    of_labels, asked, begun, cleared = OfLabels(), Asked(), Begun(), Cleared()
    other, teacher = OtherEncoder(), Teacher()
    for x in batches:
        mean(x).mean().backward()
        added(x).mean().backward()
        queue(x).mean().backward()
        first, second = last(x)
        (first.mean() + second.mean()).backward()
        unread(x).mean().backward()
        beside(x)[0].mean().backward()
        outer(x).mean().backward()
        detached(x).mean().backward()
        old_detached(x).mean().backward()
        kept_detached(x).mean().backward()
        cut(x).mean().backward()
        quiet(x).mean().backward()
        quiet_method(x).mean().backward()
        of_input(x).mean().backward()
        of_labels(x).mean().backward()
        asked(x, False).mean().backward()
        begun(x).mean().backward()
        cleared.clear()
        cleared(x).mean().backward()
        other(x).mean().backward()
        with torch.no_grad():
            wanted = teacher(x)
        F.mse_loss(unread(x), wanted).backward()


def search(batches):
    for x in batches:
        model = EachAnew()
        model(x).mean().backward()


def look(batches):
    model = Untrained()
    for x in batches:
        model(x)
