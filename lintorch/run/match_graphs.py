"""Which nodes of two graphs are one another: of a file that an optimizer went over, and an export made now."""

from __future__ import annotations

import difflib
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence

from lintorch.onnx_file import OnnxGraph, OnnxNode

MOST_NODES = 6000
_WORDS = {"MatMul": "Linear", "Gemm": "Linear", "FusedConv": "Conv", "FusedMatMul": "Linear"}
_BIAS = "Add of a bias"
_PASSED = frozenset(
    ("Identity", "Cast", "Dropout", "BatchNormalization", "Add", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Flatten", "Expand", "Slice", "Pad", _BIAS)
)  # fmt: skip
"""What an optimizer takes away, folds into the node before, or puts in."""
_HOPS = 3
Pairs = dict[int, int]
"""By number of a node of the one, the number of the node of the other."""


def match_graphs(own: OnnxGraph, other: OnnxGraph) -> Pairs:
    """By their weights in order, then along the graph from what is known, then by what is left between.

    Numbers are those of `nodes`. No node is given twice, and what is not told apart is left out.
    """
    left, right = _Side(own), _Side(other)
    pairs = dict(_match_in_order(left.anchors, right.anchors, left, right))
    _spread(pairs, left, right)
    _fill(pairs, left, right)
    _spread(pairs, left, right)
    return {
        left.places[own]: right.places[other]
        for own, other in pairs.items()
        if _is_consistent(own, other, pairs, left, right)
    }


def _is_consistent(own: int, other: int, pairs: Pairs, left: _Side, right: _Side) -> bool:
    """Whether what gives the one its values is, where it has a pair, among what gives the other its own."""
    wanted = {pairs[n] for n in left.list_makers(own) if n in pairs}
    level, seen = [other], {other}
    for _ in range(2 * _HOPS):
        if wanted <= seen:
            break
        level = [n for each in level for n in right.list_makers(each) if n not in seen]
        seen.update(level)
    return wanted <= seen


class _Side:
    """A graph with who gives and takes each value."""

    def __init__(self, graph: OnnxGraph) -> None:
        self.places = list(_walk_back(graph))
        """By number here, the number in the file: an order that the graph alone decides."""
        self.nodes: Sequence[OnnxNode] = [graph.nodes[each] for each in self.places]
        self.weights = {each.name: tuple(sorted(each.dims)) for each in graph.initializers}
        self.words = [*map(self._name_word, self.nodes)]
        self._made = {out: n for n, node in enumerate(self.nodes) for out in node.outputs if out}
        self._takers: dict[str, list[int]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            for name in node.inputs:
                self._takers[name].append(number)
        self.anchors = [n for n in range(len(self.nodes)) if self._is_anchor(n)]

    def _name_word(self, node: OnnxNode) -> str:
        if node.operator == "Add" and any(len(self.weights.get(e, ())) == 1 for e in node.inputs):
            return _BIAS
        return _WORDS.get(node.operator, node.operator)

    def token(self, number: int) -> tuple[object, ...]:
        """The word, and the sizes of its first weight of two dimensions or more."""
        dims = (self.weights.get(each, ()) for each in self.nodes[number].inputs)
        return self.words[number], next((each for each in dims if len(each) > 1), ())

    def list_takers(self, number: int) -> list[int]:
        """Nodes that take what it gives, each once, in the order of the file."""
        found = (n for out in self.nodes[number].outputs for n in self._takers.get(out, ()))
        return list(dict.fromkeys(found))

    def list_makers(self, number: int) -> list[int]:
        """Nodes that give what it takes, in the order of its inputs."""
        found = (self._made.get(each) for each in self.nodes[number].inputs)
        return [each for each in dict.fromkeys(found) if each is not None]

    def _is_anchor(self, number: int) -> bool:
        return bool(self.token(number)[1])


def _walk_back(graph: OnnxGraph) -> Iterator[int]:
    """From the outputs back along the inputs, each node behind what it takes; those that lead nowhere come last."""
    nodes = graph.nodes[:MOST_NODES]
    made = {out: n for n, node in enumerate(nodes) for out in node.outputs if out}
    starts = [made[each.name] for each in graph.outputs if each.name in made]
    told: set[int] = set()
    entered: set[int] = set()
    for start in (*starts, *range(len(nodes))):
        waiting = [(start, False)]
        while waiting:
            number, ready = waiting.pop()
            if ready:
                if number not in told:
                    told.add(number)
                    yield number
                continue
            if number in entered:
                continue
            entered.add(number)
            waiting.append((number, True))
            makers = (made.get(each) for each in reversed(nodes[number].inputs))
            waiting += [(each, False) for each in makers if each is not None and each != number]


def _match_in_order(
    ours: Sequence[int], theirs: Sequence[int], left: _Side, right: _Side
) -> Iterator[tuple[int, int]]:
    words = [left.token(n) for n in ours], [right.token(n) for n in theirs]
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    for begin, there, length in matcher.get_matching_blocks():
        for step in range(length):
            yield ours[begin + step], theirs[there + step]


def _spread(pairs: Pairs, left: _Side, right: _Side) -> None:
    """From each pair to the nodes before and behind that are alone of their kind on both sides."""
    waiting, used = deque(pairs.items()), set(pairs.values())
    while waiting:
        own, other = waiting.popleft()
        for walk in (_Side.list_takers, _Side.list_makers):
            for one, two in _pair_beside(walk, own, other, left, right, pairs, used):
                pairs[one] = two
                used.add(two)
                waiting.append((one, two))


def _pair_beside(
    walk: Callable[[_Side, int], list[int]],
    own: int,
    other: int,
    left: _Side,
    right: _Side,
    pairs: Pairs,
    used: set[int],
) -> list[tuple[int, int]]:
    ours = [n for n in walk(left, own) if n not in pairs]
    found = []
    for number in ours:
        word = left.words[number]
        alike = [n for n in ours if left.words[n] == word]
        theirs = _reach(walk, other, right, used, word)
        if len(alike) == len(theirs):
            found.append((number, theirs[alike.index(number)]))
    return found


def _reach(
    walk: Callable[[_Side, int], list[int]], start: int, side: _Side, used: set[int], word: str
) -> list[int]:
    """The nearest nodes of a word, behind nodes that an optimizer may have taken away."""
    level = [start]
    for _ in range(_HOPS):
        beside = list(dict.fromkeys(n for each in level for n in walk(side, each)))
        found = [n for n in beside if side.words[n] == word and n not in used]
        if found:
            return found
        level = [n for n in beside if side.words[n] in _PASSED and n not in used]
    return []


def _fill(pairs: Pairs, left: _Side, right: _Side) -> None:
    """What stands between two pairs in the order of both files, where its operators are the same."""
    known = sorted(pairs.items())
    bounds = [(-1, -1), *known, (len(left.nodes), len(right.nodes))]
    used = set(pairs.values())
    for (begin, there), (end, until) in itertools.pairwise(bounds):
        if until <= there:
            continue
        ours = [n for n in range(begin + 1, end) if n not in pairs]
        theirs = [n for n in range(there + 1, until) if n not in used]
        for number in ours:
            alike = [n for n in ours if left.words[n] == left.words[number]]
            same = [n for n in theirs if right.words[n] == left.words[number]]
            if len(alike) == len(same):
                pairs[number] = same[alike.index(number)]
                used.add(pairs[number])
