import functools

import functorch
import sys

import torch
import torch as t
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from functorch import vmap
from torch import cholesky as c
from torch import qr
from torch.cuda import max_memory_cached
from torch.nn import init
from torch.nn.init import kaiming_normal, xavier_uniform_
from torch.nn.utils import clip_grad_norm, weight_norm
from torch.testing import get_all_dtypes  # hit


def linear_algebra(a, b, upper, options):
    q, r = torch.qr(a)  # hit
    q, r = qr(a, some=False)  # hit
    low = c(a)  # hit
    low = t.cholesky(a, upper=upper)  # hit
    low = torch.cholesky(*options)  # hit
    low = torch.cholesky(a, **options)  # hit
    low = torch.linalg.cholesky(a)
    e, v = torch.symeig(a, eigenvectors=True)  # hit
    x, _ = torch.solve(b, a)  # hit
    x = torch.linalg.solve(a, b)
    steps = torch.range(0, 3)  # hit
    steps = torch.range(*a)  # hit
    steps = range(3)
    u, s, v = torch.svd(a)  # hit
    n = torch.norm(a)  # hit
    n = a.norm()
    return torch.chain_matmul(a, b, a)  # hit


def references(a, functions):
    decompose = torch.qr  # hit
    parts = list(map(torch.cholesky, functions))  # hit
    parts = functools.partial(torch.lu, pivot=True)  # hit
    if functions[0] is torch.norm:
        return None
    table = {torch.norm: 1, "qr": torch.qr}
    return decompose(a), table, parts


@functorch.vmap  # hit
def each(x):
    return x + 1


@vmap  # hit
def each_again(x):
    return x + 1


@torch.library.impl_abstract("mine::op")  # hit
def fake(x):
    return x


@torch.library.register_fake("mine::op2")
def fake2(x):
    return x


def implements(*names):
    return lambda function: function


@implements(torch.norm)
def norm(x):
    return x


class Net(nn.Module):
    def __init__(self, qr):
        super().__init__()
        self.conv = weight_norm(nn.Conv2d(3, 3, 3))  # hit
        self.up = nn.UpsamplingBilinear2d(scale_factor=2)  # hit
        self.up = nn.Upsample(scale_factor=2)
        self.soft = nn.Softmax()  # hit
        self.soft = nn.Softmax(dim=1)
        self.soft = nn.Softmax(1)
        self.qr = qr
        for m in self.modules():
            if isinstance(m, nn.UpsamplingBilinear2d):
                init.constant(m.weight, 0)  # hit
                init.constant_(m.weight, 0)
                kaiming_normal(m.weight)  # hit
                xavier_uniform_(m.weight)

    def forward(self, x: torch.Tensor, **kw):
        x = F.upsample(x, scale_factor=2)  # hit
        x = F.interpolate(x, scale_factor=2)
        x = F.softmax(x)  # hit
        x = F.softmax(x, 1)
        x = F.softmax(x, **kw)
        x = F.log_softmax(x, dim=-1)
        h = self.qr(x)
        h = x.symeig()  # hit
        h = x.qr()  # hit
        h = self.norm(x)
        grid = torch.meshgrid(x, x)  # hit
        grid = torch.meshgrid(*h)  # hit
        grid = torch.meshgrid(x, x, indexing="xy")
        grid = torch.meshgrid(x, x, **kw)
        return grid


def image_resize(image, x):
    image.resize((3, 3))
    return x.eig()


def training(parameters, model, out, group):
    clip_grad_norm(parameters, 1.0)  # hit
    nn.utils.clip_grad_norm_(parameters, 1.0)
    torch.cuda.reset_max_memory_allocated()  # hit
    max_memory_cached()  # hit
    dist.all_gather_into_tensor(out, out, group=group)  # hit
    dist.all_reduce(out, dist.reduce_op.SUM)  # hit
    dist.all_reduce(out, dist.ReduceOp.SUM)
    torch.testing.assert_allclose(out, out)  # hit
    normal = torch.distributions.Normal(0.0, 1.0)
    normal.sample_n(3)  # hit
    normal.sample((3,))
    model.sample_n(3)
    if torch.has_cuda:  # hit
        return torch.backends.cuda.is_built()
    return None


def careful(a, TORCH_VERSION):
    if TORCH_VERSION >= (1, 9):
        return torch.linalg.eigh(a)
    return torch.symeig(a)


def careful_too(a):
    if hasattr(torch.linalg, "eigh"):
        return torch.linalg.eigh(a)
    else:
        return torch.symeig(a)


def careful_before(layer):
    weight_norm = nn.utils.weight_norm
    if hasattr(nn.utils.parametrizations, "weight_norm"):
        weight_norm = nn.utils.parametrizations.weight_norm
    return weight_norm(layer)


try:
    from torch.linalg import solve
except ImportError:
    from torch import solve


def either(a, b):
    return solve(a, b)


def own(torch, a):
    return torch.qr(a)


def shadow(a):
    qr = a.decompose
    return qr(a)


torch.qr = references
del torch.lu
match = lambda a: (y := torch.qr(a))  # hit
text = f"{torch.norm(text)}"  # hit


async def later(a):
    async with a:
        return await torch.qr(a)  # hit


MAJOR, MINOR = map(int, torch.__version__.split(".")[:2])
OLD = torch.__version__ < "1.9"


def is_old():
    return torch.__version__ < "1.9"


def by_release(x, kind):
    if MAJOR < 2:
        x = torch.cholesky(x)
    y = torch.cholesky(x) if OLD else torch.linalg.cholesky(x)
    while is_old():
        y = torch.cholesky(y)
    match MAJOR:
        case 1:
            y = torch.cholesky(y)
    z = hasattr(torch, "cholesky") and torch.cholesky(y)
    if kind:
        z = torch.cholesky(z)  # hit
    return z


def left_before(x):
    if not OLD:
        raise RuntimeError("for old ones only")
    return torch.cholesky(x)


def held_to(x):
    assert OLD
    return torch.cholesky(x)


class Kept:
    def __init__(self):
        self.old = torch.__version__ < "1.9"
        self.small = True

    def root(self, x):
        if self.old:
            return torch.cholesky(x)
        return torch.cholesky(x) if self.small else x


def guided(noise, prompt, args):
    has_prompt = prompt is not None
    guides = args.scale > 1 and has_prompt
    if guides:
        noise = noise / torch.norm(noise, dim=-1, keepdim=True)  # hit
    rate = getattr(args, "rate", 0)
    if rate > 0:
        noise = torch.ger(noise[0], noise[1])  # hit
    return noise


def write(model, x):
    outputs = torch.onnx._export(model, x, "model.onnx", export_params=True)  # hit
    torch.onnx.export(model, x, "model.onnx")
    return outputs


def convolve(inputs):
    if "torch.fft" not in sys.modules:
        return torch.symeig(inputs)
    return inputs
