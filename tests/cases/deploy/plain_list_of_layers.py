import torch
import torch.nn as nn
from torch.nn import Conv2d, ReLU


class Plain(nn.Module):
    def __init__(self, depth, given):
        super().__init__()
        self.pair = (nn.Linear(2, 2), nn.Linear(2, 2))  # hit
        self.heads: list = [nn.Linear(2, 2)]  # hit
        self.named = {"a": Conv2d(1, 1, 1), "b": nn.Linear(1, 1)}  # hit
        self.by_size = {n: nn.Linear(n, n) for n in range(3)}  # hit
        self.nested = [[nn.Linear(2, 2), nn.ReLU()], [nn.Linear(2, 2)]]  # hit
        self.drops = [nn.Dropout(0.5) for _ in range(depth)]  # hit
        self.grown = []  # hit
        for i in range(depth):
            self.grown.append(nn.Conv2d(i, i, 1))
        self.table = {}  # hit
        self.table["a"] = nn.Linear(1, 1)
        blocks = []
        for _ in range(depth):
            blocks.append(Block(2))
        self.blocks = blocks  # hit
        self.acts = [nn.ReLU(), ReLU()]
        self.losses = [nn.L1Loss(), torch.nn.MSELoss()]
        self.free = [Free(), Free()]
        self.sizes = [1, 2, 3]
        self.given = [given, given]
        self.none = []

    def forward(self, x):
        for layer in self.grown:
            x = layer(x)
        return self.pair[0](x) + self.heads[0](x)


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = nn.Linear(n, n)

    def forward(self, x):
        return self.linear(x)


