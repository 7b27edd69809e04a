import json
from collections import OrderedDict
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torch.nn import Conv2d as Conv

WIDTH = 48
HEADS = 4

a = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(32))  # hit
b = nn.Sequential(nn.Conv2d(3, WIDTH, 3), nn.ReLU(), nn.Conv2d(WIDTH, 10, 1))
c = nn.Sequential(
    Conv(3, WIDTH, 3),
    nn.Dropout(0.1),
    nn.MaxPool2d(2),
    Conv(64, 10, 1),  # hit
)
d = nn.Sequential(
    OrderedDict(
        [
            ("conv", nn.Conv1d(3, 2 * 16, 3)),
            ("norm", nn.BatchNorm1d(16)),  # hit
        ]
    )
)
e = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(10, 5))  # hit
f = nn.Sequential(nn.Linear(10, 20), nn.LayerNorm(20), nn.Linear(20, 5))
g = nn.Sequential(nn.Linear(10, 20), nn.LayerNorm(10))  # hit
h = nn.Sequential(nn.Linear(10, 20), nn.BatchNorm1d(50), nn.Linear(20, 5))
i = nn.Sequential(nn.Conv2d(3, 64, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
j = nn.Sequential(nn.Conv2d(3, 64, 3), nn.AdaptiveAvgPool2d(1), nn.Linear(64, 10))  # hit
k = nn.Sequential(nn.Conv2d(3, 64, 3), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 10))  # hit
l = nn.Sequential(nn.Conv2d(3, 64, 3), nn.Flatten(), nn.Linear(64 * 49, 10))
m = nn.Sequential(nn.Conv2d(3, 64, 3), nn.Flatten(), nn.Linear(1000, 10))  # hit
n = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm1d(64))  # hit
o = nn.Sequential(nn.Conv2d(3, 64, 3), nn.PixelShuffle(2), nn.Conv2d(16, 3, 3))
p = nn.Sequential(nn.Conv2d(3, 64, 3), nn.PixelShuffle(3))  # hit
q = nn.Sequential(nn.Conv2d(3, 64, 3), nn.InstanceNorm2d(32))
r = nn.Sequential(nn.Conv2d(3, 64, 3), nn.InstanceNorm2d(32, affine=True))  # hit
s = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(32, affine=False))  # hit
t = nn.Sequential(nn.Conv2d(3, 64, 3), nn.PReLU(), nn.PReLU(64), nn.PReLU(32))  # hit
u = nn.Sequential(nn.Conv2d(3, 64, 3), nn.Sequential(nn.BatchNorm2d(64), nn.Conv2d(64, 8, 1)), nn.Conv2d(64, 1, 1))  # hit
v = nn.Sequential(*[nn.Linear(4, 8), nn.Linear(4, 8)])  # hit
w = nn.Sequential(nn.utils.spectral_norm(nn.Conv2d(3, 64, 3)), nn.Conv2d(32, 3, 3))  # hit
x = nn.Sequential(nn.Conv2d(3, 64, 3), nn.Flatten(2), nn.Linear(1000, 10))
y = nn.Sequential(nn.LSTM(3, 4), nn.Linear(7, 4))  # hit
z = nn.Sequential(nn.Embedding(100, 16), nn.Linear(32, 4))  # hit
aa = nn.Sequential(nn.Conv2d(3, 64, 3), nn.GLU(1), nn.Conv2d(32, 3, 3))
ab = nn.Sequential(nn.Conv2d(3, 64, 3), nn.Upsample(2), nn.ReflectionPad2d(1), nn.Conv2d(63, 3, 3))  # hit
ac = nn.Sequential(nn.Conv2d(3, 64, 3), nn.GroupNorm(8, 32))  # hit
ad = nn.Sequential()
ae = nn.Sequential(*things(), nn.Linear(3, 4))
af = nn.Sequential(nn.Conv2d(3, 64, 3), nn.Identity() if WIDTH else nn.ReLU(), nn.BatchNorm2d(3))  # hit
ag = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(3) if WIDTH else nn.Identity())  # hit

