"""How far apart two spellings of a name are."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_names(name: str, known: Iterable[str]) -> list[str]:
    """The known names that `name` is most likely a slip of; [] if none is close.

    The same letters in another case, or with other underscores, come first; then one letter wrong
    in a short name, two in a long one.
    """
    listed = sorted(known)
    if same := [other for other in listed if _plain(other) == _plain(name)]:
        return same
    limit = 0 if len(name) < 4 else 1 if len(name) < 8 else 2
    apart = {other: edit_distance(name, other, limit) for other in listed}
    least = min(apart.values(), default=limit + 1)
    return [other for other, far in apart.items() if far == least <= limit]


def edit_distance(one: str, two: str, limit: int) -> int:
    """Letters to insert, drop, change or swap with their neighbour; above `limit`, `limit + 1`."""
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(two, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and b == one[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, above = above, row
    return min(above[-1], limit + 1)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
