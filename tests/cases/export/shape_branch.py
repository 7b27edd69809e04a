# profile: onnx-legacy@17 torchscript-trace onnx torch.export
from collections import OrderedDict

import math

import numba
import torch
import torch.nn.functional as F
from torch import nn
from torch.compiler import is_compiling


class Branches(nn.Module):
    def forward(self, x, y):
        b, c, h, w = x.shape
        if h > 64:  # hit
            x = x[:, :, :64]
        if x.shape[-2:] != y.shape[-2:]:  # hit
            y = F.interpolate(y, size=x.shape[-2:])
        if b == 1 or c == 3:  # hit
            y = y * 2
        if h % 8 != 0:  # hit
            y = F.pad(y, [0, 0, 0, 8 - h % 8])
        y = y * 2 if w > h else y  # hit
        while h > 8:  # hit
            h = h // 2
            y = F.avg_pool2d(y, 2)
        return x, y


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, x, y, mask=None, spatial_shapes=None):
        b, c, h, w = x.shape
        assert h % 8 == 0
        torch._assert(h > 8, "small")
        if h % 8 or w > 4096:
            raise ValueError(f"{h}")
        if h > 4096:
            raise ValueError("large")
        if x.dim() == 3 or x.ndim == 3 or c > 4 or x.shape[1] == 3:
            x = x + 1
        if b == 0:
            return x
        if b >= 64:
            x = x.contiguous()
        if mask is not None and mask.sum() > h:
            x = x + mask
        if self.training and h > 64:
            x = x * 2
        if not torch.jit.is_scripting() and not torch.jit.is_tracing() and h > 64:  # hit
            x = x * 2
        if h != w:
            assert self.conv.bias is not None
        if b != y.size(0) and self.conv.bias is None:
            raise ValueError("batch")
        elif b != mask.size(0):
            if h > 8:
                raise ValueError("batch")
            else:
                warnings.warn("batch")
        if len(x) < 1 or w >= 1:
            x = x + 1
        if self.embed(y).size(1) == 8 or spatial_shapes.shape[0] == 1:
            x = x + 1
        if self.dynamic or self.grid.shape[2:] != x.shape[2:]:
            x = x + 1
        return x, y


def resized(size: list[int], mask: torch.Tensor, pair):
    if mask.shape[2:] != size or mask.shape[2:] != [8, 8]:  # a tuple is no list
        mask = mask * 2
    if list(mask.shape[2:]) != size:  # hit
        mask = F.interpolate(mask, size=size)
    if mask.shape[2:] != pair:  # hit
        mask = F.interpolate(mask, size=pair)
    return mask


class Masked(nn.Module):
    def forward(self, x, mask, augment=False):
        if augment and x.shape[2] > 8:
            return self.averaged(x)
        return x * resized([8, 8], mask, (8, 8)), non_max_suppression(x)

    def averaged(self, x):
        if x.shape[2] > 16:
            x = x * 2
        return x


def non_max_suppression(x):
    if x.shape[1] > 3000:
        x = x[:, :3000]
    return x


class Accuracy(torchmetrics.Metric):
    def forward(self, x, y):
        return most(x) + y


def most(x):
    if x.shape[0] > 8:
        x = x[:8]
    return x


class Pretrained(nn.Module):
    def forward(self, x):
        if x.shape[2] > 8:
            x = x * 2
        recon_loss = most(x).mean()
        return recon_loss


class Stepwise(nn.Module):
    def forward(self, x):
        if x.shape[2] > 8:
            x = x * 2
        return x

    def inference(self, x):
        return x


class Told(nn.Module):
    def forward(self, x):
        if x.shape[2] > 8:
            x = x * 2
        self.tell(x)


class Fixed(nn.Module):
    def forward(self, tokens):
        embedded = self.embed(tokens)
        if embedded.shape[-2] == embedded.shape[-1]:
            tokens = tokens + 1
        n, k = embedded.size(-2), embedded.size(-1)
        if self.wide:
            n, k = k, n
        if n != k:
            tokens = tokens + 1
        return tokens


