import tarfile
import urllib.request
import zipfile

import torch


def fetch(url, root):
    path, _ = urllib.request.urlretrieve(url, root + "/data.tgz")
    with tarfile.open(path, "r:gz") as t:
        t.extractall(root)  # hit
    tarfile.open(path).extractall(root)  # hit
    archive = tarfile.open(name=path)
    archive.extractall(path=root)  # hit
    with tarfile.open(path) as t:
        t.extractall(root, filter="data")
    with zipfile.ZipFile(path) as z:
        z.extractall(root)
    return torch.load(root + "/train.pt", weights_only=True)
