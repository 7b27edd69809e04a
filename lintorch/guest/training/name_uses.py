"""What code does with a name, or with an attribute of `self`: called, gone through, asked, taken apart."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MAKERS = frozenset({"zeros", "ones", "empty", "full", "rand", "randn", "arange", "eye", "range"})
"""Functions that are given sizes."""
_WRAPS = frozenset({"enumerate", "tqdm", "iter", "zip", "log_every", "trange", "islice", "cycle", "track"})  # fmt: skip


@dataclass
class NameUses:
    """All uses of one name. `attributes` hold what is done with `name.attribute`."""

    attributes: dict[str, NameUses] = field(default_factory=dict)
    called_with: int = -1
    """The most arguments of a call of it, -1 where none is."""
    iterated: bool = False
    tested: bool = False
    calculated: bool = False
    ordered: bool = False
    """Whether it is asked whether it is larger or smaller than something."""
    divides: bool = False
    """Whether a whole number is divided by it: `step % args.log_interval`."""
    counts: bool = False
    """Whether something is made that is so large: `torch.zeros(b, n)`, `range(n)`."""
    compared: list[object] = field(default_factory=list)
    """Constants that it is compared with."""
    keys: list[object] = field(default_factory=list)
    """Constant subscripts."""
    unpacked: list[ast.expr] = field(default_factory=list)
    """What it is taken apart into."""
    sliced: bool = False
    given_to: set[str] = field(default_factory=set)
    """The names that the functions begin with that it is given to: "torch"."""
    results: int = 1
    """Into how much what a call of it gives is taken apart."""

    @property
    def methods(self) -> frozenset[str]:
        """Its attributes that are called."""
        return frozenset(name for name, each in self.attributes.items() if each.called_with >= 0)

    def count_axes(self) -> int:
        """Into how many sizes its shape is taken apart, as in `b, c, h, w = x.shape`; 0 where it is not."""
        found = [self.attributes[n] for n in ("shape", "size") if n in self.attributes]
        sizes = [
            len(t.elts) for e in found for t in e.unpacked if isinstance(t, (ast.Tuple, ast.List))
        ]
        return max([e.results for e in found if e.results > 1] + sizes, default=0)


Matches = Callable[[ast.expr], bool]


def is_name(name: str) -> Matches:
    """Asks whether an expression is this name."""
    return lambda node: isinstance(node, ast.Name) and node.id == name


def is_own_attribute(name: str) -> Matches:
    """Asks whether an expression is `self.name`."""
    return lambda node: (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def collect_uses(nodes: Iterable[ast.AST], matches: Matches) -> NameUses:
    """What the code below some nodes does with an expression."""
    found = NameUses()
    for root in nodes:
        parents = {child: node for node in ast.walk(root) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(root):
            if isinstance(node, ast.expr) and matches(node):
                _note_use(node, parents, found)
    return found


def _note_use(node: ast.expr, parents: dict[ast.AST, ast.AST], found: NameUses) -> None:
    above = parents.get(node)
    if isinstance(above, ast.Attribute):
        inner = found.attributes.setdefault(above.attr, NameUses())
        _note_use(above, parents, inner)
    elif isinstance(above, ast.Call):
        if above.func is node:
            found.called_with = max(found.called_with, len(above.args) + len(above.keywords))
            found.results = max(found.results, _count_results(above, parents))
        elif last_name(above.func) in _WRAPS:
            found.iterated = True
        elif last_name(above.func) in _MAKERS:
            found.counts = True
        else:
            found.given_to.add(_first_name(above.func))
    elif isinstance(above, (ast.Tuple, ast.List)):
        outer = parents.get(above)
        if isinstance(outer, ast.Call):
            found.given_to.add(_first_name(outer.func))
    elif isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
        found.iterated = True
    elif isinstance(above, ast.Compare):
        sides = (above.left, *above.comparators)
        found.ordered |= any(isinstance(each, _ORDERS) for each in above.ops)
        found.compared += [each.value for each in sides if isinstance(each, ast.Constant)]
    elif (isinstance(above, (ast.If, ast.While, ast.IfExp)) and above.test is node) or isinstance(
        above, (ast.BoolOp, ast.UnaryOp)
    ):
        found.tested = True
    elif isinstance(above, (ast.BinOp, ast.FormattedValue)):
        found.calculated = True
        if isinstance(above, ast.BinOp) and isinstance(above.op, (ast.Mod, ast.FloorDiv)):
            found.divides = found.divides or above.right is node
    elif isinstance(above, ast.Subscript) and above.value is node:
        if isinstance(above.slice, ast.Constant):
            found.keys.append(above.slice.value)
        else:
            found.sliced = True
    elif isinstance(above, ast.Assign) and above.value is node:
        found.unpacked += [
            each for each in above.targets if isinstance(each, (ast.Tuple, ast.List))
        ]


def _count_results(call: ast.Call, parents: dict[ast.AST, ast.AST]) -> int:
    """Into how much a statement takes apart what a call gives."""
    above = parents.get(call)
    target = above.targets[0] if isinstance(above, ast.Assign) else None
    return len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 1


def _first_name(node: ast.expr) -> str:
    """`torch` of `torch.nn.functional.relu`, `torch.cuda` of what is asked of a GPU, `net` of `self.net`."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    name, last = getattr(node, "id", ""), names[-1] if names else ""
    return last if name == "self" else "torch.cuda" if (name, last) == ("torch", "cuda") else name


def last_name(node: ast.expr) -> str:
    """`tqdm` of `tqdm.tqdm`; "" of what has no name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
