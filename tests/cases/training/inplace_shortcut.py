import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, n, inplace):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.kept = nn.ReLU()
        self.maybe = nn.ReLU(inplace=inplace)
        self.conv = nn.Conv2d(n, n, 3)
        self.branch = nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(n, n, 3))
        self.normed = nn.Sequential(nn.BatchNorm2d(n), nn.ReLU(inplace=True))

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


class ByMethod(Block):
    def forward(self, x):
        return self.conv(x.relu_()) + x  # hit


class ByHelper(Block):
    def forward(self, x):
        return x + self.body(x)

    def body(self, x):
        return self.conv(F.leaky_relu(x, 0.1, True))  # hit


class Stack(nn.Module):
    """The shortcut has been through the same activation."""

    def __init__(self, n):
        super().__init__()
        self.conv = nn.Conv2d(n, n, 3)
        self.relu = nn.ReLU()

    def forward(self, x):
        x = self.relu(x)
        return self.conv(F.relu_(x)) + x


class Shifted(Block):
    def forward(self, x):
        y = self.conv(F.relu(x, inplace=True))
        return y * (x + 3.0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, 1, 1, 1))

    def forward(self, x, gain):
        mean = torch.mean(x, dim=[2, 3], keepdim=True)
        return (x - mean) * self.weight.expand(x.shape[0], -1, -1, -1) * gain.unsqueeze(2)


class TwiceScaled(nn.Module):
    """Two layers of one kind, of which the second gives what is added."""

    def __init__(self, n):
        super().__init__()
        self.pad = nn.ReflectionPad2d(1)
        self.first = nn.Conv2d(n, n, 3)
        self.norm1 = Scaled()
        self.relu = nn.ReLU(True)
        self.second = nn.Conv2d(n, n, 3)
        self.norm2 = Scaled()

    def forward(self, x, gain):
        out = self.norm1(self.first(self.pad(x)), gain)
        out = self.relu(out)
        out = self.second(self.pad(out))
        out = self.norm2(out, gain)
        return out + x


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(3):
            setattr(self, f"row{i}", TwiceScaled(8))

    def forward(self, x, gain):
        for i in range(3):
            x = getattr(self, f"row{i}")(x, gain)
        return x


class Wide(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.row = nn.Sequential(nn.Conv2d(n, n, 3, padding=1), nn.BatchNorm2d(n))

    def forward(self, x):
        return self.row(x)


class Alike(nn.Module):
    """Two parts of one kind, whose results are of one shape."""

    def __init__(self, n):
        super().__init__()
        self.first = Wide(n)
        self.second = Wide(n)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.first(x))
        return x + self.second(out)


class TwoAlike(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Alike(8), Alike(8))

    def forward(self, x):
        return self.body(x)


class Shared(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return self.fc(x)


class Timed(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = Shared(n)
        self.enc = Shared(n)

    def forward(self, x, t):
        out = self.fc(x)
        out += self.enc(t)
        return out


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = Shared(16)
        self.body = Timed(16)
        self.time = nn.Sequential(Shared(16), nn.LeakyReLU(0.02, inplace=True))

    def forward(self, x, t):
        t = self.time(t)
        return self.body(self.enter(x), t)


class Body(nn.Module):
    def __init__(self, dim, activation):
        super().__init__()
        self.conv = nn.Conv2d(dim, dim, 3, padding=1)
        self.activation = nn.ReLU(inplace=True) if activation == "relu" else None

    def forward(self, x):
        x = self.conv(x)
        if self.activation:
            x = self.activation(x)
        return x


class Residual(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.model = nn.Sequential(Body(dim, "relu"), Body(dim, "none"))

    def forward(self, x):
        residual = x
        out = self.model(x)
        out += residual
        return out


class Residuals(nn.Module):
    def __init__(self, count, dim):
        super().__init__()
        blocks = []
        for _ in range(count):
            blocks += [Residual(dim)]
        self.model = nn.Sequential(*blocks)

    def forward(self, x):
        return self.model(x)
