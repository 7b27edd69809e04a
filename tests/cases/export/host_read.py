# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import math

import cv2
import numpy
import onnxruntime
import torch
from PIL import Image
from torch import Tensor, nn


class Reads(nn.Module):
    def forward(self, x: Tensor, lengths):
        x = x * x.max().item()  # hit
        n = int(lengths.max())  # hit
        x = x / float(x.abs().sum())  # hit
        for i in range(lengths[0].item()):  # hit
            x = x + i
        a, b = x.split(lengths.tolist())  # hit
        scale = math.sqrt(x.pow(2).sum().item())  # hit
        k = int(x.argmax().item())  # hit
        rows = x.detach().cpu().numpy()  # hit
        return x[:, :n] * scale + a * b, k, torch.from_numpy(rows), self.last(x)

    @staticmethod
    def last(x: Tensor):
        return [x[i, int(x[i].argmax())] for i in range(3)]  # hit


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0
        self.register_buffer("count", torch.tensor(3))

    def forward(self, x: Tensor, p):
        b, c, h, w = x.shape
        n = int(h * 0.5) + int(x.shape[2]) + int(torch.tensor(x.size(0)).item())
        if x.max().item() > 1:
            x = x * 2
        print(f"{x.mean().item()}", x.sum().item())
        assert x.max().item() < 4
        for i in torch.arange(3).tolist():
            x = x + i
        steps = torch.linspace(0, 1, 4)
        x = x * float(self.scale) * int(p) * int(self.count) + steps[1].item()  # hit
        mask = x.bool().float().int()
        if self.training:
            x = x * x.mean().item()
        most = x.max().item()
        if most > 3:
            raise ValueError(f"{most}")
        return x, math.sqrt(c), n, mask, x.to(torch.int)

    def summary(self, x: Tensor):
        return x.mean().item()


class ScaleLoss(nn.Module):
    def forward(self, x, target):
        return x.sum() * target.sum().item()


class AnyFormat(nn.Module):
    def forward(self, x: Tensor):
        if self.pt or self.jit:
            y = self.net(x / x.max().item())  # hit
        elif self.onnx:
            y = self.call(x.cpu().numpy())
        elif self.engine:
            y = self.call(x.detach().numpy())
        else:
            y = self.predict(x.permute(0, 2, 3, 1).numpy())
        return y * x.max().item()  # hit


class ByWord(nn.Module):
    def forward(self, x: Tensor):
        if self.backend == "onnxruntime":
            return torch.from_numpy(self.call(x.numpy()))
        elif self.backend in ("trt", "tensorrt-fp16"):
            return self.call(x.detach().numpy())
        elif self.use_coreml:
            y = self.call(x.detach().numpy())
        return self.net(x / x.max().item())  # hit


class ByCase(nn.Module):
    def forward(self, x: Tensor):
        match self.kind:
            case "onnx":
                return self.call(x.numpy())
            case "pytorch":
                return self.net(x)
            case "saved_model":
                return self.call(x.numpy())


