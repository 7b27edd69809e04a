import os

import torch
from torch import hub
from transformers import AutoModel, CLIPImageProcessor


def load(repo, options):
    yield torch.hub.load("pytorch/vision", "resnet18", trust_repo=True)  # hit
    yield hub.load("pytorch/vision", model="resnet18")  # hit
    yield torch.hub.load("pytorch/vision:v0.10.0", "resnet18")
    yield torch.hub.load("pytorch/vision:main", "resnet18")  # hit
    yield torch.hub.load("pytorch/vision:main-tested", "resnet18")
    yield torch.hub.load("/checkouts/vision", "resnet18", source="local")
    yield torch.hub.load(repo, "resnet18")
    yield torch.hub.load(*options)
    yield torch.hub.load_state_dict_from_url("https://example.org/model.pt")
    yield AutoModel.from_pretrained("owner/model", trust_remote_code=True)  # hit
    yield AutoModel.from_pretrained("owner/model", trust_remote_code=True, revision="6dd7f3")
    yield AutoModel.from_pretrained("owner/model", trust_remote_code=False)
    yield AutoModel.from_pretrained("owner/model", **options)
    yield AutoModel.from_pretrained("owner/model")
    yield CLIPImageProcessor.from_pretrained("owner/model", trust_remote_code=True)


OPTIONS = {"trust_remote_code": True, "device_map": "auto"}


def by_options(path, half):
    given = dict(trust_remote_code=True)
    if half:
        given["torch_dtype"] = "auto"
    yield AutoModel.from_pretrained(path, **OPTIONS)  # hit
    yield AutoModel.from_pretrained(path, **given)  # hit
    yield AutoModel.from_pretrained(path, **{"trust_remote_code": False})
    yield AutoModel.from_pretrained(path, **{**OPTIONS, "revision": "d0a8e0"})
    yield CLIPImageProcessor.from_pretrained(path, **OPTIONS)


def of_folders(root, step):
    yield AutoModel.from_pretrained("./checkpoints/best", trust_remote_code=True)
    yield AutoModel.from_pretrained(os.path.join(root, "best"), trust_remote_code=True)
    yield AutoModel.from_pretrained("/models/own", **OPTIONS)
    best = "/models/best"
    yield AutoModel.from_pretrained(best, trust_remote_code=True)
    name = "team/best"
    yield AutoModel.from_pretrained(name, trust_remote_code=True)  # hit
