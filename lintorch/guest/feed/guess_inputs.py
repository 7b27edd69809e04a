"""What a model is probably fed: from what it says of itself, its signature and its first layers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from torch import nn

from lintorch.guest.construct.parameters import list_positional_parameters
from lintorch.guest.feed import model_attributes
from lintorch.guest.feed.counted_rows import count_rows
from lintorch.guest.feed.embedded_parameters import find_embedded
from lintorch.guest.feed.guess_lengths import follow_longest, link_lengths
from lintorch.guest.feed.handed_on import find_handed
from lintorch.guest.feed.kept_series import find_kept_series
from lintorch.guest.feed.said_axes import AxisNamer
from lintorch.guest.feed.said_shapes import SaidShape, read_said_shapes
from lintorch.guest.feed.shape_forms import (
    COMMON_FORMS,
    InputForm,
    choose_form_by_name,
    list_layer_forms,
)
from lintorch.guest.feed.spread_star import spread_star
from lintorch.record.arguments import pick_tensors
from lintorch.record.input_notation import FIRST_SIZES
from lintorch.record.models import FedArgument, Input, PlainArgument

_BIG_SIDE = 320
"""Pixels; bigger sides are tried at about a quarter, too."""
COMMON_SIDES = (64, 32, 96, 128, 224, 256, 299, 320, 512)
"""Pixels of sides that models are commonly made for, in the order they are tried."""
SPATIAL = ("depth", "height", "width")
"""Names of sizes of images and volumes."""
_GRAPH_NAMES = re.compile(r"adj\w*|\w*_adj|\w*adjacency\w*|A")
_PAIRS_NAMES = re.compile(r"\w+_(matrix|matrices|mats?)")
"""Names of what there is for each two places of a sequence: intervals, distances."""
_MASK_NAMES = re.compile(r"\w*mask\w*")
_TIME_NAMES = re.compile(
    r"t|time|timesteps?|sigma|noise_level|step|(diffusion|noise)_(step|time|level)s?"
)
_CONTEXT_NAMES = re.compile(r"encoder_hidden_states|context|text_emb\w*|prompt_embeds")
_VECTOR_NAMES = re.compile(
    r"(speaker|spk|style|emotion|prosody|gst|ref)_?(emb|embed|embeddings?|embeds?|vectors?|vecs?)|[dx]_?vec(tor)?s?"
)
"""Names of what tells of a speaker or a style, beside a text: a vector a sample."""
_VECTOR_WIDTH = 64
_LABEL_NAMES = re.compile(r"class_(labels?|ids?|idx)|labels")
_KIND_NAMES = re.compile(
    r"(class_|style_|domain_|spk_|speaker_|emotion_|cond_)?(labels?|ids?|idx|index)|y|cls|speakers?|spk|spkr"
)
"""Names of what a sample as a whole is of: a class, a speaker."""
_ROW_NAMES = re.compile(
    r"((pos|neg|positive|negative)_)?(users?|items?|movies?|heads?|tails?|relations?|rels?|entity|entities)"
    r"(_?(ids?|idx|index|indices|indexes|input)|_[ijk])?|[ui]_?(ids?|idx)"
)
_PERSON_NAMES = re.compile(r"users?(_?(ids?|idx|index|indices))?|uids?|u_?(ids?|idx)")
"""Names of what there is one of for each sample, beside what that one did."""
_FEW_ROWS = 2
"""Rows of a table of which nothing tells how many it has."""
_TARGET_NAMES = re.compile(r"(\w*_)?(targets?|labels?|y|gt|y_true|true|truth|mask|masks)")
_PREDICTION_NAMES = re.compile(
    r"(\w*_)?(pred|preds|predictions?|inputs?|logits?|outputs?|y_pred|scores?|x)\w*"
)


@dataclass(frozen=True)
class Guess:
    """Inputs to try, with the first values of their named sizes.

    `plain` are the values beside them, and `order` the names of `forward`'s parameters, by which both
    are put together. It is `followed` where a call of the project feeds such ones; where one feeds some
    alone, these are `known`.
    """

    inputs: tuple[Input, ...]
    sizes: dict[str, int]
    plain: tuple[PlainArgument, ...] = ()
    order: tuple[str, ...] = ()
    followed: bool = False
    known: tuple[Input, ...] = ()

    @classmethod
    def of_arguments(cls, arguments: Sequence[FedArgument], sizes: Mapping[str, int]) -> Guess:
        """These very arguments, in this order."""
        plain = tuple(given for given in arguments if isinstance(given, PlainArgument))
        order = tuple(given.name for given in arguments)
        return cls(pick_tensors(arguments), dict(sizes), plain, order)

    def list_arguments(self) -> tuple[FedArgument, ...]:
        """Tensors and plain values in the order in which they are passed."""
        if not self.plain:
            return self.inputs
        place = {name: number for number, name in enumerate(self.order)}
        every: tuple[FedArgument, ...] = (*self.inputs, *self.plain)
        return tuple(sorted(every, key=lambda given: place.get(given.name, len(place))))

    def with_sizes(self, **sizes: int) -> Guess:
        """The same inputs, with other first values for the names they have."""
        return replace(self, sizes={k: sizes.get(k, v) for k, v in self.sizes.items()})

    def size_along(self, given: Input, axis: int) -> int:
        """How big an input is along an axis."""
        size = given.shape[axis]
        return self.sizes[size] if isinstance(size, str) else size

    def with_size(self, number: int, axis: int, size: int) -> Guess:
        """The same, one input having a fixed size along an axis; a batch stays a batch."""
        shape = list(self.inputs[number].shape)
        if shape[axis] != "batch":
            shape[axis] = size
        return self.with_input(number, replace(self.inputs[number], shape=tuple(shape)))

    def with_input(self, number: int, given: Input) -> Guess:
        """The same, with another input at one place."""
        return self.with_inputs((*self.inputs[:number], given, *self.inputs[number + 1 :]))

    def with_inputs(self, inputs: tuple[Input, ...]) -> Guess:
        """Other inputs, at the same sizes where they have the same names."""
        inputs = link_lengths(inputs)
        names = dict.fromkeys(n for part in inputs for n in part.shape if isinstance(n, str))
        sizes = {name: self.sizes.get(name, FIRST_SIZES.get(name, 8)) for name in names}
        plain = follow_longest(self.plain, inputs)
        return replace(self, inputs=inputs, sizes=sizes, plain=plain, followed=False)

    def keeps_known(self) -> bool:
        """Whether what is known is fed as it is."""
        return all(given in self.inputs for given in self.known)

    def first_fixed_size(self) -> int:
        """The fixed size of the first input that has one."""
        sizes = (n for given in self.inputs for n in given.shape[1:] if isinstance(n, int))
        return next(sizes, 3)

    def count_elements(self) -> int:
        """Numbers in all inputs together."""
        return sum(
            prod(self.size_along(g, axis) for axis in range(len(g.shape))) for g in self.inputs
        )

    def feeding_key(self) -> object:
        """Equal for guesses that feed the same."""
        return self.inputs, self.plain, tuple(self.sizes.items())


def find_numbers(match: re.Match[str]) -> list[int]:
    """The whole numbers in what a pattern found."""
    return [int(number) for group in match.groups() for number in re.findall(r"\d+", group or "")]


def list_fed_parameters(module: nn.Module) -> list[inspect.Parameter]:
    """What `forward` cannot do without; where nothing is, its first parameter."""
    leading = list_positional_parameters(module)
    if not leading:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        handed = inspect.signature(find_handed(module)).parameters.values()
        leading = [p for p in handed if p.kind in kinds]
    needed = [p for p in leading if p.default is p.empty]
    return needed or leading[:1] or spread_star(module)


_IMAGE = 4
"""Axes from which an input is surely no sequence."""


def guess_inputs(
    module: nn.Module,
    arguments: Mapping[str, Any],
    plain: Collection[str] = (),
    partly: Sequence[Input] = (),
) -> Iterator[Guess]:
    """Inputs to try, the most likely first; none is known to work.

    `plain` names what is no tensor, and `partly` are inputs that a call of the project feeds it.
    """
    example = model_attributes.read_example_inputs(module)
    if example is not None:
        yield Guess(*example)
    named = [p.name for p in list_fed_parameters(module) if p.name not in plain]
    if not named:
        return
    layer_forms = list(list_layer_forms(module))
    embedded = find_embedded(module)
    if _PERSON_NAMES.fullmatch(named[0]) and not {*named[1:]} & {*embedded}:
        layer_forms.sort(key=lambda form: form[0].dtype == "int64")  # beside one's ratings
    takes_tokens = bool(layer_forms) and layer_forms[0][0].dtype == "int64"
    is_loss = is_loss_signature(named) and not takes_tokens and not embedded
    if is_loss:
        yield from _guess_loss_inputs(named)
    if tokens := model_attributes.read_token_form(module, arguments):
        yield _combine_inputs(named, (tokens, {"batch": 2}), layer_forms)
    said = {name: axes for name, axes in read_said_shapes(module).items() if name in named}
    later: list[Guess] = []
    joined = any(map(_GRAPH_NAMES.fullmatch, named[1:]))
    for form in _order_forms(module, arguments, layer_forms, joined=joined):
        guess = _combine_inputs(named, form, layer_forms)
        if (rows := take_rows(guess, embedded, module)) is not guess:
            yield rows
        labelled = look_up(guess, embedded)
        of_person = labelled.inputs[:1] != guess.inputs[:1]
        if said or partly or of_person or len(guess.inputs[0].shape) >= _IMAGE:
            guess = labelled
        elif _are_kinds(guess, labelled):
            yield labelled
        elif labelled is not guess:
            later.append(labelled)  # words beside what they are to attend to are looked up as well
        if said or partly:
            known = {**model_attributes.list_defaults(module), **arguments}
            namer = AxisNamer(module, known, guess.first_fixed_size())
            told = take_said(guess, said, namer)
            yield from (take_known(told, partly, rank) for rank in (3, 1) if partly)
        if said:
            yield from (_take_fractions(told, embedded, said), told)
            said = {}
        yield guess
    yield from later
    if len(named) > 1 and not is_loss:
        yield from _guess_loss_inputs(named)


def _are_kinds(guess: Guess, labelled: Guess) -> bool:
    """Whether what is looked up is by its name what each sample is of: `y` beside `z`."""
    pairs = zip(guess.inputs, labelled.inputs, strict=True)
    changed = [now.name for was, now in pairs if was != now]
    return bool(changed) and all(map(_KIND_NAMES.fullmatch, changed))


def take_said(guess: Guess, said: Mapping[str, SaidShape], namer: AxisNamer) -> Guess:
    """The guess with the shapes that the model's text tells of some inputs."""
    inputs = []
    for given in guess.inputs:
        axes = said.get(given.name)
        whole = given.dtype == "int64"
        shape = namer.name_axes(axes, whole) if axes else given.shape
        inputs.append(replace(given, shape=shape))
    return replace(guess, sizes=namer.sizes | guess.sizes).with_inputs(tuple(inputs))


