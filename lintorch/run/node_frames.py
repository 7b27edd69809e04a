"""The Python lines that an exporter wrote into a node of an .onnx file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lintorch.onnx_file import OnnxNode

_PREFIX = "pkg.torch.onnx."
_FRAME = re.compile(
    r'\s*File "(?P<path>[^"]{1,4096})", line (?P<row>\d{1,9}), in (?P<name>.{1,300})'
)
_DOC = re.compile(r"(?P<path>.{1,4096}?)\((?P<row>\d{1,9})\): (?P<name>\S{1,300})")
_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python3\.\d+[/\\]")
_TORCH = re.compile(
    r"[/\\](site|dist)-packages[/\\](torch|functorch)[/\\]|^<|[/\\]torch[/\\]nn[/\\]modules[/\\]"
    r"|^torch[/\\](fx|export|_export|onnx)[/\\]"
)


@dataclass(frozen=True)
class Frame:
    """A line on the way to a node; `source` is the line as the file has it, "" where it does not say.

    `found` is the file here that is meant, "" where there is none; `now` the row where the line stands
    in it now, 0 where it is gone.
    """

    path: str
    row: int
    function: str
    source: str = ""
    found: str = ""
    now: int = 0

    @property
    def is_installed(self) -> bool:
        """Whether it is a line of an installed package."""
        return bool(_INSTALLED.search(self.path))

    @property
    def is_torch(self) -> bool:
        """Whether it is torch's own."""
        return bool(_TORCH.search(self.path))


@dataclass(frozen=True)
class Told:
    """What a node's metadata says of it: the frames, outermost first, and what torch called it."""

    frames: tuple[Frame, ...] = ()
    module: str = ""
    """`layers.1.conv`."""
    module_class: str = ""
    """`torch.nn.modules.conv.Conv2d`."""
    operator: str = ""
    """`aten.conv2d.default`."""
    key: str = ""
    """The same for all nodes that were made of one operation of torch."""


def read_told(node: OnnxNode) -> Told:
    """What the exporter wrote of a node; without frames where it wrote none."""
    data = {key.removeprefix(_PREFIX): text for key, text in node.metadata.items()}
    frames = tuple(_read_stack(data.get("stack_trace", ""))) or tuple(_read_doc(node.doc))
    scopes = _read_list(data.get("name_scopes", ""))
    classes = _read_list(data.get("class_hierarchy", ""))
    fx_node = data.get("fx_node", "")
    return Told(
        frames,
        next(iter(scopes[-2:-1]), ""),
        next(iter(classes[-2:-1]), "") if len(classes) == len(scopes) else "",
        classes[-1] if classes else _read_target(fx_node),
        scopes[-1] if scopes else fx_node,
    )


def _read_stack(text: str) -> Iterator[Frame]:
    """As Python writes a traceback, without its first and last line."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = _FRAME.match(line)
        if match:
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            source = "" if _FRAME.match(after) else after
            yield Frame(match["path"], int(match["row"]), match["name"], source)


def _read_doc(text: str) -> Iterator[Frame]:
    """`path(row): function`, innermost first: what `verbose=True` adds of the older exporter."""
    found = [_DOC.fullmatch(line) for line in reversed(text.splitlines())]
    frames = [Frame(m["path"], int(m["row"]), m["name"]) for m in found if m]
    begun = [n for n, each in enumerate(frames) if _BEGIN.search(each.path)]
    yield from frames[begun[-1] + 1 if begun else 0 :]


_BEGIN = re.compile(r"[/\\]torch[/\\](onnx|jit)[/\\]")
"""What calls the model: the lines before it are those of the export."""


def _read_target(fx_node: str) -> str:
    match = re.search(r"target=([\w.]+)", fx_node)
    return match[1].removeprefix("torch.ops.") if match else ""


def _read_list(text: str) -> list[str]:
    """A list of texts as Python writes it."""
    if len(text) > 1 << 16:
        return []
    try:
        found = ast.literal_eval(text) if text else []
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def choose_line(frames: tuple[Frame, ...]) -> Frame | None:
    """The last frame that is the user's; where there is none the last that is not torch's."""
    own = [each for each in frames if not each.is_installed and not each.is_torch]
    others = [each for each in frames if not each.is_torch]
    return next(reversed(own or others), None)


def names_row(node: OnnxNode, row: int) -> bool:
    """Whether what a node says may hold a row: cheaper than to read it."""
    return (
        f"line {row}, " in node.metadata.get(f"{_PREFIX}stack_trace", "") or f"({row}):" in node.doc
    )
