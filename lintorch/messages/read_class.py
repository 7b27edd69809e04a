"""What class of error a text ends with, where its words are not known: a general answer, and said to be one."""

from __future__ import annotations

import re
from dataclasses import replace

from lintorch.messages.answer_refusal import read_refusal
from lintorch.messages.message_kinds import Kind, Runtime, load_runtimes
from lintorch.messages.name_details import add_details
from lintorch.messages.name_raiser import add_raiser
from lintorch.messages.name_strangers import Stranger, find_stranger
from lintorch.messages.read_advice import add_advice
from lintorch.messages.read_converter import add_converted
from lintorch.messages.read_cut import find_cut
from lintorch.messages.read_node import add_named, find_named
from lintorch.messages.read_place import add_place
from lintorch.messages.recognise import Recognised, looks_like_error
from lintorch.messages.who_speaks import guess_runtime, has_words, is_compiled, is_own_code

_ANY = "any"
_CUT = "cut-traceback"
_STRANGER = "no-export"
_STOPPED = "stopped-node"
_APART = _CUT, _STRANGER, _STOPPED
"""Classes that are known by more than the last statement."""
_OF = "This message is of"
_READERS = "readers"
"""Programs without kinds of their own, whose logs quote lines of torch as places of the model."""
_RAISED = re.compile(
    r"(?:[\w.]{1,120}(?:Error|Exception|Unsupported|NotFound)|<class '[\w.]{1,120}'>): |what\(\): |"
    r"(?i:segmentation fault|export failure|(?:check|assert(?:ion)?) .{0,80}?failed)"
)
_MARKED = re.compile(
    r"(?:\bE/?[\w.]{1,40} ?:(?= \[| [A-Za-z])|\[E\](?= )|\[ERROR\](?= )|\bE \d\d:\d\d:\d\d\.\d{1,9} \w{1,40}:|\bE RKNN\w{0,3} ?: ?)"
)
"""What stands before an error in logs of phones and boards."""
_WEAK = re.compile(r"(?i:(?:check|assert(?:ion)?) .{0,80}?failed|segmentation fault)")
_WRAPS = re.compile(r"what\(\): |(?i:segmentation|abort)")
"""What an error begins with that only ends a program, where the cause stands in front of it."""
_LONG = 600
_READ = 200_000
"""Characters from the end of a text in which its last error is looked for."""
_EXCERPT = 240
_OWN = "The traceback ends in a file of yours, or of the tool that you run: that line, or compiled code that it calls, raised this, and no Python of an exporter or a runtime."
_PACKAGES = ("package-release", "package-missing")
_OF_CODE = *_PACKAGES, "object-kind", "name-missing"
"""What they say of the code of a package holds whatever part of it was at work."""
_CHECK = "own-check"
_CHECK_REMEDY = "the line of the package that asserts it, and what reaches it: print that just before; the same call on inputs for which it is known to work; the newest release of the package, or the one that the project's requirements name"
_PLAIN = "value", "uncaught", "logged", _CHECK
"""They say no more than that something failed."""
_IMPORTS = re.compile(
    r"cannot import name|No module named|ImportError|ModuleNotFound|DLL load|shared object|has no attribute"
)
_NOT_ITS_OWN = "Python does not load what it is told to; no exporter and no runtime speaks there. By its class:"
_PHASES = (
    ("running", r"Non-zero status|\.run\(|\binfer(?:ence)?\b|predict|execut(?:e|ing)\b|OrtRun"),
    ("building or compiling", r"build(?:er|ing)?\b|compil|optimi[sz]er"),
    ("reading the file", r"[Pp]ars(?:e|ing)|InferenceSession|read_model|from_onnx|\bload(?:ing|_model)?\b|[Dd]eserial"),
    ("exporting or converting", r"export|convert|trac(?:e|ing)\b|script\b"),
)  # fmt: skip
"""In the order in which a model meets them from the last to the first: the last that is named counts."""


def read_class(text: str) -> Recognised | None:
    """The class of the error in a text that `unify_text` has made; None where it speaks of none.

    The runtime is the one whose words the text holds most of, or "any".
    """
    speaker = guess_runtime(text)
    stranger = find_stranger(text) if speaker is None and looks_like_error(text) else None
    if stranger is not None:
        return _tell_stranger(stranger, text)
    if cut := find_cut(text):
        return _tell_cut(speaker or _load_classes(), text, cut)
    said = find_statement(text)
    kind = _find_class(text) or _find_stopped(said, text)
    if kind is None:
        return None
    at = text.rfind(said)
    if is_own_code(text, at):
        runtime, cause = _load_classes(), f"{_OWN} By its class: {kind.cause}"
    else:
        runtime = speaker or _load_classes()
        if runtime.name == "torch.export" and is_compiled(text):
            runtime = replace(runtime, title="torch.compile")
        phase = _read_phase(text)
        whose = "" if runtime.name == _ANY else f" of {runtime.title.partition(':')[0]}"
        when = f", probably while {phase}" if phase else ""
        cause = f"This message{whose} is not known here{when}. By its class: {kind.cause}"
    remedy = _CHECK_REMEDY if runtime.name == _ANY and kind.name == _CHECK else kind.remedy
    if kind.name in _PLAIN and runtime.name != _ANY:
        remedy = f"{runtime.more}; {remedy}"
    told = replace(kind, runtime=runtime.name, cause=cause, remedy=remedy)
    found = add_named(Recognised(told, runtime, said[:_EXCERPT].strip(), at=at), said)
    if runtime.name != _ANY and kind.name not in _OF_CODE:
        found = _add_part(found, text, kind)
    return add_raiser(found, text)


