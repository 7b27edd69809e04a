"""What a project deploys with, read off its export calls; those of unchanged files are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from lintorch.cache import BROKEN, Cache, digest_content
from lintorch.core.profile import Profile
from lintorch.facts.deployment import ExportCall, Release, export_calls_in, profile_of
from lintorch.files import Found, find_files
from lintorch.files.testfile import package_marks
from lintorch.settings import Settings

_MOST_FILES = 20_000
"""Files of a project that are looked through, at most: a folder without a mark may be a whole disk."""


def project_files(places: Iterable[str], settings: Settings) -> Iterator[str]:
    """The files of a project that facts about it are read from."""
    found = islice(find_files(places, settings.exclude_patterns, settings.root), _MOST_FILES)
    return (each.path for each in found if isinstance(each, Found))


def read_deployed(
    places: Iterable[str], settings: Settings, torch: Release, cache: Cache | None
) -> Profile | None:
    """The profile that export calls in files and folders amount to; None where there is none."""
    calls: list[ExportCall] = []
    for path in project_files(places, settings):
        calls += _read_export_calls(path, torch, cache)
    if cache is not None:
        cache.save()
    return profile_of(calls, torch)


def _read_export_calls(path: str, torch: Release, cache: Cache | None) -> list[ExportCall]:
    if cache is not None and cache.get(path) is not None:
        with suppress(*BROKEN):
            kept = cache.about(path) or ()
            return [ExportCall(frozenset(names), *rest) for names, *rest in kept]
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return []
    calls = export_calls_in(path, data, torch)
    if cache is not None:
        plain = [[sorted(c.exporters), c.opset, c.dynamic, c.auto, c.strict] for c in calls]
        cache.put(
            path, digest_content(data), (), package_marks(path) if b"torch" in data else (), plain
        )
    return calls
