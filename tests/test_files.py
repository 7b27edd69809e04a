"""Which files are found, that their text is kept exactly, and that they are never half written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintorch.files import (
    DEFAULT_EXCLUDE,
    FileText,
    Found,
    Missing,
    NotWritten,
    UnreadableFile,
    find_files,
)
from lintorch.files import read_file as read_file
from lintorch.files import write_file as write_file

GIT = ["git", "-c", "core.excludesFile=", "-c", "core.quotePath=off"]


def tree(root: Path, *files: str, **texts: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(texts.get(file, ""))
    return root


def found(
    *paths: str, exclude: Iterable[str] = DEFAULT_EXCLUDE, root: str = ".", force: bool = False
) -> list[str]:
    listed = find_files(paths, exclude, root, force)
    return [f.path.replace(os.sep, "/") for f in listed if isinstance(f, Found)]


def test_python_files_of_folders_come_in_order_and_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(
        tmp_path, "b/x.py", "a.py", "b/y.txt", ".venv/z.py", "b/build/w.py", "notes.md", "b/._x.py"
    )
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    (tmp_path / "b" / "link.py").symlink_to(tmp_path / "a.py")
    monkeypatch.chdir(tmp_path)
    assert found(".") == found("./", "a.py", "b") == ["a.py", "b/x.py"]
    assert found("b", "./a.py") == ["b/link.py", "b/x.py"]
    assert found(".venv", "notes.md") == [".venv/z.py"]
    assert found(str(tmp_path / "b" / "loop"))[0].endswith("b/loop/a.py")
    assert next(iter(find_files(["none"]))) == Missing("none", "no such file or folder")


def test_settings_exclude_by_pattern_and_what_is_given_only_by_force(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "a/y.py", "b/x.py")
    exclude = (*DEFAULT_EXCLUDE, "/a/*", "!a/y.py")
    given = str(tmp_path / "a" / "x.py")
    assert len(found(str(tmp_path), exclude=exclude, root=str(tmp_path))) == 2
    assert found(given, exclude=exclude, root=str(tmp_path)) == [given]
    assert found(given, exclude=exclude, root=str(tmp_path), force=True) == []


NAMES = ["a", "b", "ab", "a.py", "b.py", "a b.py", "#a.py", "!b.py", "[a].py", "a\\b.py"]
WORDS = st.sampled_from(
    [*NAMES, "*", "**", "***", "?", "[ab]", "[!a]", "[^b]*", "[a-b]", "[]a]", "[[:alpha:]]", "[b-a]",
     "[a", "?**", "*.py", "\\#a.py", "\\!b.py", "a\\ ", "\\[a].py", "[\\]a]", "a\\", "[[:no:]]", ""]
)  # fmt: skip
LINES = st.builds(
    lambda bang, root, words, end: bang + root + "/".join(words) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", " ", "\r"]),
)
IGNORES = st.lists(LINES, max_size=5).map("\n".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run([*GIT, "init", "-q", str(root)], check=True)
    for folder in ("", "a", "b", "a/b", "b/ab"):
        tree(root, *(os.path.join(folder, name) for name in NAMES if name.endswith(".py")))
    return root


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(top=IGNORES, inner=IGNORES, excluded=IGNORES)
def test_git_agrees_on_what_is_ignored(
    repository: Path, top: str, inner: str, excluded: str
) -> None:
    for place, text in (
        (".gitignore", top),
        ("b/.gitignore", inner),
        (".git/info/exclude", excluded),
    ):
        (repository / place).write_bytes(text.encode())
    command = [*GIT, "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True)
    wanted = {path for path in listed.stdout.split("\0") if path.endswith(".py")}
    got = [os.path.relpath(path, repository) for path in found(str(repository), exclude=())]
    assert set(got) == wanted
    below = [os.path.relpath(path, repository) for path in found(str(repository / "b"), exclude=())]
    if any(path.startswith("b/") for path in wanted):
        assert set(below) == {path for path in wanted if path.startswith("b/")}


KEPT = [
    b"x = 1\r\ny = '\xc3\xa9'\n",
    b"\xef\xbb\xbfx = 1\n",
    b"# -*- coding: latin-1 -*-\nx = '\xe9'\r",
    b"#!/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'",
    b"",
    b"x\x0cy\x1cz\xe2\x80\xa8w\n",
]


@pytest.mark.parametrize("data", KEPT)
def test_bytes_survive_reading_and_writing(tmp_path: Path, data: bytes) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_bytes(data)
    real.chmod(0o751)
    link.symlink_to(real)
    text = read_file(str(link))
    assert isinstance(text, FileText)
    write_file(text, text.text + "z")
    assert real.read_bytes() == data + b"z"
    assert real.stat().st_mode & 0o777 == 0o751
    assert link.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("data", "cause"),
    [(b"x\n\xff\n", "row 2"), (b"x\0", "NUL"), (b"# coding: nope\n", "nope"),
     (b"# coding: rot13\n", "rot13"), (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem")],
)  # fmt: skip
def test_what_is_no_python_text_is_said(tmp_path: Path, data: bytes, cause: str) -> None:
    (tmp_path / "a.py").write_bytes(data)
    found = read_file(str(tmp_path / "a.py"))
    assert isinstance(found, UnreadableFile)
    assert cause in found.cause


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert read_file(str(tmp_path / "a.py")) == UnreadableFile(
        str(tmp_path / "a.py"), "not a regular file"
    )


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: ascii\n")
    text = read_file(str(path))
    assert isinstance(text, FileText)
    with pytest.raises(NotWritten, match="ascii has no 'é'"):
        write_file(text, "é")
    path.write_bytes(b"# another\n")
    with pytest.raises(NotWritten, match="changed"):
        write_file(text, "x")
    assert path.read_bytes() == b"# another\n"
    assert list(tmp_path.iterdir()) == [path]
