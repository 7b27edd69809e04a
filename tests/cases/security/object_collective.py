import torch
import torch.distributed as dist
from torch.distributed import broadcast_object_list
from torch.package import PackageImporter


def share(values, path):
    dist.all_gather_object(values, 1)  # hit
    broadcast_object_list(values)  # hit
    dist.all_gather(values, torch.ones(1))
    torch.ops.load_library("ops.so")
    torch.ops.load_library(path)  # hit
    return PackageImporter(path)  # hit
