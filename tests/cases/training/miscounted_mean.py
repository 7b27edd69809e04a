import torch
import torch.nn.functional as F


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
