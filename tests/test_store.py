"""What is kept of models from run to run: what has not changed is not tried again."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from examining import write_files
from running import interpreter, lintorch

from lintorch.host.examine_models import examine_models
from lintorch.host.reports import Report
from lintorch.record.model_options import ModelOptions
from lintorch.store import StoredWork, StoreError, find_place, open_store, prune_store
from lintorch.store.files_now import FilesNow
from lintorch.store.places import Place
from lintorch.store.sealed import UnsoundError, seal, unseal

PARTS = """
    from torch import nn


    class Scaled(nn.Module):
        def __init__(self, width: int = 4):
            super().__init__()
            self.layer = nn.Linear(width, width)

        def forward(self, x):
            return self.layer(x) * {factor}
"""
NET = """
    import json
    from pathlib import Path

    from torch import nn
    from parts import Scaled

    WIDTH = json.loads(Path(__file__).with_name("width.json").read_text())


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scaled = Scaled(WIDTH)

        def forward(self, x):
            return self.scaled(x).relu()
"""
OTHER = """
    from torch import nn


    class Other(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 2)

        def forward(self, x):
            return self.layer(x)
"""


class Counting:
    """A store that counts what is found in it, and what was told anew."""

    def __init__(self, store: StoredWork) -> None:
        self.store = store
        self.told: list[str] = []

    def find(self, task: Any, whole: bool = True) -> Any:
        return self.store.find(task, whole)

    def keep(self, task: Any, said: Any, began: int) -> None:
        self.told.append(task.start.path)
        self.store.keep(task, said, began)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write_files(folder, {"net": NET, "parts": PARTS.format(factor=2), "other": OTHER})
    folder.joinpath("width.json").write_text("4")
    age(folder)
    return folder


def age(folder: Path) -> None:
    """As if all had been written long before the run: what changes while it is read is not kept."""
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))


def examine(folder: Path, place: Place, **given: Any) -> tuple[list[Report], Counting]:
    """All models, with what is kept in this place, and what had to be told anew."""
    files = sorted(map(str, folder.glob("*.py")))
    kept = Counting(StoredWork(place, "store", "releases", FilesNow(str(folder))))
    options = ModelOptions(str(folder), reads=True, **given)
    reports = [*examine_models(files, options, python=interpreter(), kept=kept)]
    return reports, kept


def names(told: list[str]) -> list[str]:
    return sorted(os.path.basename(path) for path in told)


def plain(reports: list[Report]) -> list[str]:
    return [re.sub(r"seconds=[\d.e-]+", "", repr(report)) for report in reports]


@pytest.mark.parametrize("address", ["{folder}/store", "file://{folder}/store", "memory://{name}"])
def test_only_what_changed_is_tried_again(address: str, project: Path, tmp_path: Path) -> None:
    if address.startswith("memory"):
        pytest.importorskip("fsspec")
    place = find_place(address.format(folder=tmp_path, name=tmp_path.name))
    first, told = examine(project, place)
    assert names(told.told) == ["net.py", "other.py", "parts.py"]
    again, told = examine(project, place)
    assert told.told == []
    assert plain(again) == plain(first)
    if "://" in address:
        return
    project.joinpath("width.json").write_text("8")  # read by code of net.py alone
    age(project)
    wider, told = examine(project, place)
    assert names(told.told) == ["net.py", "parts.py"]  # whose model is a part of that of net.py
    assert plain(wider)[1:] == plain(first)[1:]
    write_files(project, {"parts": PARTS.format(factor=3)})
    age(project)
    assert names(examine(project, place, state=True)[1].told) == ["net.py", "other.py", "parts.py"]
    project.joinpath("width.json").write_text("4")
    write_files(project, {"parts": PARTS.format(factor=2)})
    age(project)
    back, told = examine(project, place)
    assert (told.told, plain(back)) == ([], plain(first))  # as on the first branch


def test_what_ends_early_or_changes_meanwhile_is_not_kept(tmp_path: Path) -> None:
    ends = OTHER.replace("return self.layer(x)", "import os; os._exit(3)").replace("Other", "Ends")
    write_files(tmp_path, {"ends": ends, "well": OTHER, "fresh": OTHER.replace("Other", "Fresh")})  # fmt: skip
    age(tmp_path)
    os.utime(tmp_path / "fresh.py", (time.time() + 60,) * 2)
    place = find_place(str(tmp_path / "store"))
    examine(tmp_path, place)
    told = names(examine(tmp_path, place)[1].told)
    assert [*dict.fromkeys(told)] == ["ends.py", "fresh.py"]


def test_files_that_exports_made_come_back(project: Path, tmp_path: Path) -> None:
    asked = ("export", "--to", "torchscript-trace", "--output-format", "json", "project/other.py")
    kept = ("--store", "store", "--output", "out")
    first = lintorch(*asked, *kept, cwd=tmp_path)
    made = tmp_path / "out/project/other.Other/torchscript-trace/model.pt"
    content = made.read_bytes()
    made.unlink()
    again = lintorch(*asked, *kept, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)  # seconds, too
    assert made.read_bytes() == content
    (kept_file,) = (p for p in tmp_path.joinpath("store/files").rglob("*") if p.is_file())
    kept_file.write_bytes(b"half")
    made.unlink()
    mended = lintorch(*asked, *kept, cwd=tmp_path)
    assert made.is_file()
    assert "cannot be read, and is done again" in mended.stderr


def test_what_cannot_be_read_is_done_again_with_a_note(project: Path, tmp_path: Path) -> None:
    place = find_place(str(tmp_path / "store"))
    first, _ = examine(project, place)
    entries = [path for path in tmp_path.joinpath("store/work").rglob("*") if path.is_file()]
    halved, strange, _ = entries
    halved.write_bytes(halved.read_bytes()[:-9])
    strange.write_bytes(seal([{"passed": [], "read": "?"}]))
    again, told = examine(project, place)
    assert plain(again) == plain(first)
    assert len(told.told) >= 2
    (note,) = told.store.notes
    assert re.search(r"work/\S+ and 1 more cannot be read, and is done again", note)
    assert examine(project, place)[1].told == []


def test_other_releases_are_other_work(project: Path, tmp_path: Path) -> None:
    address = str(tmp_path / "store")
    real = open_store(address, interpreter(), str(project))
    assert re.search(r'"torch", "\d+\.', real._releases)
    examine(project, find_place(address))
    counted = Counting(real)
    options = ModelOptions(str(project), reads=True)
    files = [str(project / "other.py")]
    [*examine_models(files, options, python=interpreter(), kept=counted)]
    assert len(counted.told) == 1


def test_a_sealed_value_is_whole_or_refused() -> None:
    assert unseal(seal({"a": [1, None]})) == {"a": [1, None]}
    for spoilt in (b"", seal([1])[:-1], seal([1]) + b"x", b"lintorch-store 1 \n"):
        with pytest.raises(UnsoundError):
            unseal(spoilt)


@pytest.mark.parametrize("address", ["{folder}", "memory://{name}-pruned"])
def test_pruning_by_age_and_size(address: str, tmp_path: Path) -> None:
    if address.startswith("memory"):
        pytest.importorskip("fsspec")
    place = find_place(address.format(folder=tmp_path / "store", name=tmp_path.name))
    for number in range(4):
        place.write(f"work/a/{number}", b"x" * 100)
    place.write("notes.txt", b"not lintorch's")
    if not address.startswith("memory"):
        for number in range(4):
            used = time.time() - 86400 * number - 60
            os.utime(tmp_path / f"store/work/a/{number}", (used, used))
        assert prune_store(place, 2.5, None) == (1, 100)
        assert prune_store(place, None, 250) == (1, 100)
        assert sorted(i.name for i in place.items()) == ["notes.txt", "work/a/0", "work/a/1"]
    assert prune_store(place, 1000, None) == (0, 0)
    prune_store(place, None, None)
    assert [item.name for item in place.items()] == ["notes.txt"]
    with pytest.raises(FileNotFoundError):
        place.read("work/a/0")


def test_an_address_that_nothing_reaches() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(StoreError, match="nowhere"):
        find_place("nowhere://bucket")


def test_clean_takes_a_store_and_nothing_else(tmp_path: Path) -> None:
    find_place(str(tmp_path / "store")).write("work/a/b", b"x")
    kept = lintorch("clean", "--store", "store", "--unused-for", "30", cwd=tmp_path)
    assert kept.stdout == "Removed 0 files, 0.0 MB.\n"
    assert lintorch("clean", "--store", "store", cwd=tmp_path).stdout == "Removed 1 file, 0.0 MB.\n"
    assert lintorch("clean", "--keep", "3", cwd=tmp_path).returncode == 2