class Asked(nn.Module):
    def forward(self, x):
        if torch.is_tensor(x):
            return random_masking(x)
        if x.shape[2] > 8:
            x = x * 2
        return x


def random_masking(x):
    if x.shape[1] > 8:
        x = x[:, :8]
    return x


class RandomErasing(nn.Module):
    def forward(self, x):
        if x.shape[2] > 8:
            x = x * 2
        return x


class ShapeLoss(nn.Module):
    def forward(self, x, target):
        if x.shape != target.shape:
            target = target.view_as(x)
        return (x - target).sum()


class PeriodDiscriminator(nn.Module):
    def forward(self, x):
        b, c, t = x.shape
        if t % self.period != 0:
            x = x[..., :-1]
        return self.convs(x)


class SSIM(nn.Module):
    def forward(self, x, y):
        if x.shape[2] > 512:
            x = x[..., ::2]
        return ssim(x, y)


def ssim(x, y):
    if x.shape[2] > 256:
        x = x[..., ::2]
    return x - y


class Vocoder(nn.Module):
    def forward(self, spect, audio):
        if spect.size(2) > audio.size(1):
            spect = spect[:, :, : audio.size(1)]
        return self.flow(rand_slice(spect), audio)

    def infer(self, spect):
        if spect.size(2) > 512:
            spect = spect[:, :, :512]
        return self.flow(spect)


class Gathers(nn.Module):
    def forward(self, x):
        if x.shape[2] > 256:
            x = x[..., ::2]
        torch.distributed.all_reduce(x)
        return x


def rand_slice(x):
    return x[..., :8] if x.shape[2] > 8 else x


class Slices(nn.Module):
    def forward(self, x):
        return rand_slice(x)


class AutoBackend(nn.Module):
    def forward(self, x):
        if self.format not in {"coreml", "imx"} and x.shape[0] > self.batch:
            return torch.cat([self.backend(part) for part in x.split(self.batch)])
        return self.backend(x)


class Head(nn.Module):
    def forward(self, x):
        if self.export and self.format in {"tflite", "edgetpu"}:
            return self.plain(x)
        if x.shape[2] > 64:  # hit
            x = x[:, :, :64]
        return self.plain(x)


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.grid = [torch.zeros(1)] * 3
        self.mask = None

    def forward(self, x):
        x = self.conv(x)
        if self.grid[0].shape[2:4] != x.shape[2:4]:
            self.grid[0] = torch.ones_like(x)
        if self.mask is None or self.mask.size(0) != x.shape[2]:
            self.mask: torch.Tensor = torch.ones(x.shape[2])
        if x.shape[2] != x.shape[3]:  # hit
            self.last = x.shape
        return x + self.grid[0] + self.mask


class Windowed(nn.Module):
    def __init__(self, window=(7, 7)):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.window = window
        self.limit = 512

    def forward(self, x):
        x = self.conv(x)
        h, w = x.shape[2:]
        shift = 0 if self.window[0] >= h else 3
        if self.window[1] >= w or x.size(2) < self.limit:
            shift = shift + 1
        if h > 512:  # hit
            x = x[:, :, :512]
        if w > h:  # hit
            x = x.mT
        return torch.roll(x, shift, 2)


class Resumed(nn.Module):
    def mix(self, x, cache=None):
        if cache is not None and x.shape[2] == 1:
            return x + cache
        if x.shape[2] == 1:  # hit
            return x * 2
        return x

    def forward(self, x, cache=None):
        return self.mix(x, cache)


