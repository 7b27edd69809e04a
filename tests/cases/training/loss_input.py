from collections import OrderedDict
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.cuda.amp import autocast
from torch.nn import BCELoss, CrossEntropyLoss
from torch.nn import functional as tf
from torchvision import models


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = self.fc2(x)
        output = F.softmax(x, dim=1)
        return output


class LogNet(Net):
    def forward(self, x):
        return F.log_softmax(self.fc2(x), dim=1)


class Scores(Net):
    def forward(self, x):
        return self.fc2(x).squeeze(1)


class Both(Net):
    def forward(self, x):
        logits = self.fc2(x)
        probas = F.softmax(logits, dim=1)
        return logits, probas


class Depends(Net):
    def forward(self, x):
        x = self.fc2(x)
        if self.training:
            return x
        return x.softmax(1)


class DiceCrossEntropy(nn.CrossEntropyLoss):
    pass


def train(model, criterion, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        output = model(x)
        loss = criterion(output, y)  # hit
        loss.backward()
        optimizer.step()


def evaluate(model, x, y):
    logits, probas = model(x)
    return F.cross_entropy(logits, y) + probas.sum()


def main(loader, device):
    model = Net().to(device)
    model = nn.DataParallel(model)
    criterion = nn.CrossEntropyLoss().to(device)
    train(model, criterion, loader, torch.optim.SGD(model.parameters(), lr=0.1))
    evaluate(Both(), 1, 2)


def inline(x, y, device):
    model = Net().cuda()
    log_model, scores, both, depends = LogNet(), Scores(), Both(), Depends()
    ce, nll, bce = nn.CrossEntropyLoss(), nn.NLLLoss(), nn.BCELoss()
    wide = nn.CrossEntropyLoss()
    narrow = nn.NLLLoss(reduction="none")
    binary = BCELoss()
    named = Net()
    log_named = LogNet()
    raw = Scores()
    two = Both()
    by_mode = Depends()
    with autocast():
        out = named(x)
        loss = wide(out, y)  # hit
    out = log_named(x)
    loss += wide(out, y)
    loss += narrow(out, y)
    loss += narrow(raw(x), y)  # hit
    loss += binary(raw(x), y)  # hit
    loss += binary(torch.sigmoid(raw(x)), y)  # hit
    loss += binary(named(x), y)
    logits, probas = two(x)
    loss += wide(logits, y)
    loss += wide(probas, y)  # hit
    loss += wide(two(x)[0], y)
    loss += wide(two(x)[1], y)  # hit
    loss += wide(two(x), y)
    loss += wide(by_mode(x), y)
    loss += narrow(torch.log(named(x)), y)
    loss += DiceCrossEntropy()(named(x), y)
    return loss, ce, nll, bce, model, log_model, scores, both, depends, device


class Lit(nn.Module):
    def __init__(self, backbone, n):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Sequential(nn.Linear(10, n), nn.Softmax(dim=-1))
        self.ordered = nn.Sequential(
            OrderedDict([("fc", nn.Linear(10, n)), ("act", nn.Sigmoid()), ("flat", nn.Flatten(0))])
        )
        self.logits = nn.Sequential(nn.Linear(10, n), nn.Dropout(0.1))
        self.grown = nn.Sequential(nn.Linear(10, n), nn.Sigmoid())
        self.grown.append(nn.Linear(n, n))
        self.starred = nn.Sequential(*[nn.Linear(10, n), nn.Sigmoid()])
        self.softmax = nn.Softmax(1)
        self.sigmoid = nn.Sigmoid()
        self.criterion = CrossEntropyLoss(ignore_index=255)
        self.bce = nn.BCEWithLogitsLoss() if n == 1 else nn.BCEWithLogitsLoss(reduction="sum")
        self.either = nn.BCEWithLogitsLoss() if n == 1 else nn.CrossEntropyLoss()
        self.prob_loss = nn.BCELoss()

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        y_hat = self(x)
        probs = self.sigmoid(self.backbone(x))
        loss = self.criterion(y_hat, y)  # hit
        loss = loss + self.criterion(self.forward(x), y)  # hit
        loss = loss + self.criterion(self.backbone(x), y)
        loss = loss + self.bce(self.ordered(x), y)  # hit
        loss = loss + self.bce(self.logits(x), y)
        loss = loss + self.bce(self.grown(x), y)
        loss = loss + self.bce(self.starred(x), y)  # hit
        loss = loss + self.bce(probs.view(-1).float(), y.view(-1))  # hit
        loss = loss + self.bce(self.softmax(x), y)  # hit
        loss = loss + self.either(self.softmax(x), y)  # hit
        loss = loss + self.prob_loss(probs, y)
        accuracy = (self.softmax(self.backbone(x)).argmax(1) == y).float().mean()
        return loss, accuracy


def local(x, y, weight, teacher, **options):
    p = tf.softmax(x, -1)
    loss = tf.cross_entropy(x, y) + tf.cross_entropy(input=p, target=y)  # hit
    loss += F.cross_entropy(x.softmax(1), y, weight=weight)  # hit
    loss += F.cross_entropy(torch.log(p), y)
    loss += F.cross_entropy(p.log(), y)
    loss += F.cross_entropy(F.log_softmax(x, 1), y)
    loss += F.nll_loss(p, y)  # hit
    loss += F.nll_loss(p.log(), y)
    loss += F.nll_loss(torch.log(p + 1e-8), y)
    loss += F.binary_cross_entropy_with_logits(torch.sigmoid(x), y)  # hit
    loss += F.binary_cross_entropy_with_logits(x.sigmoid()[:, 0], y)  # hit
    loss += F.binary_cross_entropy(x.sigmoid(), y)  # hit
    loss += F.binary_cross_entropy(torch.clamp(x.sigmoid(), 1e-6, 1 - 1e-6), y)
    loss += F.kl_div(F.log_softmax(x, 1), F.softmax(teacher, 1), reduction="batchmean")
    loss += F.kl_div(F.softmax(x, 1), F.softmax(teacher, 1), reduction="batchmean")  # hit
    loss += F.cross_entropy(*options["args"])
    loss += F.cross_entropy(**options)
    loss += nn.BCEWithLogitsLoss()(nn.Sigmoid()(x), y)  # hit
    return loss


def branches(x, y, kind):
    out = x
    if kind == "softmax":
        out = F.softmax(x, 1)
    loss = F.cross_entropy(out, y)
    if kind == "a":
        both = torch.softmax(x, 1)
    else:
        both = F.softmax(x, dim=1)
    loss += F.cross_entropy(both, y)  # hit
    prob = F.softmax(x, 1)
    prob += 1
    loss += F.cross_entropy(prob, y)
    prob = F.softmax(x, 1)
    prob.log_()
    loss += F.nll_loss(prob, y)
    for _ in y:
        loss += F.cross_entropy(x, y)
        x = F.softmax(x, 1)
    loss += F.cross_entropy(x, y)
    try:
        x = F.softmax(x, 1)
    except RuntimeError:
        pass
    return loss + F.cross_entropy(x, y)


def targets(x, y, n, weights, average):
    loss = F.cross_entropy(x, F.one_hot(y, n))  # hit
    loss += F.cross_entropy(x, F.one_hot(y, n).float())
    loss += F.cross_entropy(x, y.float())
    loss += F.cross_entropy(x, y.long())
    loss += F.cross_entropy(x, y.int())  # hit
    loss += F.cross_entropy(x, y.long().float())  # hit
    loss += F.nll_loss(x, y.float())  # hit
    loss += F.binary_cross_entropy_with_logits(x, y.long())  # hit
    loss += F.binary_cross_entropy_with_logits(x, F.one_hot(y, n))  # hit
    loss += F.binary_cross_entropy_with_logits(x, F.one_hot(y, n).to(torch.float32))  # hit
    loss += F.binary_cross_entropy_with_logits(x, y.long().float())
    loss += nn.CrossEntropyLoss(x, y)  # hit
    loss += nn.CrossEntropyLoss(weights, average)(x, y)
    loss += nn.CrossEntropyLoss(weight=[0.1, 0.9])(x, y)  # hit
    loss += nn.BCEWithLogitsLoss(pos_weight=2.0)(x, y)  # hit
    loss += nn.BCEWithLogitsLoss(pos_weight=None)(x, y)
    return loss + nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))(x, y)


