"""What stands before or within all keys of a state_dict because of how the model was wrapped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

_WRAPPERS = {
    "module.": "torch.nn.DataParallel or DistributedDataParallel",
    "_orig_mod.": "torch.compile",
    "_fsdp_wrapped_module.": "FullyShardedDataParallel",
    "_checkpoint_wrapped_module.": "activation checkpointing",
    "_forward_module.": "Lightning with DeepSpeed or FSDP",
    "ema_model.": "an average of weights",
}
_USUAL = ("model.", "net.", "network.", "state_dict.")
"""Names that training code gives the model inside of another one; what they are here is not known."""


@dataclass(frozen=True)
class Prefix:
    """A part of keys that a wrapper has put there; `inner` where it stands inside of some keys."""

    text: str
    wrapper: str
    inner: bool = False


def find_prefixes(keys: Sequence[str]) -> tuple[Prefix, ...]:
    """Those of wrappers, from the outermost, then one that is usual."""
    found: list[Prefix] = []
    rest = list(keys)
    while rest and (text := _shared_prefix(rest, (*_WRAPPERS, *_USUAL))):
        found.append(Prefix(text, _WRAPPERS.get(text, "")))
        rest = [key.removeprefix(text) for key in rest]
    inner = [w for w in _WRAPPERS if w.startswith("_") and any(f".{w}" in key for key in rest)]
    return (*found, *(Prefix(text, _WRAPPERS[text], inner=True) for text in inner))


def strip_prefixes(key: str, prefixes: Collection[Prefix]) -> str:
    """The key without them."""
    for prefix in prefixes:
        key = key.replace(f".{prefix.text}", ".") if prefix.inner else key.removeprefix(prefix.text)
    return key


def write_stripping(prefixes: Collection[Prefix]) -> Iterator[str]:
    """The Python lines that do the same to `state`."""
    outer = [prefix for prefix in prefixes if not prefix.inner]
    if outer:
        whole = "".join(prefix.text for prefix in outer)
        yield f"state = {{key.removeprefix({whole!r}): value for key, value in state.items()}}"
    for prefix in prefixes:
        if prefix.inner:
            yield f"state = {{key.replace({prefix.text!r}, ''): value for key, value in state.items()}}"


def _shared_prefix(keys: Sequence[str], known: Sequence[str]) -> str:
    return next((text for text in known if all(key.startswith(text) for key in keys)), "")
