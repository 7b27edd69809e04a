import sys
from functools import partial

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


def in_eval(path):
    model = torch.load(path)  # hit
    model.eval()
    return model


def called(path, x):
    net = torch.load(path, map_location=torch.device("cpu"))  # hit
    with torch.no_grad():
        return net(x)


def at_once(path, x):
    return torch.load(path)(x)  # hit


def moved(path, x):
    model = torch.load(path).to("cpu")  # hit
    return model(x)


def chained(path):
    return torch.load(path).cuda().eval()  # hit


def of_a_checkpoint(path, x):
    checkpoint = torch.load(path, weights_only=True)  # hit
    return checkpoint["model"].float().eval()


def by_get(path):
    checkpoint = torch.load(path, map_location="cpu")  # hit
    return checkpoint.get("net").parameters()


def its_weights(path):
    state = torch.load(path).state_dict()  # hit
    model = Net()
    model.load_state_dict(state)
    return model


def read(path):
    return torch.load(path, map_location="cpu")  # hit


def through_a_helper(path, x):
    model = read(path)
    model.eval()
    return model(x)


class Predictor:
    def __init__(self, path):
        self.model = torch.load(path)  # hit
        self.model.eval()

    def __call__(self, x):
        return self.model(x)


class Later:
    def __init__(self, path):
        self.model = torch.load(path)  # hit

    def predict(self, x):
        return self.model(x)


def by_alias(path, x):
    load = partial(torch.load, map_location="cpu")
    return load(path)(x)  # hit


def trusted(path, x):
    model = torch.load(path, weights_only=False)
    return model(x)


def trusted_by_partial(path, x):
    load = partial(torch.load, weights_only=False)
    return load(path).eval()


def trusted_by_settings(path, x, **settings):
    return torch.load(path, **settings)(x)


def asked(path, x, only=False):
    model = torch.load(path, weights_only=only)
    return model(x)


def weights(path, x):
    model = Net()
    model.load_state_dict(torch.load(path))
    model.eval()
    return model(x)


def weights_of_unknown(model, path, x):
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    model.eval()
    return model(x)


def tensors(path):
    features = torch.load(path)
    return features.cuda().float().mean()


def tried(path, x):
    try:
        model = torch.load(path)
    except Exception:
        model = torch.load(path, weights_only=False)
    return model(x)


def by_release(path, x):
    if torch.__version__ < "2.6":
        return torch.load(path)(x)
    return torch.load(path, weights_only=False)(x)


def with_pickle(path, x):
    import pickle

    return torch.load(path, pickle_module=pickle)(x)


def of_either_kind(model, path):
    read = torch.load(path, map_location="cpu")
    state = read["state_dict"] if isinstance(read, dict) else read.state_dict()
    model.load_state_dict(state)


def of_some_type(model, path):
    read = torch.load(path, map_location="cpu")
    if type(read) == type({}):
        state = read["state_dict"]
    else:
        state = read.state_dict()
    model.load_state_dict(state)


def scripted(path, x):
    return torch.jit.load(path)(x)


def resume(checkpoint, device, batches):
    if checkpoint is None:
        start, net = 0, Net()
        optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, net.parameters()))
    else:
        checkpoint = torch.load(checkpoint)  # hit
        start = checkpoint["epoch"]
        net = checkpoint["net"]
        optimizer = checkpoint["optimizer"]
    net = net.to(device)
    return start, net, optimizer


def resume_numbers(checkpoint, net):
    if checkpoint is None:
        epoch, rate = 0, 0.1
    else:
        state = torch.load(checkpoint)
        rate = state["rate"]
        net.load_state_dict(state["net"])
    return torch.optim.Adam(net.parameters(), lr=rate)


def either(path, net):
    state = torch.load(path)
    if "state_dict" in dir(state):
        state = state.state_dict()
    net.load_state_dict(state)


if __name__ == "__main__":
    whole = torch.load(sys.argv[1])  # hit
    whole.eval()
    print(whole(torch.ones(1)))
