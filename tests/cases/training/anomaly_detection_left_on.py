import torch
from torch import autograd
from torch.autograd import set_detect_anomaly

torch.autograd.set_detect_anomaly(True)  # hit
autograd.set_detect_anomaly(mode=True, check_nan=True)  # hit


def main(debug):
    set_detect_anomaly(True)  # hit
    if debug:
        set_detect_anomaly(True)
    with torch.autograd.set_detect_anomaly(True):
        pass
    with torch.autograd.detect_anomaly():
        pass
