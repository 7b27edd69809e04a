# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import functools
import inspect
from typing import Optional

import torch
from torch import Tensor, nn
from torchvision import transforms
from torchvision.transforms import v2
from torchvision.transforms.functional import normalize
from transformers.utils import is_torchdynamo_compiling


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3)])

    def forward(self, x, y: Tensor, mask: Optional[Tensor] = None):
        b, c = x.shape
        if x.sum() > 0:  # hit
            x = x * 2
        if x.max().item() > 1:  # hit
            x = x / 255
        if (x < 0).any() and c == 3:  # hit
            x = x * 2
        if not torch.isfinite(x).all():  # hit
            x = torch.nan_to_num(x)
        if torch.isnan(x).any() or torch.isinf(x).any():  # hit
            x = x * 2
        flag = y.mean() > 0
        x = x * 2 if flag else x  # hit
        while torch.max(x) > 1:  # hit
            x = x * 0.5
        if bool((y > 0).all()):  # hit
            x = x + 1
        if torch.equal(x, y):  # hit
            x = x + 1
        if x.allclose(y):  # hit
            x = x + 1
        if float(y[0, 0]) > 0.5:  # hit
            x = x + 1
        if mask is not None and not mask.all():
            x = x * mask
        if x.min() < 0:  # hit
            raise ValueError
        assert (y > 0).all(), "positive"  # hit
        assert y.max() < 4, f"{y.max()}"  # hit
        torch._assert((x > 0).any(), "positive")  # hit
        kept = torch.nonzero(x[:, 0] > 0)
        if kept.numel() == 0:  # hit
            return x
        if len(kept) == 0:  # hit
            return x
        if not kept.shape[0]:  # hit
            return x
        if x[x > 0].numel() > 0:  # hit
            x = x + 1
        if 0.0 in y:  # hit
            x = x + 1
        rows = [row for row in x.unbind(1) if row.sum() > 0]  # hit
        low = max(x[0, 0], y[0, 0])  # hit
        low = min(y.mean(), 1.0)  # hit
        n = y.argmax().item()
        k = n + 1
        if k > 3:  # hit
            x = x + low
        if known(x):  # hit
            x = x + 1
        return self.helped(x), rows

    def helped(self, x):
        if (x.abs() > 1).sum() > 3:  # hit
            return x / 2
        return x


def known(x):
    return bool(x.any()) if x.any() else x  # hit


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = 0.5
        self.act = nn.ReLU()
        self.prefix = None

    def forward(self, x, y: Tensor, scale, mode="a", mask: Optional[Tensor] = None, cache=None):
        b, c, h, w = x.size()
        if mask is None or cache is not None:
            mask = torch.ones_like(x)
        if mask == None or mode == "a":
            mask = x
        if x.dim() == 4 and x.dtype == torch.float32 and x.device.type == "cpu":
            x = x + 1
        if x.is_cuda or x.requires_grad or x.is_contiguous() or torch.is_complex(x):
            x = x * 1
        if isinstance(x, Tensor) and torch.is_tensor(y) and hasattr(x, "names"):
            x = x + 1
        if scale > 1:
            x = x * scale
        if self.alpha > 0 and self.training and x.sum() > 0:
            x = x * 2
        if not torch.jit.is_tracing() and (x > 0).any():
            x = x + 1
        if not is_torchdynamo_compiling() and (x > 0).any():
            x = x + 1
        if torch.rand(1) < 0.5 or torch.rand(1).item() < self.alpha:  # hit
            x = x + 1
        if x.device.type == "mps":
            if not (x > 0).all():
                x = x + 1
        if torch.is_grad_enabled() and self.prefix:
            x = x + 1
        if c > 3 or b == 1 or len(x) == 0 or x.numel() == 0:
            x = x + 1
        if cache and cache.get("x"):
            x = cache["x"]
        if y.is_floating_point() and y.ndim > 2 and x.get_device() < 0:
            x = x + 1
        assert h == w, f"{h}"
        assert x.max().item() < 4
        torch._assert(h > 8, "small")
        x = torch.where(x.sum() > 0, x, -x)
        n = max(h, w)
        heads = max(self.alpha, 1)
        y = y * (x > 0) + torch.maximum(x, y)
        out = self.act(x)
        if out is x:
            x = x + 1
        for name, part in {"a": x}.items():
            if name == "b":
                x = part
        return x * heads, y, n

    def report(self, x: Tensor):
        if x.sum() > 0:
            return "yes"
        return "no"

    @torch.jit.unused
    def eager(self, x: Tensor):
        return x if x.sum() > 0 else -x


