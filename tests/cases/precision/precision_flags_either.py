import torch


def either(enable, recent):
    if recent:
        torch.backends.cudnn.fp32_precision = "tf32"
    else:
        torch.backends.cudnn.allow_tf32 = enable
