"""Names that classes of a file read and that only its `__main__` sets, or a branch for a GPU: settings of a script as globals.

if __name__ == "__main__":
    width = int(sys.argv[1])              # `nn.Linear(width, 2)` in a class above
if torch.cuda.is_available():
    device = torch.device("cuda:0")       # `self.grid.to(device)` there
"""

from __future__ import annotations

import ast
import builtins
import sys
from contextlib import nullcontext, suppress
from typing import Any

from lintorch.guest.calls.code_regions import Region
from lintorch.guest.calls.code_text import parse_code
from lintorch.guest.calls.list_model_calls import SoughtModel
from lintorch.guest.calls.needed_names import list_loads, list_stores
from lintorch.guest.calls.project_scripts import ProjectScripts
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_surroundings import move_to_cpu, only_cpu
from lintorch.guest.calls.unknown_value import drop_unknown, holds_unknown
from lintorch.guest.construct.conventional_values import guess_by_name
from lintorch.guest.construct.fill_arguments import describe_arguments
from lintorch.guest.process.assumptions import note_assumption
from lintorch.guest.process.deadline import clock

_MOST_SECONDS = 6.0
_MOST = 24


def set_script_names(sought: SoughtModel) -> None:
    """Give these names the values that the script comes to, without its data; others are made up."""
    scope = vars(sys.modules[sought.kind.__module__])
    text = parse_code(sought.path, sought.path.read_bytes())
    if text is not None:
        _set_for_gpu(text.tree, scope)
    lacking = [] if text is None else _list_lacking(text.tree, scope)
    if text is None or not lacking:
        return
    statements = StatementRunner([], clock() + _MOST_SECONDS, sought.bind_imports())
    last = max(getattr(node, "end_lineno", 0) for node in text.tree.body) + 1
    with ProjectScripts(sought, statements, nullcontext).enter(text) as runner:
        values = runner.find_value(_read_names(lacking, last), Region())
    found = dict(zip(lacking, values, strict=True)) if isinstance(values, tuple) else {}
    known = {name: drop_unknown(value) for name, value in found.items() if not holds_unknown(value)}
    made_up = {name: guess_by_name(name.lower()) for name in lacking if name not in known}
    scope |= {**known, **made_up}
    for how, names in (
        ("set as its __main__ does", known),
        ("made up, which its __main__ sets", made_up),
    ):
        values = ", ".join(f"{name}={value}" for name, value in describe_arguments(names).items())
        if values:
            note_assumption(f"{how}: {values}")


def _set_for_gpu(tree: ast.Module, scope: dict[str, Any]) -> None:
    """Names that nothing sets where there is no GPU get what they have with one, on the CPU."""
    branches = [node for node in tree.body if isinstance(node, ast.If) and _asks_for_gpu(node)]
    added: dict[str, Any] = {}
    for part in (part for node in branches for part in node.body):
        if isinstance(part, ast.Assign) and list_stores(part).isdisjoint(scope):
            own = dict(scope)
            with suppress(Exception, SystemExit), only_cpu():  # whatever user code raises
                exec(compile(ast.Module([part], []), "<branch>", "exec"), own)
                added |= {name: move_to_cpu(own[name]) for name in list_stores(part)}
    scope |= added
    shown = ", ".join(f"{name}={value}" for name, value in describe_arguments(added).items())
    if shown:
        note_assumption(f"set as where there is a GPU: {shown}")


def _asks_for_gpu(node: ast.If) -> bool:
    return "cuda.is_available()" in ast.unparse(node.test) and not node.orelse


def _read_names(names: list[str], row: int) -> ast.expr:
    """All of them at a row, as a tuple."""
    read = ast.parse(f"({', '.join(names)},)", mode="eval").body
    return ast.increment_lineno(read, row)


def _list_lacking(tree: ast.Module, scope: dict[str, Any]) -> list[str]:
    """The names that methods read, that nothing has set, and that the file sets where it is started."""
    mains = [node for node in tree.body if isinstance(node, ast.If) and _asks_for_main(node)]
    starts = frozenset().union(*(list_stores(part) for node in mains for part in node.body))
    starts |= {
        name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
    }
    read = {
        name
        for kind in tree.body
        if isinstance(kind, ast.ClassDef)
        for method in kind.body
        if isinstance(method, ast.FunctionDef)
        for name in list_loads(method) - _list_local(method)
    }
    lacking = sorted((read & starts) - scope.keys() - {*dir(builtins)})
    return lacking[:_MOST]


def _asks_for_main(node: ast.If) -> bool:
    return "__name__" in ast.unparse(node.test)


def _list_local(method: ast.FunctionDef) -> set[str]:
    """The names that are of the method itself."""
    every = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
    inside = (name for part in method.body for name in list_stores(part))
    return {*(each.arg for each in every), *inside}
