"""Files of weights that code fetches or reads: none is fetched, and of those that are here none is unpickled."""

from __future__ import annotations

import importlib
import os
from typing import Any

from lintorch.guest.imports.project_reads import find_in_project
from lintorch.guest.imports.replace_functions import Replacement
from lintorch.guest.weights.nothing_to_load import MissingWeightsError, miss_weights, note_missed


def _load_from_address(place: str, function: Any, url: Any = "", *args: Any, **kwargs: Any) -> Any:
    return miss_weights(_name_of(url), place)


def _load_file(place: str, function: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
    """`torch.load` of tensors alone."""
    kwargs.pop("pickle_module", None)
    where = args[0] if args else kwargs.get("map_location", "cpu")
    try:
        return function(find_in_project(f), map_location=where or "cpu", weights_only=True)
    except FileNotFoundError:
        return miss_weights(_name_of(f), place)
    except Exception:  # it is no checkpoint, or one of other things than tensors
        why = "is no file of tensors alone, and is not unpickled"
        return miss_weights(_name_of(f), place, why)


def _load_safe_file(place: str, function: Any, filename: Any, *args: Any, **kwargs: Any) -> Any:
    if os.path.exists(filename):
        return function(filename, *args, **kwargs)
    return miss_weights(_name_of(filename), place)


def _fetch_to_file(place: str, function: Any, url: Any = "", *args: Any, **kwargs: Any) -> Any:
    """The name of the file that is not fetched: who loads it finds that it is not here."""
    named = (kwargs.get(name) for name in ("output", "out", "filename", "dst", "path"))
    target = next(
        (each for each in (*args[:1], *named) if isinstance(each, (str, os.PathLike))), None
    )
    return os.fspath(target) if target is not None else _name_of(url)


def _retrieve(
    place: str, function: Any, url: Any, filename: Any = None, *args: Any, **kwargs: Any
) -> Any:
    return _fetch_to_file(place, function, url, filename), {}


def _fetch_from_hub(
    place: str, function: Any, repo_id: str = "", filename: str = "", *args: Any, **kwargs: Any
) -> Any:
    return os.path.join("not-fetched", repo_id, filename)


def _load_from_hub(
    place: str, function: Any, repo_or_dir: Any, model: str, *args: Any, **kwargs: Any
) -> Any:
    """A model that `torch.hub` would fetch the code of, where torchvision has it."""
    if os.path.isdir(folder := find_in_project(str(repo_or_dir))):
        return function(folder, model, *args, **{**kwargs, "source": "local"})
    if not str(repo_or_dir).startswith("pytorch/vision"):
        raise MissingWeightsError(f"needs {repo_or_dir} of torch.hub, whose code is not fetched")
    models = importlib.import_module("torchvision.models")
    note_missed(f"{repo_or_dir}:{model}", place)
    given = {name: v for name, v in kwargs.items() if name in ("num_classes", "progress")}
    return models.get_model(model, weights=None, **given)


def _name_of(place: Any) -> str:
    """The last part of an address or a path; what kind of object it is where it is none."""
    if isinstance(place, (str, os.PathLike)):
        return os.fspath(place).split("?")[0].rstrip("/").rpartition("/")[2] or str(place)
    return str(getattr(place, "name", None) or f"a {type(place).__name__}")


def _skip_pretrained(
    place: str, function: Any, model: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """What a library loads into a model that it has just built."""
    cfg = kwargs.get("pretrained_cfg") or getattr(model, "pretrained_cfg", None) or {}
    name = cfg.get("architecture") if isinstance(cfg, dict) else getattr(cfg, "architecture", None)
    note_missed(f"the pretrained {name or type(model).__name__}", place)


REPLACEMENTS: dict[str, Replacement] = {
    "torch.load": _load_file,
    "torch.hub.load": _load_from_hub,
    "torch.hub.load_state_dict_from_url": _load_from_address,
    "torch.hub.download_url_to_file": _fetch_to_file,
    "safetensors.torch.load_file": _load_safe_file,
    "huggingface_hub.file_download.hf_hub_download": _fetch_from_hub,
    "huggingface_hub._snapshot_download.snapshot_download": _fetch_from_hub,
    "gdown.download.download": _fetch_to_file,
    "gdown.cached_download.cached_download": _fetch_to_file,
    "wget.download": _fetch_to_file,
    "urllib.request.urlretrieve": _retrieve,
    "timm.models._builder.load_pretrained": _skip_pretrained,
    "timm.models.helpers.load_pretrained": _skip_pretrained,
}
"""By dotted path, what answers the user's code in the place of a function."""
