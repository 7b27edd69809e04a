"""Models that ask for weights while they are built: they get random ones, and that is said."""

from __future__ import annotations

import pickle
from pathlib import Path

import torch
from test_imports import cause, examine, net, said


def test_weights_that_are_not_here_are_random(tmp_path: Path) -> None:
    head = """
from torch.hub import load_state_dict_from_url
from torch.utils import model_zoo
import urllib.request
def load(net, state, strict=True):
    assert not any(net.load_state_dict(state, strict))
"""
    asked = {
        "Address": "load(self, load_state_dict_from_url('https://x.org/a/net.pth?dl=1'))",
        "Zoo": "load(self, model_zoo.load_url('https://x.org/net.pth')['state_dict'])",
        "File": "load(self, torch.load('net.pth', map_location='cpu'))",
        "Renamed": "load(self, {k[7:]: v for k, v in torch.load('net.pth')['model'].items()})",
        "Picked": "load(self, {'layer.bias': torch.load('net.pth').pop('bias')})",
        "Merged": "own = self.state_dict(); own.update(torch.load('net.pth')); load(self, own)",
        "Fetched": "urllib.request.urlretrieve('https://x.org/net.pth', 'net.pth');"
        " load(self, torch.load('net.pth'))",
        "Copied": "self.layer.bias.data.copy_(torch.load('net.pth')['bias'])",
    }
    nets = (net(name, building=building).partition("class ")[2] for name, building in asked.items())
    text = net("First", head=head) + "\n".join(f"class {each}" for each in nets)
    reports = examine(tmp_path, nets=text)
    assert said(reports["First"]) == ()
    for name in asked:
        (only,) = said(reports[name])
        assert only.startswith("random weights: net.pth is not here (nets.py:")


def test_values_of_weights_that_are_not_here_are_not_made_up(tmp_path: Path) -> None:
    reports = examine(
        tmp_path,
        sized=net("Sized", building="self.out = nn.Linear(torch.load('a.pth')['w'].shape[0], 3)"),
        used=net(
            "Used", building="self.mean = torch.load('b.pth')['mean']", running="x = x - self.mean"
        ),
    )
    assert "needs the values in a.pth, which is not here" in cause(reports["Sized"])
    assert "needs the values in b.pth, which is not here" in cause(reports["Used"])


class Telltale:
    """Writes a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.path, "w")


def test_a_checkpoint_that_is_here_is_loaded_and_never_unpickled(tmp_path: Path) -> None:
    torch.save({"layer.bias": torch.full((4,), 7.0)}, tmp_path / "tensors.pth")
    tmp_path.joinpath("objects.pth").write_bytes(pickle.dumps(Telltale(str(tmp_path / "ran"))))
    loading = "self.load_state_dict(torch.load('{name}.pth', weights_only=False), strict=False)"
    reports = examine(
        tmp_path,
        here=net(
            "Here", building=loading.format(name="tensors") + "; assert self.layer.bias.max() == 7"
        ),
        objects=net("Objects", building=loading.format(name="objects")),
    )
    assert said(reports["Here"]) == ()
    assert (
        "objects.pth is no file of tensors alone, and is not unpickled (objects.py:"
        in said(reports["Objects"])[0]
    )
    assert not tmp_path.joinpath("ran").exists()


def test_a_loader_of_the_projects_own_that_finds_no_file_loads_nothing(tmp_path: Path) -> None:
    head = """
import os
def load_weights(path):
    if not os.path.isfile(path):
        raise FileNotFoundError()
    return torch.load(path)
def load_pretrained(net, path):
    state = {key: value for key, value in load_weights(path)["model"].items()}
    assert state["layer.weight"].dim() == 4
    net.load_state_dict(state)
def read_names(path):
    raise FileNotFoundError(path)
"""
    reports = examine(
        tmp_path,
        nets=net("Loads", head=head, building="load_pretrained(self, 'net.pth')")
        + net("Reads", building="self.names = read_names('names.txt')"),
    )
    lines = said(reports["Loads"])
    assert [line.partition(" is not here (nets.py:")[0] for line in lines] == [
        "random weights: what load_weights loads",
        "random weights: what load_pretrained loads",
    ]
    assert "names.txt" in cause(reports["Reads"])
