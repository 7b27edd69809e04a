import contextlib

import torch
from torch import amp
from torch.amp import autocast
from torch.cuda.amp import autocast as cuda_autocast


def regions(model, x, mixed, kind, device, options):
    with torch.autocast("cuda"):
        model(x)
    with torch.autocast(device_type=kind, dtype=torch.bfloat16, enabled=mixed):
        model(x)
    with torch.autocast(device.type, torch.float16):
        model(x)
    with torch.autocast(**options):
        model(x)
    with torch.autocast("cuda:0"):
        model(x)
    with torch.autocast():  # hit
        model(x)
    with autocast(enabled=mixed):  # hit
        model(x)
    with amp.autocast(dtype=torch.float16):  # hit
        model(x)
    with torch.autocast("gpu"):  # hit
        model(x)
    with autocast("cuda", True):  # hit
        model(x)
    with autocast(kind == "cuda"):  # hit
        model(x)
    with autocast("cuda", enable=mixed):  # hit
        model(x)
    with autocast("cuda", precision=16):  # hit
        model(x)
    with cuda_autocast():
        model(x)
    with cuda_autocast(mixed):
        model(x)
    with cuda_autocast(enable=mixed):  # hit
        model(x)
    with torch.autocast("cuda") if mixed else contextlib.nullcontext():
        model(x)


def with_a_device(model, x):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with torch.autocast(device_type=device):  # hit
        model(x)
    with torch.autocast(device.type):
        model(x)
    with torch.autocast(torch.device("cpu")):  # hit
        return model(x)


def with_a_name(model, x):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with torch.autocast(device):
        return model(x)


@torch.autocast  # hit
def bare(model, x):
    return model(x)


@torch.autocast("cuda")
def called(model, x):
    return model(x)


@cuda_autocast()
def of_cuda(model, x):
    return model(x)


def autocasting(autocast, model, x):
    with autocast():
        return model(x)
