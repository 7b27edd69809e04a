"""Which rules are on for a file: the most specific selector wins."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lintorch.catalog import Card, Catalog
from lintorch.core.codes import RULE_CRASHED, SYNTAX_ERROR, UNREADABLE_FILE
from lintorch.core.finding import ADVICE, Finding, Severity
from lintorch.core.torchfix_codes import find_torchfix_rules, is_torchfix
from lintorch.files import Patterns
from lintorch.settings.key_kinds import suggest_word
from lintorch.settings.setting_values import Selection, Settings, SettingsError
from lintorch.settings.user_settings import not_loaded

ALWAYS = frozenset({SYNTAX_ERROR, RULE_CRASHED, UNREADABLE_FILE})
"""Codes of what keeps lintorch from its work: on whatever is selected, unless ignored."""
_KEYS = "select", "ignore", "extend-select"
_OWN_THEME = "lintorch"
_ALL, _THEME, _CODE = 0, 1, 9
"""How specific a selector is; the beginning of a code is as specific as it is long."""


def enabled_codes(settings: Settings, catalog: Catalog, path: str) -> frozenset[str]:
    """The codes of the rules that are on for a file.

    Within one selection the most specific selector wins, and `ignore` over `select` where they
    are alike; a selection on the command line changes what the file's one came to. Patterns of
    `per-file-ignores` are those of a `.gitignore`, and only ever switch off; `!` before one
    means all other files. Raises SettingsError for what selects no rule, but not where the file
    names rules that are not loaded: it may mean one of these.
    """
    selected, inner = _select_at(settings, catalog, path)
    return selected.cut(selected.codes | selected.advised, inner)


def is_selected(finding: Finding, settings: Settings, catalog: Catalog) -> bool:
    """Whether a finding of a rule that is on for its file is wanted: advice has to be asked for.

    By its rule's code, name or theme, by "ALL", or as `advice`, which means that of all rules.
    """
    selected, inner = _select_at(settings, catalog, finding.place.path)
    advice = finding.severity is Severity.NOTE
    return finding.code in selected.cut(selected.advised if advice else selected.codes, inner)


def _select_at(settings: Settings, catalog: Catalog, path: str) -> tuple[_Selected, str]:
    """The selections, and a path as they see it."""
    inner = os.path.relpath(os.path.abspath(path), os.path.abspath(settings.root))
    return _Selected.for_settings(settings, catalog), inner.replace(os.sep, "/")


def fixable_codes(settings: Settings, catalog: Catalog) -> frozenset[str]:
    """The codes of the rules whose fixes may be applied. Raises SettingsError."""
    origin = settings.file or "command line"
    chosen = Selection(settings.fixable, settings.unfixable, origin=origin)
    known = _KnownRules.for_settings(settings, catalog)
    return _apply_selection(frozenset(), chosen, known, ("fixable", "unfixable", "")) - ALWAYS


class _Selected:
    """The outcome of all selections, worked out once per settings: of hazards, and of advice."""

    _last: tuple[Settings, Catalog, _Selected] | None = None

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        known = _KnownRules.for_settings(settings, catalog)
        cards = [card for card in catalog.cards.values() if card.default]
        codes = frozenset(card.code for card in cards) | ALWAYS
        advised = frozenset(card.code for card in cards if card.theme == _OWN_THEME) | ALWAYS
        advisers = replace(known, advice=True)
        for selection in settings.selections:
            codes = _apply_selection(codes, selection, known, _KEYS)
            advised = _apply_selection(advised, selection, advisers, _KEYS)
        self.codes, self.advised = codes, advised
        where = settings.file or "command line"
        self.off = [
            (
                pattern.startswith("!"),
                Patterns((pattern.removeprefix("!"),)),
                known.find_codes(selectors, where, f"per-file-ignores.{pattern}"),
            )
            for pattern, selectors in settings.per_file_ignores.items()
        ]

    @classmethod
    def for_settings(cls, settings: Settings, catalog: Catalog) -> _Selected:
        """The same as last time for the same settings."""
        if cls._last is None or cls._last[0] is not settings or cls._last[1] is not catalog:
            cls._last = settings, catalog, cls(settings, catalog)
        return cls._last[2]

    def cut(self, codes: frozenset[str], path: str) -> frozenset[str]:
        """Those of the codes that are not off for a path below the settings' folder."""
        off = [
            codes for others, pattern, codes in self.off if pattern.covers_file(path) is not others
        ]
        return codes.difference(*off) if off else codes


