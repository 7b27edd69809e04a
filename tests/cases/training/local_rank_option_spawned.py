import argparse

import torch
import torch.distributed as dist


def work(rank, args):
    args.local_rank = rank
    dist.init_process_group("nccl", rank=args.local_rank, world_size=args.gpus)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("-l", "--local_rank", type=int, default=-1)
    parsed = parser.parse_args()
    torch.multiprocessing.spawn(work, nprocs=parsed.gpus, args=(parsed,))