class Fitted(nn.Module):
    """Maps of one image at two scales: which branch is taken stands as soon as an image is one."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.third = nn.Conv2d(8, 8, 3, stride=2, padding=1)

    def fit(self, before, after):
        if after.size(2) != before.size(2):
            before = F.interpolate(before, after.shape[2:])
        return before + after

    def forward(self, x, y):
        first = self.first(x)
        second = self.second(first)
        third = self.third(second)
        if y.shape[2:] != third.shape[2:]:  # hit
            y = F.interpolate(y, third.shape[2:])
        return self.fit(first, second) + self.fit(second, third).mean() + y


class Checked(nn.Module):
    """Only an error comes of what the branch works out."""

    def forward(self, x):
        h, w = x.shape[-2:]
        if h % 32 != 0 or w % 32 != 0:
            height = (h // 32 + 1) * 32 if h % 32 != 0 else h
            width = (w // 32 + 1) * 32 if w % 32 != 0 else w
            raise RuntimeError(f"give {height} x {width}")
        if h % 64:  # hit
            if w % 64:  # hit
                return x * 2
            raise RuntimeError("give a width of 64")
        return x


class Tuples(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        y = self.conv(x)
        if x.shape == (4, 3, 32, 32):  # hit
            y = y * 2
        if x.shape[1:] != (3, 32, 32):  # hit
            y = y * 2
        if x.shape[:2] != (x.size(0), 3):
            y = y * 2
        if y.shape[:2] == (x.size(0), 4):
            y = y * 2
        return y


class UnknownRank(nn.Module):
    def forward(self, theta):
        b = theta.size(0)
        if not theta.size() == (b, 6):
            theta = theta.view(b, 6)
            theta = theta.contiguous()
        return theta[:, 0].expand(b, 4)


@numba.jit
def tile(x):
    for i in range(x.shape[0] // 4):
        if x.shape[1] % 4 > 0 and i == x.shape[0] - 1:
            x[i] *= 2
    return x


class Tiled(nn.Module):
    """What is compiled as a kernel is no part of what is traced."""

    def forward(self, x):
        return tile(x)


class Insisting(nn.Module):
    """What is insisted on does not vary: another size raises."""

    def __init__(self, window, size=7):
        super().__init__()
        self.size, self.window = size, window
        self.conv = nn.Conv2d(3, 3, 3, 2, 1)

    def forward(self, x, y, z):
        height, width = x.shape[2:]
        assert height == self.size and width == self.size, "size"
        if height > 5:
            x = x + 1
        if y.shape[2] != self.window or y.shape[3] != self.window:
            raise ValueError
        if self.conv(y).shape[2] > 5:
            y = y + 1
        b, c, h, w = z.shape
        assert h % 8 == 0 and h == w
        if h > 64:  # hit
            z = z + 1
        return x, y, z


class Windows(nn.Module):
    def __init__(self, size=64):
        super().__init__()
        self.size = size
        self.layers = nn.ModuleList([nn.Linear(size, size)])

    def forward(self, x):
        outs, start, number = [], 0, 0
        while start + self.size <= x.shape[1]:  # hit
            outs.append(x[:, start : start + self.size])
            start += self.size
        while number < len(self.layers):
            number += 1
        return torch.stack(outs, dim=1)


class BySettings(nn.Module):
    """A stride or padding decides whether two sizes are equal: a constant of the model."""

    def __init__(self, c, out, stride, padding, size, ops):
        super().__init__()
        self.conv = nn.Conv2d(c, out, 3, stride=stride, padding=1)
        self.wide = nn.Conv2d(c, out, 3, padding=padding)
        self.pool = nn.MaxPool2d(2, 2)
        self.down = nn.Conv2d(c, c, 3, stride=2, padding=1)
        self.ops, self.size = nn.ModuleList(ops), size

    def forward(self, x, y, z):
        small = self.conv(x)
        if small.shape[2] == x.shape[2]:
            a = torch.cat([x, small], 1)
        else:
            a = torch.cat([self.pool(x), small], 1)
        wide = self.wide(y)
        if wide.shape[2:] != y.shape[2:]:
            y = y[:, :, 1:-1, 1:-1]
        if y.shape[2] == self.size:  # hit
            y = y * 2
        mixed = sum(op(z) for op in self.ops)
        b = mixed if mixed.shape[2] == z.shape[2] else mixed + self.pool(z)
        if mixed.shape[2:] != z.shape[2:]:
            z = self.down(z)
        return a, b, wide, y, z


class Rounded(nn.Module):
    """What mends a rounding is decided by the input, whoever made the other size."""

    def __init__(self, ops, stride):
        super().__init__()
        self.ops = nn.ModuleList(ops)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
        self.down = nn.Conv2d(4, 4, 2, stride=2)
        self.even = nn.Conv2d(4, 4, stride, stride=stride)
        self.back = nn.ConvTranspose2d(4, 4, stride, stride=stride)

    def forward(self, x, y, z):
        mixed = sum(op(x) for op in self.ops)
        if mixed.shape[2:] != x.shape[2:]:  # hit
            mixed = F.interpolate(mixed, size=x.shape[2:])
        up = self.up(self.down(y))
        if up.shape[2] != y.shape[2]:  # hit
            up = F.pad(up, (0, 0, 0, 1))
        back = self.back(self.even(z))
        if back.shape[2] != z.shape[2]:  # hit
            back = F.interpolate(back, size=z.shape[2:])
        return mixed, up, back


def as_number(value):
    return value.long() if torch.jit.is_tracing() and torch.is_tensor(value) else int(value)


class Patches(nn.Module):
    def forward(self, x):
        h = x.shape[2]
        rows = as_number(h // 8 * 8) if torch.jit.is_tracing() else (h + 7) // 8 * 8
        if rows != h:  # hit
            x = F.interpolate(x, size=(rows, x.shape[3]))
        return x


class Instances(OrderedDict):
    def __getitem__(self, key):
        made, options = super().__getitem__(key)
        return made(**options)


ACTIVATIONS = Instances({"relu": (nn.ReLU, {}), "leaky": (nn.LeakyReLU, {"negative_slope": 0.1})})


class Activated(nn.Module):
    def __init__(self, name="leaky"):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.act = ACTIVATIONS[name]

    def forward(self, x):
        x = self.act(self.down(x))
        if x.shape[2] % 2 != 0:  # hit
            x = F.pad(x, (0, 0, 0, 1))
        if x.shape[1] % 2 != 0:
            x = F.pad(x, (0, 0, 0, 0, 0, 1))
        return x


class MostPlaces(nn.Module):
    def __init__(self, most=1000, window=8):
        super().__init__()
        self.score = nn.Conv2d(3, 1, 3, padding=1)
        self.most, self.window = most, window

    def forward(self, x):
        scores = self.score(x)
        if scores.size(2) < self.window:
            scores = F.pad(scores, (0, 0, 0, self.window))
        scores = scores.flatten(1)
        if scores.size(1) > self.most:  # hit
            scores = scores.topk(self.most, 1)[0]
        return scores


class Sinc(nn.Module):
    def __init__(self, channels, kernel, stride):
        super().__init__()
        self.kernel, self.stride, self.channels = kernel, stride, channels
        self.filter = nn.Parameter(torch.zeros(channels, 1, kernel))

    def forward(self, x):
        wanted = (x.shape[2] - 1) * self.stride + 1
        around = (self.kernel - 1) // 2
        out = F.pad(x, (around, around), mode="reflect")
        out = F.conv_transpose1d(out, self.filter, stride=self.stride, groups=self.channels)
        more = out.shape[2] - wanted
        if more > 0:
            out = out[:, :, more // 2 : -more // 2]
        if x.shape[2] > 64:  # hit
            out = out * 2
        return out


class Ends(nn.Module):
    def forward(self, x):
        if x.shape[2] < 4:
            print("too small")
            exit(1)
        return x * 2


class Partitioned(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.act = nn.GELU()

    def forward(self, x):
        x = self.act(self.norm(x))
        b, h, w, c = x.shape
        if h % 7 or w % 7:  # hit
            x = F.pad(x, (0, 0, 0, -w % 7, 0, -h % 7))
        return x


class Merging(nn.Module):
    def forward(self, x):
        h, w = x.shape[2:]
        fixed, odd = [-1, -1], False
        if h % 2 != 0 or w % 2 != 0:  # hit
            fixed[0], fixed[1] = h // 2, w // 2
            odd = True
        even, other = x[:, :, 0::2], x[:, :, 1::2]
        if fixed[0] > 0:
            even, other = even[:, :, : fixed[0]], other[:, :, : fixed[0]]
        if odd:
            even = even * 2
        if even.shape[3] > 64:  # hit
            even = even * 3
        return torch.cat([even, other], 1)


class OfNothing(nn.Module):
    """What an empty batch takes, which no example is."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        if x.numel() > 0:
            return self.conv(x)
        if not x.shape[0]:
            return x.new_zeros(0, 8)
        return x[:, :1]


