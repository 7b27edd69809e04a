"""Writes down what the callables of torch take, for the file `torch.txt` beside this one.

    python lintorch/evaluator/signatures/_generate.py > lintorch/evaluator/signatures/torch.txt

One line for each callable, or several where it can be called in several ways. Names and defaults are
those of the installed torch: of its stubs where a function is written in C++, else of the function
itself, else of the first lines of its help. Needs torch; linting never imports it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MODULES = [
    "torch",
    "torch.functional",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.nn.functional",
    "torch.nn",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.parallel",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.utils.data",
    "torch.utils.data.distributed",
    "torch.utils.checkpoint",
    "torch.utils.tensorboard",
    "torch.amp",
    "torch.cuda",
    "torch.cuda.amp",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.func",
    "torch.jit",
    "torch.onnx",
    "torch.export",
    "torch.distributed",
    "torch.distributions",
    "torch.profiler",
    "torch.random",
    "torch.backends.cuda",
    "torch.nn.attention",
    "torch.sparse",
    "torch.multiprocessing",
    "torch.overrides",
    "torch.compiler",
    "torch.quantization",
    "torch.ao.quantization",
    "torch.cpu",
    "torch.mps",
    "torch.hub",
    "torch.utils",
]
_TYPES = {
    "Tensor": "Tensor",
    "_int": "int",
    "_float": "float",
    "_bool": "bool",
    "str": "str",
    "_dtype": "dtype",
    "Number": "number",
    "_complex": "number",
    "DeviceLikeType": "device",
    "Generator": "generator",
}
_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
_NAMED_AXES = "EllipsisType"
_BY_HAND = {
    "torch.device": "torch.device(type, index=None)",
    "torch.nn.Module.to": "torch.nn.Module.to(device=None, dtype=None, non_blocking=False)",
    "torch.Tensor": "torch.Tensor(*size)",
    "torch.unique": "torch.unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)",
    "torch.unique_consecutive": "torch.unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)",
    **{
        f"torch.{kind}Tensor": f"torch.{kind}Tensor(*size)"
        for kind in ("Float", "Double", "Half", "Long", "Int", "Short", "Byte", "Char", "Bool")
    },
}
"""What neither stubs nor help tell."""


def main() -> None:
    lines: dict[str, list[str]] = {}
    for name, line in list_stubs():
        lines.setdefault(name, []).append(line)
    for name, line in list_defined():
        if name not in lines or "..." in lines[name][0]:
            lines[name] = [line]
    lines.update({name: [line] for name, line in _BY_HAND.items()})
    for name in sorted(lines):
        print(*sorted(_keep_longest(lines[name]), key=_prefer), sep="\n")


def _keep_longest(lines: list[str]) -> list[str]:
    """Of ways that differ only in what comes behind the star, or in defaults, the longest."""
    kept: dict[tuple[str, ...], str] = {}
    for line in lines:
        inner = line[line.index("(") : -1].partition("*, ")[0]
        names = tuple(re.findall(r"[(,] ?(\*?\w+(?:: \w+)?)", inner))
        kept[names] = max(kept.get(names, ""), line, key=len)
    return [*kept.values()]


def list_stubs() -> Iterator[tuple[str, str]]:
    """What the stubs say of functions in C++, and of methods of tensors."""
    import torch

    folder = Path(torch.__file__).parent / "_C"
    functions = ast.parse((folder / "_VariableFunctions.pyi").read_text("utf-8")).body
    classes = ast.parse((folder / "__init__.pyi").read_text("utf-8")).body
    methods = next(
        n.body for n in classes if isinstance(n, ast.ClassDef) and n.name == "TensorBase"
    )
    for home, owner, body in (
        ("torch", torch, functions),
        ("torch.Tensor", torch.Tensor, methods),
    ):
        for node in body:
            if isinstance(node, ast.FunctionDef) and _is_reached(owner, node.name):
                written = _write_arguments(node.args, method=home == "torch.Tensor")
                if written is not None:
                    yield f"{home}.{node.name}", f"{home}.{node.name}({written})"


def _is_reached(owner: Any, name: str) -> bool:
    return not name.startswith("_") and not inspect.isfunction(getattr(owner, name, _is_reached))


def _write_arguments(given: ast.arguments, *, method: bool) -> str | None:
    """One way to call, as the file says it; None for axes that have names."""
    words = []
    positional = [*given.posonlyargs, *given.args]
    names = [argument.arg for argument in positional]
    if names[:2] in (["self", "alpha"], ["self", "beta"]):  # an order that is long retired
        return None
    for argument in () if method else positional:
        argument.arg = "input" if argument.arg == "self" else argument.arg
    defaults = [None] * (len(positional) - len(given.defaults)) + [*given.defaults]
    if any(_NAMED_AXES in ast.unparse(a.annotation) for a in positional if a.annotation):
        return None
    for argument, default in zip(positional, defaults, strict=True):
        words.append(_write_argument(argument, default))
        if given.posonlyargs and argument is given.posonlyargs[-1]:
            words.append("/")
    if given.vararg:
        words.append("*" + _write_argument(given.vararg, None))
    elif given.kwonlyargs:
        words.append("*")
    for named, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        # what one way must be given by name, another way to call does without
        words.append(_write_argument(named, default or ast.Constant(None)))
    return ", ".join(words[1:] if method else words)


def _write_argument(argument: ast.arg, default: ast.expr | None) -> str:
    told = _name_type(ast.unparse(argument.annotation)) if argument.annotation else ""
    name = f"{argument.arg}: {told}" if told else argument.arg
    if argument.arg == "generator" and default is None:  # the ways without it are listed apart
        return f"{name}=None"
    return name if default is None else f"{name}={_write_default(default)}"


def _name_type(annotation: str) -> str:
    parts = {part.strip() for part in re.sub(r"\[[^]]*\]", "[]", annotation).split("|")}
    parts -= {"None", "SymInt"}
    if any(part in ("Sequence[]", "_size", "_symsize") for part in parts):
        return "Tensors" if "Tensor" in annotation and "_int" not in annotation else "ints"
    if parts & {"tuple[]", "list[]"}:
        return "Tensors" if "Tensor" in annotation else "ints"
    found = {_TYPES.get(part, "") for part in parts} or {""}
    if "Tensor" in found and len(found) > 1:
        return "value"
    return found.pop() if len(found) == 1 else "number" if found <= {"number", "int"} else ""


def _write_default(default: ast.expr | Any) -> str:
    try:
        return repr(ast.literal_eval(default)) if isinstance(default, ast.expr) else repr(default)
    except ValueError:
        return "..."


def list_defined() -> Iterator[tuple[str, str]]:
    """What functions and classes written in Python take, and those whose help says it."""
    import torch

    for home in _MODULES:
        try:
            module = importlib.import_module(home)
        except ImportError:
            continue
        for name, value in sorted(vars(module).items()):
            if not name.startswith("_") and _is_torch(value) and not inspect.ismodule(value):
                yield from _list_ways(f"{home}.{name}", value, module)
    for name, value in sorted(vars(torch.Tensor).items()):
        if not name.startswith("_") and inspect.isfunction(value):
            yield from _list_ways(f"torch.Tensor.{name}", value, None)


def _is_torch(value: Any) -> bool:
    module = getattr(value, "__module__", None) or "torch"
    return callable(value) and module.partition(".")[0] == "torch"


def _list_ways(name: str, value: Any, module: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, type):
        yield from _list_class(name, value)
        return
    own = name.rpartition(".")[2]
    inner = getattr(module, f"_{own}", None)
    if inner is not None and "boolean_dispatch" in getattr(value, "__qualname__", ""):
        value = inner
    written = _write_signature(value, method=module is None)
    if written in (None, "*args", "*args, **kwargs"):
        written = _read_help(own, value) or written
    if written is not None:
        yield name, f"{name}({written})"


def _list_class(name: str, value: type) -> Iterator[tuple[str, str]]:
    import torch

    made: Any = vars(value).get("__init__", getattr(value, "__init__", None))
    made = next(iter(typing.get_overloads(made)), made) if inspect.isfunction(made) else made
    written = _write_signature(made, method=True)
    if written is not None:
        yield name, f"{name}({written})"
    layer = issubclass(value, torch.nn.Module)
    for own, method in sorted(vars(value).items()):
        if own.startswith("_") or not inspect.isfunction(method):
            continue
        if not layer or value is torch.nn.Module:
            written = _write_signature(method, method=True)
            if written is not None:
                yield f"{name}.{own}", f"{name}.{own}({written})"
    if layer and hasattr(value, "forward"):
        written = _write_signature(value.forward, method=True)
        if written is not None:
            yield f"{name}.forward", f"{name}.forward({written})"


def _write_signature(value: Any, *, method: bool) -> str | None:
    try:
        given = [*inspect.signature(value).parameters.values()]
    except (ValueError, TypeError):
        return None
    given = given[1:] if method and given and given[0].kind < given[0].VAR_POSITIONAL else given
    words: list[str] = []
    starred = False
    for index, each in enumerate(given):
        if each.kind is each.KEYWORD_ONLY and not starred:
            words, starred = [*words, "*"], True
        starred |= each.kind is each.VAR_POSITIONAL
        mark = _STARS.get(each.kind.name, "")
        ended = "" if each.default is each.empty else f"={_write_literal(each.default)}"
        words.append(f"{mark}{each.name}{ended}")
        after = given[index + 1].kind if index + 1 < len(given) else None
        if each.kind is each.POSITIONAL_ONLY and after is not each.POSITIONAL_ONLY:
            words.append("/")
    return ", ".join(words)


def _write_literal(default: Any) -> str:
    try:
        return repr(default) if ast.literal_eval(repr(default)) == default else "..."
    except (ValueError, SyntaxError):
        return "..."


def _read_help(own: str, value: Any) -> str | None:
    """What the first lines of a help text say a function takes."""
    text = " ".join((getattr(value, "__doc__", None) or "").split())[:1000]
    found = re.match(rf"(?:\w+\.)?{own}\((.*?)\)(?: ?->|$| )", text)
    try:
        tree = ast.parse(f"def f({found[1]}): pass") if found else None
    except SyntaxError:
        return None
    node = tree.body[0] if tree else None
    return _write_arguments(node.args, method=False) if isinstance(node, ast.FunctionDef) else None


def _prefer(line: str) -> int:
    """Nothing before sizes one by one, these before a list of them, types instead of sizes last."""
    if "()" in line:
        return 0
    if ": dtype" in line.partition(",")[0]:
        return 3
    return 1 if re.search(r"[(,] ?\*\w", line) else 2


if __name__ == "__main__":
    main()
