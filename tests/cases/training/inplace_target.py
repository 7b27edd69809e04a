import torch
import torch.nn.functional as F
from torch import nn

IGNORED = 255


class Loss(nn.Module):
    def __init__(self, criterion):
        super().__init__()
        self.criterion = criterion
        self.criterion.reduction = "none"  # hit
        self.own = nn.BCELoss()
        self.own.reduction = "none"

    def forward(self, pred, target):
        target[target == IGNORED] = 0  # hit
        target -= 1  # hit
        target.view(-1)[target.view(-1) == 3] = 0  # hit
        target.data.clamp_(0, 1)  # hit
        target.contiguous().reshape(-1).masked_fill_(target.reshape(-1) < 0, 0)  # hit
        flat = target.flatten()
        flat.sub_(1)  # hit
        target[:, 0] *= 2  # hit
        kept = target.float()
        kept.sub_(1)
        fresh = target.clone()
        fresh[fresh == 255] = 0
        zeros = torch.zeros_like(target).scatter_(1, target, 1)
        target = target - 1
        target[target == 255] = 0
        pred[pred < 0] = 0
        return F.cross_entropy(pred, target) + zeros.sum() + flat.sum() + kept.sum()


def dice(output, label):
    label = label.squeeze(1)
    label.unsqueeze_(1)  # hit
    return (output * label).sum()


def accuracy(output, target, ignore=255):
    if ignore:
        target = target.clone()
    target[target == ignore] = 0
    return (output.argmax(1) == target).float().mean()


def remap(pred, target):
    target[target == 255] = 0
    return target


def boxes(preds, targets):
    targets["boxes"] = targets["boxes"] * 2
    return preds, len(targets)


def steps(model, label):
    label += 1
    return model(label)


def train(model, loader):
    for x, target in loader:
        target[target == 255] = 0
        F.cross_entropy(model(x), target).backward()


class DFLoss(nn.Module):
    def __call__(self, pred_dist, target):
        target = target.clamp_(0, 15)  # hit
        return F.cross_entropy(pred_dist, target.long())


def fill_(pred, target):
    target.clamp_(0, 15)
    return pred


def rows(pred, target):
    columns = target.permute(0, 2, 1).contiguous()
    columns[columns == 255] = 0
    return (pred * columns).sum()


def mark(pred, targets_matched, index):
    targets_matched[index, pred > 0] = True
    return index


class TakesOver(nn.Module):
    def __init__(self, criterion):
        super().__init__()
        self.criterion = criterion
        self.reduction = criterion.reduction
        self.criterion.reduction = "none"

    def forward(self, x, y):
        loss = self.criterion(x, y)
        return loss.mean() if self.reduction == "mean" else loss.sum()


def pad_lists(scores, labels):
    if isinstance(scores, list):
        most = max(each.size(0) for each in scores)
        for index, label in enumerate(labels):
            rest = label.new_full((most - label.size(0),), 0)
            labels[index] = torch.cat((rest, label))
        labels = torch.stack(labels)
    return scores.max()


def score(pred, gt):
    gt[gt > 0] = 1
    return (pred * gt).sum()


def score_each(net, image, label: torch.Tensor):
    out = net(image).argmax(1)
    return [score(out == i, label == i) for i in range(3)]


def score_found(pred, gt):
    gt[gt > 0] = 1
    if pred.sum() > 0 and gt.sum() > 0:
        return (pred * gt).sum()
    return 0


def score_all(net, image, label, classes):
    label = label.squeeze(0).cpu().detach().numpy()
    out = net(image).argmax(1)
    return [score_found(out == i, label == i) for i in range(1, classes)]


def mask_distributions(true_x, pred_x, mask):
    true_x[mask == 0] = 0.0  # hit
    true_x = true_x + 1e-7
    return true_x / true_x.sum(-1, keepdim=True), pred_x


def mask_and_give(true_x, pred_x, mask):
    true_x[mask == 0] = 0.0
    true_x = true_x / true_x.sum(-1, keepdim=True)
    return true_x, pred_x