nn.Conv2d(6, 6, 1, groups=4)  # hit
nn.Conv2d(6, 6, 1, groups=3)
nn.Conv2d(6, 6, 1, group=3)
nn.Conv2d(6, 6, 1, padding_mode="reflect", device="cpu", dtype=None)
nn.ConvTranspose2d(6, 6, 1, output_padding=0, padding_mode="zeros")
nn.Conv2d(6, 9, 1, 1, 0, 1, 6)  # hit
nn.ConvTranspose2d(6, 6, 1, groups=4)  # hit
nn.ConvTranspose2d(6, 6, 1, 1, 0, 4)
nn.GroupNorm(32, 48)  # hit
nn.GroupNorm(num_groups=HEADS, num_channels=WIDTH)
nn.GroupNorm(num_channels=WIDTH, num_groups=5)  # hit
nn.Conv2d(3, 6, 3, stride=2, padding="same")  # hit
nn.Conv2d(3, 6, 4, padding="same")
nn.Conv2d(3, 6, 4, padding=4 // 2)  # hit
nn.Conv2d(3, 6, 4, padding=(4 - 1) // 2)  # hit
nn.Conv2d(3, 6, 4, stride=2, padding=(4 - 1) // 2)
nn.Conv2d(3, 6, 4, padding=2)
nn.Conv2d(3, 6, 3, padding=3 // 2)
nn.Conv2d(3, 6, 4, padding=3 // 2)


class Block(nn.Sequential):
    def __init__(self, wide):
        super().__init__(
            nn.Conv2d(3, 64, 3),
            nn.BatchNorm2d(46),  # hit
        )


class Net(nn.Module):
    def __init__(self, width=64, deep=False):
        super().__init__()
        hidden = 128
        self.conv1 = nn.Conv2d(3, 64, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(64)
        self.conv2 = nn.Conv2d(32, 64, 3)  # hit
        self.conv3 = nn.Conv2d(width, 32, 3)
        self.bn3 = nn.BatchNorm2d(width)  # hit
        self.features = nn.Sequential(nn.Conv2d(64, 16, 3), nn.ReLU())
        self.narrow = nn.Conv2d(8, 16, 3)  # hit
        self.joined = nn.Conv2d(81, 16, 3)
        self.fc = nn.Linear(321, 10)  # hit
        self.out = nn.Linear(hidden, 10)
        self.swapped = nn.Conv2d(7, 7, 3)  # hit
        if deep:
            self.swapped = nn.Conv2d(64, 7, 3)
        self.late = nn.Conv2d(5, 5, 1)

    def forward(self, x, other=None):
        x = F.relu(self.bn1(self.conv1(x)))
        wide = x
        y = self.conv2(x)
        y = self.bn3(self.conv3(y))
        z = self.features(x)
        bad = z + x  # hit
        both = torch.cat([x, z], dim=1)  # hit
        both = self.joined(both)
        z = self.narrow(z)
        z = self.swapped(x)
        for layer in self.blocks:
            x = layer(x)
        x = self.late(x)
        x = x.view(-1, 320)
        x = self.fc(x)
        return self.out(x.permute(1, 0))

    def branches(self, x):
        x = self.conv1(x)
        if x.shape[0] > 1:
            x = self.late2(x)
        return self.late(x)

    def again(self, x):
        scale = torch.rand(1, 5, 1, 1)
        x = self.conv1(x) * torch.sigmoid(x)
        x = x.transpose(1, 2)
        return self.late(x)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 16, 3)
        self.gate = nn.Conv2d(8, 1, 1)
        self.conv2 = nn.Conv2d(16, 16, 1)
        self.fc = nn.Linear(16, 4)
        self.fc2 = nn.Linear(3, 4)  # hit

    def forward(self, x):
        x = self.conv(x) * self.gate(x)  # hit
        x = self.conv2(x)
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        x = self.fc(x)
        while self.more:
            x = self.fc2(x)
        match x:
            case 1:
                x = self.fc2(x)
        x = self.fc(x) if (n := self.fc(x)) is None else self.fc2(self.fc(x))
        return x


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        return torch.relu(self.conv(x))


class Row(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        return self.conv(x)


def bodies():
    net, row, res = Sum(), Row(), torchvision.models.resnet18()
    one = Sum()
    two = Row()
    three = torchvision.models.resnet18(weights=None)
    nn.Sequential(*one.children())  # hit
    nn.Sequential(*list(one.children()))  # hit
    nn.Sequential(*list(one.children())[:-1])
    nn.Sequential(*two.children())
    nn.Sequential(*three.children())  # hit
    nn.Sequential(*list(three.children())[:-2])
    nn.Sequential(*net.children())  # hit


def local(n):
    k = 4
    conv = nn.Conv2d(3, 6, k, padding=k // 2)  # hit
    c = 3
    for _ in range(n):
        c *= 2
        nn.Sequential(nn.Conv2d(c, 3, 3), nn.Conv2d(3, c, 3))
        nn.Sequential(nn.Conv2d(3, c, 3), nn.Conv2d(3, c, 3))
    return conv


class Joined(nn.Module):
    def __init__(self):
        super().__init__()
        self.near = nn.Conv2d(3, 16, 1)
        self.far = nn.Conv2d(3, 24, 1)
        self.out = nn.Conv2d(41, 3, 1)  # hit

    def forward(self, x):
        return self.out(torch.cat([self.near(x), self.far(x)], dim=1))


def make_head(width, classes=10):
    layers = [nn.Linear(width, 64), nn.ReLU()]
    layers.append(nn.Linear(65, classes))  # hit
    return nn.Sequential(*layers)


def make_tail(width, kernel=4):
    half = kernel // 2
    row = nn.Sequential()
    row.add_module("down", nn.Conv2d(width, 8, kernel, padding=half))  # hit
    row.add_module("norm", nn.BatchNorm2d(9))  # hit
    return row


class Pieces(nn.Module):
    """Layers of a Sequential that run by themselves are no row."""

    def __init__(self):
        super().__init__()
        self.heads = nn.Sequential(nn.Linear(8, 2), nn.Linear(8, 3))

    def forward(self, x):
        return [head(x) for head in self.heads]


def cut():
    model = Sum()
    parts = list(model.children())
    short = nn.Sequential(*parts[:-1])
    return nn.Sequential(*parts), short  # hit


class Either(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 16, 1)
        self.fc = nn.Linear(16, 4)
        self.fc2 = nn.Linear(3, 4)  # hit

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.conv(x), 1).flatten(1)
        return self.fc(x) if x.shape[0] > 3 else self.fc2(self.fc(x))


class Pyramid(nn.Module):
    """How many maps it is given is not known; what goes into the last layer is neither."""

    def __init__(self, widths=(16, 32, 64)):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(width, 8, 1) for width in widths[:-1]])
        self.top = nn.Conv2d(widths[-1], 8, 1)
        self.last = nn.Conv2d(8 * len(widths), 4, 1)

    def forward(self, *inputs):
        found = [self.top(inputs[-1])]
        for i in reversed(range(len(inputs) - 1)):
            found.append(self.lateral[i](inputs[i]))
        return self.last(torch.cat(found, 1))


class Handed(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 1)
        self.last = nn.Conv2d(16, 4, 1)  # hit

    def forward(self, *inputs):
        return self.last(self.first(*inputs))


class Resized(nn.Module):
    """How many axes `like` has is told by nothing."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose3d(8, 8, 3, 2, 1)

    def forward(self, like, x):
        size = like.size()[2:]
        return F.interpolate(self.up(x), size=size)


class Headless(nn.Module):
    """A layer that the constructor takes out of a row again."""

    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(8, 4))
        del self.head[0]

    def forward(self, x):
        return self.head(x.view(-1, 3, 8))


class PaddedConv(nn.Conv2d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.padding = (self.kernel_size[0] // 2, self.kernel_size[1] // 2)


class WidePaddedConv(nn.Conv2d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.padding = (2, 2)


class Shortcuts(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.plain = PaddedConv(8, 8, 3), nn.Conv2d(8, 8, 3)
        self.wide = WidePaddedConv(8, 8, 3)

    def forward(self, x: torch.Tensor):
        n, c, h, w = x.shape
        y = x + self.conv(x)
        y = y + self.wide(y)  # hit
        return y, x + self.plain(x)  # hit


class Turned(nn.Linear):
    """The weight is kept the other way round; what is turned back fits, what is not does not."""

    def __init__(self, wide, out):
        super().__init__(wide, out)
        self.weight.data = self.weight.data.transpose(0, 1)

    def forward(self, x):
        right = F.linear(x, self.weight.transpose(0, 1))
        return right, F.linear(x, self.weight)  # hit


def turn():
    turned = Turned(4, 6)
    return turned(torch.zeros(2, 4))


def refused(x):
    src = torch.tensor(10, 1024, 3)
    return src.permute(0, 2, 1)


class Kernels(nn.Module):
    """How many sizes the star gives is not known."""

    def __init__(self, size):
        super().__init__()
        size = nn.modules.utils._pair(size)
        self.weight = nn.Parameter(torch.Tensor(4, 4, *size))
        self.few = nn.Parameter(torch.Tensor(4, 4))
        self.scale = nn.Parameter(torch.ones(4, 4, 1, 1))

    def forward(self, x):
        wide = self.scale.expand(self.weight.shape)
        return x * wide, self.scale.expand(self.few.shape)  # hit


class Unpacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.gru = nn.LSTM(8, 4, batch_first=True), nn.GRU(8, 4, batch_first=True)
        self.line = nn.Linear(4, 2)
        self.whole = nn.Sequential(nn.LSTM(8, 4, batch_first=True), nn.Linear(4, 2))

    def forward(self, x):
        one = self.line(self.rnn(x))  # hit
        two, _ = self.gru(x)
        return one, self.line(two), self.line(self.rnn(x)[0]), self.whole(x)  # hit


def take_head():
    headless = torchvision.models.resnet50()
    del headless.fc
    other = torchvision.models.resnet50()
    other.fc = nn.Identity()
    whole = torchvision.models.resnet50()
    whole.avgpool = nn.AdaptiveAvgPool2d((6, 1))
    nn.Sequential(*list(headless.children()))
    nn.Sequential(*list(other.children()))
    nn.Sequential(*list(whole.children()))  # hit


class Waves(nn.Module):
    def __init__(self, wide=32):
        super().__init__()
        self.start = nn.Conv2d(2, wide, (1, 1))
        self.gate = nn.Conv1d(wide, wide, kernel_size=(1, 2))  # hit
        self.skip = nn.Conv1d(wide, wide, kernel_size=(2,))

    def forward(self, x):
        y = torch.tanh(self.gate(self.start(x)))
        return y + self.skip(torch.relu(self.start(x)).flatten(2))


class Tubes(nn.Module):
    def __init__(self, wide=8, kind="flat"):
        super().__init__()
        self.embed = nn.Conv2d(3, wide, 4) if kind == "flat" else nn.Conv3d(3, wide, 4)

    def forward(self, x):
        batch, times, bands, height, width = x.shape
        kind = type(self.embed)
        if kind == nn.Conv3d:
            return self.embed(x.view(batch, bands, times, height, width)).mean(2)
        return self.embed(x.view(batch * times, bands, height, width))


@dataclass
class Sizes:
    wide: int = 512
    words: int = -1  # as many as the tokenizer has


def read_sizes(path):
    return Sizes(**json.loads(path.read_text()))


class Filled(nn.Module):
    def __init__(self, sizes: Sizes):
        super().__init__()
        self.sizes = sizes
        self.table = nn.Embedding(300, sizes.wide)
        self.embed = nn.Embedding(300, 8)
        self.head = nn.Linear(9, 2)  # hit

    def forward(self, x):
        table = self.table.weight.reshape(-1, 10, 4096)
        return table, x.reshape(-1, self.sizes.words), self.head(self.embed(x))


class Placed(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(64, 64)

    def forward(self, x, places):
        rows = x.size(0)
        return self.mix(x.permute(1, 0, 2) + places.permute(1, 0, 2).repeat(1, rows, 1))