class PositiveLoss(nn.Module):
    def forward(self, x, target):
        if (target > 0).sum() == 0:
            return x.sum() * 0
        return x.mean()


def prepare(x: Tensor):
    return x / 255 if x.max() > 1 else x


class Clamped(nn.Module):
    def forward(self, x):
        x = self.norm(x)
        if x.dtype == torch.float16 and not torch.isfinite(x).all():
            x = x.clamp(-1000, 1000)
        if not torch.isfinite(x).all():  # hit
            x = x.nan_to_num()
        return x


class Masked(nn.Module):
    def forward(self, x, mask: Optional[Tensor] = None, limit=None):
        if mask is not None and not mask.all():
            x = x * mask
        if limit is not None and limit.max() > 1:
            x = x.clamp(max=limit)
        return x


class Attention(nn.Module):
    def forward(self, x, mask: Optional[Tensor] = None):
        if mask is not None and not mask.all():  # hit
            x = x * mask
        return x


class Spelled(nn.Module):
    def __init__(self, eps=1e-3):
        super().__init__()
        self.eps = eps
        self.attention = Attention()
        self.parts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    @property
    def is_small(self):
        return self.norm < self.eps

    def forward(self, x, y, mask):
        x = self.attention(x, mask=mask)
        self.norm = x.norm()
        if self.is_small:  # hit
            return x
        bright = x.mean((1, 2)) > 0
        if any(bright):  # hit
            x = x * 2
        if True in (x > 0):  # hit
            x = x * 2
        same = torch.equal(x, y)
        changed = not same
        if changed:  # hit
            x = y
        match y.argmax().item():
            case 1:
                x = x + 1
            case n if n > 2:  # hit
                x = x + n
        for part in self.parts:
            x = part(x)
            if x.isnan().any():  # hit
                break
        count = (x > 0).sum()
        done = count == 0
        if done:  # hit
            return x
        if int(count) > 2 and self.eps:  # hit
            x = x + 1
        if pick(x, torch.amax):  # hit
            x = x - 1
        scale = {"on": x.abs().max()}
        found = torch.argwhere(x > 0)
        if scale["on"] > 1 or self.eps:  # hit
            return x / scale["on"]
        if found.size(0) > 2:  # hit
            return x[found[:, 0]]
        kept = [v for v in y.unbind() if v > 0]  # hit
        return x if 0 < x.std() < 1 else kept  # hit


def pick(x, by):
    return by(x) > 1


class Switches(nn.Module):
    def __init__(self, limit=2):
        super().__init__()
        self.limit = limit
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("started", torch.tensor(0))

    def forward(self, x, scale, sizes=(1, 2)):
        if scale or scale > 1:
            x = x * 2
        if max(sizes) > self.limit or len(sizes) == x.dim():
            x = x * 2
        if torch.zeros_like(x).sum() > 0 or torch.arange(x.shape[1]).max() > 3:  # hit
            x = x * 2
        if self.started == 0 or self.weight.sum() > 0:  # hit
            x = x * 2
        if torch.randn(()).item() > 0 and x.shape == self.weight.shape:  # hit
            x = x * 2
        if self.training and torch.rand(1) < 0.5:
            x = x + torch.randn_like(x)
        if x is None or not isinstance(x, Tensor) or x.ndim not in (2, 3):
            return scale
        return x


class Initialized(nn.Module):
    """What the model holds or makes itself decides: exporters refuse, tracers need not care."""

    def __init__(self, rate=0.1):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.register_buffer("ready", torch.tensor(False))
        self.register_buffer("steps", torch.zeros(1, dtype=torch.long))
        self.rate = rate
        self.plain = True

    def reset(self, x):
        if self.training and not self.ready:
            self.ready.fill_(True)
        return x

    def forward(self, x):
        x = self.reset(x)
        if not self.ready:  # hit
            x = x - x.mean()
        if int(self.steps) == 0:  # hit
            x = x * 2
        x = x if self.steps.item() > 5 else -x  # hit
        while self.steps < 2:  # hit
            x = x + 1
        dropped = torch.rand(3) < self.rate
        if all(dropped):  # hit
            return x
        for layer, drop in zip(self.layers, dropped):
            if not drop:  # hit
                x = layer(x)
        assert torch.isfinite(self.layers[0].weight).all()  # hit
        if torch.equal(self.steps, self.steps + 0):  # hit
            x = x + 1
        if torch.tensor(2) * 3 > 5 or torch.as_tensor([1.0]) > 0:
            x = x * 2
        if self.plain and self.steps.numel() == 1 and self.ready.dtype == torch.bool:
            x = x * 2
        return x


