"""Which program a text is of, by words that only its logs hold."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from lintorch.messages.find_words import may_hold
from lintorch.messages.message_kinds import Runtime, load_runtimes

_EVERYWHERE = {
    "any",
    "onnx",
    "tools",
    "torch",
    "torch.onnx",
    "torch.export",
    "torchscript",
    "triton",
}
"""Their words stand in the logs of other programs, too."""
_CALLERS = {"any", "onnx", "tools"}
_EXPORTS = re.compile(
    r"(?i:export|torch[./\\]onnx|aot_compile|draft_|ep\.module|executorch|dynamic_shapes)"
    r"|Constraints violated \((?!L\[)|Not all values of \w{1,80} = L\[|= Dim\("
)
"""The names of sizes in `Constraints violated` are those of a Dim: torch.compile writes L['x'] there."""
_COMPILES = re.compile(
    r"(?i:torch\.compile|torch[./\\]_inductor|torch[./\\]_dynamo|inductor|graph[- ]break|\bdynamo\b)"
)
_OF_TORCH = re.compile(
    r"(?i:torch|\baten\b|c10::|\btensors?\b|cuda|dtype|scalar type|autograd|(?<!/)\b(?:dim(?:ension)?s?|sizes?|shapes?|strides?)\b(?!/| id)|storage|state_dict|nn\.\w)|\b(?:Half|Float|Double|Byte|Long|BFloat16)\b"
)
"""Without one of these, `RuntimeError` is any program's."""
_SHORT = 6
_COMPILED = re.compile(
    r"[\w/\\.-]{1,120}\.(?:cc|cpp|cu|hpp|cxx|h)(?::|\(|, line )\d{1,6}|::\w{1,60}\("
)
"""A place in C++: the traceback of Python ends where it is called."""
_NEAR = 200
_FRAME = re.compile(r'File "([^"]{1,400})", line \d{1,7}')
_FRAME_OF = re.compile(r'file "([^"]{1,400})", line \d{1,7}')
_PACKAGE = re.compile(r"(?:site|dist)-packages[/\\](?!torch)\w")
_TRANSLATES = re.compile(r"[/\\]onnx[/\\](?:_internal[/\\]torchscript_exporter[/\\])?symbolic_")
_INSTALLED = re.compile(
    r"(?:site|dist)-packages|[/\\]lib[/\\]python|^<|^code[/\\]__torch__|\.pyx$"
    r"|[/\\](?:onnxruntime|onnxscript|onnx2tf|onnx_tf|tf2onnx|coremltools|openvino|executorch|torch_tensorrt|polygraphy|nncf|tensorflow|litert_torch|ai_edge_torch|tinynn|tvm)[/\\]\w"
    r"|[/\\]torch[/\\](?:_\w{1,40}(?:\.py|[/\\])|(?:export|jit|fx|onnx|ao|nn)[/\\]\w)"
)
"""Also torch, and programs that are known here, where they were built in their own checkouts."""


def guess_runtime(text: str) -> Runtime | None:
    """The runtime whose words a text that `unify_text` has made holds most of, PyTorch only where
    there is no other; None where it holds none.

    A package that others are built on yields to them.
    """
    counts = _count_marks(text.lower())
    marked = [(counts[each.name], each) for each in load_runtimes()]
    others = [each for each in marked if each[1].name != "torch"]
    told = others if any(count for count, _ in others) or not _OF_TORCH.search(text) else marked
    most = max(count for count, _ in told)
    named = [each for count, each in told if count == most > 0]
    return min(named, key=lambda each: each.name == "onnx", default=None)


def list_foreign(lowered: str) -> frozenset[str]:
    """The runtimes of which a text in lower case cannot be: it holds words of others, and none of theirs.

    None where it holds the words of no program, or only of those whose words stand everywhere.
    """
    counts = _count_marks(lowered)
    silent = frozenset(name for name, count in counts.items() if not count)
    return silent if counts.keys() - silent - _EVERYWHERE else frozenset()


def stands_alone(runtime: Runtime) -> bool:
    """Whether the words of a runtime stand in no logs but its own."""
    return runtime.name not in _EVERYWHERE


def stands_apart(runtime: Runtime) -> bool:
    """Whether what a runtime says is of no package that calls it."""
    return runtime.name not in _CALLERS


def is_of_reader(lowered: str) -> bool:
    """Whether a text in lower case is of a program that has no kinds of its own, and words of nobody else's."""
    return bool(_count_marks(lowered)["readers"])


def has_words(runtime: Runtime, text: str) -> bool:
    """Whether a text holds words of a runtime's own."""
    return bool(_count_marks(text.lower())[runtime.name])


def is_compiled(text: str) -> bool:
    """Whether torch.compile speaks in the words that it shares with torch.export."""
    return bool(_COMPILES.search(text)) and not _EXPORTS.search(text)


def is_of_package(lowered: str) -> bool:
    """Whether the traceback that a text in lower case ends in is of an installed package: its words are
    that package's, and of a program only where the program is named.
    """
    frames = [*_FRAME_OF.finditer(lowered)]
    if not frames or _COMPILED.search(lowered, frames[-1].end()):
        return False
    return _PACKAGE.search(frames[-1][1]) is not None


def is_of_translation(lowered: str) -> bool:
    """Whether the traceback that a text in lower case ends in is of a translation of the legacy exporter:
    what it says of numbers and types is of its own arguments, not of the model's tensors.
    """
    frames = [*_FRAME_OF.finditer(lowered)]
    return bool(frames) and _TRANSLATES.search(frames[-1][1]) is not None


def is_own_code(text: str, at: int) -> bool:
    """Whether the traceback before an error ends in a file of the user's: then no program speaks."""
    frames = [*_FRAME.finditer(text, max(0, at - 2000), at)]
    if not frames or _INSTALLED.search(frames[-1][1]):
        return False
    return not _COMPILED.search(text, frames[-1].end(), at + _NEAR)


@functools.lru_cache(maxsize=8)
def _count_marks(lowered: str) -> Mapping[str, int]:
    """By runtime: how many of its words a text holds. One text is asked about several times."""
    return {
        each.name: sum(_holds(mark, lowered) for mark in each.marks) for each in load_runtimes()
    }


def _holds(mark: str, lowered: str) -> bool:
    """Short ones stand at the head of a word: `xmodel` is not in `OnnxModel`, nor `qnn` in `qnnpack`."""
    if not may_hold(lowered, mark) or mark not in lowered:
        return False
    short = mark[0].isalpha() and len(mark) <= _SHORT
    return (
        not short
        or re.search(rf"(?:(?<![a-z])|(?<=lib)){re.escape(mark)}(?!pack)", lowered) is not None
    )
