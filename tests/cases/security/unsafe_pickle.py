import json
import pickle as pkl
import shelve
import sys
from pathlib import Path
from urllib.request import urlopen

import joblib
import numpy as np
import pandas as pd
import requests
import torch
import yaml

ALLOWED = True


def read_words(path):
    with open(path, "rb") as file:
        return pkl.load(file)  # hit


def read_own(folder):
    with open(Path(folder) / "words.pkl", "rb") as file:
        return pkl.load(file)


def fetch(url):
    raw = urlopen(url).read()
    return pkl.loads(raw)  # hit


def read_path(path):
    with Path(path).open("rb") as file:
        return pkl.load(file)  # hit


def ask(url):
    answer = requests.get(url, timeout=5)
    return pkl.loads(answer.content)  # hit


def receive(message):
    return pkl.loads(message)


def read_rows(path):
    return np.load(path, allow_pickle=ALLOWED)  # hit


def read_plain(path):
    return np.load(path, allow_pickle=False)


def read_frame(options):
    return pd.read_pickle(options.frame)  # hit


def read_settings(path):
    with open(path) as file:
        return yaml.load(file, Loader=yaml.Loader)  # hit


def read_settings_safely(path):
    with open(path) as file:
        return yaml.load(file, Loader=yaml.SafeLoader), json.load(file)


if __name__ == "__main__":
    scaler = joblib.load(sys.argv[1])  # hit
    table = joblib.load("table.joblib")
    torch.save(scaler, "scaler.pt")


def shelved(key, path):
    with shelve.open(path) as db:  # hit
        return torch.tensor(db[key])
