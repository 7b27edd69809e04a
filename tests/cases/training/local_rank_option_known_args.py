import argparse

import torch.distributed

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
args, unparsed = parser.parse_known_args()
torch.distributed.init_process_group("nccl", rank=args.local_rank)
