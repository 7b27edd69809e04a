"""All rules of a run: which there are, and what they are, loaded when they are needed."""

from lintorch.catalog.card import Card
from lintorch.catalog.catalog import Catalog, build_catalog
from lintorch.catalog.rule_folders import (
    ENTRY_POINTS,
    CatalogError,
    find_own_rules,
    fingerprint_rules,
    list_rule_folders,
)
from lintorch.catalog.rule_pages import find_page_urls, find_project_url

__all__ = [
    "ENTRY_POINTS",
    "Card",
    "Catalog",
    "CatalogError",
    "build_catalog",
    "find_own_rules",
    "find_page_urls",
    "find_project_url",
    "fingerprint_rules",
    "list_rule_folders",
]  # fmt: skip
