"""What an expression may be worth: kinds of values, each a frozen class.

What can change in place (objects, lists, dictionaries, the names of a function) is a Held: an
address in the heap of a state, which says what is in it at that time.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lintorch.evaluator.frozen_records import frozen_identity, frozen_record
from lintorch.evaluator.sizes import Dim, varies

if TYPE_CHECKING:
    from lintorch.evaluator.code_files import CodeFile


@frozen_record
class Spot:
    """A place in source: rows from 1, columns of UTF-8 bytes from 0, as `ast` counts them."""

    path: str
    row: int
    column: int
    end_row: int
    end_column: int

    def is_within(self, other: Spot) -> bool:
        """Whether it begins inside of another."""
        begin, end = (other.row, other.column), (other.end_row, other.end_column)
        return self.path == other.path and begin <= (self.row, self.column) < end


@frozen_record
class Via:
    """A function that a number went through after it was read from a size, and where."""

    name: str
    spot: Spot
    size: Dim | None = None
    """What is known of the number that it was given."""
    whole: bool | None = None
    """Whether that was an int."""
    data: bool = False
    """Whether the number was read from the data of a tensor there, or before."""


class Value:
    """What is known of what an expression gives."""

    __slots__ = ()


@frozen_record
class Unknown(Value):
    """Nothing is known but where it came from: `path` is the name it was reached by, or ""."""

    path: str = ""


SLICED = "[:]"
"""How the path of a part of something unknown ends; whatever that is, it is not None."""


@frozen_identity
class Constant(Value):
    """A Python value that is the same in every run: None, a bool, number, text, bytes, Ellipsis."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Constant)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@frozen_record
class Number(Value):
    """A Python number that is not written down.

    `size` says what is known of an int that comes from sizes. `whole`: True for ints, False for
    floats. `varies`: whether it differs between runs, by the sizes of what the model is given.
    `data`: whether it was read from the data of a tensor. `truth`: whether it is a bool.
    `via`: the functions it went through since it was read.
    """

    size: Dim | None = None
    whole: bool | None = None
    varies: bool | None = None
    data: bool = False
    truth: bool = False
    via: frozenset[Via] = frozenset()
    asked: tuple[Question, ...] = ()
    """Of a bool: the comparisons that it is the answer of."""
    own: bool = False
    """Whether it was read from a tensor in which no input has a part: a weight, a buffer, one that was
    drawn or made. What `torch.tensor` makes of one Python number is none of these: exporters keep it."""


@frozen_record
class Question:
    """`left OPERATOR right`."""

    operator: str
    left: Value
    right: Value


@frozen_record
class ByExporter(Value):
    """The answer to a question about who runs the code: yes for those that are told."""

    told: frozenset[str]


@frozen_record
class ClassOfNumber(Value):
    """`type(x.shape[0])`, which differs between exporters."""

    number: Number


@frozen_record
class Tensor(Value):
    """A tensor.

    `shape` is None where not even the rank is known; a size in it None where nothing is known of
    it. `memory`: names of the storages it may share (`input x`, `parameter weight`). `origin`:
    "input", "parameter", "buffer", "constant" (made from Python values), "sizes" (made from
    sizes) or "" (computed). `sure`: False where it is only presumed to be one.
    """

    shape: tuple[Dim, ...] | None = None
    dtype: str | None = None
    origin: str = ""
    name: str = ""
    memory: frozenset[str] = frozenset()
    sure: bool = True
    via: frozenset[Via] = frozenset()
    size_of: Number | None = None
    """The number of sizes that it was made from, if it was."""
    guessed: bool = False
    """Whether its shape follows from one that an input is only presumed to have."""
    ranked_as: str = ""
    """Where the shape is unknown: the input that has as many axes."""
    turned_from: str = ""
    """The same where its axes may stand in another order: `x.transpose(1, 2)`."""
    grown_from: str = ""
    """The input that has one axis less, behind whose batch one was put: `x.unsqueeze(1)`."""
    joined_from: tuple[str, ...] = ()
    """The same where several inputs were joined: `torch.cat([image, mask], 1)`."""
    rows: Dim | None = None
    """Where the shape is unknown: how many rows it has, if data decide that."""
    arms: tuple[Value, ...] = field(default=(), compare=False, repr=False)
    """Where paths have met: what it is on each of them. Of what its use proves to be a tensor: what that is."""
    data: bool | None = True
    """Whether an input has a part in its numbers: not if they are made of Python's, of sizes, chance
    or weights alone. None of an input that may be a Python number, and of what is made of it."""
    aside: bool = False
    """Whether it was read off `.data`, whose sizes are plain numbers to a tracer."""