def read_refused(text: str) -> Recognised | None:
    """What the error that a text ends with says a program lacks: an operator, or the opset of the file.

    None where it names neither, or no program speaks.
    """
    said = find_statement(text)
    at = text.rfind(said)
    if is_own_code(text, at):
        return None
    return _read_refusal(guess_runtime(text) or _load_classes(), text)


def _read_refusal(runtime: Runtime, text: str) -> Recognised | None:
    """As `read_refused`, of a program that is known; what only ends a program has its cause in front of it.

    Where nothing is raised, the last that is said so counts, whatever the program logs behind it.
    """
    said = find_statement(text)
    at = text.rfind(said)
    refused = read_refusal(runtime, said, at)
    if refused is None and _WRAPS.match(said):
        return read_refusal(runtime, text[max(0, at - _LONG) : at], at)
    if refused is None and not _RAISED.search(text[-_READ:]):
        least = max(0, len(text) - _READ)
        for begin in range(len(text) - _LONG, least, -_LONG // 2):
            found = read_refusal(runtime, text[begin : begin + _LONG], begin)
            if found is not None:
                return found
    return refused


def describe_class(found: Recognised, text: str) -> Recognised:
    """A message of which its program alone is known, with what its class of error means."""
    speaker = guess_runtime(text)
    runtime = speaker if speaker and speaker.name == _READERS else found.runtime
    refused = _read_refusal(runtime, text) if found.kind.rank == "last" else None
    if refused is not None:
        return replace(refused, node=found.node, at=found.at)
    if found.kind.rank == "general":
        return add_place(found, text)
    if found.kind.rank != "last":
        return found
    if cut := find_cut(text):
        return _tell_cut(found.runtime, text, cut)
    kind = _find_class(text)
    said = find_statement(text)
    if kind is None:
        return add_raiser(_add_part(add_named(found, said), text, kind), text)
    if kind.name in _PACKAGES and _IMPORTS.search(said) and not has_words(found.runtime, said):
        told = replace(kind, cause=f"{_NOT_ITS_OWN} {kind.cause}")
        return replace(found, kind=told, runtime=_load_classes(), operator="", node="")
    cause = f"{found.kind.cause} By its class: {kind.cause}"
    remedy = f"{kind.remedy}; {found.kind.remedy}"
    found = add_named(replace(found, kind=replace(found.kind, cause=cause, remedy=remedy)), said)
    return add_raiser(found if kind.name in _OF_CODE else _add_part(found, text, kind), text)


def _tell_stranger(stranger: Stranger, text: str) -> Recognised:
    """That a text is of no exporter and no runtime, and of what it is."""
    runtime = _load_classes()
    kind = next(each for each in runtime.kinds if each.name == _STRANGER)
    told = replace(kind, cause=f"{kind.cause} {_OF} {stranger.whose}.", remedy=stranger.remedy)
    said = find_statement(text)
    return Recognised(told, runtime, said[:_EXCERPT].strip(), at=text.rfind(said))


def _tell_cut(runtime: Runtime, text: str, cut: str) -> Recognised:
    """That the error is not in the text, with what was under way."""
    kind = next(each for each in _load_classes().kinds if each.name == _CUT)
    told = replace(kind, runtime=runtime.name, cause=f"{kind.cause} {cut}")
    said = text[-_EXCERPT:].strip()
    found = Recognised(told, runtime, said, at=max(0, len(text) - _EXCERPT))
    return add_converted(found, text)


def _add_part(found: Recognised, text: str, kind: Kind | None) -> Recognised:
    """With the operator that was converted, else the part of the program that a source file of its own names."""
    told = add_converted(found, text)
    if told is not found:
        return told
    placed = add_place(found, text)
    if placed is found or kind is None or kind.name in _PLAIN:
        return placed
    told_kind = replace(
        placed.kind,
        cause=f"{placed.kind.cause} By its class: {kind.cause}",
        remedy=f"{placed.kind.remedy}; {kind.remedy}",
    )
    return replace(placed, kind=told_kind)


def _find_class(text: str) -> Kind | None:
    """The first of the classes, the plainest ones last, that speaks of what a text ends with."""
    if not looks_like_error(text):
        return None
    said = find_statement(text)
    lowered = said.lower()
    for kind in _load_classes().kinds:
        worded = (
            kind.rank == "class"
            and kind.name not in _APART
            and any(word in lowered for word in kind.needs)
        )
        if worded and kind.pattern and kind.pattern.search(said):
            return add_advice(add_details(kind, said), said)
    return None


def _find_stopped(said: str, text: str) -> Kind | None:
    """The class of what says no more than at which node it stopped."""
    if not looks_like_error(text) or not find_named(said)[1]:
        return None
    return next(each for each in _load_classes().kinds if each.name == _STOPPED)


def _load_classes() -> Runtime:
    return next(each for each in load_runtimes() if each.name == _ANY)


def find_statement(text: str) -> str:
    """What the last error of a text says, from its name on."""
    text = text[-_READ:]
    raised = [*_RAISED.finditer(text)]
    if not raised or _WEAK.match(raised[-1][0]):
        marked = _MARKED.search(text)
        if marked:
            return text[marked.start() : marked.start() + _LONG]
    start = raised[-1].start() if raised else max(0, len(text) - _LONG)
    return text[start : start + _LONG]


def find_ending(text: str) -> int:
    """Where the error is raised that a text ends with; -1 where it raises none."""
    start = max(0, len(text) - _READ)
    raised = [m for m in _RAISED.finditer(text, start) if not _WEAK.match(m[0])]
    return raised[-1].start() if raised else -1


def _read_phase(text: str) -> str:
    """The step that the words nearest before the end name."""
    near = text[-3 * _LONG :]
    last = [(max((m.end() for m in re.finditer(words, near)), default=-1), name) for name, words in _PHASES]  # fmt: skip
    at, name = max(last)
    return name if at >= 0 else ""
