"""Writes the tables of names and parameters that torch and torchvision offer.

    python rules/api/_generate_names.py [FOLDER_WITH_TORCHVISION]

torch is imported and asked; torchvision is only read. Linting never imports this file.

`_names.json` holds, for each public module, every name it may have: those it has here, those its
source binds in any branch (another build may have them), and its submodules. `_parameters.json`
holds what callables take, as `a,b#,c?,*,d`: `#` marks a whole number by default, `?` a bool, what
follows `*` goes by keyword only, `**` takes any keyword, and `~` in front means that the order is
not known. Callables that cannot be asked are left out.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
MODULES = (
    "torch", "torch.amp", "torch.autograd", "torch.autograd.forward_ad",
    "torch.autograd.functional", "torch.autograd.graph", "torch.autograd.profiler",
    "torch.backends", "torch.backends.cuda", "torch.backends.cudnn", "torch.backends.mkldnn",
    "torch.backends.mps", "torch.compiler", "torch.cuda", "torch.cuda.amp", "torch.cuda.nvtx",
    "torch.distributed", "torch.distributions", "torch.export", "torch.fft", "torch.func",
    "torch.fx", "torch.hub", "torch.jit", "torch.library", "torch.linalg", "torch.masked",
    "torch.mps", "torch.multiprocessing", "torch.nested", "torch.nn", "torch.nn.attention",
    "torch.nn.functional", "torch.nn.init", "torch.nn.parallel", "torch.nn.utils",
    "torch.nn.utils.parametrizations", "torch.nn.utils.parametrize", "torch.nn.utils.prune",
    "torch.nn.utils.rnn", "torch.nn.utils.stateless", "torch.onnx", "torch.optim",
    "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.profiler", "torch.random",
    "torch.serialization", "torch.sparse", "torch.special", "torch.testing", "torch.utils",
    "torch.utils.benchmark", "torch.utils.checkpoint", "torch.utils.data",
    "torch.utils.data.distributed", "torch.utils.dlpack", "torch.version",
)  # fmt: skip
FORWARDED = {"torch.distributed": ("torch.distributed.distributed_c10d",)}
"""Modules whose names reach another one by `import *`, some of them only on some builds."""
DYNAMIC = {"torch": ("has_mps", "has_cuda", "has_cudnn", "has_mkldnn", "set_vital")}
"""Names that a module's `__getattr__` answers."""
PACKAGES = {
    f"torchvision.{name}"
    for name in [
        "models.detection",
        "models.segmentation",
        "transforms.functional",
        "transforms.v2",
        "transforms.v2.functional",
    ]
}
"""Deeper packages of torchvision that code calls by their own path."""
ALSO = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
"""Keywords that functions written in C take for others, as NumPy spells them."""
FACTORY = {"dtype", "layout", "device"}


def main() -> None:
    import torch

    vision = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    modules = [importlib.import_module(name) for name in MODULES]
    names = {module.__name__: names_of(module) for module in modules}
    takes = dict(parameters(modules))
    written: dict[str, object] = {"torch": torch.__version__.partition("+")[0]}
    if vision:
        own, theirs = Torchvision(vision).tables()
        names.update(own)
        takes.update(theirs)
    written["names"] = {name: " ".join(sorted(known)) for name, known in sorted(names.items())}
    (HERE / "_names.json").write_text(json.dumps(written, indent=0) + "\n", encoding="utf-8")
    listed = json.dumps(dict(sorted(takes.items())), indent=0)
    (HERE / "_parameters.json").write_text(listed + "\n", encoding="utf-8")


# the names of a module


def names_of(module: types.ModuleType) -> set[str]:
    path = Path(str(module.__file__))
    known = (
        set(dir(module))
        | set(dir(type(module)))
        | bound_in(path)
        | set(DYNAMIC.get(module.__name__, ()))
    )
    for other in FORWARDED.get(module.__name__, ()):
        forwarded = importlib.import_module(other)
        known |= set(dir(forwarded)) | bound_in(Path(str(forwarded.__file__)))
    if module.__name__ == "torch":
        known |= defined_in(path.parent / "_C" / "__init__.pyi")  # other builds bind more in C
    if path.name == "__init__.py":
        known |= {info.name for info in pkgutil.iter_modules([str(path.parent)])}
    return {name for name in known if not name.startswith("_")}


def bound_in(path: Path) -> set[str]:
    """Names that the source of a module binds at its top, whichever branch is taken."""
    return {name for node in top(ast.parse(path.read_text("utf-8")).body) for name in binds(node)}


def defined_in(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {
        node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, kinds)
    }


def top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
            inner = [*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
            yield from top(inner)
            for handler in getattr(node, "handlers", ()):
                yield from top(handler.body)


def binds(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Import):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names if alias.name != "*")
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


