import argparse

import torch.distributed as dist
from torch.multiprocessing import Process


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    started = []
    for rank in range(args.processes):
        args.local_rank = rank
        process = Process(target=train, args=(rank, args))
        process.start()
        started.append(process)


def train(rank, args):
    dist.init_process_group("nccl", rank=rank, world_size=args.processes)
    print(args.local_rank)
