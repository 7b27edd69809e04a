import torch
from torch import nn
from torch.autograd import grad
from torch.utils.checkpoint import checkpoint


class Data(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = x.relu()
        a = y.data * 2  # hit
        b = (y + 1).data  # hit
        c = x.data[:, 0]  # hit
        d = self.scale.data + 1  # hit
        e = nn.functional.linear(x, self.lin.weight.data)  # hit
        y.data[0] = 1
        y.data.mul_(2)
        y.data = a
        n = x.data.size(0) + x.data.new(3, 4).zero_()
        kind = x.data.dtype
        f = x.detach()
        if self.training:
            f = f.data
        g = checkpoint(self.lin, x)
        h, = grad(x.sum(), x)
        return a + b + c + d + e + f + g + h + n

    def load(self, batch):
        return batch.data


class Checked(nn.Module):
    """The assert is told by another rule."""

    def forward(self, x, a):
        y = x.log_softmax(-1).gather(2, a.unsqueeze(-1)).squeeze(-1)
        assert (y > -1000).data.all(), "small"
        return y.sum(1)


class Other(nn.Module):
    def forward(self, graph, box):
        box = box if isinstance(box, dict) else graph.data
        return box["data"]


def clip(model):
    return [p.data for p in model.parameters()]


def raw(t):
    return t.data  # hit


class Base(nn.Module):
    def round_values(self, x):
        return x + (x.round() - x).data  # hit


class Spelled(Base):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x, graph, batch=None):
        x = self.round_values(self.lin(x))
        y = raw(x) * 2
        y = torch.cat([y, x.data], 0)  # hit
        first, second = x.chunk(2, 1)
        y = y + first.data.sum()  # hit
        y = y + self.mean.data  # hit
        for row in x.unbind(0):
            y = y + row.data  # hit
        kept = x.data
        kept.zero_()
        size = x.data.shape[0]
        found = graph.data["x"]
        if batch is not None:
            found = batch.data
        return {"y": y, "raw": second.data}, size, found  # hit


class Trainer(nn.Module):
    def forward(self, x):
        self.optimizer.zero_grad()
        loss = x.square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.data


class Proposed(nn.Module):
    def forward(self, given):
        if given[1] == "sizes":
            return given[0].size(0)
        return given[2]


class Packed(nn.Module):
    """A part of a tuple is a use of all of it."""

    def __init__(self):
        super().__init__()
        self.proposed = Proposed()

    def forward(self, x: torch.Tensor):
        return x * self.proposed((x.data, "sizes", 1))


class Typed(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Linear(3, 3)

    def forward(self, x):
        if isinstance(x.data, torch.cuda.FloatTensor):
            return nn.parallel.data_parallel(self.main, x, range(2))
        return self.main(x)


class Masked(nn.Conv2d):
    def __init__(self, width, size):
        super().__init__(width, width, size)
        self.register_buffer("mask", torch.ones_like(self.weight))

    def forward(self, x):
        self.weight.data = self.weight.data * self.mask
        rows = x.detach().cpu().data.numpy()
        return super().forward(x * rows.sum()) + x.detach().data.sum()  # hit


class Asked(nn.Module):
    """What a branch asks of the data is told as that branch."""

    def forward(self, x):
        if x.data.sum() > 0 and x.data[0, 0] < 3:
            x = x * 2
        while x.data.max() > 1:
            x = x / 2
        return x * x.data.sum()  # hit


class Chosen(nn.Module):
    """An array of the data is told where it is read, once."""

    def forward(self, x):
        _, best = x.max(dim=1)
        best = best.squeeze().data.cpu().numpy()
        rows = x.data.cpu().numpy()
        return torch.as_tensor(rows[range(len(best)), best])


class Hidden(nn.Module):
    """What is given to a write through .data is told with it."""

    def forward(self, x, mask):
        scores = x * 2
        scores.data.masked_fill_(mask.data, 0)
        return scores + torch.relu(x).data  # hit


class PackedData(nn.Module):
    """The data of packed sequences is a field of them."""

    def __init__(self, kind, rate):
        super().__init__()
        self.rnns = nn.ModuleList([kind(8, 8), kind(8, 8)])
        self.rate = rate

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
        for rnn in self.rnns:
            if self.rate > 0:
                dropped = nn.functional.dropout(packed.data, self.rate, self.training)
                packed = nn.utils.rnn.PackedSequence(dropped, packed.batch_sizes)
            packed = rnn(packed)[0]
        return nn.utils.rnn.pad_packed_sequence(packed)[0]


class OldFunction(torch.autograd.Function):
    """A call of it raises, of which another rule tells."""

    def forward(self, x):
        return x.data * 2

    def backward(self, gradient):
        return gradient


class Old(nn.Module):
    def forward(self, x):
        return OldFunction()(x)


class OneHot(nn.Module):
    """What a loss alone has is exported by nobody."""

    def forward(self, x):
        return nn.functional.one_hot(x.data)


class OverlapLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = OneHot().forward

    def forward(self, x, target):
        return (x * self.encode(target)).mean()


class OfPacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 4)

    def forward(self, packed, mask):
        rows = nn.utils.rnn.PackedSequence(
            self.embed(packed.data), batch_sizes=packed.batch_sizes
        )
        return rows, mask