class Free(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(x)


class Wrapped(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [nn.Linear(2, 2) for _ in range(depth)]
        self.net = nn.Sequential(*self.layers)
        self.again = [nn.Linear(2, 2)]
        self.again = nn.ModuleList(self.again)
        self.first = nn.Linear(2, 2)
        self.all = [self.first, self.first]
        body = [nn.Linear(2, 2)]
        body.append(nn.ReLU())
        self.body = nn.Sequential(*body)
        parts = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.parts = parts
        self.registered = nn.ModuleList(parts)
        self.list = nn.ModuleList([nn.Linear(2, 2) for _ in range(depth)])


class ByHand(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.convs = []
        for i in range(depth):
            conv = nn.Conv2d(1, 1, 1)
            self.convs.append(conv)
            setattr(self, f"conv{i}", conv)


class Added(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.convs = [nn.Conv2d(1, 1, 1) for _ in range(depth)]
        for i, conv in enumerate(self.convs):
            self.add_module(str(i), conv)


class Trainer:
    def __init__(self):
        self.models = [nn.Linear(2, 2), nn.Linear(2, 2)]


def ensemble():
    models = [nn.Linear(2, 2)]
    return models


class Later(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.by_name = {f"l{i}": nn.Linear(2, 2) for i in range(depth)}
        self.registered = nn.ModuleList(list(self.by_name.values()))
        self.table = {"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)}
        self.net = nn.Sequential(*self.table.values())
        self.pairs = {"a": nn.Linear(2, 2)}
        self.held = nn.ModuleDict({k: v for k, v in self.pairs.items()})
        self.each = [nn.Linear(2, 2) for _ in range(depth)]
        self.again = nn.ModuleList([layer for layer in self.each])
        self.row = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.back = nn.Sequential(*reversed(self.row))
        self.ends = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.first = self.ends[0]
        self.last = self.ends[1]
        self.parts = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.half = nn.ModuleList(self.parts[:1])
        self.loose = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.kept = nn.ModuleList()
        for layer in self.loose:
            self.kept.append(layer)
        self.numbered = [nn.Linear(2, 2)]
        self.named = nn.ModuleDict()
        for i, layer in enumerate(self.numbered):
            self.named[str(i)] = layer
        found = {"a": nn.Linear(2, 2)}
        self.found = found
        self.all = nn.ModuleList(list(found.values()))
        self.mixed = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.block = Pair(self.mixed[0], self.mixed[1])
        self.inner = [nn.Linear(2, 2)]
        self.outer = [*self.inner]

    def forward(self, x):
        return self.net(x)


class Read(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.by_name = {"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)}  # hit
        self.pairs = {f"l{i}": nn.Linear(2, 2) for i in range(depth)}  # hit
        self.rows = [[nn.Linear(2, 2)], [nn.Linear(2, 2)]]  # hit
        self.each = [nn.Linear(2, 2) for _ in range(depth)]  # hit
        self.sizes = [layer.in_features for layer in self.each]

    def forward(self, x):
        for layer in self.by_name.values():
            x = layer(x)
        outs = {name: layer(x) for name, layer in self.pairs.items()}
        for row in self.rows:
            for layer in row:
                x = checkpoint(layer, x)
        last = self.each[-1]
        outs["last"] = self.each[0](x) + last(x)
        return [layer(x) for layer in reversed(self.each)], outs


class ByHandToo(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [nn.Linear(2, 2) for _ in range(depth)]
        for i, layer in enumerate(self.layers):
            self._modules[str(i)] = layer


class OwnParameters(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [nn.Linear(2, 2) for _ in range(depth)]

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


def make_rows(count):
    rows = []
    for _ in range(count):
        rows.append(nn.Linear(2, 2))
    return rows


def find_rows(count):
    if count > 2:
        return None
    return [nn.Linear(2, 2)]


def listed(count):
    return [nn.Linear(2, 2) for _ in range(count)]


class Made(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.rows = make_rows(depth)  # hit
        self.more = listed(depth)  # hit
        self.some = find_rows(depth)
        self.kept = nn.ModuleList(make_rows(depth))
        self.known = make_rows(depth)
        self.chain = nn.Sequential(*self.known)
        self.tables = self.make_tables(("a", "b"))  # hit
        self.fit = fits(depth)

    def make_tables(self, names):
        tables = {}
        for name in names:
            tables[name] = nn.Embedding(3, 2)
        return tables

    def forward(self, x):
        for row in self.rows:
            x = row(x)
        for row in self.more:
            x = row(x)
        for row in self.kept:
            x = row(x)
        return self.chain(x) + self.tables["a"].weight.sum()


def fits(count):
    rows = [nn.Linear(2, 2) for _ in range(count)]
    nn.ModuleList(rows)
    return rows


class Average(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.pool = nn.AvgPool1d(size)


class Decompose(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.average = Average(size)


class Drops(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.average = Average(size)
        self.drop = nn.Dropout(0.1)


class SeveralDecomposed(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.parts = [Decompose(size) for size in sizes]
        self.dropped = [Drops(size) for size in sizes]  # hit

    def forward(self, x):
        return [part(x) for part in self.parts] + [part(x) for part in self.dropped]


class Stages(torch.nn.Module):
    def __init__(self, strides):
        super().__init__()
        self.stages = [self._make_stage(stride) for stride in strides]  # hit
        self.kept = torch.nn.ModuleList([self._make_stage(stride) for stride in strides])

    @staticmethod
    def _make_stage(stride):
        return torch.nn.Sequential(torch.nn.Conv1d(1, 8, 3, stride=stride), torch.nn.ReLU())

    def forward(self, x):
        return [stage(x) for stage in self.stages] + [stage(x) for stage in self.kept]


class Hidden(nn.Module):
    """One frozen table is kept out of what is saved."""

    def __init__(self, vectors):
        super().__init__()
        self.table = [nn.Embedding(100, 8)]
        self.table[0].weight.data = vectors
        self.table[0].weight.requires_grad = False
        self.tables = [nn.Embedding(100, 8)]  # hit

    def forward(self, x):
        return self.table[0](x) + self.tables[0](x)
