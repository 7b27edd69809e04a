import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.parameter import Parameter

gate = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Dropout(0.1, inplace=True))  # hit
head = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Dropout(0.1))
norm = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(inplace=True))
leaky = nn.Sequential(nn.LeakyReLU(0.1), nn.Dropout(0.1, True), *[nn.ReLU(inplace=True)])


class Block(nn.Module):
    def __init__(self, n, inplace):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.kept = nn.ReLU()
        self.maybe = nn.ReLU(inplace=inplace)
        self.conv = nn.Conv2d(n, n, 3)
        self.branch = nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(n, n, 3))
        self.normed = nn.Sequential(nn.BatchNorm2d(n), nn.ReLU(inplace=True))
        self.scale = nn.Parameter(torch.zeros(n))
        self.frozen = nn.Parameter(torch.zeros(n), requires_grad=False)
        self.conv.weight.normal_()  # hit
        self.conv.weight.data.normal_()
        self.conv.bias[0] = 1  # hit
        self.scale.fill_(1)  # hit
        self.frozen.fill_(1)
        nn.init.zeros_(self.scale)
        with torch.no_grad():
            self.conv.weight.zero_()

    @torch.no_grad()
    def reset(self):
        self.scale.uniform_(-1, 1)

    def forward(self, x):
        return self.branch(x) + x  # hit


class PreActivation(Block):
    def forward(self, x):
        out = self.relu(x)  # hit
        out = self.conv(out)
        out = self.relu(out)
        return out + x


class Aliased(Block):
    def forward(self, x):
        identity = x
        out = self.relu(x)  # hit
        out = self.conv(out)
        out += identity
        return self.relu(out)


class Innocent(Block):
    def forward(self, x):
        identity = x
        out = self.conv(x)
        out = self.relu(out)
        out = out + identity
        x = self.relu(out)
        y = x + self.normed(x)
        z = self.kept(y) + y
        w = self.maybe(z) + z
        x = self.relu(w)
        return x + y


class Torchvision(Block):
    def forward(self, x):
        x = self.relu(x)
        identity = x
        out = self.conv(x)
        return F.relu(out, inplace=True) + identity


def leaves(values):
    w = torch.zeros(3, requires_grad=True)
    w += 1  # hit
    w[0] = 1
    v = torch.zeros(3)
    v += 1
    u = torch.zeros(3, requires_grad=True)
    u = u * 2
    u += 1
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.data -= 1
    w.grad.zero_()
    return w, v, values


def expanded(z, i, n):
    e = z.expand(3, n)
    e[0, i] = 1  # hit
    e = z.expand(3, n)
    e[i] = 2  # hit
    e[:, 0] = 1
    f = z.expand_as(e).clone()
    f[0, 0] = 1
    g = torch.broadcast_to(z, (3, n))
    g.add_(1)  # hit
    h = z.expand(3, n).contiguous()
    h += 1
    z[0] = e[0]
    k = z.expand(3, n)
    k = k + 1
    k[0, 0] = 1
    other = n.expand()
    return f, g, h, k, other


def train(model, x, t, optimizer):
    criterion = nn.CrossEntropyLoss()
    out = model(x)
    loss = criterion(out, t)
    t[t == 2] = 0  # hit
    loss.backward()
    loss = F.mse_loss(out, t)
    out[0] = 0  # hit
    loss.backward()
    t = t.clone()
    t[0] = 1
    optimizer.step()


def report(model, x, t):
    loss = F.cross_entropy(model(x), t)
    loss.backward()
    t[t == 2] = 0
    return loss


def copies(out):
    c = out.detach()
    c[c < 0] = 0  # hit
    d = out.detach().clone()
    d[d < 0] = 0
    total = out.sum() + c.sum() + d.sum()
    last = total.detach()
    last.zero_()
    return last


def freed(out):
    with torch.no_grad():
        c = out.detach()
        c.zero_()
    return out.sum()


def fuse(conv):
    fused = nn.Conv2d(3, 3, 1).requires_grad_(False).to(conv.weight.device)
    fused.weight.copy_(conv.weight)
    plain = nn.Conv2d(3, 3, 1)
    plain.weight.copy_(conv.weight)
    frozen = nn.Linear(3, 3)
    frozen.requires_grad_(False)
    frozen.weight.copy_(conv.weight)
    return fused, plain, frozen


def adversarial(critic, maker, images, noise, optimizer):
    criterion = nn.BCELoss()
    label = torch.full((8,), 1.0)
    real = criterion(critic(images), label)
    real.backward()
    label.fill_(0)
    made = criterion(critic(maker(noise)), label)
    made.backward()
    optimizer.step()
    label.fill_(1)
    criterion(critic(maker(noise)), label).backward()
    label.fill_(0)
    kept = criterion(critic(images), label)
    label.fill_(1)  # hit
    total = kept + criterion(critic(maker(noise)), label)
    total.backward()


def gathered(critic, images, t, optimizer, scaler, weight):
    losses = []
    losses.append(F.mse_loss(critic(images), t))
    t.mul_(2)  # hit
    sum(losses).backward()
    parts = {}
    parts["first"] = F.mse_loss(critic(images), t)
    scaler.scale(sum(parts.values())).backward()
    t.mul_(2)
    with torch.autocast("cuda"):
        loss = F.mse_loss(critic(images), t)
    loss = weight * loss
    print(loss.item())
    t += 1  # hit
    scaler.scale(loss).backward()
    t += 1
    loss, other = F.mse_loss(critic(images), t), t.sum()
    torch.autograd.backward(loss)
    t += 1
    other.backward()


def passed_on(fabric, net, x, t, optimizer, step):
    loss = F.mse_loss(net(x), t)
    fabric.backward(loss)
    t.zero_()
    loss = F.mse_loss(net(x), t)
    norm = step(loss, optimizer)
    t.zero_()
    loss = F.mse_loss(net(x), t)
    t.zero_()  # hit
    fabric.backward(loss)
    first = F.mse_loss(net(x), t)
    t.zero_()
    second = F.mse_loss(net(x), t)
    second.backward()
    return first, norm


class Steps:
    def both(self, net, x, t):
        self.loss = F.mse_loss(net(x), t)
        self.descend()
        t.zero_()
        loss = F.mse_loss(net(x), t)
        loss.backward()

    def one(self, net, x, t):
        self.loss = F.mse_loss(net(x), t)
        t.zero_()  # hit
        self.loss.backward()


class Defined(nn.Module):
    """Parameter taken from the module that defines it."""

    def __init__(self, n):
        super().__init__()
        self.scale = Parameter(torch.zeros(n))
        self.scale.fill_(1)  # hit
