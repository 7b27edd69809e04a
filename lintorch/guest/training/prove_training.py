"""The child's side: functions and loops that train, called with the original text of a file or a fixed one."""

from __future__ import annotations

import ast
import base64
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from lintorch.guest.construct.import_file import import_file
from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.examine_file import describe_import_error, examine_in_child, user_lines
from lintorch.guest.imports.fixed_text import put_in_place
from lintorch.guest.imports.notebook_modules import hold_modules
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process import tampering
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import describe_error
from lintorch.guest.process.isolate import Send
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.proof.compare_observations import compare_observations
from lintorch.guest.proof.executed_rows import ExecutedRows
from lintorch.guest.training.call_piece import Called, Way, call_piece, list_ways
from lintorch.guest.training.find_needs import Needs, find_needs
from lintorch.guest.training.kept_training import KeptTraining, keep_training, recall_training
from lintorch.guest.training.look_at_training import leaves_anything
from lintorch.guest.training.pieces import Piece, find_piece, list_pieces
from lintorch.record import wire
from lintorch.record.messages import (
    ModelCompared,
    ModelDone,
    ModelFailed,
    ModelFound,
    ModelObserved,
    WayFound,
)
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Model
from lintorch.record.proofs import Change, Comparison, Observed

_SHARE = 0.15
"""Of the seconds that a model may take, for each way to call a piece."""
_ALIKE = 6
"""Errors of a kind in a row, after which a form of batches is given up."""
_NOTHING = "it leaves nothing behind that could be compared"


@dataclass(frozen=True)
class _File:
    """The file whose pieces are called; `proof` is as `prove_training` takes it."""

    module: ModuleType
    original: ast.Module
    proof: Mapping[str, Any]


def prove_training(
    send: Send,
    path: str,
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    passed: list[str],
    modules: dict[str, str],
    proof: Mapping[str, Any],
) -> None:
    """Call the pieces of the checked file with the real path `path` that hold rows of a fix.

    `proof` has the real path `fixed` of the file, the `folder` that what they leave is kept in, the
    `rows` that have to run, whether it is about pieces that train or those that are called `alone`, and the fixed `text` in base64; without one, the original is run and
    kept. `original` is the text of the file where it is a notebook.
    """
    hold_modules(modules)
    chosen = wire.read_value(ModelOptions, options)
    tree = _parse(proof["original"], path)
    rows, text = frozenset(proof["rows"]), proof["text"]
    pieces = [each for each in list_pieces(tree) if _is_asked(each, rows, proof)]
    if not pieces:
        return
    files, shown = user_lines(checked, chosen.project), checked[path]
    try:
        if text is not None:
            put_in_place(proof["fixed"], base64.b64decode(text))
        module = import_file(Path(path), Path(chosen.project), chosen.limits.seconds)
    except BaseException as error:  # whatever user code raises, SystemExit too
        send(ModelFailed(describe_import_error(error, files, shown)))
        send(ModelDone())
        return
    file = _File(module, tree, proof)
    prove = _keep_piece if text is None else _compare_piece
    for piece in pieces:
        identity = ModelIdentity(shown, piece.qualname, piece.node.lineno)

        def work(inner: Send, piece: Piece = piece, identity: ModelIdentity = identity) -> None:
            late = clock() + chosen.limits.seconds
            prove(ModelWork(inner, identity, files, chosen, late), piece, file)

        examine_in_child(send, identity, work, chosen)


def _parse(original: str | None, path: str) -> ast.Module:
    try:
        return ast.parse(Path(path).read_bytes() if original is None else original)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _is_asked(piece: Piece, rows: Set[int], proof: Mapping[str, Any]) -> bool:
    asked = not piece.trains and not piece.is_of_model if proof["alone"] else piece.trains
    if proof["text"] is not None:
        return asked and recall_training(proof["folder"], piece.qualname) is not None
    return asked and any(row in rows for row in piece.rows)


def _keep_piece(work: ModelWork, piece: Piece, file: _File) -> None:
    """Call a piece as it is, and keep what that leaves."""
    needs = find_needs(piece, file.module)
    found = _find_way(work, piece, needs, file)
    if found.goal < 0:
        work.send_failure("call", found.error)
        return
    way = Way(found.goal, found.form, found.switched)
    watched = ExecutedRows(file.proof["fixed"])
    called, error = _try_call(work, piece, needs, file.module, way, watched)
    if called is None:
        work.send_failure("call", error)
    elif not leaves_anything(called.seen):
        work.send_failure("call", _NOTHING)
    else:
        keep_training(file.proof["folder"], piece.qualname, KeptTraining(way, called.seen))
        work.send(ModelFound(_describe_piece(work)))
        work.send(ModelObserved(_sum_up(called, watched.list_rows())))


