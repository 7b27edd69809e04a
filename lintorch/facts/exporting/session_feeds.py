"""Where sessions of ONNX Runtime are run: of which file, fed what, and asked for what."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import normpath

import libcst as cst

from lintorch.facts.classes.classes import HasClasses
from lintorch.facts.exporting.file_keys import identify_file
from lintorch.facts.names.kept_values import find_kept_value
from lintorch.facts.names.lookup import HasNames
from lintorch.syntax.literals import arguments, literal
from lintorch.syntax.tree import offspring

SESSION = "onnxruntime.InferenceSession"
_HARMLESS = frozenset(
    {
        SESSION, "torch.onnx.export", "print", "len", "open", "str", "onnx.load", "os.remove",
        "os.unlink", "onnx.checker.check_model", "os.fspath", "pathlib.Path", "pathlib.PurePath",
    }
)  # fmt: skip
_TELLING = frozenset({"info", "debug", "warning", "error"})
_QUESTIONS = ("os.path.", "logging.", "pathlib.Path.")


@dataclass(frozen=True)
class SessionRun:
    """One `session.run(outputs, feed)`: `feed` has the node of each key, None where a key is not known."""

    file: Hashable
    feed: Mapping[str, cst.CSTNode] | None
    given: cst.BaseExpression | None
    asked: Mapping[str, cst.CSTNode]


def read_session_run(call: cst.Call, source: HasClasses) -> SessionRun | None:
    """What a call runs; None where it is no run of a session whose file is known."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "run":
        return None
    opened = source.classes.built(call.func.value)
    if not opened or any(source.names.name(each.func) != SESSION for each in opened):
        return None
    files = {
        identify_file(arguments(each, "path_or_bytes").get("path_or_bytes"), source)
        for each in opened
    }
    given = arguments(call, "output_names", "input_feed")
    file = files.pop() if len(files) == 1 else None
    if file is None or not given.complete:
        return None
    feed, asked = given.get("input_feed"), given.get("output_names")
    return SessionRun(file, _read_feed(feed, source), feed, dict(_read_asked(asked, source)))


def _read_feed(
    node: cst.BaseExpression | None, source: HasNames
) -> Mapping[str, cst.CSTNode] | None:
    written = find_kept_value(node, source)
    pairs: list[tuple[str, cst.CSTNode | None]]
    if isinstance(written, cst.Dict):
        pairs = [(_read_key(e, source), e) for e in written.elements]
    elif isinstance(written, cst.Call) and source.names.name(written.func) == "dict":
        pairs = [(a.keyword.value if a.keyword else "", a.keyword) for a in written.args]
    else:
        return None
    found = {name: node for name, node in pairs if name and node is not None}
    return found if len(found) == len(pairs) else None


def _read_key(element: cst.BaseDictElement, source: HasNames) -> str:
    key = element.key if isinstance(element, cst.DictElement) else None
    found = literal(find_kept_value(key, source))
    return found if isinstance(found, str) else ""


def _read_asked(
    node: cst.BaseExpression | None, source: HasNames
) -> Iterator[tuple[str, cst.CSTNode]]:
    written = find_kept_value(node, source)
    if isinstance(written, (cst.List, cst.Tuple)) and isinstance(literal(written), (list, tuple)):
        for each in written.elements:
            if isinstance(name := literal(each.value), str):
                yield name, each.value


def is_left_alone(file: Hashable, source: HasNames) -> bool:
    """Whether no call of the file but exports may write to a file of that name."""
    for call in source.file.nodes(cst.Call):
        parts = [arg.value for arg in call.args]
        if _is_harmless(call, source) or not parts:
            continue
        inside = (each for part in parts for each in _list_inside(part))
        if any(identify_file(n, source) == file or _speaks_of(file, n) for n in inside):
            return False
    return True


def _is_harmless(call: cst.Call, source: HasNames) -> bool:
    name, func = source.names.name(call.func), call.func
    tells = isinstance(func, cst.Attribute) and func.attr.value in _TELLING
    return tells or name in _HARMLESS or name.startswith(_QUESTIONS)


def _speaks_of(file: Hashable, node: cst.BaseExpression) -> bool:
    """Whether a text of several words, such as a command, holds the path of the file."""
    text = literal(node)
    if not isinstance(text, str) or not isinstance(file, str):
        return False
    return any(normpath(word) == file for word in text.split())


def _list_inside(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """An expression and what stands in it, but for calls, which are looked at themselves."""
    if isinstance(node, cst.BaseExpression):
        yield node
    for child in () if isinstance(node, cst.Call) else offspring(node):
        yield from _list_inside(child)
