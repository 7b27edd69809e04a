"""LT514: a dataset class where an instance of it is meant."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.objects import derives_from
from lintorch.evaluator.values import Class
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.loaders import LOADER, find_argument
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT514",
    summary="a dataset class in place of an instance",
    why="""
        A DataLoader takes a dataset, not its class: `DataLoader(Images)` raises TypeError, when it
        is built or when it is read. So do `Images[0]`, `len(Images)` and
        `Images.__getitem__(0)`. Measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import DataLoader, Dataset


        class Squares(Dataset):
            def __len__(self):
                return 3

            def __getitem__(self, index):
                return index * index


        def loader():
            return DataLoader(Squares, batch_size=3)
    """,
    good="""
        from torch.utils.data import DataLoader, Dataset


        class Squares(Dataset):
            def __len__(self):
                return 3

            def __getitem__(self, index):
                return index * index


        def loader():
            return DataLoader(Squares(), batch_size=3)
    """,
    proof="""
        assert len(list(loader())) == 1
    """,
    severity=Severity.ERROR,
    remedy="make an instance of it first",
    formerly=("LT501", "loader-arguments"),
)

BASES = ("torch.utils.data.Dataset", "torch.utils.data.IterableDataset")


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    kind, call = name_arguments(event)["dataset"], source.call_at(event)
    if not isinstance(kind, Class) or kind.node.keywords or holds_items(kind):
        return
    derived = any(derives_from(kind, base) for base in BASES)
    if derived and not is_tentative(call, source):
        message = f"the class {kind.name} is given, not an instance of it: TypeError"
        yield Hit(find_argument(call, "dataset") or event, message)


def holds_items(kind: Class) -> bool:
    """Whether the class itself can be indexed."""
    return any(getattr(each, "name", "") == "__class_getitem__" for each in kind.node.body)


@rule.source(cst.Subscript, needs=("Dataset",))
def indexed(node: cst.Subscript, source: Source) -> Iterator[Hit]:
    """`Images[0]`."""
    index = node.slice[0].slice
    if isinstance(index, cst.Index) and isinstance(literal(index.value), int):
        yield from report_class(node, node.value, "indexed", source)


@rule.source(cst.Call, needs=("Dataset",))
def asked(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`len(Images)`, `Images.__getitem__(0)`."""
    if len(call.args) != 1 or call.args[0].star:
        return
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "__getitem__":
        yield from report_class(call, call.func.value, "indexed", source)
    elif source.name(call.func) == "len":
        yield from report_class(call, call.args[0].value, "measured", source)


def report_class(
    node: cst.CSTNode, asked: cst.BaseExpression, how: str, source: Source
) -> Iterator[Hit]:
    name = name_dataset_class(asked, source) if isinstance(asked, cst.Name) else ""
    if name and not is_tentative(node, source):
        yield Hit(node, f"the class {name} is {how}, not an instance of it: TypeError")


def name_dataset_class(name: cst.Name, source: Source) -> str:
    """The name of a dataset class of this file; "" of anything else."""
    dotted = source.name(name)
    info = source.classes.named(dotted)
    if info is None or not source.classes.is_subclass(dotted, BASES):
        return ""
    metaclass = any(arg.keyword is not None for arg in info.node.keywords)
    return "" if metaclass or "__class_getitem__" in info.methods else info.name
