"""The child's side: loads one file, and builds, feeds, runs, traces and exports the models in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from lintorch.guest.calls.build_script_model import Script, build_script_model
from lintorch.guest.calls.code_text import CodeText, parse_code
from lintorch.guest.calls.list_model_calls import seek_model
from lintorch.guest.calls.package_makers import pick_package_models
from lintorch.guest.calls.package_models import ScriptModel, find_script_models
from lintorch.guest.calls.project_texts import keep_texts
from lintorch.guest.calls.rehearse_calls import find_project_examples
from lintorch.guest.calls.script_names import set_script_names
from lintorch.guest.construct import ways_to_build
from lintorch.guest.construct.call_examples import Example
from lintorch.guest.construct.file_outline import OUTLINED_FILE, outline_definitions
from lintorch.guest.construct.find_candidates import Candidate, find_candidates
from lintorch.guest.construct.import_file import import_file
from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.examine_model import examine_model
from lintorch.guest.imports.fixed_text import read_source
from lintorch.guest.imports.name_missing import name_missing
from lintorch.guest.imports.notebook_modules import hold_modules
from lintorch.guest.process.error_text import class_name_of, format_traceback
from lintorch.guest.process.files_read import read_log
from lintorch.guest.process.isolate import Send, isolate_work
from lintorch.guest.watch.trace_graphs import shorten_error
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record import wire
from lintorch.record.bounds import SLACK
from lintorch.record.framing import Parcel
from lintorch.record.messages import ModelBegun, ModelDone, ModelFailed, ModelFound, TimeNeeded
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Failure, Stage
from lintorch.record.repository import find_repository
from lintorch.record.user_files import project_roots
from lintorch.record.wire import MalformedError
from lintorch.record.work_bounds import MOST_MODELS, bound_model

Examine = Callable[..., None]
"""What is done with one model: `examine_model`, or what takes the same."""


def examine_file(
    send: Send,
    path: str,
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    passed: list[str],
    modules: dict[str, str],
    examine: Examine = examine_model,
) -> None:
    """Examine the models of the checked file with the real path `path`, but those of `passed`.

    `modules` holds the text of its module where it is a notebook.
    """
    hold_modules(modules)
    chosen = wire.read_value(ModelOptions, options)
    with _telling_reads(send, chosen):
        _examine_models(send, path, checked, chosen, passed, bool(modules), examine)


def _examine_models(
    send: Send,
    path: str,
    checked: Mapping[str, str],
    chosen: ModelOptions,
    passed: list[str],
    notebook: bool,
    examine: Examine,
) -> None:
    files, shown = user_lines(checked, chosen.project), checked[path]
    try:
        text = read_source(path)
        found = outline_definitions(text)
        code = parse_code(Path(path), text, module=notebook)
        built = find_script_models(code, shown) if code else ()
        names = (*found.classes, *found.factories, *(model.qualname for model in built))
        if chosen.only and not any(chosen.wants_model(shown, name) for name in names):
            return
        if notebook and not names:
            return  # a notebook that only does things
        module = import_file(Path(path), Path(chosen.project), chosen.limits.seconds)
    except BaseException as error:  # whatever user code raises, SystemExit too
        send(ModelFailed(describe_import_error(error, files, shown)))
        send(ModelDone())
        return
    covered = set(passed)
    tried = 0
    asked = [n for n in found.factories if chosen.only and chosen.wants_model(shown, n)]
    own = find_candidates(module, found, text, asked)
    for candidate in (*own, *_list_package_models(built, code, module, chosen)):
        if f"{shown}:{candidate.qualname}" in covered:
            continue
        if not chosen.wants_model(shown, candidate.qualname):
            continue
        if tried == MOST_MODELS:
            cause = f"only the first {MOST_MODELS} models of a file are tried; configure this one to have it tried"
            identity = ModelIdentity(shown, candidate.qualname, candidate.row)
            _announce_model(send, identity)
            send(ModelFailed(_make_failure(identity, "stopped", cause)))
            send(ModelDone())
            return
        tried += 1
        covered |= _examine_candidate(send, candidate, shown, files, chosen, covered, examine)


def examine_configured(
    send: Send,
    name: str,
    setting: Mapping[str, Any],
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    modules: dict[str, str],
    examine: Examine = examine_model,
) -> None:
    """Examine the model `name` that the configuration describes."""
    hold_modules(modules)
    chosen = wire.read_value(ModelOptions, options)
    files = user_lines(checked, chosen.project)
    where = str(setting["factory"])
    identity = ModelIdentity(where.partition(":")[0], name, 1)
    with _telling_reads(send, chosen):
        examine_in_child(
            send,
            identity,
            lambda inner: examine(
                inner,
                identity,
                lambda: ways_to_build.build_from_settings(setting, Path(chosen.project), files),
                files,
                chosen,
                setting,
            ),
            chosen,
        )


def _list_package_models(
    built: tuple[ScriptModel, ...], code: CodeText | None, module: ModuleType, options: ModelOptions
) -> Iterator[Candidate]:
    """The models that a script has a package build; none of a file that has none of its own name."""
    if code is None:
        return
    project = Path(options.project)
    script = Script(code, module, project, options.limits.seconds)
    for model in pick_package_models(built, module, code.tree, project):
        yield Candidate(
            model.qualname, model.row, (), build=partial(build_script_model, model, script)
        )


@contextmanager
def _telling_reads(send: Send, options: ModelOptions) -> Iterator[None]:
    """Tell at the end which files were read, where that is asked for."""
    if options.reads:
        read_log.begin(os.getcwd(), [options.artifacts])
    yield
    if options.reads and (told := read_log.tell()):
        send(told)


def _examine_candidate(
    send: Send,
    candidate: Candidate,
    shown: str,
    files: UserLines,
    options: ModelOptions,
    covered: Set[str],
    examine: Examine,
) -> set[str]:
    identity = ModelIdentity(shown, candidate.qualname, candidate.row)
    if candidate.error is not None:
        _announce_model(send, identity)
        send(ModelFailed(_make_failure(identity, "build", shorten_error(candidate.error))))
        send(ModelDone())
        return set()

    def find_calls() -> Iterable[Example]:
        sought = seek_model(candidate.qualname, candidate.scope, Path(options.project))
        if sought is None:
            return ()
        with suppress(Exception):  # whatever user code raises
            set_script_names(sought)
        return find_project_examples(sought, options.limits)

    def examine_inner(inner: Send) -> None:
        examine(
            inner,
            identity,
            lambda: (
                candidate.build(files)
                if candidate.build
                else ways_to_build.build_each_way(candidate, files, find_calls)
            ),
            files,
            options,
            {},
            covered,
        )

    keep_texts(find_repository(Path(options.project)))  # for the child, and those of other models
    return examine_in_child(send, identity, examine_inner, options)


def examine_in_child(
    send: Send, identity: ModelIdentity, work: Callable[[Send], None], options: ModelOptions
) -> set[str]:
    """Do the work in a child; what the model that ran there covers."""
    _announce_model(send, identity)
    send(TimeNeeded(options.limits.seconds + 2 * SLACK))
    parts: set[str] = set()
    failed = False
    pieces = isolate_work(work, bound_model(options))
    while True:
        try:
            parcel = next(pieces)
        except StopIteration as stop:
            ending = stop.value
            break
        failed = failed or parcel.tag == ModelFailed.tag
        if parcel.tag == ModelFound.tag:
            parts = _read_contained(parcel)
        send(parcel)
    if ending.cause:
        failed = True
        send(ModelFailed(_make_failure(identity, "stopped", ending.cause, ending.output)))
    send(ModelDone())
    return set() if failed else parts


def _announce_model(send: Send, identity: ModelIdentity) -> None:
    send(ModelBegun(identity.path, identity.qualname, identity.row))


def _read_contained(parcel: Parcel) -> set[str]:
    """What a model as it was sent contains; nothing where it is none, which who reads it says."""
    try:
        return set(parcel.open_as(ModelFound).model.contains)
    except MalformedError:
        return set()


def _make_failure(identity: ModelIdentity, stage: Stage, cause: str, output: str = "") -> Failure:
    return Failure(identity.path, identity.qualname, identity.row, stage, cause, output)


def user_lines(checked: Mapping[str, str], project: str) -> UserLines:
    """The lines of the checked files, and of the project around them."""
    return UserLines(checked, project_roots(checked, project))


def describe_import_error(error: BaseException, files: UserLines, shown: str) -> Failure:
    """That a file could not be imported, at the row of its own that is to blame."""
    error = name_missing(error)
    site = files.of_traceback(error, shown)
    row, cause = site.row if site else 1, shorten_error(error)
    if isinstance(error, SyntaxError) and error.lineno:
        if error.filename == OUTLINED_FILE:
            row, cause = error.lineno, f"{class_name_of(error)}: {error.msg}"
        elif files.shown(error.filename or "") == shown:
            row = error.lineno
    return Failure(shown, "", row, "import", cause, traceback=format_traceback(error))