class Stretched(nn.Module):
    def forward(self, one, many):
        if one.size(0) == 1 and many.size(0) > 1:
            one = one.expand(many.size(0), -1)
        if many.size(0) == 1:  # hit
            many = many.cumsum(0)
        return one * many


class Turns(nn.Module):
    def forward(self, x):
        kept = []
        for step in range(x.shape[1]):
            if step == x.shape[1] - 1:
                kept.append(x[:, step])
            else:
                kept.append(x[:, step] * 2)
        return torch.stack(kept, 1)


class Cut(nn.Module):
    def __init__(self, wide, most):
        super().__init__()
        self.most, self.embed = most, nn.Linear(wide, wide)
        self.table = nn.Parameter(torch.zeros(most, wide))

    def forward(self, x):
        b, n, d = self.embed(x).shape
        table, window = self.table, self.most
        if n < self.most:  # hit
            table = table[:n]
        if self.most >= n:
            window = n
        if (n / 8).is_integer():  # hit
            x = x * 2
        return x + table, window


def check_width(x, wide, raises=True):
    if x.shape[-1] != wide:
        if raises:
            raise ValueError(f"{x.shape[-1]} is not {wide}")
        return False
    return True


class CheckedByFlag(nn.Module):
    def forward(self, image):
        b, c, h, w = image.shape
        check_width(image, h * 2)
        return image * 2


