"""Findings kept between runs."""

from lintorch.cache.folder import FOLDER, clear
from lintorch.cache.store import Cache, digest

__all__ = ["FOLDER", "Cache", "clear", "digest"]
