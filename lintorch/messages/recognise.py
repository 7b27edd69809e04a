"""Which known messages stand in a text, and the operators and nodes that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lintorch.messages.find_words import may_hold
from lintorch.messages.message_kinds import Kind, Runtime, load_runtimes
from lintorch.messages.read_moved import MOVED, find_moved
from lintorch.messages.who_speaks import (
    has_words,
    is_of_package,
    is_of_reader,
    is_of_translation,
    list_foreign,
    stands_alone,
    stands_apart,
)
from lintorch.targets.opset_history import is_standard

_BEFORE, _AFTER = 400, 1600
"""Characters around a word of a message in which the message is looked for."""
_AROUND = 1500
"""Characters around a message in which a context is looked for."""
_OFTEN = 16
"""Places of a word that are looked at from either end of a text."""
_MOST = 12
"""Messages that are told of one text."""
_EXCERPT = 240
_VALUES = "torch/truth-of-many"
"""Of a tensor in forward; a translation of the exporter says the same of an argument."""
_CALLED = re.compile(r"[^()\[\]]{0,40}(?:\[[^()\[\]]{1,40}\][^()\[\]]{0,20})?\(?")
_ERROR = re.compile(
    r"(?i:error|exception|failed|failure|fatal|assert|traceback|abort|not supported|insufficient|mismatch|"
    r"violation|expected .{1,80}, but (?:got|found) |unsupported (?:shape|op|operator|opset|type|model)\b|positional arguments? but \d|cannot |can't find|couldn't |could not|not found|missing |values to unpack|terminate called|not quantized|not ready|unable to |suitable kernel|exit code -?[1-9]|\] \d{1,8} killed |: \d{1,8} killed |0xc0000005|segmentation|"
    r"does not match|terminated abruptly|ret_check|symbol not found|no vulkan|invalid gpu|object reference not set|object can ?not be cloned|could not be cloned|faulting module|exception thrown|is not a member of|no member named|no matching function|invalid operands to|invalid choice|unrecognized arguments|arguments are required|no such option|887a000\d|invalid \w{1,20} (?:format|version|model|argument|input|shape|file)|not close enough|not within the set tolerance|object has no attribute|\be \d\d:\d\d:\d\d\.\d{1,9} executorch:|undefined symbol|undefined reference|unresolved external|signal \d|\bsig=(?:6|7|11) |abgebrochen|speicherzugriff|已放弃|已中止|核心已转储|段错误|segfault|exc_bad_access|most recent call first|#\d\d pc [0-9a-f]{6}|#0 0x[0-9a-f]{6,16} in )"
)


@dataclass(frozen=True)
class Recognised:
    """A message that is known; "" and no groups where it does not name them."""

    kind: Kind
    runtime: Runtime
    excerpt: str
    operator: str = ""
    node: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)
    at: int = 0
    times: int = 1


def recognise(text: str) -> tuple[Recognised, ...]:
    """The messages in a text that `unify_text` has made, causes first, each once.

    What only follows from others, or says less than they do, is left out where they are there. Takes
    a time that is bounded by the length of the text, whatever it holds.
    """
    lowered = text.lower()
    found: dict[tuple[str, str, str, str], Recognised] = {}
    foreign, is_apart = list_foreign(lowered), is_of_reader(lowered)
    is_packed = is_of_package(lowered)
    is_translated = is_of_translation(lowered)
    for runtime in load_runtimes():
        is_foreign = runtime.name in foreign
        is_silent = is_foreign and is_apart and stands_alone(runtime)
        is_named = has_words(runtime, lowered)
        is_unnamed = is_packed and stands_apart(runtime) and not is_named
        for kind in runtime.kinds:
            if (
                kind.rank in ("class", "place")
                or is_silent
                or is_unnamed
                or (kind.shared and is_foreign)
                or (kind.named and not is_named)
                or (is_translated and kind.full_name == _VALUES)
            ):
                continue
            for each in _find_kind(kind, runtime, text, lowered):
                said = each.excerpt if kind.rank == "last" else ""
                key = runtime.name, kind.name, each.operator, each.node + said
                before = found.get(key)
                found[key] = replace(before, times=before.times + 1) if before else each
    return tuple(_order(_drop_lesser([*found.values()])))[:_MOST]


def _find_kind(kind: Kind, runtime: Runtime, text: str, lowered: str) -> Iterator[Recognised]:
    seen: set[int] = set()
    for word in kind.needs:
        for at in _find_places(word, lowered):
            for start, stop, groups in _match_around(kind.pattern, text, at, at + len(word)):
                if kind.full_name == MOVED and find_moved(groups) is None:
                    continue
                if start not in seen:
                    seen.add(start)
                    yield _make_recognised(kind, runtime, text, start, stop, groups)


def _match_around(
    pattern: re.Pattern[str] | None, text: str, at: int, end: int
) -> Iterator[tuple[int, int, Mapping[str, str]]]:
    """The matches around a word that tell the most."""
    if pattern is None:
        yield at, end, {}
        return
    matches = [*pattern.finditer(text, max(0, at - _BEFORE), at + _AFTER)]
    named = [(match, _name_groups(match.groupdict())) for match in matches]
    most = max((len(groups) for _, groups in named), default=0)
    for match, groups in named:
        if len(groups) == most:
            yield *match.span(), groups


def _name_groups(groups: Mapping[str, str | None]) -> dict[str, str]:
    """Those that matched; `operator2` is what another spelling of a message calls `operator`."""
    return {name.rstrip("0123456789"): value for name, value in groups.items() if value}


def _find_places(word: str, lowered: str) -> Sequence[int]:
    places: list[int] = []
    at = lowered.find(word) if may_hold(lowered, word) else -1
    while at >= 0 and len(places) < _OFTEN:
        places.append(at)
        at = lowered.find(word, at + len(word))
    last = lowered.rfind(word) if at >= 0 else -1
    while last >= at > 0 and len(places) < 2 * _OFTEN:
        places.append(last)
        last = lowered.rfind(word, 0, last)
    return places


def _make_recognised(
    kind: Kind, runtime: Runtime, text: str, start: int, stop: int, groups: Mapping[str, str]
) -> Recognised:
    is_note = kind.rank == "note"
    around = {} if is_note else _find_context(runtime.contexts, text, start, stop)
    node = groups.get("node", "").strip() or around.get("node", "")
    operator = groups.get("operator") or kind.operator or _name_operator(node, around)
    head = text[start : max(stop, min(start + _EXCERPT, len(text)))][:_EXCERPT]
    if kind.rank == "last":
        head = groups.get("why", head)[:_EXCERPT]
    return Recognised(kind, runtime, head.strip(), operator, node, groups, start)


def _name_operator(node: str, around: Mapping[str, str]) -> str:
    """The operator that is named with this node; else what its name tells, as `/conv/Add_1`, else another one around."""
    if node and node == around.get("node", "").strip() and around.get("paired"):
        return around["paired"]
    named = "" if " " in node else node.rpartition("/")[2].partition("_")[0]
    return named if is_standard(named) else around.get("operator", "")


def _find_context(
    contexts: Sequence[re.Pattern[str]], text: str, start: int, stop: int
) -> Mapping[str, str]:
    """By the last match before the message, else the first after it; earlier patterns outweigh later ones."""
    found: dict[str, str] = {}
    for pattern in contexts:
        begin, end = max(0, start - _AROUND), stop + _AROUND
        matches = [*pattern.finditer(text, begin, end)]
        if matches:
            before = [match for match in matches if match.start() <= stop]
            chosen = before[-1] if before else matches[0]
            named = _name_groups(chosen.groupdict())
            if "node" in named and "node" not in found:
                found["paired"] = named.get("operator", "")
            found = {**named, **found}
    return found


def _drop_lesser(found: Sequence[Recognised]) -> Iterator[Recognised]:
    """What yields to another one yields only where that one is told."""
    kept = [*_drop_ranks([*_drop_echoes(found)])]
    for each in kept:
        if any(_outweighs(other, each) for other in kept):
            continue
        if not (each.operator or each.node) and any(_says_more(o, each) for o in kept):
            continue
        yield each


def _outweighs(other: Recognised, each: Recognised) -> bool:
    """Whether one yields to the other by its kind's name, or to every cause of that runtime."""
    names = each.kind.yields_to
    is_cause = other.kind.rank == "cause" and f"{other.kind.runtime}/*" in names
    return is_cause or other.kind.full_name in names


