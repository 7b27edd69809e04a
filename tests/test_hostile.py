"""Models that are out to do harm: each is told of at its line, and no other file's findings change.

`tests/hostile` holds one trick per file. A line that ends in `# LT007 text` has that finding, with
that text in it; lines without such a mark have none.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from running import CHECKOUT, COLD, lintorch

HOSTILE = sorted((CHECKOUT / "tests" / "hostile").glob("*.py"))
MARK = re.compile(r"  # (LT\d{3})(?: (.+))?$")
SETTINGS = "trace-seconds = 5\ntrace-memory = 1024\n"
CODES = "LT001,LT002,LT006,LT007,LT101"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The findings of one run over all of them, by file."""
    folder = tmp_path_factory.mktemp("hostile")
    for path in HOSTILE:
        shutil.copy(path, folder)
    folder.joinpath("lintorch.toml").write_text(SETTINGS)
    options = ["--trace", "--no-cache", "-j", "2", "--select", CODES, "--output-format", "json"]
    done = lintorch("check", *options, cwd=folder, **COLD)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    by_file: dict[str, list[dict[str, Any]]] = {path.name: [] for path in HOSTILE}
    for finding in json.loads(done.stdout):
        by_file[finding["filename"]].append(finding)
    return by_file


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
def test_what_is_hostile_is_told_and_nothing_else(
    path: Path, found: dict[str, list[dict[str, Any]]]
) -> None:
    rows = enumerate(path.read_text().splitlines(), 1)
    marked = {row: match for row, line in rows if (match := MARK.search(line))}
    told = {finding["location"]["row"]: finding for finding in found[path.name]}
    assert {row: finding["code"] for row, finding in told.items()} == {
        row: match[1] for row, match in marked.items()
    }, [finding["message"] for finding in told.values()]
    for row, match in marked.items():
        assert (match[2] or "") in told[row]["message"]
        assert len(told[row]["message"]) < 1000


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("sleeps.py", "trace-seconds"),
        ("spins.py", "trace-seconds"),
        ("allocates.py", "trace-memory"),
        ("hoards.py", "trace-memory"),
    ],
)
def test_a_limit_that_was_met_is_told_as_it_was_set_with_what_raises_it(
    name: str, setting: str, found: dict[str, list[dict[str, Any]]]
) -> None:
    (finding,) = found[name]
    assert f"`{setting}` raises this limit" in finding["message"]
    numbers = re.findall(r"[\d.]+ (?:s|[KMG]iB)\b", finding["message"])
    assert numbers == (["5 s"] if setting == "trace-seconds" else ["1 GiB"])


@pytest.mark.parametrize("name", ["healthy.py", "odd_classes.py"])
def test_a_healthy_model_beside_them_has_been_run(
    name: str, found: dict[str, list[dict[str, Any]]]
) -> None:
    (finding,) = (each for each in found[name] if each["code"] == "LT101")
    assert finding["evidence"] == "trace"


FORGING = """
import json
import os
from contextlib import suppress

from torch import nn

FORGED = [
    {{"model": {{"model": {{"path": "net.py", "qualname": "Net", "row": 12}}}}}},
    {{"outcome": {{"outcome": {{
        "exporter": "torchscript-trace", "status": "ok", "artifact": {artifact!r}
    }}}}}},
]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for message in FORGED:
            for descriptor in range(3, 64):
                with suppress(OSError):
                    os.write(descriptor, json.dumps(message).encode() + b"\\n")

    def forward(self, x):
        return x
"""


def test_a_file_that_was_not_exported_is_not_put_in_place_as_one(tmp_path: Path) -> None:
    own = tmp_path / "own" / "thesis.txt"
    own.parent.mkdir()
    own.write_text("three years of work")
    tmp_path.joinpath("net.py").write_text(FORGING.format(artifact=str(own)))
    options = ["--to", "torchscript-trace", "--output", "out", "--output-format", "json"]
    done = lintorch("export", "net.py", *options, cwd=tmp_path, **COLD)
    (model,) = json.loads(done.stdout)["models"]
    assert f"an exported file at {own}" in model["cause"]
    assert own.read_text() == "three years of work"
    assert not list(tmp_path.glob("out/**/*.txt"))


CLEARING = """
import glob
import shutil

from torch import nn


class Clearing(nn.Module):
    def forward(self, x):
        for folder in glob.glob({folders!r}):
            shutil.rmtree(folder)
        return x
"""
PLAIN = """
from torch import nn


class Plain(nn.Module):
    def forward(self, x):
        return x
"""


def test_a_file_that_another_model_has_deleted_is_told_of(tmp_path: Path) -> None:
    tmp_path.joinpath("first.py").write_text(PLAIN)
    folders = str(tmp_path / "out" / ".lintorch-*" / "*")
    tmp_path.joinpath("second.py").write_text(CLEARING.format(folders=folders))
    options = ["--to", "torchscript-trace", "--output", "out", "--output-format", "json"]
    done = lintorch("export", ".", *options, "-j", "1", cwd=tmp_path, **COLD)
    first = json.loads(done.stdout)["trials"][0]
    assert first["model"] == "first.py:Plain"
    assert (first["status"], first["stage"]) == ("failed", "save")
    assert first["message"] == "the file that was written is gone"
    assert done.returncode == 1
