"""Takes from a store what was not used for long, or for longest."""

from __future__ import annotations

import time

from lintorch.store.places import Place

_OWN = ("work/", "files/")


def prune_store(place: Place, days: float | None, size: int | None) -> tuple[int, int]:
    """Remove what nothing has used for so many days, then what was used longest ago until so many bytes are left.

    Without either, all goes. How many files went, and their bytes. Raises OSError.
    """
    found = sorted((i for i in place.items() if i.name.startswith(_OWN)), key=lambda i: -i.used)
    latest = time.time() - days * 86400 if days is not None else 0
    left = size if size is not None else (sum(i.size for i in found) if days is not None else 0)
    count = total = 0
    for item in found:
        left -= item.size
        if left < 0 or (days is not None and item.used < latest):
            place.remove(item.name)
            count, total = count + 1, total + item.size
    return count, total
