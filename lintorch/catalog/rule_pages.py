"""Where the pages of lintorch's own rules stand: below the `Rules` address among `project.urls`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import lru_cache

from lintorch.catalog.card import Card
from lintorch.catalog.rule_folders import find_own_rules

_ADDRESS = "Rules"


def find_page_urls(cards: Iterable[Card]) -> dict[str, str]:
    """From code to the address of the rule's page; rules of others have none."""
    base, own = find_project_url(_ADDRESS), find_own_rules()
    return {
        card.code: f"{base}/{card.theme}/{card.name}.md"
        for card in cards
        if base and os.path.isfile(os.path.join(own, card.theme, f"{_module_name(card)}.py"))
    }


@lru_cache(maxsize=4)
def find_project_url(name: str) -> str:
    """An address of `project.urls`: of the checkout, else as installed; "" where neither tells."""
    beside = os.path.join(os.path.dirname(find_own_rules()), "pyproject.toml")
    if os.path.isfile(beside):
        return _read_urls(beside).get(name, "")
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        listed = metadata("lintorch").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    pairs = (each.partition(",") for each in listed)
    return next((url.strip() for label, _, url in pairs if label.strip() == name), "")


def _read_urls(file: str) -> dict[str, str]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    with open(file, "rb") as stream:
        urls: dict[str, str] = tomllib.load(stream).get("project", {}).get("urls", {})
    return urls


def _module_name(card: Card) -> str:
    return card.name.replace("-", "_")