@frozen_record
class Array(Value):
    """An array of NumPy."""

    shape: tuple[Dim, ...] | None = None
    memory: frozenset[str] = frozenset()
    traced: bool = False
    """Whether it was made from a tensor that the model computes."""
    via: frozenset[Via] = frozenset()
    """Where the data of tensors became arrays."""
    dtype: str | None = None


@frozen_record
class Items(Value):
    """A tuple, `torch.Size`, range, set, generator or dictionary view: what cannot be changed in place.

    `items` is None where not even the number of them is known; `each` is then what each of them is.
    """

    kind: str
    items: tuple[Value, ...] | None
    each: Value = field(default_factory=Unknown)
    length: Number | None = None
    of_input: str = ""
    """Of a Size that is not known: the input that it is the shape of."""
    like_input: str = ""
    """The same of an input that has as many axes, and may be of other sizes."""
    spread: tuple[tuple[Value, ...], Value, tuple[Value, ...]] | None = None
    """Of `a, *x.shape, b`: what stands ahead of the one part of which the items are not known, it, and what
    stands behind."""
    guessed: bool = field(default=False, compare=False)
    """Of a Size: whether the tensor is only presumed to have so many axes."""


@frozen_record
class Slice(Value):
    """`start:stop:step`."""

    start: Value
    stop: Value
    step: Value
    of_one: bool = False
    """Whether it is written as one step, `i : i + 1`."""


@frozen_record
class Held(Value):
    """A list, dict, set or object in the heap. `kind`: "list", "dict" or "object" (of class `of`)."""

    address: int
    kind: str
    of: Class | External | None = None


@frozen_record
class External(Value):
    """A name that no file of the project defines: `torch.nn.functional.relu`, `len`."""

    path: str


@frozen_record
class ModuleValue(Value):
    """A module that is a file."""

    file: CodeFile


@frozen_identity
class Frame:
    """The names of a running or finished function: an address in the heap, and what encloses it."""

    address: int
    outer: Frame | None
    file: CodeFile
    declared: frozenset[str] = frozenset()
    """Names that the function says are global or nonlocal."""


