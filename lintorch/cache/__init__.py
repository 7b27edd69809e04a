"""What is kept between runs: findings by file, and the cards of the rules."""

from lintorch.cache.cards import cards_kept, keep_cards
from lintorch.cache.folder import cache_folder
from lintorch.cache.store import BROKEN, Cache, digest

__all__ = ["BROKEN", "Cache", "cache_folder", "cards_kept", "digest", "keep_cards"]
