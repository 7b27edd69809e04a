"""Promises about the code itself: dependencies point one way, linting and rules stay free of torch."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
import tomllib
from running import lintorch

from lintorch.catalog import build_catalog
from lintorch.core import codes

CHECKOUT = Path(__file__).parent.parent
STANDS_ON = {
    "machine": "",
    "record": "",
    "core": "",
    "targets": "",
    "messages": "checkpoint targets",
    "checkpoint": "",
    "onnx_file": "",
    "files": "machine",
    "fix": "core",
    "catalog": "core",
    "suppress": "core",
    "syntax": "core",
    "evidence": "core record targets",
    "facts": "core evaluator files syntax targets",
    "evaluator": "core record syntax",
    "source": "core evaluator facts files fix syntax",
    "host": "machine record",
    "guest": "machine record",
    "store": "files host record",
    "cache": "catalog core files",
    "baseline": "core files",
    "settings": "catalog core files record targets",
    "report": "core record targets",
    "run": "baseline cache catalog checkpoint core evidence facts files fix host machine messages "
    "onnx_file record report settings source store suppress syntax targets",
    "server": "catalog core facts files fix machine record report run settings suppress syntax",
    "cli": "baseline cache catalog checkpoint core files host machine onnx_file record report run server settings store targets",
    "__main__": "cli",
}
"""By room, the only others that its files import; nobody imports `guest`, which is beyond the wall."""
FACTS_STAND_ON = {
    "project": "",
    "names": "project",
    "classes": "names project",
    "regions": "classes names project",
    "training": "classes names",
    "nets": "classes names",
    "models": "names regions training",
    "exporting": "classes models names project regions",
    "api": "classes names",
    "deployment": "dynamic_shapes",
    "dynamic_shapes": "",
}
"""By room of facts, the lower ones that its files import: only `lintorch.source` knows them all."""
OF_RULES = {"core", "evaluator", "evidence", "facts", "source", "syntax", "targets"}
"""The rooms that rules import from."""
NOT_PROMISED = {"evaluator", "facts", "syntax"}
"""Those that only rules of this checkout import from: what they hold may change with any release."""
BEYOND_THE_WALL = {"guest", "machine", "record"}
"""What the worker loads into the user's interpreter."""


def modules() -> list[Path]:
    return sorted((CHECKOUT / "lintorch").rglob("*.py"))


def dotted(path: Path) -> str:
    parts = path.relative_to(CHECKOUT / "lintorch").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, everywhere: bool = False) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_of(path: Path) -> set[str]:
    """The rooms of lintorch that a file imports from."""
    names = (n.split(".") for n in imported(path, everywhere=True) if n.startswith("lintorch."))
    return {parts[1] for parts in names} - {"__version__"}


def test_the_map_for_contributors_shows_every_room_and_what_it_stands_on() -> None:
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| ?((?:`\w+` ?)*)\|$", text, re.M)
    shown = {room: others.replace("`", "").split() for room, others in rows}
    assert shown == {room: others.split() for room, others in STANDS_ON.items() if room in shown}
    assert STANDS_ON.keys() - shown.keys() == {"__main__"}


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_a_room_imports_those_it_stands_on(path: Path) -> None:
    if own := dotted(path).partition(".")[0]:
        assert rooms_of(path) <= {own, *STANDS_ON[own].split()}


def facts() -> list[Path]:
    return [path for path in modules() if dotted(path).startswith("facts.")]


@pytest.mark.parametrize("path", facts(), ids=dotted)
def test_facts_stand_on_lower_facts(path: Path) -> None:
    own = dotted(path).split(".")[1]
    names = (name.split(".") for name in imported(path, everywhere=True))
    used = {parts[2] for parts in names if parts[:2] == ["lintorch", "facts"] and parts[2:]}
    assert used <= {own, *FACTS_STAND_ON[own].split()}


def test_the_rooms_of_facts_stand_in_an_order() -> None:
    below: set[str] = set()
    waiting = {room: set(others.split()) for room, others in FACTS_STAND_ON.items()}
    while free := {room for room, others in waiting.items() if others <= below}:
        below |= free
        waiting = {room: others for room, others in waiting.items() if room not in free}
    assert not waiting


def test_there_are_no_import_cycles() -> None:
    names = {dotted(path): path for path in modules()}
    graph = {name: set(needed(path, set(names))) - {name, ""} for name, path in names.items()}
    while free := [name for name, others in graph.items() if not others]:
        graph = {n: others - set(free) for n, others in graph.items() if n not in free}
    assert not graph, f"cycle among {sorted(graph)}"


def needed(path: Path, names: set[str]) -> Iterator[str]:
    """The modules of lintorch that a module knows: also those it imports for their types alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lintorch"):
            package = (node.module or "").removeprefix("lintorch").removeprefix(".")
            for alias in node.names:
                inner = f"{package}.{alias.name}".removeprefix(".")
                yield inner if inner in names else package


ADVISES = {"cli.show_targets", "suppress.read_comments"}
"""Modules whose help or advice names a rule to the user by its code."""


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_codes_are_spelled_in_one_file(path: Path) -> None:
    if dotted(path) not in {"core.codes", *ADVISES}:
        assert not [text for text in strings(path) if re.search(r"\bLT\d{3}\b", text)]


def strings(path: Path) -> Iterator[str]:
    """The strings of a module, without its docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from () if id(node) in documented else (node.value,)


def test_codes_of_the_engine_are_called_as_their_rules_are() -> None:
    named = {code: name for name, code in vars(codes).items() if name.isupper()}
    names = build_catalog().names
    assert named == {code: names[code].upper().replace("-", "_") for code in named}


