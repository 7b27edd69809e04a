"""Where a run read the data of tensors, where it surely did not, and what an operator ran on, in words."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator

from lintorch.evidence.trace import Trace
from lintorch.record.events import OperatorCall, RunEvent, TensorRead, TensorUse
from lintorch.record.runs import MOST_EVENTS, ModelRun
from lintorch.record.sites import Shape, Site

READS = (TensorUse.ITEM, TensorUse.LIST, TensorUse.NUMPY, TensorUse.INT, TensorUse.FLOAT)
VERDICTS = ("torch.equal", "torch.Tensor.equal", "torch.allclose", "torch.Tensor.allclose")
_READING = frozenset((*READS, TensorUse.BOOL, TensorUse.ARRAY, *VERDICTS))
_FOUND = re.compile(
    r"\.(a?r?g?where|nonzero\w*|unique\w*|masked_select|repeat_interleave|bincount)$"
)
"""Operators whose result may be as large as the data says: a count of it is data, too."""
_MASKS = ("bool", "uint8")
_MAY_SKIP = re.compile(r"\b(and|or|if .* else|lambda|for .* in)\b")
"""A line of which only a part may have run."""
_TESTS = re.compile(r"\b(and|or)\b")
_CONVERSIONS = tuple(
    f"torch.Tensor.{name}"
    for name in [
        "to",
        "type",
        "type_as",
        "float",
        "double",
        "half",
        "bfloat16",
        "int",
        "long",
        "bool",
        "cpu",
        "cuda",
    ]
)
_BRANCH = re.compile(r"\s*(if|elif|else|for|while|try|except|match|case)\b")


def find_unread_lines(trace: Trace) -> Iterator[Site]:
    """Lines whose operators ran, each whole, in a model that read the data of no tensor at any size.

    None where any data was read, wherever: what was read on one line may decide on another.
    """
    if not any(_tells(event) for run in trace.runs for event in run.events):
        yield from find_whole_lines(trace)


def find_whole_lines(trace: Trace) -> Iterator[Site]:
    """Lines whose operators ran, each whole, in a model of which every run came to its end."""
    if all(map(is_whole_run, trace.runs)):
        ran = dict.fromkeys(call.site for call in trace.list_calls() if call.outputs)
        yield from filter(is_run_whole, ran)


def describe_read(event: TensorRead | OperatorCall) -> str:
    """`bool() of a tensor of shape [2] was asked here and gave True`."""
    if isinstance(event, TensorRead):
        name, value = event.how.value, event.value
    else:
        name, value = event.name.rpartition(".")[2], None
    gave = "" if value is None else f" and gave {value}"
    tensors = "tensors" if len(event.inputs) > 1 else "a tensor"
    return f"{name}() of {tensors} of shape {write_shapes(event.inputs)} was asked here{gave}"


def describe_call(call: OperatorCall) -> str:
    """`linalg.inv ran here on [2, 3, 3] and gave [2, 3, 3]`."""
    name = call.name.removeprefix("torch.").removeprefix("Tensor.").removeprefix("nn.functional.")
    gave = f" and gave {write_shapes(call.outputs)}" if call.outputs else ""
    return f"{name} ran here on {write_shapes(call.inputs)}{gave}"


def write_shapes(shapes: tuple[Shape, ...]) -> str:
    """`[2, 3] and [3]`."""
    return " and ".join(str(list(shape)) for shape in shapes)


def is_whole_run(run: ModelRun) -> bool:
    """Whether a run came to its end and all of it was recorded."""
    return not run.error and len(run.events) < MOST_EVENTS


def is_run_whole(site: Site) -> bool:
    """Whether a line that ran has no part that may not have run."""
    return not _MAY_SKIP.search(source_line(site))


def has_several_tests(site: Site) -> bool:
    """Whether a line tests one thing after another, and may end before the last."""
    return bool(_TESTS.search(source_line(site)))


def is_followed_whole(site: Site) -> bool:
    """Whether nothing stands below a line in its function that may not have run."""
    depth = count_indent(source_line(site))
    for text in linecache.getlines(site.path)[site.row :]:
        if text.strip() and count_indent(text) < depth:
            return not text.lstrip().startswith(("elif", "else", "except", "finally"))
        if _BRANCH.match(text) or _MAY_SKIP.search(text.partition("#")[0]):
            return False
    return True


def converts_nearby(site: Site, trace: Trace) -> bool:
    """Whether the function of a line converted a tensor: that copies it unless it is so already."""
    calls = trace.find_events(*_CONVERSIONS)
    return any((e.site.path, e.site.function) == (site.path, site.function) for e in calls)


def count_indent(text: str) -> int:
    """The blanks that a line begins with."""
    return len(text) - len(text.lstrip())


def _tells(event: RunEvent) -> bool:
    """Whether Python may have learned something of the data here."""
    if event.key in _READING:
        return True
    if not isinstance(event, OperatorCall):
        return False
    masked = any(dtype in _MASKS for dtype in event.dtypes[1:])
    return bool(_FOUND.search(event.name)) or (event.name == _INDEXING and masked)


_INDEXING = "torch.Tensor.__getitem__"


def source_line(site: Site) -> str:
    """The text of a line, without its comment."""
    return linecache.getline(site.path, site.row).partition("#")[0]
