import torch
import torch.nn.functional as F
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, widths, mode="nearest"):
        super().__init__()
        self.laterals = nn.ModuleList(nn.Conv2d(width, 32, 1) for width in reversed(widths))
        self.mode = mode

    def forward(self, maps: list[torch.Tensor]):
        x, number = torch.zeros(1), len(maps)
        for lateral in self.laterals:
            number -= 1
            if number < len(maps) - 1:
                x = F.interpolate(x, size=maps[number].shape[2:], mode=self.mode)
            x = x + lateral(maps[number])
        return x


class Doubled(Pyramid):
    def forward(self, maps: list[torch.Tensor]):
        x = torch.zeros(1)
        for lateral in self.laterals:
            x = F.interpolate(x, scale_factor=2)  # hit
            x = x + lateral(maps[0])
        return x


def train_on(samples):
    batch = []
    for sample in samples:
        batch.append([sample, [0] * len(sample)])
    tokens, kinds = map(torch.LongTensor, zip(*batch))
    places = torch.arange(tokens.size(1)).unsqueeze(0).expand_as(tokens)
    loss = F.l1_loss(places.float(), kinds.float(), reduction="elementwise_mean")
    ones = torch.ones(2)
    return loss + F.l1_loss(ones, ones, reduction="average")  # hit


train_on(torch.load("samples.pt"))


class Either(nn.Module):
    """What the constructor decides, forward asks again."""

    def __init__(self, opt):
        super().__init__()
        self.opt = opt
        if opt.variational:
            self.fc = nn.Linear(opt.z_dim, 16)
        else:
            self.fc = nn.Conv2d(opt.channels, 16, 3, padding=1)

    def forward(self, x):
        if self.opt.variational:
            return self.fc(torch.randn(x.size(0), self.opt.z_dim))
        return self.fc(nn.functional.interpolate(x, size=(4, 4)))


class Neither(nn.Module):
    """Both of them refuse a vector of eight."""

    def __init__(self, opt):
        super().__init__()
        self.fc = nn.Linear(3, 16) if opt.wide else nn.Linear(4, 8)  # hit # hit

    def forward(self, x):
        return self.fc(x.new_zeros(2, 8))


def copied(x):
    whole = torch.zeros(4, 2)
    return torch.FloatTensor(whole.size()).copy_(whole)


class One(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(18, 3, 3)

    def forward(self, x):
        return self.conv(x)


def overfed():
    """It raises before its layer does: it takes one argument."""
    return One()(torch.zeros(2, 3, 9, 9), torch.zeros(2, 15, 1, 1))


class Narrow(nn.Module):
    def __init__(self, width, padding=1):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=padding)

    def forward(self, x):
        return self.conv(x) + x


def build():
    """It raises before it is called: there is no dilation."""
    return Narrow(3, padding=0, dilation=2)(torch.zeros(2, 3, 9, 9))


class Volume(nn.Module):
    """Nobody says how deep it is: no map of it is empty."""

    def __init__(self, depth):
        super().__init__()
        self.depth = depth
        self.conv = nn.Conv3d(8, 8, 3, padding=1)

    def forward(self, x):
        cost = torch.zeros(x.size(0), 8, self.depth // 4, 16, 16)
        for i in range(self.depth // 4):
            cost[:, :, i] = x
        return self.conv(cost)


class Maps(nn.Module):
    """A Linear, or an Embedding, says nothing of how many axes there are: it may be given images."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)
        self.embedding = nn.Embedding(9, 16)
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x, tokens):
        images = self.conv(self.linear(x))
        others = torch.cat([images, torch.zeros(2, 8, 4, 14)], 1)
        return self.conv(self.embedding(tokens)).squeeze(3), others


class Known(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        images = self.conv(self.linear(x.permute(0, 3, 1, 2)))
        return torch.cat([images, torch.zeros(2, 8, 4)], 1)  # hit


class Dropped(nn.Module):
    """Dropout2d, and padding by a number, are given sequences too."""

    def __init__(self, block):
        super().__init__()
        self.first = nn.Conv1d(3, 8, 2)
        self.row = nn.Sequential(block, nn.Dropout2d(0.1), nn.ZeroPad2d(1), nn.Conv1d(8, 4, 2))

    def forward(self, x):
        return self.row(self.first(x))


class Signal(nn.Module):
    """A padding in front of the channel's axis: a batch of signals is read as one signal of channels."""

    def __init__(self):
        super().__init__()
        self.padding = nn.ReflectionPad1d(2)
        self.register_buffer("basis", torch.zeros(10, 1, 8))

    def forward(self, audio: torch.Tensor):
        return nn.functional.conv1d(self.padding(audio).unsqueeze(1), self.basis, stride=4)


class HandedOver(nn.Module):
    def __init__(self, size=16):
        super().__init__()
        self.size = size
        self.layer = nn.Linear(32, 10)

    def forward(self, x):
        return self.layer(torch.zeros(3, self.size))


class LeftAlone(nn.Module):
    def __init__(self, size=16):
        super().__init__()
        self.size = size
        self.layer = nn.Linear(32, 10)  # hit

    def forward(self, x):
        return self.layer(torch.zeros(3, self.size))


def build_with(kind, **settings):
    return kind(**settings)


def build_wide(**settings):
    return build_with(HandedOver, size=32, **settings)


def pick_above(maps, scores, least):
    maps = maps.permute(1, 0, 2, 3)
    chosen = scores >= least  # a mask of as many axes as the scores have
    return maps[:, chosen].permute(1, 0)


class Shuffled(nn.Module):
    """The branch for one stride says nothing of the input of the other."""

    def __init__(self, stride, width):
        super().__init__()
        self.stride = stride
        self.main = nn.Conv2d(width, width, 1)
        self.proj = nn.Conv2d(width, width, 3, 2, 1)

    def forward(self, x):
        if self.stride == 1:
            one, other = self.shuffle(x)
            return torch.cat((one, self.main(other)), 1)
        elif self.stride == 2:
            return torch.cat((self.proj(x), self.main(x)), 1)

    def shuffle(self, x):
        batch, width, height, long = x.size()
        x = x.reshape(batch * width // 2, 2, height * long).permute(1, 0, 2)
        x = x.reshape(2, -1, width // 2, height, long)
        return x[0], x[1]