def _take_fractions(
    guess: Guess, embedded: Collection[str], said: Mapping[str, SaidShape]
) -> Guess:
    """The guess with fractions for an input of steps with features, where others are what is looked up."""
    if not embedded:
        return guess
    inputs = (
        replace(given, dtype="float32", low=0, high=0)
        if given.dtype == "int64"
        and given.name not in embedded
        and len(said.get(given.name, ())) > 2
        else given
        for given in guess.inputs
    )
    return guess.with_inputs(tuple(inputs))


def take_known(guess: Guess, known: Sequence[Input], batched: int) -> Guess:
    """The guess with what is known of it; of this rank and above the first axis is the batch."""
    by_name = {given.name: given for given in known}
    inputs = []
    for given in guess.inputs:
        taken = by_name.get(given.name, given)
        if taken is not given and len(taken.shape) >= batched:
            taken = replace(taken, shape=("batch", *taken.shape[1:]))
        inputs.append(taken)
    kept = tuple(given for given in inputs if given.name in by_name)
    return replace(guess, known=kept).with_inputs(tuple(inputs))


def look_up(guess: Guess, embedded: Mapping[str, int]) -> Guess:
    """The guess with one whole number a sample for what is looked up in a table beside an input of fractions, or is a label."""
    beside_fractions = any(given.dtype.startswith("float") for given in guess.inputs[1:])
    inputs = tuple(
        Input(given.name, "int64", ("batch",), 0, embedded[given.name])
        if (number or (beside_fractions and _PERSON_NAMES.fullmatch(given.name)))
        and given.name in embedded
        and (given.dtype != "int64" or _KIND_NAMES.fullmatch(given.name))
        else given
        for number, given in enumerate(guess.inputs)
    )
    return guess if inputs == guess.inputs else guess.with_inputs(inputs)