def _compare_piece(work: ModelWork, piece: Piece, file: _File) -> None:
    """Call the same piece of the fixed text in the same way, and compare."""
    kept = recall_training(file.proof["folder"], piece.qualname)
    fixed = find_piece(ast.parse(base64.b64decode(file.proof["text"])), piece.qualname)
    if kept is None or fixed is None:
        work.send_failure("call", f"there is no {piece.qualname} any more")
        return
    needs = find_needs(piece, file.module)
    called, error = _try_call(work, fixed, needs, file.module, kept.way, None)
    work.send(ModelFound(_describe_piece(work)))
    if called is None:
        change = Change("the call", training=True, why=f"raises {error}", breaks=True)
        work.send(ModelCompared(Comparison(Observed(({},)), (change,))))
        return
    changes = compare_observations(kept.seen, called.seen, {})
    work.send(ModelCompared(Comparison(_sum_up(called, ()), changes)))


def _find_way(work: ModelWork, piece: Piece, needs: Needs, file: _File) -> WayFound:
    """The first way to call it that comes to an end and runs what is fixed; looked for in a child."""
    rows = frozenset(file.proof["rows"]) & {*piece.rows}

    def send_way(send: Send) -> None:
        send(_choose_way(work, piece, needs, file, rows))

    sent, ending = work.run_step(send_way, work.count_seconds_left() * 0.6, WayFound)
    found = [parcel.open_as(WayFound) for parcel in sent]
    return found[0] if found else WayFound(error=ending.cause or "it ended its process")


def _choose_way(
    work: ModelWork, piece: Piece, needs: Needs, file: _File, rows: Set[int]
) -> WayFound:
    """The first way that ends and runs one of the rows; else one that ends; else the error that came last of all."""
    ended: list[Way] = []
    told: dict[int, list[tuple[int, str]]] = {}
    for way in list_ways(needs):
        errors = told.setdefault(way.form, [])
        if len(errors) >= _ALIKE and len({*errors[-_ALIKE:]}) == 1:
            continue  # what it is fed does not matter for that
        watched = ExecutedRows(file.proof["fixed"])
        called, error = _try_call(work, piece, needs, file.module, way, watched)
        ran = watched.list_rows()
        if called is None:
            errors.append((len(ran), error))
        elif not rows.isdisjoint(ran):
            return WayFound(way.goal, way.form)
        else:
            ended.append(way)
    if ended:
        switched = replace(ended[0], switched=True)
        if needs.flags and _runs_any(work, piece, needs, file, switched, rows):
            return WayFound(switched.goal, switched.form, True)
        return WayFound(ended[0].goal, ended[0].form)
    furthest = max((each for errors in told.values() for each in errors), default=(0, ""))
    return WayFound(error=furthest[1])


def _runs_any(
    work: ModelWork, piece: Piece, needs: Needs, file: _File, way: Way, rows: Set[int]
) -> bool:
    """Whether a call comes to its end, and runs one of the rows."""
    watched = ExecutedRows(file.proof["fixed"])
    called, _ = _try_call(work, piece, needs, file.module, way, watched)
    return called is not None and not rows.isdisjoint(watched.list_rows())


def _try_call(
    work: ModelWork,
    piece: Piece,
    needs: Needs,
    module: ModuleType,
    way: Way,
    watched: ExecutedRows | None,
) -> tuple[Called | None, str]:
    """What calling it so came to; else what it raised."""
    try:
        with limit_seconds(work.options.limits.seconds * _SHARE):
            if watched is not None:
                watched.start_watching()
            return call_piece(piece, needs, module, way), ""
    except (Exception, SystemExit, TooSlow) as error:
        return None, describe_error(error)
    finally:
        if watched is not None:
            watched.stop_watching()
        tampering.restore_interpreter()


def _describe_piece(work: ModelWork) -> Model:
    identity = work.identity
    return Model(identity.path, identity.qualname, identity.row)


def _sum_up(called: Called, rows: tuple[int, ...]) -> Observed:
    return Observed(({},), True, rows=rows, steps=called.steps)
