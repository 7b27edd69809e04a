import os

import torch


def late(gpu):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu  # hit
    return device


def ask():
    return torch.cuda.is_available()


def late_by_helper(gpu):
    if ask():
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu  # hit


def maybe_asked(gpu, cuda):
    if cuda:
        torch.cuda.set_device(0)
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu


def early(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    os.environ["OMP_NUM_THREADS"] = "1"
    return torch.cuda.is_available()


def all_there_are(options):
    if torch.cuda.is_available():
        options.gpus = ",".join([str(i) for i in range(torch.cuda.device_count())])
        os.environ["CUDA_VISIBLE_DEVICES"] = options.gpus


def all_there_are_at_once():
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(torch.cuda.device_count())))


def what_is_used_anyway():
    if torch.cuda.is_available():
        os.environ["CUDA_VISIBLE_DEVICES"] = str(torch.cuda.current_device())