@frozen_identity
class Function(Value):
    """A function of a file: its node, where it was defined, the defaults of its parameters."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    file: CodeFile
    closure: Frame | None
    defaults: tuple[Value, ...] = ()
    keyword_defaults: tuple[tuple[str, Value], ...] = ()
    owner: Class | None = None
    """The class it is a method of."""
    kind: str = ""
    """"static", "class" or "property" where a decorator says so."""
    setter: Function | None = None
    """What is called where such a property is given a value."""
    wrapped: Function | None = None
    """The function that it stands for and whose signature it shows, by `functools.wraps`."""

    @property
    def inmost(self) -> Function:
        """The function that was written down before decorators wrapped it."""
        return self if self.wrapped is None else self.wrapped.inmost

    @property
    def name(self) -> str:
        """As written; "<lambda>" of a lambda."""
        return getattr(self.node, "name", "<lambda>")


@frozen_record
class Bound(Value):
    """A method with its object, or any callable with arguments kept for it (`functools.partial`)."""

    function: Value
    positional: tuple[Value, ...]
    keyword: tuple[tuple[str, Value], ...] = ()
    method: str = ""
    """The name it was reached by on its object; the object is the first argument then."""


@frozen_identity
class Class(Value):
    """A class of a file."""

    node: ast.ClassDef
    file: CodeFile
    bases: tuple[Value, ...]
    address: int
    """Of its attributes in the heap."""

    @property
    def name(self) -> str:
        """As written."""
        return self.node.name

    @cached_property
    def ancestors(self) -> tuple[Class | External, ...]:
        """Itself and what it derives from, in the order in which attributes are looked for."""
        seen: list[Class | External] = []
        waiting: list[Value] = [self]
        while waiting:
            first = waiting.pop(0)
            if isinstance(first, (Class, External)) and first not in seen:
                seen.append(first)
                if isinstance(first, Class):
                    waiting = [*first.bases, *waiting]
        return tuple(seen)


@frozen_record
class Super(Value):
    """`super()`: the object, and the class after which methods are looked for."""

    instance: Value
    after: Class


@frozen_record
class Choice(Value):
    """One of a few values: which branch was taken is not known."""

    alternatives: tuple[Value, ...]


@frozen_record
class Given:
    """The arguments of a call; `open`: there are others that are not known."""

    positional: tuple[Value, ...] = ()
    keyword: Mapping[str, Value] = field(default_factory=dict)
    open: bool = False
    bound: dict[str, dict[str, Value] | None] = field(
        default_factory=dict, compare=False, repr=False
    )
    """By the name of a layer: the same as its constructor takes them, kept by whoever binds them."""

    def behind(self, *first: Value) -> Given:
        """The same after others."""
        return Given((*first, *self.positional), self.keyword, self.open)

    def pick(self, index: int, name: str = "") -> Value | None:
        """The argument at a position, or by its name."""
        if index < len(self.positional):
            return self.positional[index]
        return self.keyword.get(name)

    @property
    def values(self) -> tuple[Value, ...]:
        """All that are known."""
        return (*self.positional, *self.keyword.values())


UNKNOWN = Unknown()
NONE = Constant(None)
TRUE, FALSE = Constant(True), Constant(False)
UNSAVED = "unsaved"
"""How the second name of a buffer's storage begins where the buffer is not persistent."""
OPEN_NUMBER = Number()
OPEN_BOOL = Number(truth=True, whole=True)
DATA_BOOL = Number(truth=True, whole=True, data=True)


def make_number(size: Dim, via: frozenset[Via] = frozenset()) -> Value:
    """The value of a size."""
    if isinstance(size, int):
        return Constant(size)
    return Number(size, whole=True, varies=varies(size), via=via)


def name_setting(value: Value | None) -> str:
    """The parameter of a root's constructor that a value is, where nothing else is known of it; else ""."""
    path = value.path if isinstance(value, Unknown) else ""
    return path[1:-1] if path.startswith("<") and path.endswith(">") else ""


def size_in(value: Value) -> Dim | None:
    """The size that a value is, if it is a known int or an expression of sizes."""
    if isinstance(value, Constant):
        return int(value.value) if isinstance(value.value, int) else None
    return value.size if isinstance(value, Number) else None


def find_unproven(value: Value) -> Value:
    """What a value is that its use alone proves to be a tensor; others as they are."""
    if isinstance(value, Tensor) and len(value.arms) == 1 and isinstance(value.arms[0], Unknown):
        return value.arms[0]
    return value


def is_number(value: Value) -> bool:
    """Whether it surely is a Python number."""
    if isinstance(value, Constant):
        return isinstance(value.value, (int, float))
    return isinstance(value, Number)


def is_own(value: Value) -> bool:
    """Whether it is a tensor that the model holds, draws or makes itself, or a number read from one."""
    if isinstance(value, Tensor):
        return value.data is False and value.origin != "constant"
    return isinstance(value, Number) and value.own
