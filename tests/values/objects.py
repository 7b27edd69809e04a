"""Objects: how they are built, what they inherit, what they contain."""

import enum
import functools
from collections import OrderedDict, namedtuple
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import torch
from easydict import EasyDict
from parts import Reduced, Shrink, double, triple
from parts import blocks as parts_blocks
from torch import nn


class Instances(OrderedDict):
    def __getitem__(self, key):
        content = super().__getitem__(key)
        made, options = content if isinstance(content, tuple) else (content, {})
        return made(**options)


ACTIVATIONS = Instances({"relu": nn.ReLU, "gelu": (nn.GELU, {"approximate": "tanh"})})
ACTIVATIONS["silu"] = nn.SiLU


def round_down(value):
    return value.long() if torch.jit.is_tracing() and torch.is_tensor(value) else int(value)


def keep_arguments(begin):
    @functools.wraps(begin)
    def __init__(self, *args, **kwargs):
        self.given = args
        begin(self, *args, **kwargs)

    return __init__


class Kept:
    scale = 2

    @keep_arguments
    def __init__(self, width, depth=1):
        super().__init__()
        self.width = width

    def twice(self):
        return self.width * self.scale

    class Inner:
        def __init__(self, width=4):
            self.width = width

DEFAULTS = {"width": 12, "kernel": {"size": 3}}
LAYERS = {"relu": nn.ReLU, "conv": partial(nn.Conv2d, kernel_size=1)}
Pair = namedtuple("Pair", ["left", "right"])


LAYERS_BY_NAME = {}


class Registry:
    def register(self, name):
        def keep(function):
            LAYERS_BY_NAME[name] = function
            self.last = name
            return function

        return keep


REGISTRY = Registry()


@REGISTRY.register("wide")
def make_wide():
    return nn.Conv2d(3, 64, 1)


@dataclass
class Settings:
    width: int = 6
    sides: tuple = (7, 7)
    steps: list = field(default_factory=lambda: [1, 2])
    groups: int = -1

    def __post_init__(self):
        if self.groups == -1:
            self.groups = self.width // 2

    @property
    def doubled(self):
        return 2 * self.width


class Guarded:
    def __init__(self, width):
        self.width: int = width
        self.depth = width

    @property
    def width(self):
        return self._width

    @width.setter
    def width(self, value):
        self._width = 2 * value

    def _read_depth(self):
        return self._depth

    def _write_depth(self, value):
        self._depth = value + 1

    depth = property(_read_depth, _write_depth)


class Wider(Guarded):
    pass


class Sides(NamedTuple):
    height: int
    width: int = 9


class Base(nn.Module):
    factor = 4
    names = ("a", "b")

    def __init__(self, width, *, bias=True):
        super().__init__()
        self.width = width
        self.bias = bias
        self.build()

    def build(self):
        self.layer = nn.Conv2d(3, self.width, 1, bias=self.bias)

    @property
    def half(self):
        return self.width // 2

    @staticmethod
    def add(left, right):
        return left + right

    @classmethod
    def make(cls, width):
        return cls(width)

    def forward(self, x):
        return self.layer(x)


class Child(Base):
    factor = 5

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.extra = nn.Conv2d(self.width, 2 * self.width, 1)

    def forward(self, x):
        x = super().forward(x)
        return self.extra(x)


class Swapped(Base):
    def build(self):
        self.layer = nn.Conv2d(3, 40, 1)


class Mixin:
    def scale(self, x):
        return x * self.factor


class Mixed(Mixin, Base):
    pass


