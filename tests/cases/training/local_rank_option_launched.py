import argparse
import os

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
args = parser.parse_args()
rank = int(os.environ.get("LOCAL_RANK", -1))
if rank != -1 and rank != args.local_rank:
    args.local_rank = rank
dist.init_process_group("nccl", rank=args.local_rank)