def agree(count):
    found = torch.tensor([count, 1])
    torch.distributed.all_reduce(found)
    if found[0].item() != count:
        raise RuntimeError("others have more")


class Shared(nn.Module):
    def forward(self, x):
        agree(len(list(self.parameters())))
        return x * 2


class Named(nn.Module):
    """The name of a tensor's type is a text."""

    def __init__(self, kind="torch.FloatTensor"):
        super().__init__()
        self.kind = kind
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        assert x.data.type() == self.kind
        return self.conv(x)


class Hiding(nn.Module):
    """Nobody sees where what is asked comes from, but it is no tensor of the model's own."""

    def forward(self, x, a):
        y = x.log_softmax(-1).gather(2, a.unsqueeze(-1)).squeeze(-1)
        assert (y > -1000).data.all(), "small"  # hit
        return y.sum(1)


def compute_acc(logits, y):
    return (logits.argmax(1) == y).float().mean()


class Scoring(nn.Module):
    """It gives a loss, and how often it was right: nobody exports that."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x, y_shot, y_query):
        logits = self.fc(x)
        if int(y_shot.max()) > 3:
            logits = logits * 2
        loss = nn.functional.cross_entropy(logits, y_query)
        acc = compute_acc(logits, y_query)
        return loss, acc


def _compute_mask_indices(shape, share):
    """Which steps are masked in pretraining is drawn."""
    count = int(share * shape[1] + torch.rand(1))
    kept = torch.randint(0, shape[1], size=(count,))
    if sum(kept) == 0:
        kept[0] = 1
    return kept


class Masked(nn.Module):
    def forward(self, x):
        return x[:, _compute_mask_indices(x.shape, 0.5)]


class lossAV(nn.Module):
    def forward(self, x, labels=None):
        if x.sum() > 0:
            return x
        return x * 2


class Merging(nn.Module):
    """A part of which no caller is followed: its sizes may be numbers."""

    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x, H, W):
        if H % 2 == 1 or W % 2 == 1:
            x = x * 2
        return self.fc(x)


class Stage(nn.Module):
    def __init__(self, dim, downsample=Merging):
        super().__init__()
        self.down = downsample(dim) if dim else None
        self.other = Merging

    def forward(self, x):
        return x


class Masking(nn.Module):
    def forward(self, x, mask, H):
        if mask.sum() > H:  # hit
            return x
        return x * 2


class Stages(nn.Module):
    def __init__(self, kind=None):
        super().__init__()
        self.kind = kind or Masking

    def forward(self, x):
        return x


class OfPlaces(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, rows, scores):
        places = torch.nonzero(scores > 0.3).squeeze(1)
        if places.numel() == 0:  # hit
            return self.body(rows)
        kept = torch.where(scores > 0.5)[0]
        if len(kept) == 0:  # hit
            return self.body(rows)
        return self.body(rows[kept]) + self.body(rows[places])


class Warns(nn.Module):
    def forward(self, x):
        if x.mean() > 50:  # hit
            logger = get_root_logger()
            logger.warning(f"the mean is {x.mean()}")
        return x


class Kept(nn.Module):
    """Rows that a mask keeps of tensors of which no shape is known."""

    def forward(self, boxes, scores):
        boxes = boxes[scores > 0.5]
        if boxes.numel() == 0:  # hit
            return scores.new_zeros(0, 4)
        if len(boxes) > 3:  # hit
            boxes = boxes[:3]
        if boxes.dim() == 2:
            boxes = boxes * 2
        first = boxes[0]
        if first.numel() == 4:
            first = first * 2
        return boxes, first


class KeptRows(nn.Module):
    def forward(self, boxes, scores):
        kept = boxes[scores > 0.5]
        if kept.shape[0] > 10:  # hit
            kept = kept[:10]
        return kept


class OfGraphs(nn.Module):
    """No exporter takes a graph of DGL."""

    def forward(self, graph, x):
        h = self.norm(graph.ndata["h"])
        if torch.isnan(x).any():
            print("nan")
        return h + x


def by_name(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        index = None
        if "flag" in function.__code__.co_varnames:
            index = function.__code__.co_varnames.index("flag") - 1
        if index is not None and len(args) > index and args[index] is not None:
            value = args[index]
        else:
            value = kwargs.get("flag", True)
        if index is not None and len(args) > index:
            args = (*args[:index], value, *args[index + 1 :])
        else:
            kwargs["flag"] = value
        return function(self, *args, **kwargs)

    return wrapper


class Flagged(nn.Module):
    @by_name
    def forward(self, x, flag=None):
        return x + 1 if flag else x


class FlaggedTwice(nn.Module):
    @by_name
    @by_name
    def forward(self, x, flag=None):
        x = x + 1 if flag else x
        return x if x.sum() > 0 else -x  # hit


class AsksSignature(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Flagged()

    def forward(self, x):
        if "mask" in inspect.signature(self.inner.forward).parameters:
            return x if x.sum() > 0 else -x
        return x if x.mean() > 0 else -x  # hit


class AskedTwice(nn.Module):
    """One question, told at its first line."""

    def forward(self, x, turn: int):
        far = x.max() > 1
        if far and turn < 8:  # hit
            x = x / 2
        x = x + 1
        if far and turn < 8:  # hit
            x = x - 1
        return x


class Plain(nn.Module):
    def forward(self, h, other):
        return h + other, h


class Gated(nn.Module):
    """A tensor gets to the flag on a way that no model takes."""

    def forward(self, h, alone=False):
        if alone:
            h = h * 2
        return h, h


class Flagged(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        if kind == "plain":
            self.joined = Plain()
        elif kind == "gated":
            self.joined = Gated()

    def forward(self, x):
        if self.kind == "gated":
            y, z = self.joined(x)
        else:
            y, z = self.joined(x, x)
        return y + z


class Rebound(nn.Module):
    def forward(self, x, many=False, any_of=None):
        many = many or x.sum() > 0
        if many:  # hit
            x = x + 1
        return x


class SeriesPretrainer(nn.Module):
    def forward(self, x, mask):
        return x + 1 if mask.any() else x


class SeriesAugmentation(nn.Module):
    def forward(self, x, mask):
        return x + 1 if mask.any() else x


class MostOfChosen(nn.Module):
    def forward(self, index):
        index = index[index > 2]
        most = -1 if len(index) == 0 else index.max()  # hit
        return index + most


class OfOneMask(nn.Module):
    def forward(self, x, places):
        kept = places[:, 0] > 0
        x, low = x[kept], places[places[:, 1] < 1]
        places = places[kept]
        assert x.shape[0] == places.shape[0]
        assert x.shape[0] == low.shape[0]  # hit
        return x.sum() * low.sum()


class OfChosenRows(nn.Module):
    def forward(self, x, mask):
        rows = x[~mask]
        if len(rows):  # hit
            rows = rows * 2
        if not rows.size(0):  # hit
            return x
        return rows


class OfChosenTokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(8, 8)
        self.place = nn.Parameter(torch.zeros(1, 16, 8))

    def forward(self, x, mask):
        x = self.mix(x)
        b, _, c = x.shape
        seen = x[~mask].reshape(b, -1, c)
        hidden = self.place.expand(b, -1, -1)[mask].reshape(b, -1, c)
        return self.decode(torch.cat([seen, hidden], 1), hidden.shape[1])

    def decode(self, x, count):
        return x[:, -count:] if count > 0 else x  # hit


class OfDeviations(nn.Module):
    def __init__(self):
        super().__init__()
        self.same = transforms.Normalize([0.5], [0.2])
        self.other = v2.Normalize([0.5], [0.2])

    def forward(self, x):
        return normalize(x, [0.5], [0.2]), self.other(x)  # hit

    def again(self, x):
        return self.same(x)  # hit


class OfDeviationsToo(OfDeviations):
    def forward(self, x):
        return self.again(self.other(x))


class Measured(nn.Module):
    def __init__(self):
        super().__init__()
        self.step, self.inited = None, False

    def forward(self, x):
        if self.inited is False:
            if x.max() > 0:
                self.step = x.max() / 255
            self.inited = True
        if self.inited is True:
            return x if x.min() > 0 else -x  # hit
        return x


class Balanced(nn.Module):
    def forward(self, x):
        if not x.requires_grad or torch.jit.is_tracing():
            return x
        return x * 2 if x.mean() > 0 else x


class RandomCutMix(nn.Module):
    def forward(self, x):
        return x.flip(0) if torch.rand(1) > 0.5 else x
