import functools
from functools import partial

import torch
from torchvision.utils import make_grid, save_image
import torch.nn as nn
import torch.nn.functional as F
import torchvision.transforms as T
from torch.nn import Conv2d, EmbeddingBag
from torch.utils.data import DataLoader, random_split

kwargs = {"bias": False}


class Conv2D(nn.Conv2d):
    def __init__(self, channels, pad=1):
        super().__init__(channels, channels, 3, padding=pad)


class Net(nn.Module):
    def __init__(self, p, norm_layer=nn.BatchNorm2d):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3, pad=1)  # hit
        self.b = Conv2d(3, 8, 3, group=1)  # hit
        self.c = nn.Conv2d(3, 8, kernal_size=3)  # hit
        self.d = nn.Conv2d(3, 8, 3, 1, 1, False)  # hit
        self.e = nn.Conv2d(3, 8, 3, 1, 1, 1, False)  # hit
        self.f = nn.Conv2d(3, 8, 3, 1, 1, 1, 1, False)
        self.g = nn.Conv2d(3, 8, 3, **kwargs)
        self.h = nn.Conv2d(*[3, 8, 3], False)
        self.i = Conv2D(8, pad=2)
        self.j = norm_layer(8, eps=1e-5, nothing=3)
        self.k = nn.SyncBatchNorm(
            3,
            moment=0.1,  # hit
            track_running_state=True,  # hit
        )
        self.l = nn.ConvTranspose2d(4, 4, 3, 1, 1, 1)  # hit
        self.m = nn.ConvTranspose2d(4, 4, 3, 2, 1, 1)
        self.n = nn.ConvTranspose2d(4, 4, 3, 2, 1, 1, 2)
        self.o = nn.ConvTranspose2d(4, 4, 3, 2, 1, 1, False)  # hit
        self.p = nn.ConvTranspose2d(4, 4, 3, stride=p, output_padding=1)
        self.q = nn.LSTM(3, 4, 2, batchfirst=True)  # hit
        self.r = nn.GRU(3, 4, 2, True, True)
        self.s = nn.GRU(3, 4, True)  # hit
        self.t = nn.Linear(3, 4, False)
        self.u = nn.Linear(3, 4, 1)
        self.v = nn.ReLU(True)
        self.w = nn.MaxPool2d(2, 2, True)  # hit
        self.x = nn.Sequential(nn.Dropout(0.1), nn.Linear(3, 3, dtype=None))
        self.y = nn.Identity(3, unused=4)
        self.z = functools.partial(nn.Conv2d, kernel_sise=3)  # hit
        self.block = partial(nn.Conv2d, bias=False, padding=1)
        self.bag = EmbeddingBag(10, 3)
        self.sum_bag = EmbeddingBag(10, 3, mode="sum")
        self.any_bag = EmbeddingBag(10, 3, mode=p)

    def forward(self, x, w):
        y = self.bag(x, per_sample_weights=torch.ones(3))  # hit
        y = self.sum_bag(x, per_sample_weights=torch.ones(3))
        y = self.any_bag(x, per_sample_weights=torch.ones(3))
        y = self.bag(x, per_sample_weights=None)
        y = self.bag(x, per_sample_weights=w)
        y = F.conv2d(x, w, pad=1)  # hit
        y = F.softmax(y, axis=1)  # hit
        y = torch.softmax(y, axis=1)
        y = torch.sum(y, axis=1, keepdims=True)
        y = torch.sum(y, dims=1)  # hit
        y = torch.cat([x, y], axis=1)
        y = torch.topk(y, 3, largets=True)  # hit
        y = F.interpolate(y, scale_factor=2, align_corner=False)  # hit
        y = x.sum(dims=1)
        y = torch.zeros(3, device="cpu", requires_grad=True)
        y = F.dropout(y, 0.5, self.training)
        return F.relu(y, inplace=True)


def loaders(dataset, sampler):
    a = DataLoader(dataset, 32, True)
    b = DataLoader(dataset, 32, 4)  # hit
    c = DataLoader(dataset, True)  # hit
    d = DataLoader(dataset, batchsize=4)  # hit
    e = DataLoader(dataset, batch_size=4, num_worker=3)  # hit
    f = random_split(dataset, [1, 2], generator=None, seed=0)  # hit
    return a, b, c, d, e, f


def optimizers(params, lr):
    torch.optim.Adam(params, learning_rate=lr)  # hit
    torch.optim.Adam(params, lr, (0.9, 0.99), 1e-8, 0.1, False, True)  # hit
    torch.optim.SGD(params, lr, 0.9, weight_decay=1e-4)
    torch.load("x", weight_only=True)
    torch.save(params, "x", _use_new_zipfile_serialization=False)
    F.pad(params, (0, 1), "constant", False)
    torch.pow(self=2, exponent=params)
    torch.zeros(3, memory_format=torch.contiguous_format)  # hit
    torch.empty(3, memory_format=torch.contiguous_format)
    torch.tensor(params, copy=True)  # hit
    T.Normalize([0.5], [0.5], True)
    T.Normalize(mean=[0.5], sdt=[0.5])  # hit
    try:
        torch.load("x", weights_only=True)
        torch.optim.Adam(params, fussed=True)
    except TypeError:
        torch.optim.Adam(params)


def narrow(x):
    with torch.autocast("cuda", enable=False):
        return nn.Conv2d(4, 8, 3, group=2)(x)  # hit


def stored(x, y):
    torch.utils.data.TensorDataset(data_tensor=x, target_tensor=y)  # hit
    torch.utils.data.TensorDataset(x, y)
    return torch.utils.data.SubsetRandomSampler(range(9), 3, True)  # hit


def turned(image):
    return T.functional.affine(image, 1, (0, 0), 1, 0, resample=2)  # hit


def parted(x):
    torch.split(x, split_size_or_sections=2)
    return torch.split(x, split_size=2, dim=1)  # hit


def shown(images):
    save_image(images, "shown.png", range=(-1, 1))  # hit
    save_image(images, "shown.png", nrow=4, normalize=True)
    return make_grid(images, normalize=True, range=(-1, 1))  # hit


def of_what_is_gone(matrix):
    return torch.eig(matrix, True)