# what callables take


def parameters(modules: Iterable[types.ModuleType]) -> Iterator[tuple[str, str]]:
    stubs = stubbed()
    for module in modules:
        for name in sorted(vars(module)):
            value = vars(module)[name]
            if name.startswith("_") or not is_own(value):
                continue
            if written := spelled(value, stubs):
                yield f"{module.__name__}.{name}", written


def is_own(value: object) -> bool:
    """Whether a callable is one of torch, and not of the standard library or NumPy."""
    if isinstance(value, types.BuiltinFunctionType):
        return True
    kinds = (type, types.FunctionType)
    return isinstance(value, kinds) and str(value.__module__).startswith("torch")


def spelled(value: object, stubs: dict[str, set[str]]) -> str:
    if isinstance(value, types.BuiltinFunctionType):
        known = builtin(value, stubs)
        return f"~{','.join(sorted(known))}" if known else ""
    signatures = [found for f in asked(value) if (found := signed(f))]
    if len(signatures) > 1:
        signatures = [found for found in signatures if not is_open(found)]
    return of_signature(signatures[0]) if len(signatures) == 1 else overloaded(signatures)


def asked(value: object) -> list[object]:
    """The functions whose parameters are those of a callable, with `self` first for a class."""
    if not isinstance(value, type):
        return [value] if isinstance(value, types.FunctionType) else []
    if "__call__" in vars(type(value)) and type(value) is not type:
        return []
    made, begun = (getattr(value, name) for name in ("__new__", "__init__"))
    python = [f for f in (made, begun) if isinstance(f, types.FunctionType)]
    if len(python) != 1:
        return []
    return [*typing.get_overloads(python[0])] or [*python]


def signed(function: object) -> inspect.Signature | None:
    if not callable(function):
        return None
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    first = next(iter(found.parameters), "")
    kept = list(found.parameters.values())
    return found.replace(parameters=kept[1:] if first in ("self", "cls") else kept)


def is_open(signature: inspect.Signature) -> bool:
    """`(*args, **kwargs)`: the body behind overloads, which takes what they name."""
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    return kinds == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]


def overloaded(signatures: list[inspect.Signature]) -> str:
    """All names of all overloads; nothing where one takes any keyword."""
    names: list[str] = []
    for signature in signatures:
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                return ""
            names += [parameter.name] if parameter.name not in names else []
    return f"~{','.join(names)}" if names else ""


def of_signature(signature: inspect.Signature) -> str:
    written: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            written.append("**")
        elif parameter.kind is parameter.VAR_POSITIONAL:
            written.append(f"*{parameter.name}")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and not any(w[0] == "*" for w in written):
                written.append("*")
            written.append(parameter.name + mark(parameter.default, str(parameter.annotation)))
    return "" if written in (["*args", "**"], []) else ",".join(written)


def mark(default: object, annotation: str = "") -> str:
    plain = annotation.replace("typing.", "").replace("Optional[", "").replace("]", "")
    kind = plain.replace("| None", "").strip() if default is None else ""
    if isinstance(default, bool) or kind in ("bool", "<class 'bool'>"):
        return "?"
    return "#" if isinstance(default, int) or kind in ("int", "<class 'int'>") else ""


def builtin(function: types.BuiltinFunctionType, stubs: dict[str, set[str]]) -> set[str]:
    """Every keyword a function written in C may take: by schema, stub, docstring and its own word."""
    import torch

    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{function.__name__}")
    known = {argument.name for schema in schemas for argument in schema.arguments}
    known |= stubs.get(function.__name__, set())
    if not known:
        return set()
    known |= documented(function)
    known |= {"out", "input"} if "self" in known else {"out"}
    known |= {"requires_grad", "pin_memory"} if known >= FACTORY else set()
    known |= {also for name in known for also in ALSO.get(name, ())}
    return (known - {"self"}) | refused(function)


def refused(function: types.BuiltinFunctionType) -> set[str]:
    """The keywords that a function names itself where it is given one that it does not know."""
    try:
        function(no_such_keyword=1)
    except Exception as error:
        heads = re.findall(r"\* \(([^)]*)\)", str(error))
        return {name for head in heads for name in re.findall(r"(\w+)(?: = [^,]*)?(?:,|$)", head)}
    return set()


def documented(function: types.BuiltinFunctionType) -> set[str]:
    text = function.__doc__ or ""
    heads = re.findall(rf"\b{re.escape(function.__name__)}\(([^)]*)\)", text)
    return {name for head in heads for name in re.findall(r"(?:^|,)[\s*]*([a-z_]\w*)", head)}