def _drop_ranks(found: Sequence[Recognised]) -> Iterator[Recognised]:
    causes = [each for each in found if each.kind.rank == "cause"]
    told = [each for each in found if each.kind.rank in ("cause", "broad")]
    errors = [each for each in found if each.kind.rank in ("cause", "broad", "general")]
    lasts = [each for each in found if each.kind.rank == "last"]
    for each in found:
        better = {"broad": causes, "general": told}.get(each.kind.rank, ())
        near = [other for other in better if abs(other.at - each.at) < _AROUND]
        if any(o.runtime is each.runtime for o in near):
            continue
        if each.kind.rank == "last" and (
            errors or each.runtime in [o.runtime for o in lasts[: lasts.index(each)]]
        ):
            continue
        if each.kind.rank == "last" and any(_leads_there(other, each) for other in found):
            continue
        if each.kind.rank == "symptom" and (errors or lasts):
            continue
        yield each


def _drop_echoes(found: Sequence[Recognised]) -> Iterator[Recognised]:
    """Without the lines of a program that say no more than a symptom does."""
    words = {word for each in found if each.kind.rank == "symptom" for word in each.kind.needs}
    for each in found:
        head = each.excerpt.lower()
        if each.kind.rank not in ("general", "last") or not any(_opens(head, w) for w in words):
            yield each


def _opens(head: str, word: str) -> bool:
    """Whether nothing stands before a word but what a program calls its errors: `Error Code 4: Internal Error (`."""
    before, found, _ = head.partition(word)
    return bool(found) and _CALLED.fullmatch(before) is not None


def _leads_there(other: Recognised, found: Recognised) -> bool:
    """Whether another program of Python called the one that failed: one traceback goes through both."""
    outer = other.kind.rank == "last" and other.runtime.own_line and found.runtime.own_line
    return outer and other.at < found.at


def _says_more(other: Recognised, found: Recognised) -> bool:
    """Whether another one of the same kind names more."""
    return other.kind is found.kind and len(other.groups) > len(found.groups)


def _order(found: Iterator[Recognised]) -> Sequence[Recognised]:
    ranks = "cause", "broad", "general", "last", "symptom", "note"
    return sorted(found, key=lambda each: (ranks.index(each.kind.rank), each.at))


def looks_like_error(text: str) -> bool:
    """Whether a text that `unify_text` has made speaks of an error."""
    return bool(_ERROR.search(text))
