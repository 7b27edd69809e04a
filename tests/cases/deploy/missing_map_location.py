import torch
from torch import load, nn
from torchvision import models


def restore(model, optimizer, path, options, device):
    model.load_state_dict(torch.load(path))  # hit
    model.load_state_dict(torch.load(path, weights_only=True))  # hit
    model.load_state_dict(load(path)["model"], strict=False)  # hit
    model.load_state_dict(torch.load(path, device))
    model.load_state_dict(torch.load(path, map_location=device))
    model.load_state_dict(torch.load(path, **options))
    model.load_state_dict(torch.load(path, map_location=lambda s, _: s))
    checkpoint = torch.load(path)  # hit
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scaler = torch.amp.GradScaler()
    scaler.load_state_dict(torch.load(path))
    return model


def train(model, path):
    torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path))


def data(path):
    images = torch.load(path)
    return images.mean()


class Cache:
    def load_state_dict(self, path):
        self.state = torch.load(path)


def where_a_gpu_is(model, path, args, gpu):
    use_cuda = torch.cuda.is_available()
    found = torch.cuda.device_count() > 0
    if torch.cuda.is_available():
        model.load_state_dict(torch.load(path))
    else:
        model.load_state_dict(torch.load(path, map_location="cpu"))
    if not use_cuda:
        model.load_state_dict(torch.load(path))  # hit
    else:
        model.load_state_dict(torch.load(path))
    if found and path:
        model.load_state_dict(torch.load(path))
    if args.gpu is not None:
        model.load_state_dict(torch.load(path))
    if gpu is None:
        model.load_state_dict(torch.load(path))  # hit
    if args.resume:
        model.load_state_dict(torch.load(path))  # hit
    state = torch.load(path) if args.cuda else torch.load(path, map_location="cpu")
    model.load_state_dict(state)
    return model


def put_into(model, state):
    restore = model.load_state_dict
    restore(state)


def handed_on(path, net, scheduler):
    put_into(net, torch.load(path))  # hit
    put_into(scheduler, torch.load(path))
    if (state := torch.load(path)) is not None:  # hit
        net.load_state_dict(state, strict=False)
    put_into(net, torch.load(path, "cpu"))


def train(model, optimizer, loader, stopping, folder):
    model.load_state_dict(torch.load(folder / "begin.pth"))  # hit
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    stopping(model)
    model.load_state_dict(torch.load(folder / "best.pth"))
    return model


def fit(trainer, system, checkpoint):
    trainer.fit(system)
    state = torch.load(checkpoint.best_model_path)
    system.load_state_dict(state["state_dict"])


def restore_anywhere(model, path):
    try:
        state = torch.load(path)
    except RuntimeError:
        state = torch.load(path, map_location="cpu")
    model.load_state_dict(state)


def there_and_back(model, folder):
    path = folder / "net.pth"
    torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path.as_posix()))
    model.load_state_dict(torch.load(str(path)))
    model.load_state_dict(torch.load(str(folder)))  # hit


def on_one_gpu(model, path):
    device = torch.device("cuda:0")
    model = model.to(device)
    model.load_state_dict(torch.load(path))  # hit


def on_any_device(model, path, device="cuda"):
    model = model.to(device)
    model.load_state_dict(torch.load(path))  # hit


def on_the_current_gpu(model, path):
    model.load_state_dict(torch.load(path)["model"])  # hit
    model.to(torch.cuda.current_device())


def learn(model, loader, path):
    for x in loader:
        model(x).sum().backward()
    torch.save(model.state_dict(), path)


def look_behind_learning(model, path):
    model.load_state_dict(torch.load(path))
    return model


def look_at_times(model, path):
    model.load_state_dict(torch.load(path))  # hit
    return model


def look_elsewhere(model, path):
    model.load_state_dict(torch.load(path))  # hit
    return model


def main(model, loader, path, learns):
    if learns:
        learn(model, loader, path)
    look_at_times(model, path)
    for _ in range(3):
        learn(model, loader, path)
    look_behind_learning(model, path)
    return look_elsewhere


def main_of_one(model, path):
    look_elsewhere(model, path)


class Agent:
    def keep(self):
        torch.save(self.model.state_dict(), "./kept/model.dump")

    def restore(self):
        kept = './kept/model.dump'
        self.model.load_state_dict(torch.load(kept))
        best = "./best/model.dump"
        self.model.load_state_dict(torch.load(best))  # hit


class Trainer:
    def run(self, criterion, loader):
        best = self._train(criterion, loader)
        self.model.load_state_dict(torch.load(best))
        self.model.train(True)

    def resume(self, loader, path, learns):
        self.model.train(True)
        if learns:
            self._train(self.model, loader)
        self.model.load_state_dict(torch.load(path))  # hit


def one_epoch(model, loader, criterion, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def learn_until_it_stops(model, loader, criterion, optimizer, stops):
    for _ in range(9):
        one_epoch(model, loader, criterion, optimizer)
        if stops(model):
            model.load_state_dict(torch.load("kept_by_stops.pth"))
            break


class Tagger(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device, self.body = device, torch.nn.Linear(4, 4)

    def load_model(self, path):
        if self.device.type == "cuda":
            self.load_state_dict(torch.load(path))
        else:
            self.load_state_dict(torch.load(path, map_location=lambda storage, place: storage))

    def load_other(self, path):
        if self.device.type == "cpu":
            self.load_state_dict(torch.load(path))  # hit


def without_prefix(state):
    return {key.removeprefix("module."): value for key, value in state.items()}


def restore_cleaned(path, restore=False):
    net = Net()
    if restore:
        state = torch.load(path)  # hit
        net.load_state_dict(without_prefix(state))
    return net


class Published(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = models.resnet50()
        self.body.load_state_dict(torch.load("/weights/resnet50-19c8e357.pth"))
        self.head = models.resnet18()
        self.head.load_state_dict(torch.load("/weights/resnet18-mine.pth"))  # hit
