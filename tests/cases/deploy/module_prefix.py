from collections import OrderedDict

import torch


def strip(state, path, model, names):
    state = {k.replace("module.", ""): v for k, v in state.items()}  # hit
    state = {k.replace("module.", "", 1): v for k, v in state.items()}
    state = {k.removeprefix("module."): v for k, v in state.items()}
    state = {k[7:]: v for k, v in state.items()}
    clean = OrderedDict()
    for key, value in state.items():
        name = key.replace("module.", "")  # hit
        clean[name] = value
    for key in list(state.keys()):
        clean[key.replace("module.", "")] = state.pop(key)  # hit
    for key in state:
        clean[key.replace("module.", "")] = 1  # hit
    for key, value in state.items():
        clean[key.replace("module.", "model.")] = value
        clean[value.replace("module.", "")] = key
    for name, layer in model.named_modules():
        print(name.replace("module.", ""), layer)
    return path.replace("module.", ""), clean


PREFIX = "module."


def shorten(key, what=PREFIX):
    return key.replace(what, "")  # hit


def numbered(path):
    clean = {}
    for number, (key, value) in enumerate(torch.load(path)["model"].items()):
        clean[shorten(key)] = value, number
    return clean


def stripped(path, text):
    state = torch.load(path)["state_dict"]
    clean = {k.lstrip("module."): v for k, v in state.items()}  # hit
    for k in list(state):
        clean[k.strip("module.")] = state[k]  # hit
    return clean, text.lstrip(" ."), {k.lstrip("."): v for k, v in state.items()}
