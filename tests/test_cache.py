"""The cache gives back what was put, or nothing: never what is out of date, never an error."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lintorch.cache import Cache, cache_folder, digest_content, keep_cards, read_cards
from lintorch.catalog import Card
from lintorch.core.finding import (
    Applicability,
    Edit,
    Evidence,
    Finding,
    Fix,
    Harm,
    Hazard,
    Note,
    Place,
    Severity,
)


def finding(path: str) -> Finding:
    hazard = Hazard((("onnx", Harm.SILENT),), ("ncnn",), Severity.NOTE, Severity.ERROR, ("onnx",))
    note = Note(
        Evidence.SOURCE, "one", "so", "net.py:Net", "onnx", hazard, Harm.NOISY, (("h", "w"),)
    )
    fix = Fix("Mend é", (Edit(0, 1, "\r\n"), Edit(4, 4, "y")), Applicability.UNSAFE)
    return Finding(
        "LT101", "dynamic-size", "a “size”", Severity.ERROR, Place(path, 1, 2, 3, 4),
        Evidence.TRACE, "net.py:Net", None, "onnx", fix, (note,), None, False, "so", hazard, Harm.FAILS,
        (("batch",), ()), True, 2, True,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches of a user."""
    monkeypatch.setenv(
        "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(tmp_path / "home")
    )
    return tmp_path / "home"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = tmp_path / "a.py", tmp_path / "b.py", tmp_path / "base.py"
    for path in paths:
        path.write_text("x = 1\n")
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return paths


def keep(root: Path, *files: Path, consulted: tuple[Path, ...] = ()) -> None:
    cache = Cache.open(str(root), "f")
    for path in files:
        found = [finding(str(path))] if path.name == "a.py" else []
        assert cache.get(str(path)) is None
        cache.put(str(path), digest_content(path.read_bytes()), found, map(str, consulted))
    cache.save()


def test_what_was_put_is_given_back(
    tmp_path: Path, files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _ = files
    keep(tmp_path, a, b)
    again = Cache.open(str(tmp_path), "f")
    assert again.get(str(a)) == (finding(str(a)),)
    assert again.get(str(b)) == ()
    monkeypatch.chdir(tmp_path)
    assert Cache.open(".", "f").get("a.py") == (finding("a.py"),)
    assert Cache.open(str(tmp_path), "g").get(str(a)) is None


def test_a_changed_file_is_forgotten_and_a_touched_one_not(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    a, b, _ = files
    keep(tmp_path, a, b)
    a.write_text("x = 2\n")
    os.utime(b)
    again = Cache.open(str(tmp_path), "f")
    assert again.get(str(a)) is None
    assert again.get(str(b)) == ()


def test_a_change_of_a_consulted_file_is_a_change(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    a, b, base = files
    keep(tmp_path, a, consulted=(base,))
    base.write_text("x = 2\n")
    keep(tmp_path, b, consulted=(base,))  # learns of the new base, which must not revive a
    again = Cache.open(str(tmp_path), "f")
    assert again.get(str(a)) is None
    assert again.get(str(b)) == ()
    base.unlink()
    assert Cache.open(str(tmp_path), "f").get(str(b)) is None


def test_a_change_within_the_clocks_tick_is_seen(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    a = files[0]
    a.write_text("x = 3\n")
    before = a.stat()
    keep(tmp_path, a)
    a.write_text("x = 4\n")
    os.utime(a, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert Cache.open(str(tmp_path), "f").get(str(a)) is None


@pytest.mark.skipif(os.name == "nt", reason="the system tells no time of change there")
def test_a_change_that_an_archive_dates_back_is_seen(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    a = files[0]
    before = a.stat()
    cache = Cache.open(str(tmp_path), "f")
    cache.get(str(a))
    cache.put(str(a), digest_content(a.read_bytes()), [])
    cache.save()
    file = Path(cache.file)
    stored = json.loads(file.read_text())
    stored["stamps"]["a.py"] = [
        before.st_size,
        before.st_mtime_ns,
        before.st_ctime_ns,
        stored["entries"]["a.py"][0],
    ]
    file.write_text(json.dumps(stored))  # as if the file had been looked at long after its change
    assert Cache.open(str(tmp_path), "f").get(str(a)) == ()
    a.write_text("x = 9\n")
    os.utime(a, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert Cache.open(str(tmp_path), "f").get(str(a)) is None


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"[]", b'{"format": 0}', b"[" * 100_000, b'{"format": 4, "entries": [], "stamps": 3}',
     b'{"format": 4, "entries": {"a.py": 3}, "stamps": {}}',
     b'{"format": 4, "entries": {"a.py": ["DIGEST", [3]]}, "stamps": {"a.py": 1}}'],
)  # fmt: skip
def test_a_broken_cache_is_an_empty_one(
    tmp_path: Path, files: tuple[Path, Path, Path], content: bytes
) -> None:
    a = files[0]
    keep(tmp_path, a)
    file = Path(Cache.open(str(tmp_path), "f").file)
    file.write_bytes(content.replace(b"DIGEST", digest_content(a.read_bytes()).encode()))
    keep(tmp_path, a)
    assert Cache.open(str(tmp_path), "f").get(str(a)) == (finding(str(a)),)


def test_a_folder_that_cannot_be_written_means_no_cache(
    tmp_path: Path, files: tuple[Path, Path, Path], home: Path
) -> None:
    home.mkdir()
    (home / "lintorch").write_text("a file in the way")
    keep(tmp_path, files[0])
    assert Cache.open(str(tmp_path), "f").get(str(files[0])) is None


def test_a_user_without_a_home_has_no_cache(
    tmp_path: Path, files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, "relative")
    assert cache_folder() == ""
    before = sorted(tmp_path.rglob("*"))
    keep(tmp_path, files[0])
    assert sorted(tmp_path.rglob("*")) == before


def test_the_folder_is_the_users_alone_and_marks_itself_as_a_cache(
    tmp_path: Path, files: tuple[Path, Path, Path], home: Path
) -> None:
    keep(tmp_path, files[0])
    folder = Path(cache_folder())
    assert folder == home / "lintorch"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f59")
    assert os.name == "nt" or folder.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="modes mean nothing there")
def test_a_folder_that_others_can_write_to_is_not_believed(
    tmp_path: Path, files: tuple[Path, Path, Path], home: Path
) -> None:
    keep(tmp_path, files[0])
    (home / "lintorch").chmod(0o777)
    assert Cache.open(str(tmp_path), "f").get(str(files[0])) is None
    keep_cards("f", {})
    assert read_cards("f") is None


def test_cards_are_given_back_under_their_fingerprint_alone() -> None:
    seen = frozenset({Evidence.SOURCE, Evidence.EXPORT})
    cards = {"LT101": Card("LT101", "dynamic-size", "export", Severity.ERROR, False, seen)}
    assert read_cards("f") is None
    keep_cards("f", cards)
    assert read_cards("f") == cards
    assert read_cards("g") is None


def test_an_entry_without_findings_is_small(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    keep(tmp_path, files[1])
    cache = Path(Cache.open(str(tmp_path), "f").file)
    assert cache.stat().st_size < 200