def take_rows(guess: Guess, embedded: Mapping[str, int], module: nn.Module) -> Guess:
    """The guess with one row of a table for each sample, where by their names all inputs are such: users and items.

    Where no table tells that they are whole numbers, a user and an item do together.
    """
    if not all(_ROW_NAMES.fullmatch(given.name) for given in guess.inputs):
        return guess
    whole = all(given.dtype == "int64" for given in guess.inputs)
    if not whole and not _joins_two_kinds([given.name for given in guess.inputs]):
        return guess
    rows = []
    for given in guess.inputs:
        counted = count_rows(module, given.name) or (given.high if whole else _FEW_ROWS)
        high = embedded.get(given.name) or counted
        rows.append(replace(given, dtype="int64", shape=("batch",), low=0, high=high))
    return guess.with_inputs(tuple(rows))


def _joins_two_kinds(names: Sequence[str]) -> bool:
    return all(any(re.search(kind, name) for name in names) for kind in ("user", "item|movie"))


def is_loss_signature(named: list[str]) -> bool:
    """Whether `forward` takes a prediction and a target."""
    return (
        len(named) == 2
        and bool(_PREDICTION_NAMES.fullmatch(named[0]))
        and bool(_TARGET_NAMES.fullmatch(named[1]))
    )


def _guess_loss_inputs(named: list[str]) -> Iterator[Guess]:
    sizes = {"batch": 2, "height": 64, "width": 64}
    plane = ("batch", "height", "width")
    logits = Input(named[0], "float32", ("batch", 4, "height", "width"))
    yield Guess((logits, Input(named[1], "int64", plane, 0, 4)), sizes)
    yield Guess((logits, replace(logits, name=named[1])), sizes)
    one = Input(named[0], "float32", ("batch", 1, "height", "width"))
    yield Guess((one, Input(named[1], "int64", ("batch", 1, "height", "width"), 0, 2)), sizes)
    flat = Input(named[0], "float32", ("batch", 10))
    yield Guess((flat, Input(named[1], "int64", ("batch",), 0, 10)), {"batch": 2})
    yield Guess((flat, replace(flat, name=named[1])), {"batch": 2})


