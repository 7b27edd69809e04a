import inspect

import torch
import torch.distributed as dist
from torch import cuda, nn, optim
from torch.cuda import is_available
from torch.nn.utils import clip_grad_norm_


def train(model: nn.Module, optimizer, loader, other, path):
    optimizer = torch.optim.SGD(model.parameters, lr=0.1)  # hit
    optim.Adam(params=model.parameters)  # hit
    optim.Adam([{"params": model.parameters()}])
    optim.lr_scheduler.LambdaLR(optimizer, model.parameters)
    for x, y in loader:
        optimizer.zero_grad  # hit
        loss = (model(x) - y).sum()
        loss.backward  # hit
        clip_grad_norm_(model.parameters, 1.0)  # hit
        optimizer.step  # hit
        torch.cuda.empty_cache  # hit
        optimizer.step()
    for p in model.parameters:  # hit
        p.requires_grad = False
    model.eval  # hit
    model.eval()
    evaluate = model.eval
    evaluate()
    run(model.eval, model.state_dict)
    with torch.no_grad:  # hit
        pass
    with torch.no_grad(), torch.inference_mode:  # hit
        pass
    torch.save(model.state_dict, path)  # hit
    torch.save({"model": model.state_dict, "epoch": 1}, path)  # hit
    torch.save({"model": model.state_dict()}, path)
    model.load_state_dict(other.state_dict)  # hit
    model.load_state_dict(other.state_dict())
    return [p.shape for p in model.parameters]  # hit


device = "cuda" if torch.cuda.is_available else "cpu"  # hit
device = "cuda" if cuda.is_available() else "cpu"
check = torch.cuda.is_available
if is_available and device:  # hit
    pass
if not dist.is_initialized:  # hit
    pass
if dist.is_available is not None and torch.cuda.is_available():
    pass


@torch.no_grad
def signature(function, config):
    for name in inspect.signature(function).parameters:
        print(name)
    return [p for p in config.parameters]


def probe(engine):
    try:
        engine.step
    except AttributeError:
        return False
    engine.name
    ...
    return True


def through_names(model, path, config, rate):
    model.eval()
    weights = model.parameters
    optimizer = optim.SGD(weights, lr=rate)  # hit
    state = {"weights": model.state_dict, "rate": rate}
    torch.save(state, path)  # hit
    optim.SGD(config.parameters, lr=rate)
    torch.save({"rate": config.state_dict}, path)
    return optimizer


class Fitting:
    def __init__(self):
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.optimizer = make_optimizer(self.layers[0].parameters)
        self.other = make_optimizer(self.layers[1].parameters())

    def freeze(self):
        for layer in self.layers:
            for weight in layer.parameters:  # hit
                weight.requires_grad_(False)


def make_optimizer(weights):
    return torch.optim.AdamW(params=weights, lr=0.1)  # hit


def write_all(net, path, epoch):
    torch.save({"epoch": epoch, "net": net.state_dict, "good": net.state_dict()}, path)  # hit


def noted(model):
    model.eval  # a note behind it  # hit


def saved_by_name(model, args, path):
    torch.save({"net": model.state_dict, "rate": args.state_dict}, path)  # hit
