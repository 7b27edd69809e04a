import torch
import torch.distributed as dist
from torch.distributed import all_gather, get_rank


def accuracy(good, seen, rank):
    if rank == 0:
        dist.all_reduce(good)  # hit
    return good / seen


def gathered(rows, args):
    if args.local_rank == 0:
        for part in rows:
            all_gather([part], part)  # hit
    if get_rank() == 0:
        dist.reduce(rows[0], dst=0)  # hit
    dist.all_reduce(rows[1])


def by_first(load, rank):
    if rank != 0:
        dist.barrier()
    found = load()
    if rank == 0:
        dist.barrier()
    return found


def both(x, rank):
    if rank == 0:
        dist.broadcast(x, src=0)
    else:
        dist.broadcast(x, src=0)


def spread(x):
    if dist.get_world_size() == 1:
        return x
    if dist.is_initialized():
        dist.all_reduce(x)
    return x


def of_group(x, rank, group):
    if rank == 0:
        dist.all_reduce(x, group=group)


def pairs(x, rank):
    if rank == 0:
        dist.send(x, dst=1)
    else:
        dist.recv(x, src=0)


def main(is_main_process, x):
    if is_main_process():
        dist.barrier()  # hit
    if torch.distributed.get_rank() == 0:
        print(x)


def by_place(x, rank, group):
    if rank == 0:
        dist.barrier(group)
        dist.all_reduce(x, dist.ReduceOp.SUM, group)


def by_default(x, rank):
    if rank == 0:
        dist.all_reduce(x, dist.ReduceOp.SUM)  # hit


def elsewhere(x, rank, wait_for_data):
    if rank == 0:
        torch.save(x, "x.pt")
        dist.barrier()
    else:
        wait_for_data()


def leaves(x, rank, serve):
    if rank == 0:
        dist.broadcast(x, 0)
        return
    serve(x)


def other_test(x, rank, serve):
    if rank == 0:
        dist.broadcast(x, 0)
    if rank != 0:
        serve(x)


def only_prints(x, rank):
    if rank == 0:
        dist.broadcast(x, 0)  # hit
    else:
        print("waits")


def averaged(model, average, local_rank, steps):
    is_master = local_rank < 0 or dist.get_rank() == 0
    if local_rank >= 0:
        for each in model.state_dict().values():
            dist.broadcast(each, 0)
    if steps and is_master:
        ema = average(model)
    else:
        ema = None
    if ema is not None and steps > 1:
        model.load_state_dict(ema.state_dict())
        for each in model.state_dict().values():
            dist.broadcast(each, 0)  # hit


def made_by_all(model, average, steps):
    if steps:
        ema = average(model)
    else:
        ema = None
    if ema is not None:
        for each in model.state_dict().values():
            dist.broadcast(each, 0)


def each_fifth(epoch, rank):
    if rank == 0 and epoch % 5 == 0:
        torch.save(epoch, "epoch.pt")
        dist.barrier()  # hit
