"""LT533: a file that a dataset opens once, and worker processes of a loader read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.classes.classes import ClassInfo, is_self
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT533",
    summary="a file opened in the constructor of a dataset that workers read",
    why="""
        A loader with workers starts processes. Forked ones, as on Linux up to Python 3.13, share the
        place in a file that was open by then: one seeks, another reads. Of 1,800 entries of a ZipFile
        that two or four workers read, five came back wrong or raised BadZipFile, without workers none.
        Spawned ones, as on Windows, macOS and since Python 3.14 elsewhere, are sent a pickle of the
        dataset, which no open file has: "TypeError: h5py objects cannot be pickled". Forked workers
        read an h5py.File right. Measured on torch 2.13 with h5py 3.16.

        Keep the path, and open the file when the first item is read: each worker then has its own.
        Reported where the project makes a loader with workers, of classes without `__getstate__`.
    """,
    bad="""
        import zipfile

        import torch
        from torch.utils.data import DataLoader, Dataset


        class Pages(Dataset):
            def __init__(self, path, names):
                self.names = names
                self.archive = zipfile.ZipFile(path)

            def __len__(self):
                return len(self.names)

            def __getitem__(self, index):
                return torch.frombuffer(bytearray(self.archive.read(self.names[index])), dtype=torch.uint8)


        def load(path, names):
            return DataLoader(Pages(path, names), batch_size=4, num_workers=2)
    """,
    good="""
        import zipfile

        import torch
        from torch.utils.data import DataLoader, Dataset


        class Pages(Dataset):
            def __init__(self, path, names):
                self.names = names
                self.path, self.archive = path, None

            def __len__(self):
                return len(self.names)

            def __getitem__(self, index):
                if self.archive is None:
                    self.archive = zipfile.ZipFile(self.path)
                return torch.frombuffer(bytearray(self.archive.read(self.names[index])), dtype=torch.uint8)


        def load(path, names):
            return DataLoader(Pages(path, names), batch_size=4, num_workers=2)
    """,
    remedy="keep the path, and open it in __getitem__ where it is None yet",
    proof="""
        import pickle
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(f"{folder}/pages.zip", "w") as archive:
                archive.writestr("a", b"12")
            pages = pickle.loads(pickle.dumps(Pages(f"{folder}/pages.zip", ["a"])))
            assert pages[0].tolist() == [49, 50]
    """,
    severity=Severity.WARNING,
)

OPENS = frozenset({"zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "open", "io.open"})
"""What has one place in the file for all processes that were forked since."""
UNPICKLED = frozenset({"h5py.File"})
WORKERS = re.compile(rb"num_workers\s*=\s*(?!0\b|None\b)[\w.(\[]+")
SHARED = (
    "forked workers share its place in the file and read each other's bytes, and spawned ones"
    " cannot be sent it"
)
SENT = "spawned workers (Windows, macOS, Python 3.14) cannot be sent it: TypeError"


@rule.source(cst.ClassDef, needs=("__getitem__",))
def in_dataset(owner: cst.ClassDef, source: Source) -> Iterator[Hit]:
    info = source.classes.all.get(owner)
    if info is None or not {"__init__", "__getitem__"} <= info.methods.keys():
        return
    if {
        "__getstate__",
        "__reduce__",
        "__enter__",
        "__setitem__",
    } & info.methods.keys() or source.is_test:
        return
    if not any(source.code(base).endswith("Dataset") for base in owner.bases):
        return
    for name, call in list_opened(info.methods["__init__"], source):
        read = is_read(name, info, source)
        if read and is_kept(name, owner, source) and has_workers(source):
            opened = source.code(call.func)
            said = SENT if source.name(call.func) in UNPICKLED else SHARED
            yield Hit(call, f"{opened}() is opened once for all workers of a loader: {said}")


def list_opened(begin: cst.FunctionDef, source: Source) -> Iterator[tuple[str, cst.Call]]:
    """`self.file = h5py.File(path)`."""
    for each in source.nodes(cst.Assign):
        target, call = each.targets[0].target, each.value
        if source.enclosing(each, cst.FunctionDef) is not begin or not isinstance(call, cst.Call):
            continue
        if is_own(target) and source.name(call.func) in OPENS | UNPICKLED:
            yield source.code(target), call


def is_own(target: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Attribute) and is_self(target.value)


def is_read(name: str, info: ClassInfo, source: Source) -> bool:
    """Whether items are read from it, by that name or one that a part of it has."""
    begin, item = info.methods["__init__"], info.methods["__getitem__"]
    text = source.code(item)
    reading = [item, *(each for key, each in info.methods.items() if f"self.{key}(" in text)]
    names = {name} | {
        source.code(each.targets[0].target)
        for each in source.nodes(cst.Assign)
        if source.enclosing(each, cst.FunctionDef) is begin
        and is_own(each.targets[0].target)
        and source.code(each.value).startswith((f"{name}[", f"{name}.get("))
        and not source.code(each.value).endswith(("[:]", "[()]", "[...]"))
    }
    return any(
        source.code(each) in names and source.enclosing(each, cst.FunctionDef) in reading
        for each in source.nodes(cst.Attribute)
    )


def is_kept(name: str, owner: cst.ClassDef, source: Source) -> bool:
    """Whether nothing of the class closes it, or gives the name another value."""
    text = source.code(owner)
    again = re.findall(rf"{re.escape(name)}\s*=[^=]", text)
    return len(again) == 1 and f"{name}.close" not in source.code(owner).partition("__getitem__")[0]


def has_workers(source: Source) -> bool:
    here = WORKERS.search(source.text.encode(errors="replace")) is not None
    return here or is_written_around(WORKERS, source.path, source.consulted)
