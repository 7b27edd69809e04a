"""What is kept between runs: findings by file, and the cards of the rules."""

from lintorch.cache.cache_folder import VARIABLE, cache_folder
from lintorch.cache.finding_store import BROKEN, Cache, digest_content
from lintorch.cache.rule_cards import keep_cards, read_cards

__all__ = [
    "BROKEN",
    "VARIABLE",
    "Cache",
    "cache_folder",
    "digest_content",
    "keep_cards",
    "read_cards",
]
