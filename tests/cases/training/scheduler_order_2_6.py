# torch: 2.6
from torch.optim.lr_scheduler import StepLR


def verbose(optimizer):
    return StepLR(optimizer, 30, verbose=True)
