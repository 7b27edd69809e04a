import torch
import torch.nn.functional as F
from torch import nn
from torch.cuda.amp import autocast


class Trainer:
    def __init__(self, net, device):
        self.net, self.device = net, device
        self.criterion = nn.BCELoss()

    def score(self, x, y):
        return self.criterion(self.net(x), y)  # hit

    def loss(self, x, y):
        with autocast():
            return self.score(x, y)

    def careful(self, x, y):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            out = self.net(x)
            with torch.autocast("cuda", enabled=False):
                kept = F.binary_cross_entropy(out.float(), y)
            return kept + F.binary_cross_entropy(out, y)  # hit

    def elsewhere(self, x, y, amp):
        with torch.autocast("cpu"):
            first = F.binary_cross_entropy(self.net(x), y)
        with torch.autocast(self.device), torch.autocast("cuda", enabled=amp):
            second = F.binary_cross_entropy(self.net(x), y)
        with torch.autocast("cuda"):
            third = F.binary_cross_entropy_with_logits(self.net(x), y)
        return first + second + third + F.binary_cross_entropy(self.net(x), y)


@torch.autocast("cuda", enabled=False)
def in_full(p, y):
    return F.binary_cross_entropy(p.float(), y)


def asked(p, y):
    if torch.is_autocast_enabled():
        with autocast(enabled=False):
            return F.binary_cross_entropy(p.float(), y)
    return F.binary_cross_entropy(p, y)


def guarded(net, x, y):
    with autocast():
        p = torch.sigmoid(net(x))
        return in_full(p, y) + asked(p, y)
