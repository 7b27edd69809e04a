"""One model that was built and fed, beside an .onnx file: what is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.causes import (
    input_order,
    other_code,
    other_sizes,
    precision,
    preprocessing,
    settings,
    training_mode,
    weights,
)
from lintorch.guest.beside.distances import match_outputs, measure_distance
from lintorch.guest.beside.layer_names import list_unwrapped
from lintorch.guest.beside.onnx_file import UnreadableFileError, read_onnx_file
from lintorch.guest.beside.pair_layers import Parting, find_parting
from lintorch.guest.beside.prepare_case import Weighed, make_case, weigh_case
from lintorch.guest.beside.run_file import FileRunner
from lintorch.guest.construct.make_model import Built
from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.examine_model import find_model
from lintorch.guest.export.exporters.onnx_runtime import explain_missing_onnx
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Send
from lintorch.guest.watch.make_tensors import is_weightless
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.bounds import SLACK
from lintorch.record.file_comparisons import Cause, FileComparison, FileRun
from lintorch.record.messages import FileCompared, TimeNeeded
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Model

_NAMED = 4
"""Keys that an error names."""
_MOST_SHARE = 0.7
"""Of the seconds of a comparison: past them no further sizes and causes are tried."""


@dataclass(frozen=True)
class Beside:
    """What a model is compared with: the path of the exported file, and whose weights it runs with.

    Those of a checkpoint where its path is given, its `own`, or else the file's.
    """

    file: str
    checkpoint: str = ""
    own: bool = False


def compare_model_with_file(
    beside: Beside,
    send: Send,
    identity: ModelIdentity,
    makes: Callable[[], Iterator[Built]],
    files: UserLines,
    options: ModelOptions,
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> None:
    """Build and feed one model, and tell how a file stands beside it."""
    work = ModelWork(send, identity, files, options, clock() + options.limits.seconds)
    found = find_model(work, makes, setting, passed)
    if found is None:
        return
    _, built, fed, model = found
    send(TimeNeeded(options.limits.trial_seconds + SLACK))
    late = clock() + _MOST_SHARE * options.limits.trial_seconds
    try:
        told = _compare(beside, built, fed, model, files, options, late)
    except UnreadableFileError as error:
        told = FileComparison(unable=str(error))
    send(FileCompared(told))


def _compare(
    beside: Beside,
    built: Built,
    fed: Fed,
    model: Model,
    files: UserLines,
    options: ModelOptions,
    late: float,
) -> FileComparison:
    """Raises UnreadableFileError."""
    if missing := explain_missing_onnx():
        raise UnreadableFileError(missing)
    if is_weightless(built.module):
        raise UnreadableFileError("the model's weights do not fit into the memory it may take")
    file = read_onnx_file(beside.file, options.limits.memory)
    case, others, fixed = make_case(file, built, fed, model, files)
    case.runner  # noqa: B018 - a file that does not load is told before anything is run
    try:
        weighed = weigh_case(case, beside.checkpoint, beside.own)
    except UnreadableFileError as error:
        raise UnreadableFileError(f"{error}{_tell_made_up(built)}") from error
    told = FileComparison(
        file.opset,
        f"{file.model.producer_name} {file.model.producer_version}".strip()[:80],
        _name_runtime(),
        weighed.words,
        len(weighed.pairs),
    )
    if case.eager.measure_randomness() is not None:
        raise UnreadableFileError("the model itself is random: two runs of it in eval mode differ")
    return _judge(case, weighed, others, fixed, told, late)


def _tell_made_up(built: Built) -> str:
    """Which arguments nobody gave, and where to give them; "" where there are none."""
    names = ", ".join(built.made_up[:_NAMED])
    return f"; the model's {names} were made up: settings name them" if names else ""


def _judge(
    case: Case,
    weighed: Weighed,
    others: Sequence[Mapping[str, int]],
    fixed: frozenset[str],
    told: FileComparison,
    late: float,
) -> FileComparison:
    run, failure = other_sizes.run_at(case, case.model.sizes)
    facts = [*input_order.describe_inputs(case), *other_sizes.tell_fixed(case, fixed)]
    if failure is not None or (not run.agrees and run.distance.why.startswith("ONNX Runtime")):
        failure = failure and replace(failure, kind="fails", text=run.distance.why, proof="")
        causes = [failure] if failure else []
        return replace(told, runs=(run,), causes=(*causes, *facts))
    if not run.agrees:
        return _explain_difference(case, weighed, facts, run, told, late)
    facts += _tell_outputs(case)
    kind = precision.name_precision(case.file)
    facts += [Cause("precision", f"the file holds {kind} numbers", wrong=False)] if kind else []
    facts += _tell_hidden_training(case)
    facts += [] if kind else _tell_hidden_weights(case, weighed)
    return _try_others(case, weighed, others, replace(told, causes=(*facts,)), run, late)


def _explain_difference(
    case: Case,
    weighed: Weighed,
    facts: list[Cause],
    run: FileRun,
    told: FileComparison,
    late: float,
) -> FileComparison:
    """The layers where numbers part, and the causes that runs show. Raises UnreadableFileError."""
    order = input_order.find_other_order(case) if len(case.pairs.pairs) > 1 else None
    if order is not None:
        told_order = input_order.tell_order(case, order)
        return replace(told, runs=(run,), causes=(told_order, *facts))
    parting = _look_inside(case, weighed, case.model.sizes)
    causes: list[Cause] = []
    for find in _list_hypotheses(case, weighed, parting):
        causes += find()
        if causes or clock() > late:
            break
    kind = precision.name_precision(case.file)
    if kind and [each.kind for each in causes] == ["weights"]:
        causes.append(Cause("precision", f"the file holds {kind} numbers", wrong=False))
    if not causes and weighed.missing:
        raise UnreadableFileError(_tell_missing(case, weighed.missing))
    if all(each.kind != "training-mode" for each in causes):
        facts = [*facts, *_tell_hidden_training(case)]  # its trace moves the statistics, too
    return replace(
        told,
        runs=(run,),
        causes=(*causes, *facts),
        last=parting.last,
        first=parting.first,
        between=parting.between,
        at=case.model.sizes,
    )


def _tell_missing(case: Case, missing: Sequence[str]) -> str:
    """Which keys of the model the file has nothing for, or has in other sizes: then another model was built."""
    others = " and others" if len(missing) > _NAMED else ""
    built = {key: tuple(value.shape) for key, value in case.module.state_dict().items()}
    called = {inner: name for name in case.file.tensors for inner in list_unwrapped(name)}
    called |= {name: name for name in case.file.tensors}
    held = {key: tuple(case.file.tensors[called[key]].dims) for key in missing if key in called}
    unlike = [
        f"{key} is {list(held[key])} in the file and {list(built[key])} in the model"
        for key in held
        if held[key] != built[key]
    ]
    if unlike:
        return (
            f"the model was built with other sizes than the file was exported with: {', '.join(unlike[:_NAMED])}"
            f"{' and others' if len(unlike) > _NAMED else ''}; give the arguments that it was built with"
        )
    keys = ", ".join(missing[:_NAMED])
    return (
        f"the model could not be given the file's weights: none was found for {keys}{others}; "
        "name their checkpoint with --checkpoint"
    )


def _list_hypotheses(
    case: Case, weighed: Weighed, parting: Parting
) -> Iterator[Callable[[], list[Cause]]]:
    """The surest first: what is found by one is not looked for by the next."""
    yield lambda: list(training_mode.find_training_mode(case))
    yield lambda: list(
        weights.find_other_weights(case, weighed.pairs, weighed.unlike, weighed.whose)
    )
    yield lambda: list(
        weights.find_weights_and_precision(
            case, weighed.pairs, weighed.unlike, weighed.whose, parting.path
        )
    )
    yield lambda: list(settings.find_settings(case, parting.first))
    yield lambda: list(other_code.find_other_padding(case, parting))
    yield lambda: list(preprocessing.find_preprocessing(case))
    yield lambda: list(other_code.find_other_calls(case, parting))
    yield lambda: list(other_code.find_left_out(case, parting))
    yield lambda: list(precision.find_precision(case, parting.path))
    yield lambda: list(_try_unoptimized(case))
    yield lambda: list(other_sizes.find_example_size(case))


def _look_inside(case: Case, weighed: Weighed, sizes: Mapping[str, int]) -> Parting:
    try:
        return find_parting(case, weighed.foldings, sizes)
    except UnreadableFileError:
        raise
    except Exception:  # layers that give what cannot be copied, values that cannot be had
        return Parting()


def _try_others(
    case: Case,
    weighed: Weighed,
    others: Sequence[Mapping[str, int]],
    told: FileComparison,
    first: FileRun,
    late: float,
) -> FileComparison:
    """Both at further sizes; of the first at which they differ, where and why."""
    runs, causes, parting = [first], list(told.causes), Parting()
    at: Mapping[str, int] = {}
    for sizes in others:
        if clock() > late:
            break
        try:
            run, failure = other_sizes.run_at(case, sizes)
        except Exception:  # the model does not take them with these weights
            continue
        runs.append(run)
        if run.agrees or at:
            continue
        at = sizes
        if failure is None:
            parting = _look_inside(case, weighed, sizes)
        causes.insert(0, failure or other_sizes.tell_baked(case, sizes, run))
    return replace(
        told,
        runs=tuple(runs),
        causes=tuple(causes),
        last=parting.last,
        first=parting.first,
        between=parting.between,
        at=at,
    )


def _try_unoptimized(case: Case) -> Iterator[Cause]:
    """The file with nothing optimized by ONNX Runtime."""
    given = FileRunner(case.file, case.file.model, plain=True).run(case.make_feed())
    if match_outputs(case.expected, given).difference is None:
        apart = measure_distance(case.expected, case.run_file()).amount
        yield Cause(
            "optimization",
            "ONNX Runtime changes what the file computes when it optimizes the graph",
            f"without optimizations the file agrees with the model; with them it differs by {apart or 0:.3g}",
            "set graph_optimization_level to ORT_ENABLE_BASIC or ORT_DISABLE_ALL, or another release of onnxruntime",
        )


def _tell_outputs(case: Case) -> Iterator[Cause]:
    """Outputs that stand elsewhere in the file, or that it does not give."""
    order = case.match_at().order
    if not order:
        return
    count = len(case.expected)
    if list(order) != sorted(order):
        places = ", ".join(f"output {n + 1} of the file is output {o + 1} of the model"
                           for n, o in enumerate(order) if n != o)  # fmt: skip
        yield Cause(
            "output-order",
            f"the file gives its outputs in another order: {places}",
            "matched so, all outputs agree",
            "read outputs by these places, or export with the order that forward returns",
        )
    if len(order) < count:
        left = ", ".join(str(n + 1) for n in range(count) if n not in order)
        yield Cause(
            "missing-output",
            f"the file gives {len(order)} of the {count} tensors of the model: {left} are left out",
            "the others agree",
            wrong=False,
        )


def _tell_hidden_training(case: Case) -> Iterator[Cause]:
    """Nodes in training mode that leave this input as it is, but need not leave others so."""
    nodes = training_mode.list_training_nodes(case.file)
    if nodes:
        yield Cause(
            "training-mode",
            f"the file was exported in training mode: {len(nodes)} nodes behave as in training",
            remedy="call model.eval() before the export",
            wrong=False,
        )


def _tell_hidden_weights(case: Case, weighed: Weighed) -> Iterator[Cause]:
    """Other weights that leave the numbers of this input as they are, but need not leave others so."""
    for told in weights.find_other_weights(case, weighed.pairs, weighed.unlike, weighed.whose):
        text = f"{told.text}; the outputs agree all the same for what was tried"
        yield replace(told, text=text, proof="", wrong=False)


def _name_runtime() -> str:
    import onnxruntime

    return f"onnxruntime {onnxruntime.__version__}"
