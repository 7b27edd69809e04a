from contextlib import contextmanager

import torch.distributed as dist


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
