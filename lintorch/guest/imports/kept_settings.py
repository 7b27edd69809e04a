"""Settings that a missing package would have kept: an object with what its constructor was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NoReturn

_PLAIN = (bool, int, float, str, type(None))
_FEWEST = 3
"""Arguments by name from which a call is taken for one of settings."""


class KeptSettings(SimpleNamespace):
    """`HParams(hop_length=256, sampling_rate=22050, …)`: each by its name, as attribute or as item.

    `refuse` raises what tells of the missing package: for whoever finds that it was no settings.
    """

    __slots__ = ("refuse",)  # no name among the settings
    refuse: Callable[[], NoReturn]

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self.refuse()

    def get(self, name: str, default: Any = None) -> Any:
        """The setting, else `default`."""
        return vars(self).get(name, default)

    def values(self) -> dict[str, Any]:
        """All of them by name, as TensorFlow's HParams give them."""
        return dict(vars(self))

    def parse(self, text: str) -> KeptSettings:
        """The same: what a command line would change is not known."""
        return self


def keep_settings(
    path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], refuse: Callable[[], NoReturn]
) -> KeptSettings | None:
    """The settings that a class is given, None where it is no call of that kind."""
    named = path.rpartition(".")[2][:1].isupper()
    if args or not named or len(kwargs) < _FEWEST or not all(map(_is_plain, kwargs.values())):
        return None
    kept = KeptSettings(**kwargs)
    kept.refuse = refuse
    return kept


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return isinstance(value, _PLAIN)
