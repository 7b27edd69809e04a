"""Statements: branches, loops, and what leaves them."""

import collections.abc
import contextlib
import math
import numbers
from itertools import chain, repeat

import torch
from packaging import version
from torch import nn

COUNT = 0
SIDES = {"small": 16, "large": 32}


def count_up():
    global COUNT
    COUNT = COUNT + 3
    return COUNT


def pairs():
    yield 1
    yield 2


def pairs_from(first):
    yield first
    yield from (7, 8)


def find_first(items):
    for item in items:
        if item > 2:
            return item
    return None


class Net(nn.Module):
    def __init__(self, mode="small", scale=None):
        super().__init__()
        self.mode = mode
        self.scale = scale
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.wide = nn.Conv2d(3, 16, 3, padding=1)

    def forward(self, x, mask=None, flag=False):
        y = self.conv(x)  # value: tensor[B, 8, x.H, x.W]
        h, w = x.shape[-2:]

        if self.scale is None:
            a = 1
        else:
            a = 2
        a  # value: 1

        if h > 20:
            b = 1
        else:
            b = 2
        b  # value: 1 | 2

        if h > 20:
            c = x
        else:
            c = y
        c  # value: tensor[B, either(3, 8), x.H, x.W]

        if flag:
            d = 1
        else:
            d = None
        if d is None:
            d = 5
        d  # value: 5

        order = [0, 1, 2, 3]
        for at in sorted([2, 1], reverse=True):
            del order[at]
        order  # value: [0, 3]
        del order[len(mask)]
        order  # value: list of any number of unknown

        criterion = nn.MSELoss() if h > 20 else nn.L1Loss()
        if isinstance(criterion, nn.MSELoss):
            criterion  # value: torch.nn.MSELoss()
        else:
            criterion  # value: torch.nn.L1Loss()
        isinstance(criterion, nn.Module)  # value: True

        e = None
        if w > 3:
            e = h
        if e is not None:
            e  # value: int x.H (varies)

        total = 0
        for step in (1, 2, 3):
            total = total + step
        total  # value: 6

        total = 0
        for step in range(4):
            total += step
        total  # value: 6

        for step in range(10):
            if step == 3:
                break
        step  # value: 3

        kept = []
        for step in range(5):
            if step % 2:
                continue
            kept.append(step)
        kept  # value: [0, 2, 4]

        z = y
        for _ in range(h):
            z = torch.relu(z)
        z  # value: tensor[B, 8, x.H, x.W]

        size = 64
        while size > 10:
            size = size // 2
        size  # value: 8

        n = 0
        while n < 3:
            n += 1
        else:
            n = n + 100
        n  # value: 103

        for step in (1, 2):
            pass
        else:
            step = 9
        step  # value: 9

        try:
            f = 3
        except ValueError:
            f = 4
        f  # value: 3 | 4

        try:
            g = int("7")
        finally:
            k = 8
        g + k  # value: 15

        with torch.no_grad():
            p = x * 2
        p  # value: tensor[B, 3, x.H, x.W]

        with contextlib.nullcontext(4) as four:
            four  # value: 4

        match self.mode:
            case "large":
                q = 1
            case "small" | "tiny":
                q = 2
            case _:
                q = 3
        q  # value: 2

        match (1, 2):
            case (r, s):
                r + s  # value: 3

        doubled = [2 * each for each in (1, 2, 3) if each != 2]
        doubled  # value: [2, 6]
        {each: each + 1 for each in (1, 2)}  # value: {1: 2, 2: 3}
        sum(each for each in (1, 2, 3))  # value: 6
        [one + two for one in (1, 2) for two in (10, 20)]  # value: [11, 21, 12, 22]
        {each % 2 for each in (1, 3)}  # value: {1}

        grow = lambda value, by=2: value * by
        grow(h)  # value: int 2 * x.H (varies)
        grow(3, by=5)  # value: 15

        def inner(value):
            return value + w

        inner(1)  # value: int x.W + 1 (varies)

        def make_adder(amount):
            def add(value):
                return value + amount

            return add

        make_adder(4)(5)  # value: 9

        counter = 0

        def bump():
            nonlocal counter
            counter += 2

        bump()
        bump()
        counter  # value: 4

        list(pairs())  # value: [1, 2]
        tuple(pairs_from(6))  # value: (6, 7, 8)
        for pair in pairs():
            pair  # value: 1, then 2
        next(iter(pairs()))  # value: 1 | 2

        if (half := h // 2) > 4:
            pass
        half  # value: int x.H // 2 (varies)

        first, *rest = (1, 2, 3)
        first  # value: 1
        rest  # value: [2, 3]
        *front, last = x.shape
        last  # value: int x.W (varies)
        (i, j), m = (1, 2), 3
        i + j + m  # value: 6
        t = u = 5
        t + u  # value: 10

        count_up()  # value: 3
        count_up()  # value: 6

        find_first((1, 2, 3, 4))  # value: 3
        find_first((1, 2))  # value: None

        assert mask is None
        SIDES[self.mode]  # value: 16
        v = 3 if self.mode == "small" else 4
        v  # value: 3
        self.mode == "small" and 7  # value: 7
        None or 8  # value: 8
        i, j = j, i
        i  # value: 2
        del i
        values = [3, 1, 2]
        values.sort()
        values  # value: [1, 2, 3]
        values[1:] = [9]
        values  # value: [1, 9]
        values += [4]
        values  # value: [1, 9, 4]
        settings = {"a": 1}
        settings["b"] = 2
        settings.update(c=3)
        settings  # value: {'a': 1, 'b': 2, 'c': 3}
        settings.get("z", 5)  # value: 5
        either = [{}, {}]
        either[int(h > 20)]["a"] = 1
        either  # value: [{…}, {…}]
        dict(locals())["half"]  # value: int x.H // 2 (varies)
        settings.pop("a")  # value: 1
        settings | {"d": 4}  # value: {'b': 2, 'c': 3, 'd': 4}
        [key for key, value in settings.items() if value > 2]  # value: ['c']
        wide = self.wide(x) if self.mode == "large" else self.conv(x)
        return wide  # value: tensor[B, 8, x.H, x.W]


class Guarded(nn.Module):
    def forward(self, x):
        torch.__version__ >= "2.2"  # value: True
        version.parse(torch.__version__) < version.parse("1.10")  # value: False
        tuple(int(each) for each in torch.__version__.split(".")[:2]) >= (1, 7)  # value: True
        int(torch.__version__.split(".")[0]) > 1  # value: True
        version.parse(torch.__version__).major < 2  # value: False
        torch.__version__ == "parrots"  # value: False
        return x


class Pyramid(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        levels = [x]
        for _ in range(3):
            if levels[0].shape[2] > 32:
                levels.insert(0, torch.zeros(b, 3, 8, 8))
        levels[0].shape[0]  # value: int B (varies)
        return levels


class AsksExporter(nn.Module):
    def forward(self, x):
        traced = torch.jit.is_tracing()  # value: bool (under onnx-legacy, torchscript-trace)
        if traced and x is not None:
            again = torch.jit.is_tracing()  # value: True
            export = torch.compiler.is_exporting()  # value: False
        if not torch.compiler.is_compiling():
            export = torch.compiler.is_exporting()  # value: False
            traced = torch.jit.is_tracing()  # value: bool (under onnx-legacy, torchscript-trace)
            return x
        after = torch._C._get_tracing_state() is None  # value: True


try:
    from torch.compiler import is_compiling as captured
except ImportError:

    def captured():
        return False


asked = getattr(torch.compiler, "is_compiling", None) or getattr(torch._dynamo, "is_compiling", None)


def is_captured() -> bool:
    return bool(asked()) if asked is not None else False


def is_recorded():
    if hasattr(torch, "compiler"):
        return torch.jit.is_tracing() or torch.compiler.is_compiling()
    return torch.jit.is_tracing()


class AsksByHelpers(nn.Module):
    def forward(self, x):
        there = captured is not None  # value: True
        first = captured()  # value: bool (under onnx, torch.export)
        second = is_captured()  # value: bool (under onnx, torch.export)
        third = is_recorded()  # value: bool (under onnx, onnx-legacy, torch.export, torchscript-trace)
        both = is_recorded() and captured()  # value: bool (under onnx, torch.export)
        return x


class Captioner(nn.Module):
    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
        pixel_values: torch.Tensor | None = None,
        image_embeds: torch.Tensor | None = None,
    ):
        if input_ids is None:
            raise ValueError("give input_ids")
        if pixel_values is not None and image_embeds is not None:
            raise ValueError("give one of the two")
        elif pixel_values is None and image_embeds is None:
            raise ValueError("give pixel_values or image_embeds")
        b, c, h, w = pixel_values.shape
        image_embeds  # value: None
        mask  # value: None
        return h // 2  # value: int pixel_values.2 // 2 (varies)


class Translator(nn.Module):
    def decode(self, input_ids=None, inputs_embeds=None):
        if input_ids is not None and inputs_embeds is not None:
            raise ValueError("give one of the two")
        elif input_ids is not None:
            size = input_ids.size()
        elif inputs_embeds is not None:
            size = inputs_embeds.size()[:-1]
        else:
            name = "decoder_"
            raise ValueError(f"give {name}input_ids or {name}inputs_embeds")
        return size

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        decoder_input_ids: torch.Tensor | None = None,
        decoder_inputs_embeds: torch.Tensor | None = None,
    ):
        size = self.decode(decoder_input_ids, decoder_inputs_embeds)
        b, n = size
        return n  # value: int decoder_input_ids.1 (varies)


