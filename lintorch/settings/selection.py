"""Which rules are on for a file: the most specific selector wins."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from lintorch.catalog import Card, Catalog
from lintorch.files import Patterns
from lintorch.settings.kinds import nearest
from lintorch.settings.values import Selection, Settings, SettingsError

ALWAYS = frozenset({"LT001", "LT002", "LT008"})
"""Codes of what keeps lintorch from its work: on whatever is selected, unless ignored."""
_ALL, _THEME, _CODE = 0, 1, 9
"""How specific a selector is; the beginning of a code is as specific as it is long."""


def enabled(settings: Settings, catalog: Catalog, path: str) -> frozenset[str]:
    """The codes of the rules that are on for a file.

    Within one selection the most specific selector wins, and `ignore` over `select` where they
    are alike; a selection on the command line changes what the file's one came to. Patterns of
    `per-file-ignores` are those of a `.gitignore`, and only ever switch off; `!` before one
    means all other files. Raises SettingsError for what selects no rule.
    """
    selected = _Selected.of(settings, catalog)
    inner = os.path.relpath(os.path.abspath(path), os.path.abspath(settings.root))
    return selected.at(inner.replace(os.sep, "/"))


def fixable(settings: Settings, catalog: Catalog) -> frozenset[str]:
    """The codes of the rules whose fixes may be applied. Raises SettingsError."""
    origin = settings.file or "command line"
    chosen = Selection(settings.fixable, settings.unfixable, origin=origin)
    return _after(frozenset(), chosen, catalog, ("fixable", "unfixable", "")) - ALWAYS


class _Selected:
    """The outcome of all selections, worked out once per settings."""

    _last: tuple[Settings, Catalog, _Selected] | None = None

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        codes = frozenset(code for code, rule in catalog.cards.items() if rule.default) | ALWAYS
        for selection in settings.selections:
            codes = _after(codes, selection, catalog, ("select", "ignore", "extend-select"))
        self.codes = codes
        where = settings.file or "command line"
        self.off = [
            (
                pattern.startswith("!"),
                Patterns((pattern.removeprefix("!"),)),
                frozenset(_codes(selectors, catalog, where, f"per-file-ignores.{pattern}")),
            )
            for pattern, selectors in settings.per_file_ignores.items()
        ]

    @classmethod
    def of(cls, settings: Settings, catalog: Catalog) -> _Selected:
        """The same as last time for the same settings."""
        if cls._last is None or cls._last[0] is not settings or cls._last[1] is not catalog:
            cls._last = settings, catalog, cls(settings, catalog)
        return cls._last[2]

    def at(self, path: str) -> frozenset[str]:
        """The codes that are on for a path below the settings' folder."""
        off = [codes for others, pattern, codes in self.off if pattern.covers(path) is not others]
        return self.codes.difference(*off) if off else self.codes


def _after(
    before: frozenset[str], chosen: Selection, catalog: Catalog, keys: tuple[str, str, str]
) -> frozenset[str]:
    on = set(before if chosen.select is None else ALWAYS)
    added = [*_ranked(chosen.select or (), catalog, chosen.origin, keys[0])]
    added += _ranked(chosen.extend_select, catalog, chosen.origin, keys[2])
    removed = [*_ranked(chosen.ignore, catalog, chosen.origin, keys[1])]
    for rank in range(_CODE + 1):
        on.update(*(codes for at, codes in added if at == rank))
        on.difference_update(*(codes for at, codes in removed if at == rank))
    return frozenset(on)


def _codes(selectors: Sequence[str], catalog: Catalog, origin: str, key: str) -> Iterator[str]:
    for _, codes in _ranked(selectors, catalog, origin, key):
        yield from codes


def _ranked(
    selectors: Sequence[str], catalog: Catalog, origin: str, key: str
) -> Iterator[tuple[int, frozenset[str]]]:
    """Each selector's rank and the codes it stands for."""
    for selector in selectors:
        rules = catalog.cards.values()
        codes = frozenset(rule.code for rule in rules if _stands_for(selector, rule))
        if not codes and selector.upper() not in ALWAYS:
            words = {word for rule in rules for word in (rule.code, rule.name, rule.theme)}
            hint = nearest(selector, tuple(sorted(words)))
            raise SettingsError(origin, f"`{key}`: no rule is `{selector}`{hint}")
        themes = {rule.theme for rule in rules}
        yield _rank(selector, themes), codes or frozenset({selector.upper()})


def _rank(selector: str, themes: set[str]) -> int:
    if selector.upper() == "ALL":
        return _ALL
    if re.fullmatch(r"LT\d*", selector, re.IGNORECASE):
        return _CODE if len(selector) == 5 else len(selector) - 2
    return _THEME if selector in themes else _CODE


def _stands_for(selector: str, rule: Card) -> bool:
    code = selector.upper()
    if re.fullmatch(r"LT\d*", code):
        return rule.code.startswith(code)
    return code == "ALL" or selector in (rule.name, rule.theme)