def rules() -> list[Path]:
    """The rule files, without the scripts that make the tables beside them."""
    return [p for p in sorted((CHECKOUT / "rules").rglob("*.py")) if not p.stem.startswith("_")]


@pytest.mark.parametrize("path", rules(), ids=lambda p: p.stem)
def test_rules_import_what_they_may(path: Path) -> None:
    assert rooms_of(path) <= OF_RULES


@pytest.mark.parametrize("path", rules(), ids=lambda p: p.stem)
def test_rules_import_no_torch(path: Path) -> None:
    assert not {name.partition(".")[0] for name in imported(path, everywhere=True)} & {
        "torch",
        "onnx",
        "onnxruntime",
        "numpy",
    }


def test_linting_does_not_import_torch(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(
        "import torch\n\n\ndef f(x):\n    return torch.relu(x)\n"
    )
    program = (
        "import sys\nfrom lintorch.cli import main\n"
        "try:\n    main(['check', '--no-cache', 'net.py'])\n"
        "except SystemExit:\n    print(sorted({'torch', 'onnx', 'numpy'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stdout + done.stderr


NET = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        size = int(x.size(0))
        return x.view(int(x.size(0)), size)  # lintorch: ignore[dynamic-size]
"""


def test_a_run_in_which_nothing_has_changed_loads_neither_parser_nor_rules(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "lintorch.toml").write_text('select = ["LT1", "LT003", "unknown-name"]\n')
    first = lintorch(
        "check", cwd=tmp_path, PYTHONUNBUFFERED="1"
    )  # no warm process: it keeps no cards
    again = lintorch("check", cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    assert again.stdout == first.stdout
    assert "LT101" in first.stdout
    loaded = {line.rpartition("|")[2].strip() for line in again.stderr.splitlines()}
    assert "lintorch.cache" in loaded
    heavy = {
        "libcst",
        "rich",
        "lintorch.core.rule",
        "lintorch.source",
        "multiprocessing",
        "difflib",
    }
    assert not heavy & loaded
    assert not [name for name in loaded if name.startswith("lintorch_rules")]


def test_text_that_does_not_mention_torch_loads_no_parser(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    lintorch("check", cwd=tmp_path)  # lists the rules
    (tmp_path / "plain.py").write_text("x = 2\n")
    done = lintorch("check", cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    assert "lintorch.run" in done.stderr
    assert "libcst" not in done.stderr


IMPORTED_AS = {"apache-tvm": "tvm"}
"""Distributions whose package has another name."""
GUESTS = [path for path in modules() if dotted(path).partition(".")[0] in BEYOND_THE_WALL]


@pytest.mark.parametrize("path", GUESTS, ids=dotted)
def test_the_worker_imports_nothing_but_torch_and_what_extras_install(path: Path) -> None:
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    extras = settings["project"]["optional-dependencies"]
    wanted = {line for name, lines in extras.items() if name != "dev" for line in lines}
    names = (re.split(r"[^\w-]", line)[0] for line in wanted)
    installed = {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}
    used = {name.partition(".")[0] for name in imported(path, everywhere=True)}
    assert used <= {*sys.stdlib_module_names, "lintorch", *installed}


def read_promises() -> dict[str, list[str]]:
    """What CONTRIBUTING promises to rules: by module, or class, the names; all it exports where it lists none."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| `(lintorch\.[\w.]+)` \| (.*) \|$", text, re.M)
    return {home: re.findall(r"`(\w+)`", names) or list_exported(home) for home, names in rows}


def list_exported(module: str) -> list[str]:
    names: list[str] = importlib.import_module(module).__all__
    return names


def docstring_of(name: str, body: list[ast.stmt]) -> str:
    """Of a class, function or constant; of what is imported, where it is defined. "" where there is none."""
    for node, after in zip_longest(body, body[1:]):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [alias.name for alias in node.names]
            if name in (list_exported(node.module) if named == ["*"] else named):
                return docstring_of(name, body_of(node.module))
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if name in map(ast.unparse, targets):
                return str(ast.literal_eval(after.value)) if isinstance(after, ast.Expr) else ""
    return ""


def body_of(home: str) -> list[ast.stmt]:
    """The statements of a module or of a class."""
    if home.rpartition(".")[2][0].isupper():
        module, _, name = home.rpartition(".")
        return next(
            n.body for n in body_of(module) if isinstance(n, ast.ClassDef) and n.name == name
        )
    found = importlib.util.find_spec(home)
    assert found is not None
    assert found.origin is not None
    return ast.parse(Path(found.origin).read_text("utf-8")).body


PROMISED = [(home, name) for home, names in read_promises().items() for name in names]


@pytest.mark.parametrize(("home", "name"), PROMISED)
def test_what_rules_are_promised_is_there_and_says_what_it_is(home: str, name: str) -> None:
    assert docstring_of(name, body_of(home))


def test_rules_are_promised_the_rooms_that_are_for_them() -> None:
    homes = {home.split(".")[1] for home in read_promises()}
    assert homes == OF_RULES - NOT_PROMISED


def list_plugins() -> Iterator[Any]:
    """The rules that tests write down as somebody's own."""
    for path in sorted((CHECKOUT / "tests").glob("test_*.py")):
        texts = [text for text in strings(path) if "\nrule = Rule(" in text]
        for number, text in enumerate(texts if path != Path(__file__) else [], 1):
            yield pytest.param(text, id=f"{path.stem}-{number}")


@pytest.mark.parametrize("text", [*list_plugins()])
def test_rules_of_ones_own_need_no_more_than_is_promised(text: str) -> None:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    used = {(node.module or "", alias.name) for node in nodes for alias in node.names}
    ours = {(home, name) for home, name in used if home.partition(".")[0] == "lintorch"}
    assert ours
    assert ours <= {*PROMISED}
