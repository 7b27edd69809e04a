import os

import torch

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