def watch_hooks(module, found):
    for child in module.children():
        watch_hooks(child, found)
    module.register_forward_hook(lambda module, given, made: made)


def mark_hooks(module):
    module.register_forward_hook(lambda module, given, made: made)
    module.marked = 4


class Watched(nn.Module):
    def forward(self, x):
        told = watch_hooks(self, [])  # value: None
        mark_hooks(self)
        self.marked  # value: 4
        return x


class AsksClassOfSize(nn.Module):
    def forward(self, x):
        size = x.shape[2]
        traced = isinstance(size, torch.Tensor)  # value: bool (under onnx-legacy, torchscript-trace)
        traced = torch.is_tensor(x.size(2))  # value: bool (under onnx-legacy, torchscript-trace)
        symbol = isinstance(size, torch.SymInt)  # value: bool (under onnx, torch.export)
        number = isinstance(size, (int, torch.SymInt))  # value: bool (under eager, onnx, torch.export)
        either = isinstance(size, (int, torch.Tensor))  # value: bool (under eager, onnx-legacy, torchscript-trace)
        number = isinstance(size, int)  # value: bool (under eager)
        number = type(size) in (int, float)  # value: bool (under eager)
        other = type(size * 2) is not int  # value: bool (under onnx, onnx-legacy, torch.export, torchscript-trace)
        number = isinstance(size, numbers.Number)  # value: bool (under eager)
        several = isinstance(size, collections.abc.Iterable)  # value: bool (under onnx-legacy, torchscript-trace)
        several = isinstance(size, collections.abc.Sequence)  # value: False
        several = hasattr(size, "__len__")  # value: bool (under onnx-legacy, torchscript-trace)
        rounded = isinstance(math.ceil(size / 2), int)  # value: bool (under eager, onnx-legacy, torchscript-trace)
        sizes = isinstance(x.shape[2:], torch.Size)  # value: True
        length = isinstance(len(x), torch.Tensor)  # value: False
        fraction = isinstance(size / 2, torch.Tensor)  # value: bool (under onnx-legacy, torchscript-trace)
        fraction = isinstance(size / 2, float)  # value: bool (under eager)
        fraction = isinstance(size / 2, int)  # value: False
        if isinstance(size, torch.Tensor):
            again = torch.jit.is_tracing()  # value: True
            return x
        after = torch.jit.is_tracing()  # value: False


def make_tuples(count):
    def parse(x):
        if isinstance(x, collections.abc.Iterable):
            return tuple(x)
        return tuple(repeat(x, count))

    return parse


to_pair = make_tuples(2)


class RepeatsNumbers(nn.Module):
    def forward(self, x):
        pair = to_pair(4)  # value: (4, 4)
        sides = to_pair((2, 3))  # value: (2, 3)
        joined = [*chain(pair, sides)]  # value: [4, 4, 2, 3]
        y = torch.zeros(pair)  # value: float32[4, 4]
        return x + y, joined


class Attends(nn.Module):
    """The same tensor, handed on three times, is one."""

    def attend(self, query, key, value):
        same = query is key  # value: True, then bool
        return torch.stack((query, key, value)), same

    def forward(self, x):
        self.attend(x, x, x)
        return self.attend(x, x * 2, x)


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 1)
        self.one = nn.Conv2d(8, 16, 1)
        self.two = nn.Conv2d(16, 4, 1)

    def forward(self, x):
        y = [self.stem(x)]
        y.extend(layer(y[-1]) for layer in (self.one, self.two))
        y[-1]  # value: tensor[B, 4, x.H, x.W]
        return torch.cat(y, 1)  # value: tensor[B, 28, x.H, x.W]
