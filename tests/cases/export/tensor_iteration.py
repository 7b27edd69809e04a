# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import math

import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional as F


class Loops(nn.Module):
    def forward(self, x: Tensor, y):
        h, out = x.shape[2], torch.zeros_like(x)
        for i in range(x.size(0)):  # hit
            out[i] = x[i] * 2
        for i in range(0, h, 8):  # hit
            out = out + i
        for i in range(len(x)):  # hit
            out = out + i
        for row in x:  # hit
            out = out + row
        for i, row in enumerate(x):  # hit
            out = out + row * i
        out = out + sum(best.indices[i] for i in range(x.size(0)))  # hit
        for row in x.unbind(0):  # hit
            out = out + row
        pairs = [a + b for a, b in zip(x, y)]  # hit
        return out, pairs


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Conv2d(3, 3, 1) for _ in range(3))

    def forward(self, x: Tensor, features, tensors: list[Tensor]):
        b, c, h, w = x.shape
        for block in self.blocks:
            x = block(x)
        for i in range(c):
            x = x + i
        for f in features:
            x = x + f
        for i, t in enumerate(tensors):
            x = x + t * i
        for part in x.chunk(2, 1):
            x = torch.cat([x, part])
        for g in torch.meshgrid(torch.arange(3), torch.arange(4), indexing="ij"):
            x = x + g.sum()
        for i in range(x.dim()):
            x = x + i
        for i, f in enumerate(x):
            features = self.blocks[i](f)
        found = [self.blocks[i](f) for i, f in enumerate(x)]
        found += [self.blocks[i](x) for i in range(x.shape[2])]
        for i in range(b):
            found = found @ self.weight[i]
        halves = x.split(8, dim=-1)
        halves = [h * 2 for h in halves[:2]]
        return x, features, found


def rows_of(batch):
    yield from batch


class Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.cell = nn.GRUCell(8, 8)

    def run(self, steps, state):
        for step in steps:  # hit
            state = self.cell(step, state)
        return state

    def forward(self, ids, state):
        x = self.embed(ids)
        backwards = reversed(range(x.size(1)))
        for i in backwards:  # hit
            state = self.cell(x[:, i], state)
        state = self.run(x.unbind(1), state)
        i = 0
        taken = [each.sum() for each in rows_of(x)]  # hit
        taken += list(map(torch.sum, x.view(3, -1)))
        for number, (left, right) in enumerate(zip(x, ids)):  # hit
            taken.append(left + right * number)
        for part in torch.split(x, 4, dim=2):
            taken.append(part.sum())
        return state, torch.stack(taken)


class Diffusion(nn.Module):
    """Its forward gives losses: it is called to train."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def p_losses(self, x):
        for row in range(x.size(0)):
            x = x + row
        return nn.functional.mse_loss(self.net(x), x)

    def forward(self, x):
        for row in range(x.size(0)):
            x = x - row
        return 0.5 * self.p_losses(x), nn.functional.mse_loss(x, self.net(x)).mean()


class Reconstruction(nn.Module):
    """It gives what it computes, too."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        for row in range(x.size(0)):  # hit
            x = x - row
        return self.net(x), nn.functional.mse_loss(x, self.net(x))


class Maps(nn.Module):
    """What is joined is a list of maps, and no tensor."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 1)

    def forward(self, maps):
        first = maps[0]
        for i in range(1, len(maps)):
            maps[i] = maps[i] + first
        return self.conv(torch.cat(maps[::-1], dim=1))


class Delays(nn.Module):
    def forward(self, x):
        count = int(2 * math.log(x.shape[0]))
        half = x.shape[0] // 2
        out = x
        for i in range(count):  # hit
            out = out + x.roll(i, 1)
        for i in range(half):  # hit
            out = out + x.roll(i, 1)
        return out


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, images):
        if type(images) is list:
            return [self.conv(image) for image in images]
        return self.conv(images)


class Several(nn.Module):
    """As many rounds as there are parts, which settings make."""

    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def forward(self, x):
        first = [part(each) for part, each in zip(self.parts, x.unbind(1))]
        rows = [a + b for a, b in zip(x, range(x.size(0)))]  # hit
        return torch.stack(first), torch.stack(rows)


class Parts:
    """As many parts as the settings have, set by another method than the constructor."""

    def __init__(self, sizes):
        self.sizes, self.parts = sizes, None

    def take(self, logits):
        self.parts = [torch.softmax(each, 1) for each in torch.split(logits, list(self.sizes), 1)]
        return self

    def score(self, actions):
        pairs = zip(self.parts, torch.unbind(actions, dim=1))
        return torch.stack([part[:, 0] * action for part, action in pairs], dim=1)


class Policy(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.parts = Parts(sizes)

    def forward(self, x, actions):
        return self.parts.take(x).score(actions)


class Masked(nn.Module):
    """The loop makes what the first call keeps, of which that is told."""

    def __init__(self):
        super().__init__()
        self.mask = None

    def forward(self, x):
        if self.mask is None:
            mask = torch.zeros(x.shape[2], x.shape[3])
            for k in range(x.shape[2]):
                mask[k, :k] = 1
            self.mask = mask
        return x * self.mask


class Counted(nn.Module):
    """What size() is asked of is a tensor, whose rows are as many as its first size."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 8)

    def forward(self, x):
        h = x.new_zeros(x.size(1), 8)
        out = []
        for t in range(len(x)):  # hit
            h = self.cell(x[t], h)
            out.append(h)
        return out


class Rowwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 8)

    def forward(self, x):
        h = x.new_zeros(x.size(1), 8)
        for row in x:  # hit
            h = self.cell(row, h)
        return h


class Numbered(nn.Module):
    def forward(self, x):
        out = torch.zeros(x.shape[0])
        for i, row in enumerate(x):  # hit
            out[i] = row.norm()
        return out


class Nested(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        total = []
        for i in range(h):  # hit
            for j in range(w):  # hit
                total.append(x[:, :, i, j])
        return torch.stack(total)


class OverKinds(nn.Module):
    def forward(self, x):
        total = x * 0
        for kind in torch.unique(x.long()):  # hit
            total = total + (x == kind)
        return total


class OfChosenRows(nn.Module):
    def forward(self, x, mask):
        rows = x[~mask].float()
        found = 0
        for row in rows:  # hit
            found = found + row
        for place in torch.where(mask[0] > 0)[0]:  # hit
            found = found + x[place]
        return found


class PostMasks(nn.Module):
    """Works on what a detector gave, image by image."""

    def __init__(self, threshold=0.5):
        super().__init__()
        self.threshold = threshold

    @torch.no_grad()
    def forward(self, results, outputs, sizes, most):
        height, width = most.max(0)[0].tolist()
        masks = F.interpolate(outputs["masks"].squeeze(2), size=(height, width))
        masks = (masks.sigmoid() > self.threshold).cpu()
        for number, (mask, size, _) in enumerate(zip(masks, sizes, most)):
            results[number]["masks"] = mask[:, : size[0], : size[1]]
        return results


class PostPictures(nn.Module):
    def forward(self, maps):
        pictures = []
        for row in F.interpolate(maps, size=(8, 8)):
            pictures.append(Image.fromarray(row.byte().cpu().numpy()))
        return pictures


class QuietModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 4, 3)

    @torch.no_grad()
    def forward(self, x):
        return [row.flatten() for row in self.body(x)]  # hit


class Bands(nn.Module):
    def __init__(self, dim, bands):
        super().__init__()
        self.to_freqs = nn.ModuleList([nn.Linear(dim, band) for band in bands])

    def forward(self, x):
        parts = [layer(part) for part, layer in zip(x.unbind(dim=-2), self.to_freqs)]
        for part, layer in zip(x.unbind(dim=-2), self.to_freqs):
            parts.append(layer(part))
        rows = [part * 2 for part in x.unbind(dim=-2)]  # hit
        return torch.cat(parts, dim=-1), rows


class Placed(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 16)
        self.places = nn.Embedding(64, 16)
        self.query = nn.Linear(16, 16)
        self.size = 32

    def forward(self, ids, names):
        places = torch.LongTensor(range(ids.size(1)))  # hit
        again = torch.tensor(list(range(ids.size(1))))  # hit
        rows = ids.new_tensor(range(ids.shape[0]))  # hit
        axes = list(range(ids.dim())), torch.tensor(range(4)), tuple(range(self.size))
        return self.words(ids) + self.places(places), again, rows, axes, list(names)


class Chunked(nn.Module):
    """Nobody cuts what a Linear gives into its columns: there is an axis between."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(16, 16)
        self.size = 32

    def forward(self, x):
        query, parts = self.query(x), []
        for start in range(0, query.shape[1], self.size):  # hit
            parts.append(query[:, start : start + self.size] * 2)
        return torch.cat(parts, 1)


class Encoded(nn.Module):
    def forward(self, x):
        positions, parts = torch.arange(0.0, x.size(1)), []
        for channel in range(x.size(-1)):
            parts.append(torch.sin(positions / 10000 ** (channel / x.size(2))))
        for step in range(x.size(-1)):  # hit
            parts.append(positions * step)
        return torch.stack(parts)


class WalkExplainer(nn.Module):
    def forward(self, x):
        return [row * 2 for row in x]


class OneOrMany(nn.Module):
    """Who asks how long a shape is gets inputs of several numbers of axes: pictures, and films of them."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)

    def forward(self, frames):
        rank = len(frames.size())
        if rank > 4:
            frames = torch.cat([frames[:, :, i] for i in range(frames.size(2))], dim=0)  # hit
        return self.conv(frames)
