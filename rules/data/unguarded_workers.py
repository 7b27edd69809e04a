"""LT517: a loader with workers that is read at the top of a script."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Repeated
from lintorch.evaluator.given_arguments import name_arguments, read_plain
from lintorch.facts.training.loader_loops import find_loader
from lintorch.facts.training.loaders import LOADER, loader_arguments
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT517",
    summary="a loader with workers read at the top of a script",
    why="""
        Where processes are spawned and not forked, each worker imports the script anew, and a loop
        at its top starts workers again: RuntimeError. That is so on Windows and macOS, and on Linux
        since Python 3.14. Under `if __name__ == "__main__"` only the script itself runs the loop.

        As it runs well where processes are forked, this is only a note, unless the file itself asks
        for spawned processes. Measured on torch 2.13. Cells of a notebook are left alone: workers do
        not import them.
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
    remedy='read it under if __name__ == "__main__"',
    formerly=("LT501", "loader-arguments"),
)

SPAWNING = ("spawn", "forkserver")
GUARDS = (ast.If, ast.IfExp, ast.Try, ast.Lambda)


@rule.event(Repeated, "next")
def in_scripts(event: Repeated | Called, source: Source) -> Iterator[Hit]:
    """A loop, or next(), at the top of a script, or in a function that is called there."""
    if event.spot.path != source.path or not event.way.root.endswith(":"):
        return
    find_maker = source.evaluation.ways.find_maker
    over = event.over if isinstance(event, Repeated) else next(iter(event.positional), None)
    made = find_maker(find_loader(over, find_maker))
    if not isinstance(made, Called) or made.name != LOADER:
        return
    given = name_arguments(made)
    around = source.evaluation.list_all_around(event)
    if has_workers(read_plain(given["num_workers"])) and not any(
        isinstance(each, GUARDS) for each in around
    ):
        yield from report_read(event, read_plain(given["multiprocessing_context"]), source)


@rule.source(cst.For, cst.Call, needs=("num_workers",))
def where_nothing_leads(node: cst.For | cst.Call, source: Source) -> Iterator[Hit]:
    """A loop or next() at the top of what is not followed to its end."""
    over = node.iter if isinstance(node, cst.For) else find_taken(node, source)
    guards = (cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.If, cst.Try)
    if over is None or source.enclosing(node, *guards) is not None:
        return
    built = source.built(find_read(over, source))
    if len(built) != 1 or source.name(built[0].func) != LOADER:
        return
    given = loader_arguments(built[0])
    if has_workers(given.value("num_workers", 0)):
        at = over if isinstance(node, cst.For) else node
        yield from report_read(at, literal(given.get("multiprocessing_context")), source)


def report_read(node: object, context: object, source: Source) -> Iterator[Hit]:
    """A warning where the loader, or the file, asks for spawned processes; nobody imports a notebook."""
    if source.path.endswith(".ipynb"):
        return
    text = source.text.replace("'", '"')
    asked = any(f'set_start_method("{way}"' in text for way in SPAWNING)
    severity = Severity.WARNING if asked or context in SPAWNING else Severity.NOTE
    message = "a loader with workers is read where the script is imported"
    yield Hit(node, f"{message}: RuntimeError where processes are spawned", severity=severity)


def has_workers(number: object) -> bool:
    return type(number) is int and number > 0


def find_taken(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """What next() takes from."""
    return call.args[0].value if source.name(call.func) == "next" and call.args else None


def find_read(over: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """The loader inside `enumerate(loader)`, `iter(loader)` or `tqdm(loader)`."""
    while isinstance(over, cst.Call) and over.args and source.name(over.func) != LOADER:
        over = over.args[0].value
    return over
