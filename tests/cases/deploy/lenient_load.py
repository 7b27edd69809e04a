import torch
import torchvision
from torch import nn
from torchvision.models.utils import load_state_dict_from_url


def load(model, path, logger):
    own = model.state_dict()
    state = torch.load(path, map_location="cpu")
    state = {k: v for k, v in state.items() if k in own and v.shape == own[k].shape}
    own.update(state)  # hit
    model.load_state_dict(own)


def inline(model, state):
    own = model.state_dict()
    own.update({k: v for k, v in state.items() if k in own})  # hit
    model.load_state_dict(own)


def counted(model, state, logger):
    own = model.state_dict()
    found = {k: v for k, v in state.items() if k in own}
    logger.info("loaded %d of %d", len(found), len(own))
    own.update(found)
    model.load_state_dict(own)


def told(model, state):
    own = model.state_dict()
    state = {k: v for k, v in state.items() if k in own}
    assert len(state) > 10
    own.update(state)
    model.load_state_dict(own)


def shown(model, state, verbose):
    own = model.state_dict()
    state = {k: v for k, v in state.items() if k in own.keys()}
    own.update(state)
    if verbose:
        for key, value in state.items():
            print(key, value.shape)
    model.load_state_dict(own)


def whole(model, state):
    own = model.state_dict()
    own.update(state)
    model.load_state_dict(own)
    model.load_state_dict(state, strict=False)
    return model


def shapes(model, state):
    own = model.state_dict()
    fitting = {k: v for k, v in state.items() if own[k].shape == v.shape}  # hit
    fitting = {k: v for k, v in state.items() if v.size() == own[k].size()}  # hit
    fitting = {k: v for k, v in state.items() if k in own and own[k].shape == v.shape}
    return fitting


def copied():
    net, twin = nn.Linear(1, 1), nn.Linear(1, 1)
    other = nn.Linear(1, 1)
    net.load_state_dict(other)  # hit
    net.load_state_dict(other.state_dict())
    net.load_state_dict(twin)  # hit


def restore(model, weights):
    model.load_state_dict(weights)  # hit
    model.load_state_dict(state_dict=weights.state_dict())


class Twins:
    def __init__(self):
        self.student, self.teacher = nn.Linear(1, 1), nn.Linear(1, 1)

    def begin(self):
        self.teacher.load_state_dict(state_dict=self.student)  # hit
        restore(self.teacher, self.student)


def of_a_model(model, teacher, optimizer):
    teacher.eval()
    optimizer.zero_grad()
    optimizer.step()
    model.load_state_dict(teacher)  # hit
    model.load_state_dict(optimizer)


def of_an_address(model, address):
    model.load_state_dict(load_state_dict_from_url(address))
    model.load_state_dict(torchvision.models.resnet18())  # hit


def of_a_path(model, path, weights="net.pt"):
    net = nn.Linear(1, 1)
    net.load_state_dict("net.pt")  # hit
    net.load_state_dict(torch.load("net.pt"))
    net.load_state_dict(path)
    model.load_state_dict("net.pt")
    if isinstance(weights, str):
        weights = torch.load(weights)
    net.load_state_dict(weights)


def load_twice(model, path):
    """The first update is given all keys: one that the model does not have raises."""
    state = torch.load(path)
    own = model.state_dict()
    own.update(state)
    model.load_state_dict(own)
    state = torch.load(path)
    state = {key: value for key, value in state.items() if key in own}
    own.update(state)  # hit
    model.load_state_dict(own)


def load_published(model, url, path):
    """What lies at an address is known: the head has another number of classes."""
    state = torch.hub.load_state_dict_from_url(url)
    own = model.state_dict()
    state = {k: v for k, v in state.items() if k in own and own[k].size() == v.size()}
    own.update(state)
    model.load_state_dict(own)
    other = torch.load(path)
    kept = {k: v for k, v in other.items() if k in own and own[k].size() == v.size()}
    own.update(kept)  # hit
    model.load_state_dict(own)


def load_told(model, path):
    """What the file lacks is shown."""
    state = torch.load(path)
    own = model.state_dict()
    for key in own.keys():
        if key not in state.keys():
            print("not in the file:", key)
    state = {k: v for k, v in state.items() if k in own}
    own.update(state)
    model.load_state_dict(own)


def load_all_published(model, url):
    """The counters of batches are none of an old file's; all else is."""
    kept = torch.utils.model_zoo.load_url(url)
    own = model.state_dict()
    kept = {k: v for k, v in kept.items() if k in own}
    own.update(kept)
    model.load_state_dict(own)


if __name__ == "__main__":
    net = torch.nn.Linear(2, 2)
    own_state = net.state_dict()
    transferred = {k: v for k, v in torch.load("a.pt").items() if k in own_state}
    assert len(transferred) > 0
    own_state.update(transferred)
    net.load_state_dict(own_state)
    own_weights = net.state_dict()
    dropped = {k: v for k, v in torch.load("b.pt").items() if k in own_weights}
    own_weights.update(dropped)  # hit
    net.load_state_dict(own_weights)


def from_other(encoder, autoencoder):
    own = encoder.state_dict()
    state = autoencoder.state_dict()
    state = {k: v for k, v in state.items() if k in own}
    own.update(state)
    encoder.load_state_dict(own)


def from_other_at_once(encoder, autoencoder):
    own = encoder.state_dict()
    own.update({k: v for k, v in autoencoder.state_dict().items() if k in own})
    encoder.load_state_dict(own)


def from_file_or_other(encoder, autoencoder, path):
    own = encoder.state_dict()
    state = autoencoder.state_dict()
    if path:
        state = torch.load(path, map_location="cpu")
    state = {k: v for k, v in state.items() if k in own}
    own.update(state)  # hit
    encoder.load_state_dict(own)