def keep_shape(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapped


@keep_shape
def widen(x, by):
    return torch.cat([x] * by, dim=1)


class Pipeline(nn.Sequential):
    def __init__(self, first, last):
        super().__init__(nn.Conv2d(first, 4, 1), nn.ReLU(), nn.Conv2d(4, last, 1))


class Counter:
    def __init__(self):
        self.items = [1, 2, 3]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __call__(self, value):
        return value + len(self)

    def __iter__(self):
        return iter(self.items)


class Spread:
    def __init__(self, **settings):
        self.__dict__.update(settings)


class Net(nn.Module):
    def __init__(self, settings=None, **options):
        super().__init__()
        settings = settings or Settings()
        self.settings = settings
        self.options = {**DEFAULTS, **options}
        self.child = Child(10, bias=False)
        self.swapped = Swapped(8)
        self.mixed = Mixed(width=8)
        self.made = Child.make(14)
        self.blocks = nn.ModuleList([nn.Conv2d(3, 4, 1), nn.Conv2d(4, 5, 3)])
        self.blocks.append(nn.Conv2d(5, 6, 1))
        self.named = nn.ModuleDict({"a": nn.Conv2d(3, 7, 1), "b": nn.ReLU()})
        self.named["c"] = nn.Conv2d(3, 2, 1)
        layers = []
        for width in (3, 8):
            layers.append(nn.Conv2d(width, 8, 3, padding=1))
            layers += [nn.BatchNorm2d(8), nn.ReLU(inplace=True)]
        self.stack = nn.Sequential(*layers)
        self.ordered = nn.Sequential(OrderedDict([("one", nn.Conv2d(3, 5, 1)), ("two", nn.ReLU())]))
        self.pipeline = Pipeline(3, 9)
        for index in range(2):
            setattr(self, f"stage{index}", nn.Conv2d(3, 4 + index, 1))
            self.add_module(f"side{index}", nn.Conv2d(3, 20 + index, 1))
        self.norm = LAYERS["conv"](3, 30)
        self.act = nn.ReLU() if settings.width > 3 else nn.GELU()
        self.reduced = Reduced()
        self.weight = nn.Parameter(torch.zeros(3, 5))
        self.register_buffer("grid", torch.zeros(1, 4))
        self.repeated = self._make(3)
        self.counter = Counter()
        self.guarded = Wider(3)

    def _make(self, count):
        return nn.Sequential(*[nn.Conv2d(3, 3, 3) for _ in range(count)])

    def forward(self, x):
        self.child(x)  # value: tensor[B, 20, x.H, x.W]
        self.child.layer.bias  # value: None
        self.child.layer  # value: torch.nn.Conv2d(3, 10, 1, bias=False)
        self.swapped(x)  # value: tensor[B, 40, x.H, x.W]
        self.child.factor  # value: 5
        self.swapped.factor  # value: 4
        self.child.half  # value: 5
        self.guarded.width  # value: 6
        self.guarded._width  # value: 6
        self.guarded.depth  # value: 4
        setattr(self.guarded, "width", 5)
        self.guarded.width  # value: 10
        self.guarded.width += 1
        self.guarded.width  # value: 22
        Base.add(1, 2)  # value: 3
        self.child.add(1, 2)  # value: 3
        self.mixed.scale(x)  # value: tensor[B, 3, x.H, x.W]
        self.made(x)  # value: tensor[B, 28, x.H, x.W]
        self.child.names[0]  # value: 'a'
        isinstance(self.child, Base)  # value: True
        isinstance(self.mixed, Child)  # value: False
        isinstance(torch.ones(2), Child)  # value: False
        isinstance(x, Child)  # value: bool
        isinstance(self.blocks[0], nn.Conv2d)  # value: True
        isinstance(self.settings.sides, Iterable)  # value: True
        isinstance("word", Sequence) and isinstance(7, Iterable)  # value: False
        isinstance(self.options, Mapping)  # value: True
        isinstance(x.shape[2], int)  # value: bool (under eager)
        REGISTRY.last  # value: 'wide'
        ACTIVATIONS["gelu"]  # value: torch.nn.GELU(approximate='tanh')
        ACTIVATIONS["silu"](x)  # value: tensor[B, 3, x.H, x.W]
        len(ACTIVATIONS)  # value: 3
        sorted(ACTIVATIONS.keys())  # value: ['gelu', 'relu', 'silu']
        rows = round_down(x.sum()) if torch.jit.is_tracing() else round_down(x.shape[2] / 2)
        if not torch.jit.is_tracing():
            rows  # value: int64[] | int x.H // 2 (varies)
            round_down(x.shape[2] / 2)  # value: int x.H // 2 (varies)
        hasattr(self, "missing")  # value: False
        hasattr(self, "child")  # value: True
        hasattr(nn.Linear(2, 2).weight, "quant_state")  # value: False
        hasattr(nn.Linear(2, 2).weight, "grad")  # value: bool
        type(self.child).__name__  # value: 'Child'
        type(self.blocks[-1]) == nn.Conv3d  # value: False
        type(self.blocks[-1]) is nn.Conv2d  # value: True
        self.__class__.__name__  # value: 'Net'

        len(self.blocks)  # value: 3
        self.blocks[-1]  # value: torch.nn.Conv2d(5, 6, 1)
        y = x
        for block in self.blocks:
            y = block(y)
        y  # value: tensor[B, 6, x.H - 2, x.W - 2]
        for index, block in enumerate(self.blocks):
            pass
        index  # value: 2
        for block, name in zip(self.blocks, ("p", "q")):
            name  # value: 'p', then 'q'
        for block in self.blocks[1:]:
            block.in_channels  # value: 4, then 5
        for block in reversed(self.blocks):
            pass
        block.out_channels  # value: 4
        self.named["a"](x)  # value: tensor[B, 7, x.H, x.W]
        self.named["c"](x)  # value: tensor[B, 2, x.H, x.W]
        list(self.named.keys())  # value: ['a', 'b', 'c']
        [name for name, layer in self.named.items()]  # value: ['a', 'b', 'c']
        self.stack(x)  # value: tensor[B, 8, x.H, x.W]
        self.stack[0]  # value: torch.nn.Conv2d(3, 8, 3, padding=1)
        self.stack[:1](x)  # value: tensor[B, 8, x.H, x.W]
        len(self.stack)  # value: 6
        self.ordered(x)  # value: tensor[B, 5, x.H, x.W]
        self.ordered.one(x)  # value: tensor[B, 5, x.H, x.W]
        self.pipeline(x)  # value: tensor[B, 9, x.H, x.W]
        self.stage1(x)  # value: tensor[B, 5, x.H, x.W]
        getattr(self, "stage0")(x)  # value: tensor[B, 4, x.H, x.W]
        for index in range(2):
            getattr(self, f"stage{index}")(x)  # value: tensor[B, 4, x.H, x.W], then tensor[B, 5, x.H, x.W]
        self.side1(x)  # value: tensor[B, 21, x.H, x.W]
        self.norm(x)  # value: tensor[B, 30, x.H, x.W]
        self.act  # value: torch.nn.ReLU()
        self.reduced(x)  # value: tensor[B, 24, x.H // 2, x.W // 2]
        self.repeated(x)  # value: tensor[B, 3, x.H - 6, x.W - 6]
        self.weight  # value: float32[3, 5]
        self.grid  # value: float32[1, 4]

        self.settings.width  # value: 6
        self.settings.doubled  # value: 12
        self.settings.steps  # value: [1, 2]
        h, w = self.settings.sides
        h  # value: 7
        Settings(8).width  # value: 8
        Settings(width=9).doubled  # value: 18
        Settings().groups  # value: 3
        Settings(groups=2).groups  # value: 2
        Sides(4).width  # value: 9
        Sides(4)[0]  # value: 4
        top, right = Sides(4, 5)
        right  # value: 5
        Pair(1, 2).right  # value: 2
        space = SimpleNamespace(a=1, b=2)
        space.b  # value: 2
        vars(space)["a"]  # value: 1
        space.__dict__.update(c=4)
        space.c  # value: 4
        Spread(one=1, two=2).two  # value: 2
        self.options["width"]  # value: 12
        self.options["kernel"]["size"]  # value: 3
        self.options.get("missing", 4)  # value: 4
        "width" in self.options  # value: True

        widen(x, 2)  # value: tensor[B, 6, x.H, x.W]
        add = partial(Base.add, 5)
        add(6)  # value: 11
        relu = torch.relu
        relu(x)  # value: tensor[B, 3, x.H, x.W]
        view = x.view
        view(x.size(0), -1)  # value: tensor[B, 3 * x.H * x.W]
        double(4)  # value: 8
        parts_blocks.WIDTH  # value: 24
        triple(5)  # value: 15
        Shrink(5)  # value: Shrink object
        len(self.counter)  # value: 3
        self.counter[0]  # value: 1
        self.counter(4)  # value: 7
        [each for each in self.counter]  # value: [1, 2, 3]
        nn.Sequential(*[nn.Conv2d(3, 4, 1), nn.ReLU()])(x)  # value: tensor[B, 4, x.H, x.W]
        Kept(3).width  # value: 3
        Kept(3).twice()  # value: 6
        Kept.Inner().width  # value: 4
        list(map(double, (1, 2)))  # value: [2, 4]
        list(filter(None, (0, 2)))  # value: [2]
        sorted([3, 1])  # value: [1, 3]
        sorted([3, 1, 2], reverse=True)  # value: [3, 2, 1]
        max(self.settings.sides)  # value: 7
        dict(a=1, b=2)["b"]  # value: 2
        dict(zip(("a", "b"), (1, 2)))  # value: {'a': 1, 'b': 2}
        list(zip((1, 2), (3, 4)))  # value: [(1, 3), (2, 4)]
        [1] * 3  # value: [1, 1, 1]
        [1] + [2]  # value: [1, 2]
        (1, 2)[::-1]  # value: (2, 1)
        "a-b".split("-")  # value: ['a', 'b']
        f"{self.settings.width}x"  # value: '6x'
        any(each > 2 for each in (1, 3))  # value: True
        all([1, 0])  # value: False
        abs(-3)  # value: 3
        divmod(7, 2)  # value: (3, 1)
        sum(self.settings.sides)  # value: 14
        list(range(1, 6, 2))  # value: [1, 3, 5]
        len({"a": 1})  # value: 1
        set([1, 1])  # value: {1}
        return x


class Added(nn.Module):
    """Layers that are added under names that are not known, and to a ModuleDict."""

    def __init__(self, word="stage"):
        super().__init__()
        self.stages = nn.Sequential()
        for number in range(2):
            self.stages.add_module(word.upper().join(str(number)), nn.MaxPool2d(2))
        self.entries = nn.ModuleDict()
        for number in range(2):
            self.entries.add_module(f"entry{number}", nn.Conv2d(4, 8, 1))

    def forward(self, x):
        x = nn.functional.relu(nn.functional.conv2d(x, torch.ones(4, 3, 1, 1)))
        x = self.stages(x)  # value: tensor[B, 4, x.H // 4, x.W // 4]
        found = [layer(x) for layer in self.entries.values()]
        return torch.cat(found, 1)  # value: tensor[B, 16, x.H // 4, x.W // 4]


class Transition(nn.Sequential):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm2d(width)
        self.conv = nn.Conv2d(width, width // 2, 1)


class Grown(nn.ModuleDict):
    def __init__(self):
        super().__init__()
        for i in range(2):
            self.add_module(f"layer{i}", nn.Conv2d(8, 8, 1))

    def forward(self, x):
        for name, layer in self.items():
            x = layer(x)
        return x


def keep_given(init):
    def begin(self, *args, **kwargs):
        self.given = args
        init(self, *args, **kwargs)

    return begin


class End(enum.Enum):
    HEIGHT = "height"
    WIDTH = "width"


class Combined(nn.Module):
    @keep_given
    def __init__(self, width=8, side="height"):
        super().__init__()
        self.width = width
        self.side = End(side)
        self.halve, self.grown = Transition(width), Grown()

    def forward(self, x):
        self.halve(x)  # value: tensor[B, 4, x.H, x.W]
        self.grown(x)  # value: tensor[B, 8, x.H, x.W]
        self.side == End.HEIGHT  # value: True
        return self.width + 1  # value: 9


class Shrunk(nn.Module):
    """Layers made alike, called with what is not known: each result has sizes of its own."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Halves(), Halves()

    def forward(self, x, measure):
        wide, narrow = self.first(measure(x)), self.second(measure(x))
        wide + torch.repeat_interleave(narrow, 2, 3)
        return wide.shape[2] == 2 * narrow.shape[2]  # value: bool


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 1)

    def forward(self, x):
        return self.conv(x)


class Head(nn.Module):
    """A base that needs more than those who derive from it name."""

    def __init__(self, in_channels, index=-1, transform=None):
        super().__init__()
        if transform is not None:
            assert isinstance(index, (list, tuple))
        self.layer = nn.Conv2d(8, 4, 1)


class Underfed(nn.Module):
    """Its head raises before it makes anything."""

    def __init__(self):
        super().__init__()
        self.head = Head(index=2)

    def forward(self, x):
        return self.head.layer(x)  # value: unknown (torch.nn.Module.layer())


class Several(Head):
    def __init__(self, **kwargs):
        super().__init__(transform="several", **kwargs)

    def forward(self, x):
        return self.layer(x)  # value: tensor[B, 4, x.H, x.W]


class Inflated(nn.Conv2d):
    """A layer by what it derives from, in its own forward."""

    def forward(self, x):
        n, f, c, h, w = x.shape
        y = super().forward(x.reshape(n * f, c, h, w))
        return y.view(n, f, *y.shape[1:])


class Twice(nn.Conv2d):
    def forward(self, x):
        return nn.Conv2d.forward(self, x) * 2


class Flat(nn.Sequential):
    def forward(self, x):
        return super().forward(x).flatten(1)


class Inheriting(nn.Module):
    def __init__(self):
        super().__init__()
        self.inflated = Inflated(3, 8, 3, padding=1)
        self.twice = Twice(3, 5, 3)
        self.flat = Flat(nn.Conv2d(3, 4, 1), nn.AdaptiveAvgPool2d(2))

    def forward(self, x, y):
        frames = self.inflated(x)  # value: tensor[B, x.1, 8, x.3, x.4]
        larger = self.twice(y)  # value: tensor[B, 5, y.H - 2, y.W - 2]
        return frames, larger, self.flat(y)


class Remembering(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 8)
        self.rows = nn.LSTM(4, 8)

    def forward(self, batch):
        state = self.cell(batch["x"])  # value: (tensor[...], tensor[...])
        out, last = self.rows(batch["y"])
        last  # value: (tensor[1, B, 8], tensor[1, B, 8])
        return out, state, last


config = EasyDict()
config.MODEL = EasyDict()
config.MODEL.DIM = -1
config.MODEL.LAST = 4


class Configured(nn.Module):
    def forward(self, x):
        left = config.MODEL.DIM  # value: unknown (<DIM>)
        given = config.MODEL.LAST  # value: 4
        return x, left, given


class TakesMapping(nn.Module):
    """What the keys of an input hold are inputs of their own."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, sample):
        image = sample["image"]
        image  # value: tensor[B, 3, sample.image.H, sample.image.W]
        mask = sample["mask"]
        rows, columns = mask.shape
        columns  # value: int sample.mask.1
        return self.conv(image)


class TakesSaidMapping(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, batch: dict[str, torch.Tensor]):
        image = batch["image"]
        image  # value: tensor[B, 3, batch.image.H, batch.image.W]
        return self.conv(image) if batch else None


class ChoosesForward(nn.Module):
    """The instance says which of its methods a call runs."""

    def __init__(self, fast=False):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)
        self.forward = self.run_fast if fast else self.run_slow

    def run_fast(self, x):
        return self.conv(x)

    def run_slow(self, x):
        y = self.conv(x)
        y  # value: tensor[B, 8, x.H, x.W]
        return y


class Hourglass(nn.Module):
    """A method that calls itself until its level is 1, and layers that are asked for by computed names."""

    def __init__(self, depth=5):
        super().__init__()
        self.depth = depth
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        for level in range(depth):
            self.add_module("low_" + str(level), nn.Conv2d(8, 8, 3, padding=1))

    def halve(self, level, x):
        low = nn.functional.avg_pool2d(x, 2)
        if level > 1:
            low = self.halve(level - 1, low)
        low = self._modules["low_" + str(level - 1)](low)
        return nn.functional.interpolate(low, scale_factor=2)

    def forward(self, image):
        image = self.first(image)
        low = self.halve(self.depth, image)
        low  # value: tensor[B, 8, 32 * (image.H // 32), 32 * (image.W // 32)]
        for layer in list(self._modules.values())[1:]:
            image = layer(image)
        return image  # value: tensor[B, 8, image.H, image.W]