def _order_forms(
    module: nn.Module,
    arguments: Mapping[str, Any],
    layer_forms: Sequence[InputForm],
    *,
    joined: bool,
) -> Iterator[InputForm]:
    """Shapes for the main input: by the first layers, each kind once, then the common ones.

    Rows that a matrix beside them has `joined` are a sample together.
    """
    sides = model_attributes.read_sides(module, arguments)
    yielded = set()
    for main, sizes in [
        *(_list_sets(layer_forms) if joined else ()),
        *layer_forms[:1],
        *([series] if (series := find_kept_series(module, sides)) else ()),
        *layer_forms[1:2],
        *_list_sets(layer_forms),
        COMMON_FORMS[0],
        *layer_forms[2:],
        *COMMON_FORMS[1:],
    ]:
        if main not in yielded:
            yielded.add(main)
            known = {k: sides.get(k, v) for k, v in sizes.items()}
            yield main, known
            if max(known.values()) > _BIG_SIDE:
                yield main, {k: _shrink_size(v) for k, v in known.items()}


def _list_sets(layer_forms: Sequence[InputForm]) -> Iterator[InputForm]:
    """Several rows a sample, of a model that is made of linear layers alone: a set, or points."""
    if layer_forms and all(
        len(form.shape) == 2 and form.dtype != "int64" for form, _ in layer_forms
    ):
        main, sizes = layer_forms[0]
        shape = (main.shape[0], "sequence", main.shape[1])
        yield replace(main, shape=shape), {**sizes, "sequence": FIRST_SIZES["sequence"]}


def _shrink_size(size: int) -> int:
    """A big side at about a quarter, a multiple of 32."""
    return -(-size // 128) * 32 if size > _BIG_SIDE else size


def _combine_inputs(named: list[str], form: InputForm, layer_forms: Sequence[InputForm]) -> Guess:
    main, sizes = form
    inputs = tuple(
        guess_argument(
            name, choose_form_by_name(name, main, layer_forms) if len(named) > 1 else main, number
        )
        for number, name in enumerate(named)
    )
    inputs = link_lengths(inputs)
    further = {n: FIRST_SIZES[n] for part in inputs for n in part.shape if n in FIRST_SIZES}
    return Guess(inputs, {**further, **sizes})


def guess_argument(name: str, main: Input, number: int) -> Input:
    """The input for one parameter, where `main` is the shape of the first."""
    if number and _TIME_NAMES.fullmatch(name):
        return Input(name, "int64", ("batch",), 0, 100)
    if number and _LABEL_NAMES.fullmatch(name) and main.dtype != "int64":
        return Input(name, "int64", ("batch",), 0, 2)
    if number and _CONTEXT_NAMES.fullmatch(name) and len(main.shape) > 3:
        return Input(name, "float32", ("batch", "sequence", 32))
    if number and _CONTEXT_NAMES.fullmatch(name) and len(main.shape) == 2:
        return Input(name, "float32", ("batch", "sequence", main.shape[1]))
    if number and _VECTOR_NAMES.fullmatch(name) and main.dtype == "int64":
        return Input(name, "float32", ("batch", _VECTOR_WIDTH))
    if number and _GRAPH_NAMES.fullmatch(name) and main.shape[1:2] == ("sequence",):
        return Input(name, "float32", ("batch", "sequence", "sequence"))
    if number and _PAIRS_NAMES.fullmatch(name) and main.shape[1:2] == ("sequence",):
        return replace(main, name=name, shape=("batch", "sequence", "sequence"))
    if number and _MASK_NAMES.fullmatch(name) and main.dtype == "int64":
        return Input(name, "bool", main.shape)
    return replace(main, name=name)