def build(classes):
    model = nn.Sequential(nn.Linear(2, classes), nn.Softmax(dim=1))
    return model.cuda()


def fine_tune(x, y):
    model = models.resnet18(weights=None)
    model.fc = nn.Sequential(nn.Linear(512, 1), nn.Sigmoid())
    model.to("cuda")
    other = models.resnet18(weights=None)
    other.fc = nn.Linear(512, 1)
    loss = nn.BCEWithLogitsLoss()(model(x).squeeze(1), y)  # hit
    loss += nn.BCEWithLogitsLoss()(other(x).squeeze(1), y)
    loss += nn.BCELoss()(other(x).squeeze(1), y)  # hit
    made = build(3)
    out = made.forward(x)
    return loss + nn.CrossEntropyLoss()(out, y)  # hit


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(3, 1, 4), nn.Sigmoid())

    def forward(self, input):
        return self.main(input)


netD = Discriminator()
criterion = nn.BCELoss()
with_logits = nn.BCEWithLogitsLoss()
out = netD(torch.rand(1, 3, 8, 8))
errD = criterion(out.view(-1), torch.ones(1))
errD = with_logits(out.view(-1), torch.ones(1))  # hit
errD = with_logits((lambda q: q)(out), torch.ones(1))  # hit
errD = [with_logits(out, torch.ones(1)) for out in [torch.rand(1)]]