class Session(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.session = onnxruntime.InferenceSession(path)

    def forward(self, x: Tensor):
        return self.run(x.detach().cpu().numpy())


class Opened(nn.Module):
    def forward(self, x: Tensor):
        if self.use_onnx:
            return self.ort_session.run(None, {"x": x.detach().cpu().numpy()})
        return self.net(x)


class Bound(nn.Module):
    def forward(self, x: Tensor):
        return self.executed(x.numpy())

    def executed(self, x: Tensor):
        self.context.execute_v2([int(x.sum())])
        return self.outputs


class Pipeline(nn.Module):
    def forward(self, paths, x: Tensor):
        images = [Image.open(path) if path else cv2.imread(path) for path in paths]
        return self.net(images, x.numpy())


class Checked(nn.Module):
    def __init__(self, path, onnx):
        super().__init__()
        self.onnx = onnx
        self.names = open(path).read().split()

    def forward(self, x: Tensor):
        if self.onnx:
            return x / x.max().item()  # hit
        if not self.trt:
            return x / x.mean().item()  # hit
        return x / x.min().item()  # hit

    def check(self, path, x: Tensor):
        return onnxruntime.InferenceSession(path).run(None, {"x": x.numpy()})


class Settings:
    digits = 3


class Spelled(nn.Module):
    def __init__(self):
        super().__init__()
        self.convert = float
        self.parts = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def forward(self, x, mask):
        read = x.mean().item
        x = x * read()  # hit
        for part in self.parts:
            x = part(x) * float(x.norm())  # hit
        pair = (x.max().item(), x.min().item())  # hit
        low, high = pair
        x = (x - low) / (high - low) * self.convert(x.std())  # hit
        x = x * torch.Tensor.item(x.sum())  # hit
        x = x.clamp(max=round(float(x.max()), Settings.digits))  # hit
        size = int(torch.sum(mask))  # hit
        x = x.new_zeros(size) if size else x
        first = mask[0, 0].item()  # hit
        return x.narrow(0, int(x.argmin()), 1), first, scaled(x), sum(mask.tolist())  # hit


def scaled(x, by=None):
    by = x.abs().max() if by is None else by
    return x / (float(by) + 1e-6)  # hit


class Loops(nn.Module):
    def forward(self, x, steps):
        rows = []
        for i in range(int(steps.max())):  # hit
            rows.append(x[i])
        total = 0.0
        while total < 3:
            total += 1.0
        for length in steps.tolist():
            print(length)
        return torch.stack(rows) * total


class Counts(nn.Module):
    def forward(self, x, mask, spans):
        lengths, places = (mask != 0).sum(-1), torch.relu(spans).numpy()  # hit
        for i in range(lengths[0]):  # hit
            x = x * 0.5 / int(lengths[i])
        for i in range(places[0, 1]):
            x = x + i
        for i in range(x.shape[0]):
            x = x + 1
        return x * float(lengths[1])  # hit


class Fine(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.sizes = torch.tensor([1, 2])

    def forward(self, x, eps, options):
        noise = torch.rand(1).item() + torch.randint(3, (1,)).tolist()[0]
        mean = float(torch.zeros_like(x).sum()) + float(torch.full((2,), 3.0).mean())  # hit
        rows = [int(size) for size in self.sizes]  # hit
        step = int(torch.tensor(2)) + float(torch.tensor([3.0]) * 2) + self.weight.numel()
        seen = x.max().item()
        self.log("seen", seen)
        x = x * noise + mean + rows[0] + float(eps) + int(options["width"]) + step
        return x * math.sqrt(x.shape[-1]) + self.weight.sum().item()


class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("length", torch.tensor(2))

    def forward(self, x):
        x = x * float(self.scale)  # hit
        x = x[:, : int(self.length)]  # hit
        for _ in range(int(self.length)):  # hit
            x = x + 1
        x = x / math.sqrt(self.length)  # hit
        return x[:, : self.length.item()] * self.scale.tolist()[0]


def round_down(value):
    return value.long() if torch.jit.is_tracing() and torch.is_tensor(value) else int(value)


class Halves(nn.Module):
    def forward(self, x):
        if torch.jit.is_tracing():
            rows = round_down(torch.ceil(x.sum()))
        else:
            rows = x.shape[2] // 2
        return x * rows


class Sampler(nn.Module):
    """The constructor reads a number, which forward takes; another method may read it anew."""

    def __init__(self, grid, box):
        super().__init__()
        self.box = box
        self.update(grid)

    def update(self, grid):
        self.step = torch.mean((self.box[1] - self.box[0]) / (torch.LongTensor(grid) - 1))
        self.steps = int((self.box.norm() / self.step).item()) + 1
        self.wide = read_wide(self.box)

    def forward(self, x, mask):
        near = x[..., None] * torch.linspace(0, 1, self.steps).to(x)
        return near.repeat(self.wide, read_long(mask), 1)


def read_wide(box):
    return int(box.max().item())


def read_long(mask):
    return int(mask.sum().item())  # hit


def to_tensor(given):
    is_numpy = False
    if type(given) == numpy.ndarray:
        given = torch.from_numpy(given)
        is_numpy = True
    return given.clone(), is_numpy


class Converted(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        y, is_numpy = to_tensor(self.fc(x))
        y = y @ y
        if is_numpy:
            y = y.numpy()
        return y


class Listed(nn.Module):
    def forward(self, x):
        return x * sum(x.tolist()[0])  # hit


class Picks(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.rates = [1.0, 2.0, 3.0]

    def forward(self, x: Tensor):
        x = self.layers[int(x.sum()) % 3](x)  # hit
        return x * self.rates[x.argmax().item()]  # hit


class Chained(nn.Module):
    """Whose list of parts is indexed by a tensor."""

    def __init__(self):
        super().__init__()
        self.parents = torch.tensor([-1, 0, 0, 1])
        self.known = torch.tensor([-1, 0, 0, 1]).tolist()
        self.register_buffer("order", torch.arange(4))
        self.heads = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x: Tensor):
        chain, again = [x], [x]
        for i in range(1, 4):
            chain.append(chain[self.parents[i]] + x)  # hit
            again.append(again[self.known[i]] + x[self.order[i]])
        return self.heads[self.order[1]](chain[-1]), x[self.parents], again  # hit


class Sized(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count
        self.body = nn.Linear(4, count)

    def forward(self, x):
        return self.body(x).view(-1, self.count) * float(x.max())  # hit


def main():
    labels = torch.tensor([1, 2, 3])
    return Sized(count=int(labels.max()) + 1)


main()


class Turned(nn.Module):
    def turn(self, points):
        is_array = self.kind == "array"
        turned = points.flip(0)
        return turned.numpy() if is_array else turned

    def forward(self, x):
        return self.turn(x), self.turn(x.float()).sum()


class QueuedTwice(nn.Module):
    """Trains over several processes, whose rows a function of the file gathers."""

    def __init__(self, wide):
        super().__init__()
        self.body = nn.Linear(wide, wide)
        self.register_buffer("queue", torch.zeros(64, wide))
        self.register_buffer("at", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def enqueue(self, keys):
        keys = gather_rows(keys)
        at = int(self.at)
        self.queue[at : at + keys.shape[0]] = keys

    def forward(self, x, y=None, only_rows=False):
        rows = self.body(x)
        if only_rows:
            return rows
        self.enqueue(self.body(y))
        return rows, self.queue.clone()


class QueuedAgain(QueuedTwice):
    @torch.no_grad()
    def enqueue(self, keys):
        at = int(self.at)
        super().enqueue(keys + at)


def gather_rows(rows):
    parts = [torch.ones_like(rows) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(parts, rows)
    return torch.cat(parts)


class Counted(nn.Module):
    """Alone it gathers nothing."""

    def __init__(self, wide):
        super().__init__()
        self.body = nn.Linear(wide, wide)
        self.register_buffer("at", torch.zeros(1, dtype=torch.long))

    def forward(self, x):
        at = int(gather_if_many(self.at))  # hit
        return self.body(x)[:, :at]


def gather_if_many(rows):
    if torch.distributed.is_initialized():
        torch.distributed.all_reduce(rows)
    return rows
