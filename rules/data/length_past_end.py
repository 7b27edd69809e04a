"""LT526: a dataset whose last items lie past the end of its data."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT526",
    summary="a length that counts items past the end of the data",
    why="""
        A dataset of windows reads `self.data[index + self.window]`, and says that it has len(self.data) items: the
        last ones lie past the end. One step past raises IndexError in the middle of an epoch, a slice past the end
        comes out short, and default_collate refuses samples of other sizes. The length is that of the data less
        the window. Measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import Dataset


        class Windows(Dataset):
            def __init__(self, data, window):
                self.data, self.window = data, window

            def __len__(self):
                return len(self.data)

            def __getitem__(self, index):
                return self.data[index : index + self.window], self.data[index + self.window]
    """,
    good="""
        from torch.utils.data import Dataset


        class Windows(Dataset):
            def __init__(self, data, window):
                self.data, self.window = data, window

            def __len__(self):
                return len(self.data) - self.window

            def __getitem__(self, index):
                return self.data[index : index + self.window], self.data[index + self.window]
    """,
    remedy="take the window off the length: len(self.data) - self.window",
    proof="""
        windows = Windows([0.0, 1.0, 2.0, 3.0], 2)
        assert [windows[i][1] for i in range(len(windows))] == [2.0, 3.0]
    """,
)


@rule.source(cst.FunctionDef, needs=("__len__",))
def in_length(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """`return len(self.data)`, of data that items read ahead of their index."""
    info = source.classes.around(function)
    if function.name.value != "__len__" or info is None or "__getitem__" not in info.methods:
        return
    returns = [
        e for e in source.nodes(cst.Return) if source.enclosing(e, cst.FunctionDef) is function
    ]
    value = returns[0].value if len(returns) == 1 else None
    if value is not None and (longest := name_longest(value, info.methods["__getitem__"], source)):
        said = f"items read {longest} at every index: past the end of the shorter IndexError"
        yield Hit(returns[0], said, remedy="write min(…), or read the shorter at index % len(…)")
        return
    counted = re.fullmatch(r"len\(self\.(\w+)\)", source.code(value)) if value else None
    item = info.methods["__getitem__"]
    if counted is None or len(item.params.params) != 2:
        return
    index, text = item.params.params[1].name.value, source.code(item.body)
    if re.search(rf"%|\bif\b|\bmin\(|\btry\b|\b{index}\s*[-+*/]?=[^=]|randint|random|pad", text):
        return
    ahead = re.search(rf"self\.{counted[1]}\[\s*{index}\s*\+\s*([\w.]+)\s*\]", text)
    if ahead is not None:
        said = (
            f"items read self.{counted[1]}[{index} + {ahead[1]}]: the last of them lie past its end"
        )
        yield Hit(returns[0], said, remedy=f"take it off: len(self.{counted[1]}) - {ahead[1]}")


def name_longest(value: cst.BaseExpression, item: cst.FunctionDef, source: Source) -> str:
    """`self.a and self.b` of `max(len(self.a), len(self.b))`, which items read at the bare index."""
    written = source.code(value)
    names = re.findall(r"len\((self\.\w+)\)", written)
    asked = ", ".join(f"len({name})" for name in names)
    if len(set(names)) < 2 or written != f"max({asked})" or len(item.params.params) != 2:
        return ""
    index, text = item.params.params[1].name.value, source.code(item.body)
    plain = all(f"{name}[{index}]" in text for name in names)
    changed = re.search(rf"\bif\b|\btry\b|\b{index}\s*[-+*/%]?=[^=]", text)
    return " and ".join(names) if plain and not changed else ""
