"""Two recordings, compared file by file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import zip_longest
from pathlib import Path
from typing import Any

_WINDOW = 200
"""Lines from the first difference of a file that are compared: reports are long."""
_SHOWN = 40
"""Lines of a file's difference that are printed."""


def compare_groups(before: Path, after: Path, groups: Sequence[str], most: int, without: Sequence[str], common: bool) -> bool:  # fmt: skip
    """Whether the groups that either recording has are the same; prints what is not."""
    names = [name for name in groups if (before / name).is_dir() or (after / name).is_dir()]
    if not names:
        raise SystemExit(f"neither {before} nor {after} holds a recording")
    same = [compare_group(before / n, after / n, most, without, common) for n in names]
    return all(same)


def compare_group(before: Path, after: Path, most: int, without: Sequence[str], common: bool) -> bool:  # fmt: skip
    """Whether two folders hold the same files; prints the first `most` that differ."""
    old, new = list_files(before), list_files(after)
    names = sorted(old & new if common else old | new)
    left = len((old | new) - set(names))
    differing = [name for name in names if read_answer(before / name, without) != read_answer(after / name, without)]  # fmt: skip
    told = f"{before.name}: {len(names)} files compared, {len(differing)} differ"
    print(told + (f", {left} are in one recording only and left out" if left else ""))
    for name in differing[:most]:
        print("".join(f"    {line}\n" for line in tell_difference(before, after, name, without)))
    if len(differing) > most:
        print("    and " + "\n        ".join(differing[most:]))
    return not differing


def list_files(folder: Path) -> set[str]:
    """Names of the answers in a group's folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def read_answer(path: Path, without: Sequence[str]) -> str | None:
    """A recorded answer; None where there is none."""
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    if without and path.suffix == ".json":
        return json.dumps(leave_out(json.loads(text), without), indent=2)
    return text


def leave_out(value: Any, keys: Sequence[str]) -> Any:
    """JSON without some keys, at any depth."""
    if isinstance(value, dict):
        return {name: leave_out(each, keys) for name, each in value.items() if name not in keys}
    return [leave_out(each, keys) for each in value] if isinstance(value, list) else value


def tell_difference(before: Path, after: Path, name: str, without: Sequence[str]) -> Iterator[str]:
    """The lines to print of a file that differs."""
    old, new = (read_answer(folder / name, without) for folder in (before, after))
    if old is None or new is None:
        yield f"{name} is only in {before if new is None else after}"
        return
    lines = old.splitlines(), new.splitlines()
    pairs = enumerate(zip_longest(*lines))
    first = next((number for number, (one, other) in pairs if one != other), len(lines[0]))
    start = max(first - 12, 0)
    was, now = (each[start : first + _WINDOW] for each in lines)
    shown = list(unified_diff(was, now, f"before/{name}", f"after/{name} from line {start + 1}", lineterm=""))  # fmt: skip
    yield from shown[:_SHOWN] or [f"{name} differs in the ends of its lines"]
    if len(shown) > _SHOWN:
        yield "…"
