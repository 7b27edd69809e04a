"""Builds one model and runs its forward on symbolic inputs, as often as it teaches something of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lintorch.evaluator.budget import Budget, SpentError
from lintorch.evaluator.code_files import CodeFile, Library
from lintorch.evaluator.events import Called, IdleRow, Occurrence, Refused
from lintorch.evaluator.idle_rows import try_idle_rows
from lintorch.evaluator.input_objects import make_input_objects
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.layer_limits import is_unmakeable
from lintorch.evaluator.learn import presume_counted, settle_widened, widen_guesses
from lintorch.evaluator.lived_objects import open_placeholders
from lintorch.evaluator.machine import (
    Activation,
    AskedSettings,
    LeftError,
    Machine,
    TaughtError,
    TopLevel,
)
from lintorch.evaluator.make_arguments import (
    counts_starred,
    make_input,
    make_inputs,
    make_settings,
    make_starred,
)
from lintorch.evaluator.names import frame_of, read_global
from lintorch.evaluator.objects import (
    derives_from,
    find_class_attribute,
    find_forward,
    is_module_class,
    tell_wrapped,
)
from lintorch.evaluator.other_runtimes import takes_arrays, takes_graph
from lintorch.evaluator.proven_tensors import prove_parameter
from lintorch.evaluator.result_readers import reads_results
from lintorch.evaluator.roots import list_classes, needs_arguments
from lintorch.evaluator.training_parts import is_part, is_training_part
from lintorch.evaluator.uses_elsewhere import (
    evaluate_use,
    find_only_use,
    is_called,
    leave_defaults,
    list_uses,
)
from lintorch.evaluator.values import (
    UNKNOWN,
    Class,
    Constant,
    Function,
    Given,
    Held,
    Spot,
    Tensor,
    Value,
)
from lintorch.evaluator.wanted_inputs import find_wanted
from lintorch.evaluator.witness import Built, Witness
from lintorch.syntax.python_ast import list_nodes

_ROUNDS = 4
_WIDENINGS = 3
_MOST_SETTINGS = 12
_NOWHERE = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


@dataclass(frozen=True)
class Reached:
    """What happened in one root, and what it gave; `spent`: not all of it was followed."""

    name: str
    events: tuple[Occurrence, ...]
    result: Value
    spent: bool
    steps: int
    entered: frozenset[Class]
    """Classes of files of which an object was made."""
    failure: Exception | None = None
    """A defect of the evaluator that ended it early."""
    ordered: bool = False
    """Whether the order of what happened is told."""
    left: bool = False
    """Whether it raised."""


@dataclass(frozen=True)
class Surroundings:
    """What all roots of one file have in common."""

    library: Library
    file: CodeFile
    top: TopLevel
    witness: Witness
    is_exported: Callable[[str], bool] = lambda name: True
    budget: Budget | None = None

    def make_machine(self, name: str, budget: Budget | None = None) -> Machine:
        """A machine that stands at the top of the file."""
        machine = Machine(self.library, budget or self.budget, self.top)
        machine.root = f"{self.file.path}:{name}"
        machine.witness = self.witness
        machine.enter(Activation(frame_of(machine, self.file), name, self.file))
        return machine


def run_block(
    around: Surroundings,
    name: str,
    run: Callable[[Machine], Value],
    budget: Budget | None = None,
    marks: bool = False,
    shallow: bool = False,
) -> Reached:
    """Run a root that is no model, such as a script.

    `marks`: with the order of what happens; `shallow`: no model is entered.
    """
    machine = around.make_machine(name, budget)
    machine.marks = machine.ordered = marks
    machine.shallow = shallow
    if shallow:
        machine.witness = None
    return _finish(machine, _follow(machine, name, run))


def run_model(around: Surroundings, name: str) -> Reached:
    """Build a model by a class or function of the file and run its forward.

    The inputs' shapes are learned from what the code does with them, in a few rounds. Where nobody
    says how often something is repeated, what raises counts only if it says the same without a
    repetition and with many; where a call gives something unknown, only if it does so without the default in its place.
    """
    before = dict(around.witness.built)
    asked = AskedSettings(use=_find_only_use(around, name, before))
    reached = _run_settled(around, name, asked)
    doubts = [replace(asked, repeats=each) for each in _REPEATS if asked.counts]
    doubts += [replace(asked, defaults=False)] if asked.presumed else []
    for other in doubts:
        if _list_raising(reached.events):
            found = _try_settled(around, name, other, before).events
            raising = _list_raising(found, words=other.defaults)
            reached = replace(reached, events=tuple(_keep_raising(reached.events, raising)))
    uses = _list_uses(around, name, before) if _list_raising(reached.events) else ()
    if uses:
        reached = _run_uses(around, name, reached, uses, before)
    elif _list_raising(reached.events) and not _is_built(around, name, before):
        reached = _doubt_defaults(around, name, reached, before)
    if reached.left and not reached.spent:
        passing = AskedSettings(use=asked.use, checks=False)
        reached = _pass_checks(reached, _try_settled(around, name, passing, before))
    made = (each for each in reached.events if isinstance(each, Called))
    return leave_refusals(reached) if any(map(_is_unmakeable, made)) else reached


def _try_settled(
    around: Surroundings, name: str, asked: AskedSettings, built: Mapping[Class, Built]
) -> Reached:
    """What comes of other settings, of which the roots behind this one learn nothing; `built`: what it began with."""
    after, around.witness.built = around.witness.built, dict(built)
    found = _run_settled(around, name, asked)
    around.witness.built = after
    return found


def _pass_checks(reached: Reached, passing: Reached) -> Reached:
    """What happens behind checks that raise as it is followed, if nothing else does: its users call it otherwise."""
    if passing.left or passing.failure:
        return reached
    raising = (each for each in reached.events if isinstance(each, Refused))
    return replace(passing, events=(*leave_refusals(passing).events, *raising))


def _run_uses(
    around: Surroundings,
    name: str,
    reached: Reached,
    uses: Sequence[ast.Call],
    built: Mapping[Class, Built],
) -> Reached:
    """What raises however other files build it; built as they do where its defaults do not go together."""
    runs = [_try_settled(around, name, AskedSettings(use=use), built) for use in uses]
    always = set.intersection(*(_list_raising(each.events, words=False) for each in runs))
    whole = _list_raising(reached.events, words=False) <= always
    taken = reached if whole else runs[0]
    return replace(taken, events=tuple(_keep_raising(taken.events, always)))


def _list_uses(around: Surroundings, name: str, built: Mapping[Class, Built]) -> Sequence[ast.Call]:
    """How other files build a class that its own file does not."""
    if not name.isidentifier() or any(kind.name == name for kind in built):
        return ()
    return list_uses(name, around.library.mentions(name, around.file))


def _find_only_use(
    around: Surroundings, name: str, built: Mapping[Class, Built]
) -> ast.Call | None:
    """How other files build a class that would do with its defaults, which nobody leaves."""
    if not name.isidentifier() or any(kind.name == name for kind in built):
        return None
    if name not in list_classes(around.file) or needs_arguments(around.file, name):
        return None
    return find_only_use(name, around.file, around.library.mentions(name, around.file))


def _is_built(around: Surroundings, name: str, built: Mapping[Class, Built]) -> bool:
    """Whether its own file makes it, or another of the project calls it."""
    own = any(kind.name == name for kind in built)
    return own or is_called(name, (around.file, *around.library.mentions(name, around.file)))


def _doubt_defaults(
    around: Surroundings, name: str, reached: Reached, built: Mapping[Class, Built]
) -> Reached:
    """What only the defaults of a class make raise that nobody builds: it may be meant for others."""
    found = _try_settled(around, name, AskedSettings(defaults=False), built).events
    always = {spot for spot, _ in _list_raising(found, words=False)}
    events = (
        replace(each, by_defaults=True)
        if isinstance(each, Refused) and each.spot not in always
        else each
        for each in reached.events
    )
    return replace(reached, events=tuple(events))


_REPEATS = (1, 16)
"""The other numbers that are tried: `range(depth // 4)` has no repetition for small ones."""


def _is_unmakeable(event: Called) -> bool:
    if not event.name.startswith("torch.nn."):
        return False
    given = (*event.positional, *event.keyword.values(), *event.settings.values())
    return any(map(_is_float, given)) and is_unmakeable(event.arguments)


def _is_float(value: Value) -> bool:
    return type(value) is Constant and type(value.value) is float


def _list_raising(events: Iterable[Occurrence], *, words: bool = True) -> set[tuple[Spot, str]]:
    """Where something raises, in rows that nothing runs too; and with which `words`, "" where they do not count."""
    within = (inner for each in events if isinstance(each, IdleRow) for inner in each.happened)
    raising = [each for each in (*events, *within) if isinstance(each, Refused)]
    return {(each.spot, _name_error(each) if words else "") for each in raising}


def _name_error(event: Refused) -> str:
    """What it says, without the numbers of sizes of which nothing is known."""
    return re.sub(r"\?\(s\d+", "?(", event.message)


def _keep_raising(
    events: Iterable[Occurrence], raising: set[tuple[Spot, str]]
) -> Iterator[Occurrence]:
    """What raises elsewhere is left out."""
    for each in events:
        if isinstance(each, IdleRow):
            yield replace(each, happened=tuple(_keep_raising(each.happened, raising)))
        elif not isinstance(each, Refused) or raising & {
            (each.spot, ""),
            (each.spot, _name_error(each)),
        }:
            yield each


def _run_settled(around: Surroundings, name: str, asked: AskedSettings) -> Reached:
    """The same for one number of repetitions; what settings are asked for is noted in `asked`."""
    machine = around.make_machine(name)
    machine.asked, machine.is_of_model = asked, True
    _share_layers(machine)
    built: list[Held] = []
    seen = dict(around.witness.built)
    machine.is_unsure = any(kind.name == name and not each.sure for kind, each in seen.items())

    def build(machine: Machine) -> Value:
        model = _build_model(machine, around.file, name, seen)
        if isinstance(model, Held) and is_module_class(model.of):
            built.append(model)
        return model

    known_built = dict(around.witness.built)
    reached = _follow(machine, name, build)
    known = 0
    while machine.asked.total > known and not reached.failure and known < _MOST_SETTINGS:
        known, before, machine = machine.asked.total, machine, around.make_machine(name)
        machine.asked, machine.made = before.asked, before.made
        machine.is_unsure = before.is_unsure
        _share_layers(machine)
        around.witness.built.clear()
        around.witness.built.update(
            known_built
        )  # else it is taken as it was built without settings
        built.clear()
        reached = _follow(machine, name, build)
    if not built or reached.spent or reached.failure:
        return _finish(machine, reached)
    start = machine.state
    done = _finish(machine, _run_rounds(machine, around, name, built[0]))
    if not machine.is_unsure:
        if asked.is_first and machine.may_share and not _list_raising(done.events):
            around.top.carried.keep(machine.alike, machine.repeated, start)
        return done
    return leave_refusals(done)


def _share_layers(machine: Machine) -> None:
    """Let a root know what layers of earlier ones gave."""
    machine.may_share = machine.watch is None
    if machine.may_share:
        machine.repeated.given.update(machine.top.carried.given)


def leave_refusals(reached: Reached) -> Reached:
    """The same, where nothing is said to raise for objects in a state, and arguments, that nobody gives."""
    events = tuple(each for each in reached.events if not isinstance(each, Refused))
    return replace(reached, events=events)


def _run_rounds(machine: Machine, around: Surroundings, name: str, model: Held) -> Reached:
    """Each begins where the constructor ended."""
    if machine.state.read(model.address).get(ITEMS) == ():  # whoever makes it fills it
        machine.state.write(model.address)[ITEMS] = None
    open_placeholders(machine, model)
    start, events, steps = machine.state, len(machine.events), machine.steps
    machine.here.forward = _may_be_exported(around, model.of)
    doubt = machine.here.doubt
    only = _name_only_input(machine, model)
    for number in range(_ROUNDS + _WIDENINGS):
        machine.only_input = "" if number else only
        tensors, machine.presumed, machine.misfit = len(machine.tensors), False, False
        listed = len(machine.sequences)
        known = dict(machine.learned), dict(machine.learned_types), dict(machine.settled)
        machine.take_back(events)
        machine.unwind()
        machine.state, machine.steps, machine.here.doubt = start.fork(), steps, doubt
        machine.contexts.clear()
        reached = _follow(machine, name, lambda machine: _call_forward(machine, around, model))
        if reached.failure:
            break
        if reached.left and (wanted := _find_wanted(machine, model)):
            machine.wanted.add(wanted)
            continue
        if machine.presumed and len(machine.tensors) > tensors:
            continue
        if len(machine.sequences) > listed:
            continue
        if (machine.learned, machine.learned_types, machine.settled) == known:
            presume_counted(machine)
            if all(each in machine.learned for each in machine.guessed):
                if machine.misfit and widen_guesses(machine):
                    continue
                if not machine.misfit and settle_widened(machine):
                    continue
                break
            machine.learned = {**machine.guessed, **machine.learned}
    return reached


def _find_wanted(machine: Machine, model: Held) -> str:
    """An optional input without which the forward raises."""
    forward = find_forward(machine, model)
    if forward is None:
        return ""
    return find_wanted(forward.inmost.node, machine.events, machine.wanted)


def _may_be_exported(around: Surroundings, kind: Value | None) -> bool:
    """Whether a class of the file is no loss, and no part that models call only where they train."""
    if not isinstance(kind, Class) or kind.file is not around.file:
        return True
    if not around.is_exported(kind.name):
        return False
    if takes_graph(kind.node) or takes_arrays(kind.node) or reads_results(kind.node):
        return False
    callers = around.library.mentions(kind.name, around.file)
    return not is_training_part(
        kind.name,
        (around.file, *callers),
        around.is_exported,
        lambda spoken: (
            *around.library.mentions(spoken, around.file),
            *around.library.reads(spoken, around.file),
        ),
    )


def _name_only_input(machine: Machine, model: Held) -> str:
    """The input of a model whose forward takes one value and no more."""
    forward = find_forward(machine, model)
    if forward is None:
        return ""
    spec = forward.inmost.node.args
    more = spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs
    return spec.args[1].arg if len(spec.args) == 2 and not more else ""


def _follow(machine: Machine, name: str, run: Callable[[Machine], Value]) -> Reached:
    result: Value = UNKNOWN
    spent, left, failure = False, False, None
    try:
        result = run(machine)
    except TaughtError:
        pass
    except LeftError:
        left = True
    except SpentError:
        spent = True
    except Exception as error:  # a defect here takes nothing else down
        failure = error
    entered = frozenset(machine.made)
    told = tuple(machine.events)
    return Reached(name, told, result, spent, machine.steps, entered, failure, machine.marks, left)


def _finish(machine: Machine, reached: Reached) -> Reached:
    """With what rows of layers come to that nothing has run."""
    if reached.failure or machine.shallow or machine.watch:
        return reached
    machine.unwind()
    if reached.spent:
        machine.most_steps = machine.steps + machine.budget.row_steps
    try_idle_rows(machine)
    return replace(reached, events=tuple(machine.events))


def _build_model(machine: Machine, file: CodeFile, name: str, seen: Mapping[Class, Built]) -> Value:
    maker = read_global(machine, file, name)
    if isinstance(maker, Function):
        settings = make_settings(machine, maker, 0)
        return machine.call(maker.node, maker, Given((), settings))
    if not isinstance(maker, Class) or not is_module_class(maker):
        return UNKNOWN
    built = seen.get(maker)
    if built is not None and built.is_known:
        machine.state = built.state.fork()
        machine.made.add(maker)
        return built.made
    init = find_class_attribute(machine, maker, "__init__")
    if not isinstance(init, Function):
        return machine.call(maker.node, maker, Given())
    given = None
    if built is not None:
        machine.state, given = built.state.fork(), built.given
    elif machine.asked.use is not None:
        given = evaluate_use(machine, machine.asked.use)
    elif not machine.asked.defaults:
        given = leave_defaults(init)
    settings = make_settings(machine, init, 1, given)
    more = init.node.args.kwarg is not None and given is not None and given.open
    before, events = machine.state.fork(), len(machine.events)
    try:
        return machine.call(maker.node, maker, Given((), settings, open=more))
    except LeftError:
        used = built is not None or machine.asked.use is not None
        if not used and init.node.args.kwarg is None:
            raise
        machine.state = before
        machine.take_back(events)
        machine.unwind()
    if used:  # what a call gives unknown need not be the default that stands in for it
        return machine.call(maker.node, maker, Given((), make_settings(machine, init, 1)))
    return machine.call(
        maker.node, maker, Given((), settings, open=True)
    )  # with more than it names


def _call_forward(machine: Machine, around: Surroundings, model: Held) -> Value:
    forward = find_forward(machine, model)
    if forward is None:
        return _call_row(machine, model)
    machine.forward_node = forward.inmost.node
    kind = model.of
    fed = used = None
    if isinstance(kind, Class):
        around.witness.called.add(kind)
        around.witness.sighted.add(kind)
        fed = around.witness.fed.get(kind)
        used = around.witness.used.get(kind)
    tell_wrapped(machine, forward)
    inputs = make_inputs(machine, forward.inmost.node, 1, fed, used)
    inputs |= make_input_objects(machine, forward.inmost, inputs)
    if fed is None and isinstance(kind, Class) and is_part(kind.name, kind.file):
        inputs = _leave_unproven(machine, forward.inmost, inputs)
    starred = make_starred(machine, forward.inmost.node, 1)
    if starred and counts_starred(forward.inmost.node):
        return machine.call(forward.node, forward, Given((model,), inputs, open=True))
    return machine.call(forward.node, forward, Given((model, *starred), inputs))


def _leave_unproven(
    machine: Machine, forward: Function, inputs: Mapping[str, Value]
) -> dict[str, Value]:
    """The inputs of a part, which others call: behind the first, `H` of `H * W` may be a number."""
    first = next(iter(inputs), "")
    opened = _list_opened(forward.node)
    return {
        name: prove_parameter(machine, forward, name, UNKNOWN)
        if name not in (first, *opened) and isinstance(value, Tensor) and value.data is None
        else value
        for name, value in inputs.items()
    }


@keep_beside
def _list_opened(node: ast.AST) -> frozenset[str]:
    """The names of which a function reads attributes, methods or items."""
    opened = (e for e in list_nodes(node) if isinstance(e, (ast.Attribute, ast.Subscript)))
    return frozenset(e.value.id for e in opened if isinstance(e.value, ast.Name))


def _call_row(machine: Machine, model: Held) -> Value:
    """Run an object of a class that derives from Sequential and has no forward of its own."""
    if not derives_from(model.of, "torch.nn.Sequential") or not isinstance(model.of, Class):
        return UNKNOWN
    given = make_input(machine, ast.arg("input"))
    return machine.call(model.of.node, model, Given((given,)))
