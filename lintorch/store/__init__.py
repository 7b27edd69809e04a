"""What workers told in earlier runs, by content: a folder or an address that several machines may share."""

from lintorch.store.kept_work import StoredWork, open_store
from lintorch.store.places import StoreError, find_place
from lintorch.store.prune import prune_store

__all__ = ["StoreError", "StoredWork", "find_place", "open_store", "prune_store"]
