"""What a shell is told when it completes the names of rules and targets."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from lintorch.core.profile import EXPORTERS

_WORDS = ("ALL", "advice")
"""What selects more than one rule, besides themes."""


def complete_rules(
    context: click.Context, parameter: click.Parameter, written: str
) -> list[CompletionItem]:
    """Codes and names, themes and words for several rules, after the last comma."""
    cards = _list_cards()
    themes = sorted({theme for _, _, theme in cards})
    names = [*(name for card in cards for name in card[:2]), *themes, *_WORDS]
    return _list_last(names, written)


def complete_exporters(
    context: click.Context, parameter: click.Parameter, written: str
) -> list[CompletionItem]:
    """Names of exporters, after the last comma."""
    return _list_last(EXPORTERS, written)


def complete_rule(
    context: click.Context, parameter: click.Parameter, written: str
) -> list[CompletionItem]:
    """The code or name of one rule."""
    return _list_items((name for card in _list_cards() for name in card[:2]), written)


def complete_targets(
    context: click.Context, parameter: click.Parameter, written: str
) -> list[CompletionItem]:
    """The names of deployment targets, after the last comma."""
    from lintorch.targets import list_targets

    return _list_last((target.name for target in list_targets()), written)


def _list_cards() -> list[tuple[str, str, str]]:
    from lintorch.catalog import build_catalog

    return [(card.code, card.name, card.theme) for card in build_catalog().cards.values()]


def _list_last(names: Iterable[str], written: str) -> list[CompletionItem]:
    """What the last of several words may become, behind those before it."""
    before, comma, last = written.rpartition(",")
    return _list_items(names, last, before + comma)


def _list_items(names: Iterable[str], begun: str, before: str = "") -> list[CompletionItem]:
    return [
        CompletionItem(before + name)
        for name in names
        if name.lower().startswith(begun.strip().lower())
    ]
