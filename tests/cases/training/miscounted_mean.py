import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def by_batches(model, test_loader):
    correct, total = 0, 0
    for x, y in test_loader:
        predicted = model(x).argmax(1)
        hits = (predicted == y).sum().item()
        correct += hits
        total += y.size(0)
    print(correct / total)
    return 100 * correct / len(test_loader)  # hit


def of_shares(model, test_loader):
    accuracy = 0.0
    for x, y in test_loader:
        accuracy += (model(x).argmax(1) == y).sum().item() / y.size(0)
    return accuracy / len(test_loader)


def of_means(model, test_loader):
    accuracy = 0.0
    for x, y in test_loader:
        accuracy += (model(x).argmax(1) == y).float().mean().item()
    return accuracy / len(test_loader)


class Trainer:
    def __init__(self, model, train_loader):
        self.model, self.train_loader = model, train_loader

    def epoch(self):
        total_loss = 0.0
        for x, y in self.train_loader:
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            total_loss += loss.item()
        return total_loss / len(self.train_loader.dataset)  # hit

    def weighed(self):
        total_loss = 0.0
        for x, y in self.train_loader:
            loss = F.cross_entropy(self.model(x), y)
            total_loss += loss.item() * x.size(0)
        return total_loss / len(self.train_loader.dataset)

    def batches(self):
        total_loss = 0.0
        for x, y in self.train_loader:
            loss = F.cross_entropy(self.model(x), y)
            total_loss += loss.item()
        return total_loss / len(self.train_loader)


def divided_in_place(model, loader):
    test_loss = 0
    for x, y in loader:
        test_loss += F.nll_loss(model(x), y).item()
    test_loss /= len(loader.dataset)  # hit
    return test_loss


def called_there(model, loader, loss_fn):
    total = 0.0
    for x, y in loader:
        total += loss_fn(model(x), y).item()
    return total / len(loader.dataset)  # hit


def named_length(model, loader, criterion):
    running, n = 0.0, 0
    samples = len(loader.dataset)
    for x, y in loader:
        running += criterion(model(x), y).item()
        n += 1
    print(running / n)
    return running / samples  # hit


def weighed_by_batch(model, loader, criterion):
    losses, count, seen = 0.0, 0, 0
    for x, y in loader:
        loss = criterion(model(x), y)
        losses += loss.item() * x.size(0)
        count += 1
        seen += x.size(0)
    print(losses / count)  # hit
    print(losses / len(loader))  # hit
    print(losses / seen)
    return losses / len(loader.dataset)


def weighed_by_another_name(model, loader, measure):
    total, count = 0.0, 0
    for x, y in loader:
        total += measure(model(x), y).item() * x.size(0)
        count += 1
    return total / count  # hit


def measured_short(net, ds, other):
    loader = DataLoader(ds, batch_size=64, shuffle=False, drop_last=True)
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    print(right / len(loader.dataset), right / len(other))  # hit
    return right / len(ds)  # hit


def measured_whole(net, ds):
    loader = DataLoader(ds, batch_size=64, drop_last=False)
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    return right / len(ds)
