from contextlib import nullcontext

import torch
from tqdm import tqdm


def accuracy(model, loader):
    model.eval()
    correct = 0
    for images, labels in tqdm(loader):
        correct += (model(images).argmax(1) == labels).sum().item()  # hit
    return correct / len(loader.dataset)


def guarded(model, loader):
    model.eval()
    with torch.no_grad():
        for images, _ in loader:
            model(images)


def guarded_inside(model, loader):
    model.eval()
    for images, _ in loader:
        with torch.inference_mode():
            model(images)


@torch.no_grad()
def decorated(model, loader):
    model.eval()
    return [model(images) for images in loader]


@torch.inference_mode()
def decorated_loop(model, loader):
    model.eval()
    for images in loader:
        model(images)


def adversarial(model, loader, criterion):
    model.eval()
    for images, labels in loader:
        images.requires_grad_()
        loss = criterion(model(images), labels)
        loss.backward()
        yield images + 0.1 * images.grad.sign()


def trained(model, loader, optimizer, criterion):
    model.eval()
    for images, labels in loader:
        optimizer.zero_grad()
        criterion(model(images), labels).backward()
        optimizer.step()


def over_layers(model, layers, x):
    model.eval()
    for layer in layers:
        x = layer(x)
    return x


def in_training_mode(model, loader):
    for images in loader:
        yield model(images)


def switched(model, loader, phase):
    model.eval()
    for images in loader:
        with torch.set_grad_enabled(phase == "train"):
            model(images)


def some_context(model, loader, context):
    model.eval()
    with context():
        for images in loader:
            model(images)


def half_precision(model, test_loader):
    model.eval()
    for images in test_loader:
        with torch.autocast("cuda"):
            print(model(images).mean())  # hit


class Evaluator:
    def __init__(self, model):
        self.model = model

    def run(self, loader):
        self.model.eval()
        for images in loader:
            print(self.model(images).mean())  # hit

    def helped(self, loader):
        self.model.eval()
        for images in loader:
            print(self.model(images).mean())

    def caller(self, loader):
        with torch.no_grad():
            self.helped(loader)


def of_pictures(net, pictures):
    net.eval()
    with nullcontext():
        return [each for each in map(net, pictures)]


def one_by_one(model, pictures):
    model.eval()
    found = []
    with nullcontext():
        for picture in pictures:
            found.append(model(picture[None]))  # hit
    return found


def in_steps(model, state):
    model.eval()
    for _ in range(3):
        state = model(state)
    return state


def measure(model, test_loader):
    model.eval()
    right = 0
    for images, labels in test_loader:
        right += (model(images).argmax(1) == labels).sum()  # hit
    return right


def fit(model, loader, test_loader, optimizer, criterion):
    for images, labels in loader:
        # zero the gradients
        optimizer.zero_grad()
        criterion(model(images), labels).backward()
        optimizer.step()
    # for p in model.parameters(): p.requires_grad = False
    return measure(model, test_loader)


def collect(model, loader, criterion):
    model.eval()
    total, features = 0.0, []
    for images, labels in loader:
        logits = model(images)  # hit
        total += criterion(logits, labels)
    return total


def collect_numbers(model, loader, criterion):
    model.eval()
    total, features = 0.0, []
    for images, labels in loader:
        logits = model(images)  # hit
        total += criterion(logits, labels).item()
        features.append(logits.cpu().detach())
    return total
