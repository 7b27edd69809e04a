"""Promises about the code itself: dependencies point one way, linting and rules stay free of torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import lintorch

CHECKOUT = Path(__file__).parent.parent
LAYERS = (
    {"finding", "testfile", "stopping"},
    {"rule", "profile", "tables", "targets"},
    {"lint", "merge", "cleared", "trace.record", "models.notation", "trace.arguments"},
    {
        "subjects",
        "source",
        "catalog",
        "suppress",
        "settings",
        "files",
        "fix",
        "deployment",
        "dynamic_shapes",
        "page",
    },
    {"report", "cache", "trace", "models", "trials", "worker"},
    {"run"},
    {"cli", "__main__"},
)
"""From the bottom up: a module imports from its own layer or those below it."""


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


def layer(name: str) -> int | None:
    for prefix in (".".join(name.split(".")[:n]) for n in (2, 1)):
        for height, members in enumerate(LAYERS):
            if prefix in members:
                return height
    return None


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_imports_point_down(path: Path) -> None:
    own = layer(dotted(path))
    if dotted(path) == "":
        return
    assert own is not None, f"{dotted(path)} has no layer"
    for name in imported(path, everywhere=True):
        other = layer(name.removeprefix("lintorch.")) if name.startswith("lintorch.") else None
        assert other is None or other <= own, f"{dotted(path)} imports {name} from above"


def test_there_are_no_import_cycles() -> None:
    names = {dotted(path): path for path in modules()}
    graph = {name: set(needed(path, set(names))) - {name, ""} for name, path in names.items()}
    while free := [name for name, others in graph.items() if not others]:
        graph = {n: others - set(free) for n, others in graph.items() if n not in free}
    assert not graph, f"cycle among {sorted(graph)}"


def needed(path: Path, names: set[str]) -> Iterator[str]:
    """The modules of lintorch that a module imports when it is loaded."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lintorch"):
            package = (node.module or "").removeprefix("lintorch").removeprefix(".")
            for alias in node.names:
                inner = f"{package}.{alias.name}".removeprefix(".")
                yield inner if inner in names else package


def rules() -> list[Path]:
    """The rule files, without the scripts that make the tables beside them."""
    return [p for p in sorted((CHECKOUT / "rules").rglob("*.py")) if not p.stem.startswith("_")]


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
        size = int(x.size(0))  # lintorch: ignore[dynamic-size]
        return x.view(int(x.size(0)), size)
"""


def test_a_run_in_which_nothing_has_changed_loads_neither_parser_nor_rules(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "lintorch.toml").write_text('select = ["LT1", "LT003", "unknown-name"]\n')
    first = lintorch("check", cwd=tmp_path)
    again = lintorch("check", cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    assert again.stdout == first.stdout
    assert "LT101" in first.stdout
    loaded = {line.rpartition("|")[2].strip() for line in again.stderr.splitlines()}
    assert "lintorch.cache" in loaded
    heavy = {"libcst", "rich", "lintorch.rule", "lintorch.source", "multiprocessing", "difflib"}
    assert not heavy & loaded
    assert not [name for name in loaded if name.startswith("lintorch_rules")]


def test_text_that_does_not_mention_torch_loads_no_parser(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    lintorch("check", cwd=tmp_path)  # lists the rules
    (tmp_path / "plain.py").write_text("x = 2\n")
    done = lintorch("check", cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    assert "lintorch.run" in done.stderr
    assert "libcst" not in done.stderr


def test_the_worker_imports_nothing_but_torch_and_the_standard_library() -> None:
    allowed = {*sys.stdlib_module_names, "lintorch", "torch", "onnx", "onnxruntime", "numpy"}
    allowed |= {"openvino", "ncnn", "pnnx"}
    for folder in ("worker", "models", "trace", "trials"):
        for path in sorted((CHECKOUT / "lintorch" / folder).rglob("*.py")):
            used = {name.partition(".")[0] for name in imported(path, everywhere=True)}
            assert used <= allowed, f"{dotted(path)} imports {sorted(used - allowed)}"
