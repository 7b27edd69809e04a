"""What a project deploys with, read off its export calls; those of unchanged files are kept."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from lintorch.cache import BROKEN, Cache, digest
from lintorch.deployment import ExportCall, Release, calls_in, profile_of
from lintorch.files import Found, find
from lintorch.profile import Profile
from lintorch.settings import Settings
from lintorch.testfile import marks

_MOST_FILES = 20_000
"""Files of a project that are looked through for export calls, at most."""


def read_deployed(
    places: Iterable[str], settings: Settings, torch: Release, cache: Cache | None
) -> Profile | None:
    """The profile that export calls in files and folders amount to; None where there is none."""
    calls: list[ExportCall] = []
    for number, found in enumerate(find(places, settings.excluded, settings.root)):
        if number >= _MOST_FILES:
            break
        calls += _calls(found.path, torch, cache) if isinstance(found, Found) else ()
    if cache is not None:
        cache.save()
    return profile_of(calls, torch)


def _calls(path: str, torch: Release, cache: Cache | None) -> list[ExportCall]:
    if cache is not None and cache.get(path) is not None:
        with suppress(*BROKEN):
            kept = cache.about(path) or ()
            return [ExportCall(frozenset(names), *rest) for names, *rest in kept]
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return []
    calls = calls_in(path, data, torch)
    if cache is not None:
        plain = [[sorted(c.exporters), c.opset, c.dynamic, c.auto] for c in calls]
        cache.put(path, digest(data), (), marks(path) if b"torch" in data else (), plain)
    return calls
