import torch
import torch.nn.functional as F
from torch import nn

gate = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Dropout(0.1, inplace=True))  # hit
head = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Dropout(0.1))
norm = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(inplace=True))
leaky = nn.Sequential(nn.LeakyReLU(0.1), nn.Dropout(0.1, True), *[nn.ReLU(inplace=True)])

rectified = nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU(True), nn.Dropout2d(0.1, inplace=True))  # hit
idle = nn.Sequential(nn.Sigmoid(), nn.Dropout(0.0, inplace=True))
smooth = nn.Sequential(nn.GELU(), nn.Dropout(0.1, inplace=True), nn.LeakyReLU(0.1, True))


class Gated(nn.Module):
    def __init__(self, n, rate=0.1):
        super().__init__()
        self.conv = nn.Conv2d(n, n, 3)
        self.drop = nn.Dropout(rate, inplace=True)  # hit
        self.kept = nn.Dropout(rate)
        self.leaky = nn.LeakyReLU(0.1, inplace=True)

    def forward(self, x):
        gate = self.squash(self.conv(x))
        x = self.drop(gate)
        x = F.dropout(torch.tanh(x), 0.1, self.training, True)  # hit
        x = F.relu(self.leaky(self.conv(x)), inplace=True)  # hit
        return self.kept(torch.sigmoid(x))

    def squash(self, x):
        return x.sigmoid()


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


def either(net, x, t, flag):
    loss = 0
    if flag:
        loss = F.mse_loss(net(x), t)
    else:
        t.zero_()
    loss.backward()


def quietly(net, x, t):
    loss = F.mse_loss(net(x), t)
    with torch.no_grad():
        t.zero_()  # hit
    loss.backward()


def aside(net, x, t):
    loss = F.mse_loss(net(x), t)
    t.data.zero_()
    loss.backward()


def spoil(t):
    t.clamp_(0, 1)  # hit


def through_helper(net, x, t):
    loss = F.mse_loss(net(x), target=t)
    spoil(t)
    loss.mean().backward()


class Gate(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.fc = nn.Linear(wide, wide)
        self.conv = nn.Conv1d(wide, wide, 1)

    def forward(self, x, mask):
        gate = torch.sigmoid(self.fc(x))
        gate -= 0.5  # hit
        weight = torch.exp(self.fc(x))
        weight.mul_(mask)  # hit
        clean = torch.exp(self.fc(x))
        clean = clean * mask
        kept = torch.sigmoid(self.fc(x)).clone()
        kept += 1
        drawn = torch.sigmoid(torch.randn(4))
        drawn -= 0.5
        return gate + weight + clean + kept + drawn


class Shortcut(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.conv = nn.Conv1d(wide, wide, 1)
        self.norm = nn.BatchNorm1d(wide)

    def forward(self, x):
        x = self.norm(x)
        x += self.conv(x)  # hit
        out = self.norm(self.conv(x))
        out += x
        if not self.training:
            gate = torch.sigmoid(self.conv(x))
            gate -= 0.5
        return out


class Act(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.act = {"relu": nn.ReLU, "prelu": nn.PReLU}[kind]()

    def forward(self, x):
        return self.act(x)


class ConvAct(nn.Sequential):
    def __init__(self, wide, kind):
        super().__init__(nn.Conv2d(wide, wide, 1), nn.BatchNorm2d(wide), Act(kind))


class Block(nn.Module):
    def __init__(self, wide, kind="prelu"):
        super().__init__()
        self.first = ConvAct(wide, kind)
        self.last = ConvAct(wide, kind)
        self.other = nn.Conv2d(wide, wide, 1)

    def forward(self, x):
        kept = x
        x = self.first(x)
        x = self.last(x)
        x += kept
        y = self.first(x)
        z = self.other(y)
        y += z  # hit
        return y


class Conditioned(nn.Module):
    """One input that is a tuple: what is taken out of it is not one tensor."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 4)

    def forward(self, data):
        x, mask, step = data
        h = x
        h += self.embed(step)
        return h * mask


class Conditioning(nn.Module):
    """The same, changed where the layer has it."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 4)

    def forward(self, data):
        x, mask, step = data
        part = self.embed(step)
        step += part  # hit
        return x * mask * step


class Flattened(nn.Module):
    """Features by their names: another tensor takes the place of each."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, features):
        for key in features.keys():
            features[key] = features[key].flatten(0, 1)
        return self.head(features["last"])


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.top = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.flat = Flattened()

    def forward(self, x):
        return self.flat(self.top(x))
