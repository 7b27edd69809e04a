import argparse

import torch


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    torch.manual_seed(0)
    return parser.parse_args()
