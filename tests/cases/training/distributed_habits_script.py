import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print(torch.cuda.device_count())
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # hit
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


def choose(gpu, found):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    if not torch.cuda.is_available():
        raise RuntimeError


def counted(gpu):
    print(torch.cuda.device_count())
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)


def branched(gpu):
    if gpu is None:
        torch.cuda.init()
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    if torch.cuda.is_available() and gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu  # hit


def train(model, images, epochs):
    model = nn.DataParallel(model, device_ids=[0, 1])  # hit
    loader = DataLoader(images, sampler=DistributedSampler(images, 2, 0))  # hit
    for epoch in range(epochs):
        for batch in loader:
            model(batch).sum().backward()


def get(images):
    return handle(DistributedSampler(images), (s := DistributedSampler(images)), lambda: s)


def handle(*samplers):
    DistributedSampler()
    return samplers
