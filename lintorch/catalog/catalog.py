"""The catalogue: which rules there are, and what they are, loaded when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lintorch.catalog import rule_folders
from lintorch.catalog.card import Card
from lintorch.catalog.load_rules import load_rules

if TYPE_CHECKING:
    from lintorch.core.rule import Rule


@dataclass(frozen=True)
class Catalog:
    """All rules of a run: their cards by code, and the folders that hold them."""

    cards: Mapping[str, Card]
    folders: tuple[str, ...]

    @cached_property
    def names(self) -> dict[str, str]:
        """From code to name."""
        return {code: card.name for code, card in self.cards.items()}

    @cached_property
    def former_names(self) -> dict[str, tuple[str, ...]]:
        """From code to the code and name that the rule had together with others, where it did."""
        return {code: card.formerly for code, card in self.cards.items() if card.formerly}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rules themselves, by code: their files are run. Raises CatalogError."""
        return load_rules(self.folders)

    @property
    def fingerprint(self) -> str:
        """Changes whenever a rule file, a table beside one, or a file of the engine does."""
        return rule_folders.fingerprint_rules(self.folders)

    def find_rule(self, code_or_name: str) -> Rule | None:
        """The rule with this code or name, however it is cased."""
        wanted = code_or_name.lower()
        matches = (c for c in self.cards.values() if wanted in (c.code.lower(), c.name))
        card = next(matches, None)
        return None if card is None else self.rules[card.code]


def build_catalog(further: Iterable[str] = ()) -> Catalog:
    """The built-in rules, those of installed plugins, and those of further folders.

    Raises CatalogError naming the file where a rule cannot be loaded.
    """
    every = rule_folders.list_rule_folders(further)
    return Catalog({code: _make_card(rule) for code, rule in load_rules(every).items()}, every)


def _make_card(rule: Rule) -> Card:
    evidence = frozenset(detector.evidence for detector in rule.detectors)
    return Card(
        rule.code, rule.name, rule.theme, rule.severity, rule.default, evidence, rule.formerly
    )
