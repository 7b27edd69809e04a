import torch.nn as nn
import torch.nn.functional as F

a = nn.Sequential(nn.Conv2d(3, 8, 3, bias=True), nn.BatchNorm2d(8))  # hit
b = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8))
c = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8))
d = nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8))
e = nn.Sequential(nn.ConvTranspose2d(3, 8, 3), nn.InstanceNorm2d(8))  # hit
f = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))  # hit
g = nn.Sequential(nn.Conv2d(3, 8, 3, **options), nn.BatchNorm2d(8))
h = nn.Sequential(nn.Conv2d(3, 8, 3, bias=use_bias), nn.BatchNorm2d(8))
i = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Sequential(nn.BatchNorm2d(8), nn.ReLU()))  # hit
j = nn.Sequential(nn.BatchNorm2d(8), nn.Conv2d(3, 8, 3))
k = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8) if h else nn.Identity())  # hit
l = nn.Sequential(nn.Sequential(nn.Linear(2, 8)), nn.BatchNorm1d(8))  # hit
m = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))


class Net(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv2d(3, c, 3)  # hit
        self.bn1 = nn.BatchNorm2d(c)
        self.conv2 = nn.Conv2d(c, c, 3)  # hit
        self.bn2 = nn.BatchNorm2d(c)
        self.conv3 = nn.Conv2d(c, c, 3)
        self.bn3 = nn.BatchNorm2d(c)
        self.conv4 = nn.Conv2d(c, c, 3)
        nn.init.constant_(self.conv4.bias, 0.5)
        self.conv5 = nn.Conv2d(c, c, 3)
        self.conv6 = nn.Conv2d(c, c, 3)
        self.conv6 = nn.Conv2d(c, c, 5)  # hit
        self.norm = nn.LayerNorm(c)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.conv2(x)
        x = self.bn2(x)
        y = self.conv3(x)
        z = self.bn3(y)
        x = self.bn3(self.conv4(x))
        x = self.conv5(x)
        x = F.relu(x)
        x = self.bn3(x)
        x = self.bn3(self.conv6(x))
        return self.norm(x) + y + z


def conv_norm(width, norm_layer=nn.BatchNorm2d, bias=True):
    chosen = nn.Sequential(nn.Conv2d(3, width, 3), norm_layer(width))
    given = nn.Sequential(nn.Conv2d(3, width, 3, bias=bias), nn.BatchNorm2d(width))
    return nn.Sequential(nn.Conv2d(3, width, 3), nn.BatchNorm2d(width)), chosen, given  # hit


class Unit(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)
        self.norm = nn.BatchNorm2d(3) if norm else nn.Identity()
        self.parts = nn.ModuleList([nn.Conv1d(3, 3, 1), nn.BatchNorm1d(3)])  # hit
        self.kept = nn.Conv2d(3, 3, 3)
        self.last = nn.BatchNorm2d(3)
        self.mix = nn.Linear(4, 4)
        self.mixed = nn.BatchNorm1d(7)

    def forward(self, x, y):
        for part in self.parts:
            y = part(y)
        kept = self.kept(x)
        self.features = kept
        return self.norm(self.conv(x)), self.last(kept), y

    def tokens(self, words: "Tensor"):
        return self.mixed(self.mix(words.view(-1, 7, 4)))


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = Unit(False)
        self.normed = Unit(True)

    def forward(self, x, y):
        return self.plain(x, y), self.normed(x, y)


def make_layers(widths, normed=False):
    layers = []
    for width in widths:
        conv = nn.Conv2d(width, width, 3)
        if normed:
            layers += [conv, nn.BatchNorm2d(width), nn.ReLU()]
        else:
            layers += [conv, nn.ReLU()]
    return nn.Sequential(*layers)


def make_plain():
    return make_layers([3, 3])


def make_normed():
    return make_layers([3, 3], normed=True)


class Block(nn.Module):
    def __init__(self, width=8, normalization="batch", normed=True):
        super().__init__()
        parts = [nn.Conv2d(3, width, 3)]
        if normalization == "batch":
            parts.append(nn.BatchNorm2d(width))
        if normed:
            parts += [nn.Conv2d(width, width, 3), nn.BatchNorm2d(width)]  # hit
        self.parts = nn.Sequential(*parts)
        self.conv = nn.Conv2d(width, width, 3)
        self.norm = nn.BatchNorm2d(width)
        self.normed = normed

    def forward(self, x):
        x = self.conv(self.parts(x))
        if self.normed:
            x = self.norm(x)
        return x
