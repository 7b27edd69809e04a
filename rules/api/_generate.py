"""Lists torch's own warnings about retired names: the raw material of the tables beside this file.

    python rules/api/_generate.py > candidates.tsv
    python rules/api/_generate.py path/to/torchvision > rules/api/_vision_builders.json

Walks the source of the installed torch for places that say something is deprecated, and tells by
which public names code reaches the function or class around each. The tables are written by
hand from this list, after calling what it names. Needs torch; linting never imports it.
Given the folder of torchvision's source, it prints which weights the switches of each builder of
a model stand for: a name, "" where there are none, null where that hangs on other arguments.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
import types
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SAYS = re.compile(r"deprecat|will be removed|no longer supported|was removed|is legacy", re.I)
_KINDS = {"DeprecationWarning", "FutureWarning"}
_WARNS = {"warn", "warning", "warn_once", "warning_once", "_warn_once", "warn_deprecated"}
_PRIVATE = re.compile(r"(^|\.)_(?!_)")
_SKIPPED = ("torch.testing._internal", "torch._dynamo", "torch._inductor", "torch.jit")


@dataclass(frozen=True)
class Site:
    """A place that warns: the definition around it, and what it says."""

    module: str
    inside: str
    row: int
    kind: str
    said: str


def main() -> None:
    import torch

    root = Path(torch.__file__).parent
    sites = [site for path in sorted(root.rglob("*.py")) for site in sites_of(path, root)]
    reached = public_names()
    for site in sites:
        names = sorted(reached.get((site.module, site.inside), ()), key=lambda n: (len(n), n))
        own = f"{site.module}.{site.inside}"
        if names or not _PRIVATE.search(own):
            where = ",".join(names[:3]) or f"({own})"
            print(site.kind, where, f"{site.module}:{site.row}", site.said, sep="\t")


def sites_of(path: Path, root: Path) -> Iterator[Site]:
    module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
    module = module.removesuffix(".__init__")
    if module.startswith(_SKIPPED):
        return
    text = path.read_text(encoding="utf-8")
    if not _SAYS.search(text) and not any(kind in text for kind in _KINDS):
        return
    yield from _within(ast.parse(text), module, "")


def _within(node: ast.AST, module: str, inside: str) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        inner = inside
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{inside}.{child.name}".lstrip(".")
            for decorator in child.decorator_list:
                if "deprecated" in ast.unparse(decorator):
                    yield Site(module, inner, child.lineno, "decorator", _text(decorator))
        elif isinstance(child, ast.Call) and _warns(child):
            yield Site(module, inside, child.lineno, "warn", _text(child))
        elif isinstance(child, ast.Raise) and _SAYS.search(_text(child)):
            yield Site(module, inside, child.lineno, "raise", _text(child))
        yield from _within(child, module, inner)


def _warns(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    said = ast.unparse(call)
    return name in _WARNS and bool(_SAYS.search(said) or any(kind in said for kind in _KINDS))


def _text(node: ast.AST) -> str:
    parts = [
        n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return " ".join(" ".join(parts).split())[:220]


def public_names() -> dict[tuple[str, str], set[str]]:
    """From where something is defined to the public dotted names that reach it."""
    reached: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, module in sorted(public_modules().items()):
        for attribute, value in vars(module).items():
            if attribute.startswith("_") or not callable(value):
                continue
            defined = (getattr(value, "__module__", ""), getattr(value, "__qualname__", ""))
            reached[defined].add(f"{name}.{attribute}")
            if isinstance(value, type):
                for method in vars(value):
                    if not method.startswith("_") or method in ("__init__", "__new__"):
                        inner = (defined[0], f"{defined[1]}.{method}")
                        reached[inner].add(f"{name}.{attribute}.{method}")
    return reached


def public_modules() -> dict[str, types.ModuleType]:
    import torch

    root = Path(torch.__file__).parent
    for path in sorted(root.rglob("*.py")):
        dotted = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        dotted = dotted.removesuffix(".__init__")
        if _PRIVATE.search(dotted) or dotted.startswith(
            ("torch.testing.", "torch.utils.benchmark.examples")
        ):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(dotted)
        except BaseException:  # what needs other packages cannot be reached here either
            continue
    return {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "torch" and module and not _PRIVATE.search(name)
    }


def builders(torchvision: Path) -> dict[str, dict[str, list[str | None]]]:
    """From each builder's names to its old switches, their new names and the weights they mean."""
    found: dict[str, dict[str, list[str | None]]] = {}
    for path in sorted((torchvision / "models").rglob("*.py")):
        module = ".".join(path.relative_to(torchvision.parent).with_suffix("").parts)
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node in (node for node in body if isinstance(node, ast.FunctionDef)):
            calls = (call for call in node.decorator_list if isinstance(call, ast.Call))
            for decorator in calls:
                if "handle_legacy_interface" in ast.unparse(decorator):
                    told = dict(_switch(keyword) for keyword in decorator.keywords)
                    for home in (module, module.rpartition(".")[0]):
                        found[f"{home}.{node.name}"] = told
    return dict(sorted(found.items()))


def _switch(keyword: ast.keyword) -> tuple[str, list[str | None]]:
    assert isinstance(keyword.value, ast.Tuple)
    old, weights = (ast.unparse(part) for part in keyword.value.elts)
    meant = None if weights.startswith("lambda") else weights.rpartition(".")[2]
    return ast.literal_eval(old), [keyword.arg, "" if meant == "None" else meant]


if __name__ == "__main__":
    if sys.argv[1:]:
        rows = builders(Path(sys.argv[1])).items()
        print("{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in rows) + "\n}")
    else:
        main()