@dataclass(frozen=True)
class _KnownRules:
    """The rules there are; `partial` is the settings file that names some that are not loaded.

    As those that give `advice` all are meant by that word, else those that give nothing else.
    """

    catalog: Catalog
    partial: str = ""
    advice: bool = False

    @classmethod
    def for_settings(cls, settings: Settings, catalog: Catalog) -> _KnownRules:
        absent = not_loaded(settings, catalog.folders)
        return cls(catalog, settings.file or "" if absent else "")

    def find_codes(self, selectors: Sequence[str], origin: str, key: str) -> frozenset[str]:
        """The codes that selectors stand for. Raises SettingsError."""
        return frozenset().union(
            *(codes for _, codes in self.rank_selectors(selectors, origin, key))
        )

    def rank_selectors(
        self, selectors: Sequence[str], origin: str, key: str
    ) -> Iterator[tuple[int, frozenset[str]]]:
        """Each selector's rank and the codes it stands for. Raises SettingsError."""
        cards = self.catalog.cards.values()
        themes = {card.theme for card in cards}
        for selector in selectors:
            codes = frozenset(card.code for card in cards if self._is_meant(card, selector))
            if not codes and is_torchfix(selector):
                yield _rank_selector(selector, themes), codes
                continue
            if not codes and selector.upper() in ALWAYS:
                codes = frozenset({selector.upper()})
            if not codes and origin != self.partial:
                raise SettingsError(
                    origin, f"`{key}`: no rule is `{selector}`{self._hint_at_rule(selector)}"
                )
            yield _rank_selector(selector, themes), codes

    def _is_meant(self, card: Card, selector: str) -> bool:
        if selector == ADVICE:
            return self.advice or not card.default
        return _stands_for(selector, card)

    def _hint_at_rule(self, selector: str) -> str:
        cards = self.catalog.cards.values()
        words = {word for card in cards for word in (card.code, card.name, card.theme)}
        words |= {ADVICE, "ALL"}
        absent = f"; the rules that {self.partial} names are not loaded: see --rules"
        return suggest_word(selector, tuple(sorted(words))) + (absent if self.partial else "")


def _apply_selection(
    before: frozenset[str], chosen: Selection, known: _KnownRules, keys: tuple[str, str, str]
) -> frozenset[str]:
    on = set(before if chosen.select is None else ALWAYS)
    added = [*known.rank_selectors(chosen.select or (), chosen.origin, keys[0])]
    added += known.rank_selectors(chosen.extend_select, chosen.origin, keys[2])
    removed = [*known.rank_selectors(chosen.ignore, chosen.origin, keys[1])]
    for rank in range(_CODE + 1):
        on.update(*(codes for at, codes in added if at == rank))
        on.difference_update(*(codes for at, codes in removed if at == rank))
    return frozenset(on)


def _rank_selector(selector: str, themes: set[str]) -> int:
    if selector.upper() == "ALL":
        return _ALL
    if re.fullmatch(r"LT\d*", selector, re.IGNORECASE):
        return _CODE if len(selector) == 5 else len(selector) - 2
    if is_torchfix(selector):
        return _CODE if len(selector) == 6 else len(selector) - 2
    return _THEME if selector in themes or selector == ADVICE else _CODE


def _stands_for(selector: str, card: Card) -> bool:
    code = selector.upper()
    if re.fullmatch(r"LT\d*", code):
        return card.code.startswith(code) or code in card.formerly
    if is_torchfix(code):
        return card.name in find_torchfix_rules(code)
    return code in ("ALL", card.code.upper()) or selector in (card.name, card.theme, *card.formerly)