def stubbed() -> dict[str, set[str]]:
    """From function to the parameters of all its overloads, by the stubs that torch ships."""
    import torch

    found: dict[str, set[str]] = {}
    for name in ("_VariableFunctions.pyi", "_nn.pyi"):
        tree = ast.parse((Path(torch.__file__).parent / "_C" / name).read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                given = node.args
                listed = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                found.setdefault(node.name, set()).update(arg.arg for arg in listed)
    return found


# torchvision, by its source


class Torchvision:
    """The names of a package that is read and not imported."""

    def __init__(self, root: Path) -> None:
        self.trees = {
            dotted(path, root): ast.parse(path.read_text("utf-8"))
            for path in sorted((root / "torchvision").rglob("*.py"))
        }

    def tables(self) -> tuple[dict[str, set[str]], dict[str, str]]:
        names: dict[str, set[str]] = {}
        takes: dict[str, str] = {}
        for module in self.trees:
            if "._" in module or ".prototype" in module:
                continue
            known = self.names(module) | self.answered(module)
            names[module] = {name for name in known if not name.startswith("_")}
            for name in names[module]:
                home, node = self.definition(module, name)
                near = module.count(".") < 2 or module in PACKAGES
                if near and node is not None and (written := self.takes(home, node)):
                    takes[f"{module}.{name}"] = written
        return names, takes

    def answered(self, module: str) -> set[str]:
        """Names that the `__getattr__` of a module speaks of."""
        return {
            constant.value
            for node in self.trees[module].body
            if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
            for constant in ast.walk(node)
            if isinstance(constant, ast.Constant)
            and isinstance(constant.value, str)
            and constant.value.isidentifier()
        }

    def names(self, module: str) -> set[str]:
        found = {m.rpartition(".")[2] for m in self.trees if m.rpartition(".")[0] == module}
        for node in top(self.trees[module].body):
            found |= set(binds(node))
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                found |= self.exported(self.absolute(module, node))
        return found

    def exported(self, module: str) -> set[str]:
        known = self.names(module) if module in self.trees else set()
        return {name for name in known if not name.startswith("_")}

    def absolute(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        package = any(m.startswith(f"{module}.") for m in self.trees)
        kept = parts[: len(parts) - node.level + package]
        return ".".join([*kept, *([node.module] if node.module else [])])

    def definition(self, module: str, name: str, depth: int = 0) -> tuple[str, ast.stmt | None]:
        """Where a name is defined, through imports, and its definition."""
        if module not in self.trees or depth > 6:
            return module, None
        found: list[tuple[str, ast.stmt | None]] = []
        for node in top(self.trees[module].body):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                found.append((module, node))
            elif isinstance(node, ast.ImportFrom):
                origin = self.absolute(module, node)
                for alias in node.names:
                    if alias.name == "*" and name in self.exported(origin):
                        found.append(self.definition(origin, name, depth + 1))
                    elif (alias.asname or alias.name) == name:
                        found.append(self.definition(origin, alias.name, depth + 1))
            elif name in binds(node):
                found.append((module, None))
        return found[0] if len(found) == 1 else (module, None)

    def takes(self, module: str, node: ast.stmt) -> str:
        if isinstance(node, ast.ClassDef):
            return self.of_class(module, node)
        assert isinstance(node, ast.FunctionDef)
        plain = all(ast.unparse(each) == "torch.no_grad()" for each in node.decorator_list)
        return of_arguments(node.args, own=False) if plain else ""

    def of_class(self, module: str, node: ast.ClassDef) -> str:
        if node.decorator_list or node.keywords:
            return ""
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name in ("__init__", "__new__"):
                plain = item.name == "__init__" and not item.decorator_list
                return of_arguments(item.args, own=True) if plain else ""
        if len(node.bases) != 1 or not isinstance(node.bases[0], ast.Name):
            return ""
        home, base = self.definition(module, node.bases[0].id)
        return self.of_class(home, base) if isinstance(base, ast.ClassDef) else ""


def dotted(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def of_arguments(given: ast.arguments, own: bool) -> str:
    listed = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(listed) - len(given.defaults)) + list(given.defaults)
    written = [a.arg + marked(a, d) for a, d in zip(listed, defaults, strict=True)][own:]
    if given.vararg:
        written.append(f"*{given.vararg.arg}")
    elif given.kwonlyargs:
        written.append("*")
    written += [a.arg for a in given.kwonlyargs] + (["**"] if given.kwarg else [])
    return ",".join(written) if written != ["**"] else ""


def marked(argument: ast.arg, default: ast.expr | None) -> str:
    annotation = ast.unparse(argument.annotation) if argument.annotation else ""
    return mark(default.value, annotation) if isinstance(default, ast.Constant) else ""


if __name__ == "__main__":
    main()
