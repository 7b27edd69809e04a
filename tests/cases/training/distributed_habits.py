import argparse
import os
import subprocess
import sys
from contextlib import contextmanager

import torch
import torch.distributed as dist
import torchvision
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils import data
from torch.utils.data.distributed import DistributedSampler
from tqdm import tqdm


def train_epoch(model, optimizer, batches):
    for x, y in tqdm(batches):
        optimizer.zero_grad()
        model(x, y).backward()
        optimizer.step()


def helper(model, optimizer, images, distributed):
    sampler = DistributedSampler(images) if distributed else None  # hit
    loader = data.DataLoader(images, sampler=sampler)
    for _ in range(10):
        train_epoch(model, optimizer, loader)


def inline(model, optimizer, images):
    loader = data.DataLoader(images, sampler=DistributedSampler(images, seed=3))  # hit
    step = 0
    while step < 100:
        for i, x in enumerate(loader):
            model(x).backward()
            step += 1


class Trainer:
    def __init__(self, images):
        self.sampler: DistributedSampler = DistributedSampler(images, shuffle=True)  # hit
        self.loader = data.DataLoader(images, 8, sampler=self.sampler)

    def fit(self, model):
        for epoch in tqdm(range(3)):
            for x in self.loader:
                model(x).backward()


def anew_each_time(model, images):
    for epoch in range(3):
        sampler = DistributedSampler(images)  # hit
        for x in data.DataLoader(images, sampler=sampler):
            model(x).backward()


def seeded_anew(model, images):
    for epoch in range(3):
        sampler = DistributedSampler(images, seed=epoch)
        for x in data.DataLoader(images, sampler=sampler):
            model(x).backward()


def once(model, images):
    loader = data.DataLoader(images, sampler=DistributedSampler(images))
    for x in loader:
        model(x).backward()


def evaluate(model, images):
    loader = data.DataLoader(images, sampler=DistributedSampler(images))
    for threshold in (0.1, 0.5):
        for x in loader:
            print((model(x) > threshold).sum())


def in_order(model, images, shuffle):
    ordered = data.DataLoader(images, sampler=DistributedSampler(images, shuffle=False))
    unknown = data.DataLoader(images, sampler=DistributedSampler(images, shuffle=shuffle))
    for epoch in range(3):
        for x, z in zip(ordered, unknown):
            model(x, z).backward()
        for x in ordered:
            model(x).backward()
        for x in unknown:
            model(x).backward()


def loaders(images, *args, **options):
    sampler = DistributedSampler(images, *args, **options)
    return data.DataLoader(images, sampler=sampler)


def handed_out(images):
    sampler = DistributedSampler(images)
    return data.DataLoader(images, sampler=sampler), sampler


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)  # hit
    group = parser.add_argument_group("torch")
    group.add_argument("-r", "--local_rank", dest="rank")  # hit
    parser.add_argument("--local_rank_filter")
    parser.set_defaults(help="--local_rank")
    return parser.parse_args()


def late(gpu):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    return device


def launch(script, n, quick):
    subprocess.run([sys.executable, "-m", "torch.distributed.launch", script], check=True)  # hit
    os.system(f"python -m torch.distributed.launch --nproc_per_node={n} {script}")  # hit
    module = "torch.distributed.run" if quick else "torch.distributed.launch"
    print("start it with python -m torch.distributed.launch")
    return [sys.executable, "-m", module], ["torch.distributed.launch"]


@contextmanager
def zero_first(rank):
    """Start with torch.distributed.launch."""
    if rank != 0:
        dist.barrier()
    yield
    if rank == 0:
        dist.barrier()  # hit


@contextmanager
def zero_first_safely(rank):
    if rank != 0:
        dist.barrier()
    try:
        yield
    finally:
        if rank == 0:
            dist.barrier()


@contextmanager
def before(rank):
    dist.barrier()
    yield rank


def batches(items):
    yield from items
    dist.barrier()


def wrapped(model, images):
    net = DDP(torchvision.models.resnet50(), find_unused_parameters=True)  # hit
    layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    small = DDP(layers.cuda(), device_ids=[0], find_unused_parameters=True)  # hit
    unknown = DDP(model, find_unused_parameters=True)
    fixed = DDP(model, find_unused_parameters=True, static_graph=True)  # hit
    aux = DDP(torchvision.models.inception_v3(), find_unused_parameters=True)
    off = DDP(torchvision.models.resnet50(), find_unused_parameters=False)
    many = nn.DataParallel(model)
    return net, small, unknown, fixed, aux, off, many
