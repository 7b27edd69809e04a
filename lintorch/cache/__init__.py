"""What is kept between runs: findings by file, and the cards of the rules."""

from lintorch.cache.cache_folder import cache_folder
from lintorch.cache.finding_store import BROKEN, Cache, digest
from lintorch.cache.rule_cards import cards_kept, keep_cards

__all__ = ["BROKEN", "Cache", "cache_folder", "cards_kept", "digest", "keep_cards"]
