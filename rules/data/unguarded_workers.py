"""LT517: a loader with workers that is read at the top of a script."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.training.loaders import LOADER, loader_arguments
from lintorch.source import Source, literal
from lintorch.syntax.literals import Arguments

rule = Rule(
    __name__,
    code="LT517",
    summary="a loader with workers read at the top of a script",
    why="""
        Where processes are spawned and not forked, each worker imports the script anew, and a loop
        at its top starts workers again: RuntimeError. That is so on Windows and macOS, and on Linux
        since Python 3.14. Under `if __name__ == "__main__"` only the script itself runs the loop.

        As it runs well where processes are forked, this is only a note, unless the file itself asks
        for spawned processes. Measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import DataLoader

        loader = DataLoader([1, 2], num_workers=1, multiprocessing_context="spawn")

        for batch in loader:
            print(batch)
    """,
    good="""
        from torch.utils.data import DataLoader

        loader = DataLoader([1, 2], num_workers=1, multiprocessing_context="spawn")

        if __name__ == "__main__":
            for batch in loader:
                print(batch)
    """,
    proof="""
        import runpy

        if __name__ == "example":
            runpy.run_path(__file__, run_name="__main__")
    """,
    severity=Severity.NOTE,
    remedy='put the loop under if __name__ == "__main__"',
    formerly=("LT501", "loader-arguments"),
)

SPAWNING = ("spawn", "forkserver")


@rule.source(cst.For, cst.Call, needs=("num_workers",))
def at_top(node: cst.For | cst.Call, source: Source) -> Iterator[Hit]:
    """A loop over a loader with workers, or next(), that runs when the file is imported."""
    over = find_read(node, source)
    if over is None or is_kept_from_import(node, source):
        return
    built = source.built(find_loader(over, source))
    if len(built) != 1 or source.name(built[0].func) != LOADER:
        return
    given = loader_arguments(built[0])
    workers = given.value("num_workers", 0)
    if type(workers) is int and workers > 0:
        severity = Severity.WARNING if is_spawning(given, source) else Severity.NOTE
        message = "a loader with workers is read where the script is imported"
        yield Hit(node, f"{message}: RuntimeError where processes are spawned", severity=severity)


def find_read(node: cst.For | cst.Call, source: Source) -> cst.BaseExpression | None:
    """What a loop, or next(), reads."""
    if isinstance(node, cst.For):
        return node.iter
    return node.args[0].value if source.name(node.func) == "next" and node.args else None


def is_kept_from_import(node: cst.CSTNode, source: Source) -> bool:
    """Whether something around it may keep it from running when the file is imported."""
    around = source.enclosing(node, cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.If, cst.Try)
    return around is not None


def find_loader(over: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """The loader inside `enumerate(loader)`, `iter(loader)` or `tqdm(loader)`."""
    while isinstance(over, cst.Call) and over.args and source.name(over.func) != LOADER:
        over = over.args[0].value
    return over


def is_spawning(given: Arguments, source: Source) -> bool:
    """Whether the loader, or the file, asks for spawned processes."""
    text = source.text.replace("'", '"')
    asked = any(f'set_start_method("{way}"' in text for way in SPAWNING)
    return literal(given.get("multiprocessing_context")) in SPAWNING or asked
