"""What happens while code is evaluated, as rules see it: one record for each time a place is reached."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from lintorch.evaluator.exporters import EVERYONE
from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.signatures.bind_arguments import bind_call
from lintorch.evaluator.signatures.find_signatures import UNWRITTEN, Parameter
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Constant,
    Held,
    Items,
    Number,
    Spot,
    Tensor,
    Value,
    Via,
)


@frozen_record
class Way:
    """How a place was reached: the model or script, and the calls on the way, outermost first."""

    root: str
    names: tuple[str, ...]
    """Functions entered, as `SwinTransformer.forward`."""
    spots: tuple[Spot, ...]
    """Of the calls by which each of them was entered, after the first."""
    forward: bool
    """Whether it runs in a forward pass that is exported."""
    certain: bool = True
    """Whether no branch that is not decided lies before it."""
    exporters: frozenset[str] = EVERYONE
    """Who comes there, where code asks who runs it."""


@frozen_record
class Occurrence:
    """What happened at a place: its node, where it stands, and how it was reached."""

    node: ast.AST
    spot: Spot
    way: Way


@frozen_record
class Called(Occurrence):
    """A function of no file of the project was called.

    `name` is its full name: a method of a tensor is `torch.Tensor.view`, the forward of a layer
    `torch.nn.Conv2d.forward`. `positional` and `keyword` are as they were given, lists with the
    items that they had then; `open`: some of them are unknown. Of a layer's forward `settings` are
    the arguments of its constructor by name, with defaults, and `built` is where it was made.
    """

    name: str
    positional: tuple[Value, ...]
    keyword: Mapping[str, Value]
    open: bool
    result: Value
    settings: Mapping[str, Value] = field(default_factory=dict)
    built: Spot | None = None

    @cached_property
    def arguments(self) -> Mapping[str, Value]:
        """By the parameters of the signature, with defaults and `settings`; the tensor of a method is `self`.

        Nothing where they are not all known.
        """
        of_tensor = self.name.startswith("torch.Tensor.")
        skip = of_tensor or self.name.endswith(".forward")
        given = None
        if not self.open:
            given = bind_call(self.name, self.positional[skip:], self.keyword, _may_be_meant)
        if given is None:
            return self.settings
        if of_tensor:
            given["self"] = self.positional[0]
        return {**self.settings, **{k: as_value(v) for k, v in given.items()}}


@frozen_record
class Decided(Occurrence):
    """A condition of `if`, `while`, `assert`, a conditional expression or comprehension was asked.

    `answer`: whether it holds, None where that is not decided.
    """

    kind: str
    test: Value
    answer: bool | None
    branch: ast.AST | None = None
    """The whole statement or expression that asks."""


@frozen_record
class Compared(Occurrence):
    """Two values were compared: `x.size(0) == 1`; by `is` only where none is None."""

    operator: str
    left: Value
    right: Value
    result: Value


@frozen_record
class Ordered(Occurrence):
    """Python compared numbers of which data tell: `max(a, b)`, `sorted(rows, key=score)`, `scores.index(best)`.

    `name` is the function's; `chooses`: something else hangs on it than a number alone.
    """

    name: str
    chooses: bool


@frozen_record
class Repeated(Occurrence):
    """A loop or comprehension went over a value."""

    over: Value
    loop: ast.AST | None = None
    """The whole loop or comprehension."""


@frozen_record
class Combined(Occurrence):
    """An operation of two values: `x + y`; `operator` is the class of the ast node, "Add".

    `-x` of a tensor is `x * -1`, `~x` of one `x ^ -1`.
    """

    operator: str
    left: Value
    right: Value
    inplace: bool
    result: Value


@frozen_record
class Indexed(Occurrence):
    """`x[index]` was read."""

    held: Value
    index: Value
    result: Value


@frozen_record
class ItemSet(Occurrence):
    """`x[index] = value`."""

    held: Value
    index: Value
    value: Value


@frozen_record
class AttributeSet(Occurrence):
    """`self.x = value` of an object."""

    held: Value
    attribute: str
    value: Value


@frozen_record
class AttributeRead(Occurrence):
    """`x.data` of a tensor or of something foreign."""

    held: Value
    attribute: str
    result: Value


@frozen_record
class Baked(Occurrence):
    """A number that went through a function after it was read from a size ends in what a model computes.

    It stands where that function was called; `via` says which, `also` the others it went through.
    """

    via: Via
    also: frozenset[str]
    varies: bool | None


@frozen_record
class DataRead(Occurrence):
    """A number or array that was read from the data of a tensor ends in what a model computes.

    It stands where it was read; `by`: what was given it, or gave it back.
    """

    name: str
    """The function that read it, `int` of `int(x.item())`."""
    by: Occurrence
    own: bool = False
    """Whether no input has a part in that data: of a weight, a buffer, what was drawn or made."""


@frozen_record
class Refused(Occurrence):
    """An operator raises for the shapes that it is given, whatever their symbols stand for."""

    name: str
    message: str
    operands: tuple[Value, ...]
    founded: bool
    """Whether no operand has a shape that is only presumed."""
    made: Spot | None = None
    """Of a layer: where it was made."""
    by_defaults: bool = False
    """Whether it does so only as the defaults have it of a class that nobody builds."""


@frozen_record
class IdleRow(Occurrence):
    """A Sequential that nothing runs was tried by itself, on a tensor of which nothing is known.

    `happened` is what that came to, told nowhere else; `Refused` are those of every number of axes.
    """

    happened: tuple[Occurrence, ...]


@frozen_record
class Wrapped(Occurrence):
    """A forward that decorators wrapped is called: it stands at the `def`.

    `wrappers`: the functions that run instead, outermost first.
    """

    inside: ast.FunctionDef
    wrappers: tuple[ast.AST, ...]


@frozen_record
class ModelCalled(Occurrence):
    """`model(x)`: a model of the project was called, by none of its own kind."""

    held: Value


@frozen_record
class ClosedCalled(Occurrence):
    """`model(x)` of a model of the project that is not entered: `result` is what it gives."""

    held: Value
    result: Value = field(compare=False, repr=False)


@frozen_record
class ModelHandled(Occurrence):
    """A model was given to an exporter, or is called beside a runtime (`name` is "" then).

    `training`: whether it is in training mode, None where that is not known. `layers`: the classes
    of its layers that depend on it, and "self.training" where a forward asks for it.
    """

    name: str
    held: Held
    training: bool | None
    layers: frozenset[str]


@frozen_record
class PlainModeSet(Occurrence):
    """`model.eval()` of a model that is known to do the same in training mode."""

    held: Value


@frozen_record
class ForwardCalled(Occurrence):
    """`model.forward(x)`: the forward of a model of the project was called by its name."""

    held: Value


@frozen_record
class OwnGradientCalled(Occurrence):
    """`Swish.apply(x)`: a function with a gradient of its own was called; `ran`: layers that it called.

    `models` says whether it was given a model of the project, or a container of models.
    """

    name: str
    ran: tuple[Called, ...]
    models: bool = False


@frozen_record
class Returned(Occurrence):
    """The forward of a root gave a value; what stood in lists and dicts at that time is in Items."""

    value: Value
    inside: ast.FunctionDef
    """The forward."""


@frozen_record
class Entered(Occurrence):
    """A function of a file begins to run: it stands at its `def`; `given` are its parameters by name."""

    given: Mapping[str, Value]


@frozen_record
class GivenBack(Occurrence):
    """A function of a file gave a value, by the expression at which this stands."""

    value: Value


@frozen_record
class Valued(Occurrence):
    """An expression of a watched row was evaluated, or a name in it assigned; told only on request.

    `shown` is the value as text, as it was then; `row` where the statement begins; `turn` tells
    apart the times that it was carried out.
    """

    shown: str
    value: Value
    row: int
    turn: int


def as_value(given: Any) -> Value:
    """An argument, or a default as torch writes it down, as a value."""
    if isinstance(given, tuple):
        return Items("tuple", tuple(map(as_value, given)))
    if isinstance(given, Value):
        return given
    return UNKNOWN if given is UNWRITTEN or isinstance(given, dict) else Constant(given)


def _may_be_meant(parameter: Parameter, given: Any) -> bool:
    """Whether a value may be meant for a parameter that stands for one of several overloads."""
    if parameter.type == "Tensor":
        return not isinstance(given, (Constant, Number, Items)) or given == NONE
    return not isinstance(given, Tensor) or parameter.type not in ("int", "ints", "float", "dtype")