class Losses:
    def __init__(self):
        self.kinds = {"main": nn.CrossEntropyLoss(), "side": nn.NLLLoss()}
        self.squash = nn.Softmax(dim=-1)

    def prepare(self, scores):
        return self.squash(scores).clamp(0, 1), self.squash(scores)

    def __call__(self, scores, target):
        clamped, shares = self.prepare(scores)
        total = self.kinds["main"](shares, target)  # hit
        total += self.kinds["side"](clamped, target)
        for name, kind in self.kinds.items():
            total += kind(input=torch.log_softmax(scores, 1), target=target)
        return total


def alike(scores, target, wide):
    squash = torch.sigmoid if wide else torch.softmax
    loss = F.cross_entropy(squash(scores, 1), target)  # hit
    weighed = partial(F.cross_entropy, weight=torch.ones(3))
    loss += weighed(torch.softmax(scores, 1), target)  # hit
    arms = torch.softmax(scores, 1) if wide else torch.log_softmax(scores, 1)
    return loss + F.cross_entropy(arms, target)


def with_head(images, target, backbone):
    model = nn.Sequential(backbone, nn.Linear(8, 3))
    model.add_module("shares", nn.Softmax(dim=1))
    compiled = torch.compile(model)
    return nn.CrossEntropyLoss()(compiled(images), target)  # hit


def converted(outputs, classes, device):
    logits = outputs["logits"]
    goal = F.one_hot(classes, num_classes=5)[:, :, :-1]
    F.binary_cross_entropy_with_logits(logits, goal.to(device))  # hit
    return F.binary_cross_entropy_with_logits(logits, goal.to(logits))


def by_kind(kind, x, y, lengths):
    logits = nn.Linear(4, 8)(x)
    criterion = nn.CTCLoss() if kind == "ctc" else nn.CrossEntropyLoss()
    if kind == "ctc":
        return criterion(logits.log_softmax(2), y, lengths, lengths)
    return criterion(logits, y)


def by_one_kind(kind, x, y):
    probs = nn.Linear(4, 8)(x).softmax(1)
    criterion = nn.CrossEntropyLoss() if kind == "plain" else nn.CrossEntropyLoss(weight=y)
    return criterion(probs, y)  # hit


def turned_round(model, batches):
    criterion = nn.BCEWithLogitsLoss()
    for x, y in batches:
        outputs = model(x)
        criterion(y, outputs).backward()  # hit
        criterion(outputs, y).backward()
        F.mse_loss(y, outputs).backward()
        F.cross_entropy(y, model(x)).backward()  # hit
        F.binary_cross_entropy_with_logits(outputs, model(x)).backward()
