import torch
import torch.nn.functional as F


def sample(logits, count):
    probs = F.softmax(logits, dim=-1)
    drawn = torch.multinomial(probs, num_samples=count)
    return torch.log(torch.gather(probs, 1, drawn))


def judge(logits, labels):
    probs = F.softmax(logits, dim=-1)
    return torch.log(torch.gather(probs, 1, labels))  # hit