class Empty(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        x = self.conv(image)
        height, width = x.shape[-2:]
        if height == 0 or width < 1:
            return image
        return x / 2 if height >= 2 else x  # hit


class Padded(nn.Conv2d):
    """Of what is worked out from a size there may well be none."""

    def __init__(self, inside, outside, stride):
        super().__init__(inside, outside, 3, stride)

    def forward(self, image):
        height, width = image.shape[-2:]
        rows = max((math.ceil(height / self.stride[0]) - 1) * self.stride[0] + 3 - height, 0)
        columns = max((math.ceil(width / self.stride[1]) - 1) * self.stride[1] + 3 - width, 0)
        if rows > 0 or columns > 0:  # hit
            image = nn.functional.pad(image, [0, columns, 0, rows])
        return self._conv_forward(image, self.weight, self.bias)


class Backwards(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, (1, 9), padding=(0, 4))

    def forward(self, x):
        n, c, h, w = x.size()
        rows = [x[:, :, place : place + 1] for place in range(h)]
        for turn in range(h):
            place = h - turn - 1
            if place == h - 1:
                continue
            rows[place] = self.conv(rows[place + 1]) + rows[place]
        return torch.cat(rows, 2)


class OfTable(nn.Module):
    def forward(self, x):
        made = {}
        steps = []
        for size in (x.shape[2], x.shape[3], x.shape[2]):
            if size not in made:
                made[size] = torch.arange(size)
            steps.append(made[size])
        if size not in made:  # hit
            x = x + 1
        if is_compiling() or (x.dtype == torch.float16 and x.shape[2] > 9):
            x = x * 2
        if is_compiling() or (x.dtype == torch.int16 and x.shape[2] > 9):  # hit
            x = x * 2
        return x, steps
