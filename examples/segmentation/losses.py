"""Losses for segmentation; pixels labelled 255 are not to be learned from."""

import torch
import torch.nn.functional as F
from torch import nn

IGNORED = 255


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, target):
        target[target == IGNORED] = 0
        probabilities = logits.softmax(1)
        truth = F.one_hot(target, logits.size(1)).permute(0, 3, 1, 2).float()
        overlap = (probabilities * truth).sum((2, 3))
        total = (probabilities + truth).sum((2, 3))
        return 1 - ((2 * overlap + self.smooth) / (total + self.smooth)).mean()


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, target):
        entropy = F.cross_entropy(logits, target, ignore_index=IGNORED, reduction="none")
        return ((1 - torch.exp(-entropy)) ** self.gamma * entropy).mean()


class SegmentationLoss(nn.Module):
    """Dice and focal loss of the same target."""

    def __init__(self):
        super().__init__()
        self.dice = DiceLoss()
        self.focal = FocalLoss()

    def forward(self, logits, target):
        return self.dice(logits, target) + self.focal(logits, target)
