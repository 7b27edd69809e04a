import io
import pickle

import joblib
import requests
import torch
from torch import load


def read(path, flag, options, model):
    torch.load(path)
    torch.load(path, weights_only=True)
    torch.load(path, weights_only=flag)
    torch.load(path, **options)
    torch.load(path, weights_only=False)  # hit
    load(path, map_location="cpu", weights_only=False)  # hit
    torch.load("weights.pt", weights_only=False)
    torch.load(path, pickle_module=pickle, weights_only=False)  # hit
    torch.load(path, pickle_module=joblib)  # hit
    torch.load(path, None, pickle, encoding="utf-8")  # hit
    torch.load(path, pickle_module=options)
    torch.load(path, pickle_module=None)
    torch.load("own.pt", pickle_module=pickle)
    model.load_state_dict(pickle.load(open(path, "rb")))  # hit
    net = joblib.load(path)  # hit
    net.eval()
    table = pickle.load(open(path, "rb"))
    return table, net


def again(model, other):
    torch.save(model, other)
    return torch.load(other, weights_only=False)


def buffered(model):
    name = "weights.pt"
    buffer = io.BytesIO()
    torch.save(model, buffer)
    torch.load(buffer, weights_only=False)
    return torch.load(name, weights_only=False)


class Cached:
    def write(self, item, n):
        torch.save(item, join(self.folder, f"{n}.pt"))

    def read(self, n):
        path = join(self.folder, f"{n}.pt")
        return torch.load(path, weights_only=False)

    def restore(self, other):
        torch.load(io.BytesIO(other), weights_only=False)
        return torch.load(join(other, "x.pt"), weights_only=False)  # hit


def join(*parts):
    return "/".join(parts)


def resume(path):
    network = torch.nn.Linear(2, 2)
    with open(path, "rb") as stream:
        found = pickle.load(stream)  # hit
    network.load_state_dict(state_dict=found)


WHOLE = {"weights_only": False}


def by_settings(path, other):
    return torch.load(path, **WHOLE), torch.load(other, weights_only=WHOLE["weights_only"])  # hit


def by_module(path):
    torch.load(path, pickle_module=pickle)  # hit
    torch.load(path, None, pickle)  # hit
    torch.load(path, pickle_module=pickle, weights_only=True)  # hit
    torch.load("own.pt", pickle_module=pickle)
    torch.load(path, pickle_module=None)
    options = {"pickle_module": pickle}
    torch.load(path, **options)  # hit


def fetch_weights(url):
    held = torch.hub.load_state_dict_from_url(url, map_location="cpu", weights_only=False)  # hit
    return held, torch.hub.load_state_dict_from_url(url, map_location="cpu", weights_only=True)


def over_network(url):
    blob = requests.get(url).content
    remote = torch.load(io.BytesIO(blob), weights_only=False)  # hit
    kept = io.BytesIO()
    torch.save(remote, kept)
    return torch.load(kept, weights_only=False)


def keep(model, folder, fold):
    place = folder / f"fold{fold}_best_of_all.pth"
    torch.save({"model": model, "fold": fold}, place)


def resume_fold(folder, fold, args):
    torch.load(folder / f"fold{fold}_best_of_all.pth", weights_only=False)
    torch.load(join(folder, "never_saved_here.pth"), weights_only=False)  # hit
    return torch.load(args.resume, weights_only=False)  # hit
