"""All rules of a run: which there are, and what they are, loaded when they are needed."""

from lintorch.catalog.card import Card
from lintorch.catalog.catalog import Catalog, load
from lintorch.catalog.rule_folders import ENTRY_POINTS, CatalogError, built_in, fingerprint, places

__all__ = [
    "ENTRY_POINTS", "Card", "Catalog", "CatalogError", "built_in", "fingerprint", "load", "places",
]  # fmt: skip
