"""LT707: an archive out of the network that is unpacked wherever its names point."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.facts.api.network_bytes import list_opened
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT707",
    summary="a tar archive unpacked without a filter",
    why="""
        A tar archive names where its files go, and `../../.bashrc` is a name. Below Python 3.14 extractall()
        follows it: whoever can change the archive of a dataset or of weights writes files anywhere you may.
        With `filter="data"`, which Python 3.11.4 and 3.12 have, such names raise. Measured on Python 3.11.

        Reported where the file also speaks of a download. zipfile leaves such parts of a name out by itself.
    """,
    bad="""
        import tarfile
        from urllib.request import urlretrieve


        def fetch(url, archive, folder):
            urlretrieve(url, archive)
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
    """,
    good="""
        import tarfile
        from urllib.request import urlretrieve


        def fetch(url, archive, folder):
            urlretrieve(url, archive)
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
    """,
    remedy='pass filter="data"',
    proof="""
        import io, os, pathlib

        os.makedirs("inner")
        with tarfile.open("data.tar", "w") as tar:
            tar.addfile(tarfile.TarInfo("../outside.txt"), io.BytesIO())
        try:
            fetch(pathlib.Path("data.tar").absolute().as_uri(), "copy.tar", "inner")
        except tarfile.OutsideDestinationError:
            pass
        assert not os.path.exists("outside.txt")
    """,
    fix=Applicability.UNSAFE,
)

_FETCHES = re.compile(
    r"urlretrieve|urlopen|requests\.get|wget|gdown|download|curl|http\.client|hf_hub", re.I
)
_TARS = ("tarfile.open", "tarfile.TarFile", "tarfile.TarFile.open")


@rule.source(cst.Call, needs=("extractall",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "extractall":
        return
    if any((each.keyword and each.keyword.value == "filter") or each.star for each in call.args):
        return
    if not is_tar(func.value, call, source) or not _FETCHES.search(source.text):
        return
    if "extraction_filter" in source.text or source.is_test:
        return
    edit = source.insert_argument(call, 'filter="data"')
    fix = Fix("refuse names that lead out", (edit,), Applicability.UNSAFE)
    yield Hit(
        call, "below Python 3.14 names such as ../x in the archive lead out of the folder", fix
    )


def is_tar(held: cst.BaseExpression, call: cst.Call, source: Source) -> bool:
    """`tarfile.open(path)`, by its name too."""
    if isinstance(held, cst.Name):
        opened = [*list_opened(held.value, call, source)]
        made = opened[0] if len(opened) == 1 else None
        return made is not None and not isinstance(made, cst.Name) and is_tar(made, call, source)
    return isinstance(held, cst.Call) and source.name(held.func) in _TARS
