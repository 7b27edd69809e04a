import torch
import torch.nn.functional as F
from torch import nn


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        logits = self.fc(x)
        guess = logits.argmax(dim=1)
        share = (guess == 1).mean()  # hit
        spread = torch.std(guess)  # hit
        soft = F.softmax(guess, dim=0)  # hit
        well = (guess == 1).float().mean()
        typed = torch.mean(guess, dtype=torch.float32)
        summed = (guess == 1).sum()
        return share, spread, soft, well, typed, summed, logits.mean()
