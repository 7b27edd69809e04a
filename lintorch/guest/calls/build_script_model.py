"""Builds and feeds a model that a package builds, by the statements of the script that has it built."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils import model_zoo

from lintorch.guest.calls.code_text import CodeText
from lintorch.guest.calls.find_model_calls import ModelCall, find_model_calls
from lintorch.guest.calls.list_model_calls import SoughtModel
from lintorch.guest.calls.name_links import NameLinks
from lintorch.guest.calls.needed_names import spell_dotted
from lintorch.guest.calls.package_makers import is_project_code
from lintorch.guest.calls.package_models import ScriptModel
from lintorch.guest.calls.project_scripts import ProjectScripts
from lintorch.guest.calls.read_fed import name_fed, read_fed
from lintorch.guest.calls.read_open_axes import names_dims, read_open_axes
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_runner import ScriptRunner
from lintorch.guest.calls.unknown_value import UNKNOWN
from lintorch.guest.construct.call_examples import CallPlace
from lintorch.guest.construct.make_model import Built, ModelMaker, NotAModelError
from lintorch.guest.process.assumptions import note_assumption
from lintorch.guest.process.deadline import clock
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.models import FedArgument
from lintorch.record.repository import find_repository

_SHARE = 0.5
"""Of the seconds, for what the script does up to the model."""
_MOST_CALLS = 8
"""Calls of the model that are looked at for what it is fed."""
_LONGEST_SPELLED = 60


class UnknownArgumentError(Exception):
    """What a script gives the call that makes the model could not be worked out."""


@dataclass(frozen=True)
class Script:
    """An imported script, its text, and the seconds for a model of it."""

    text: CodeText
    module: ModuleType
    project: Path
    seconds: float

    def start(self) -> ProjectScripts:
        """What works out its values: loaders give random weights, as everywhere in a worker."""
        kind = type("SoughtModel", (nn.Module,), {"__module__": self.module.__name__})
        scope = {name: v for name, v in vars(self.module).items() if _is_definition(v)}
        scope |= {"__name__": "__main__", "__file__": str(self.text.path)}
        root = find_repository(self.project)
        sought = SoughtModel(kind, scope, self.text.path, root)
        late = self.seconds * _SHARE
        statements = StatementRunner([], clock() + late, sought.bind_imports(), late)
        return ProjectScripts(sought, statements, _keep_loaders())


def build_script_model(model: ScriptModel, script: Script, files: UserLines) -> Iterator[Built]:
    """The model as the script has it built, and changed, with what its calls there feed it.

    Raises UnknownArgumentError, NotAModelError, and what the package's call raises.
    """
    scripts = script.start()
    place = script.text.name_place(model.row, find_repository(script.project))

    def make() -> nn.Module:
        with scripts.enter(script.text) as runner:
            made = _unwrap(runner.find_value(model.used, model.region))
            made = made if isinstance(made, nn.Module) else _call_maker(model, runner, place)
        if is_project_code(type(made), find_repository(script.project)):
            raise NotAModelError("it is a model of the project, which is found by itself")
        return made

    spelled = ast.unparse(model.made.node.func)[:_LONGEST_SPELLED]
    built = ModelMaker(make, {}, {"built by": spelled}, files).build_model()
    note_assumption(f"built as in {place}")
    inputs: tuple[tuple[str, FedArgument], ...] = ()
    like = CallPlace(place)
    with suppress(Exception), scripts.enter(script.text) as runner:  # whatever user code raises
        inputs, like = _read_inputs(model, script, runner, type(built.module), like)
    yield replace(built, example_inputs=inputs, like=like)


def _unwrap(value: Any) -> Any:
    """The model; also the first of several things that were made, and the one inside of a wrapper."""
    value = value[0] if isinstance(value, tuple) and value else value
    if isinstance(value, nn.Module):
        inner = value.__dict__.get("_modules", {})
        wraps = type(value).__name__ in ("DataParallel", "DistributedDataParallel")
        return inner.get("module") if wraps else inner.get("_orig_mod", value)
    return value


def _call_maker(model: ScriptModel, runner: ScriptRunner, place: str) -> nn.Module:
    """The model by the call alone; what it is given by name and is not known is left to the package."""
    node, region = model.made.node, model.made.region
    maker = runner.find_value(node.func, region)
    args = [runner.find_value(n, region) for n in node.args if not isinstance(n, ast.Starred)]
    named = {k.arg: runner.find_value(k.value, region) for k in node.keywords if k.arg}
    lacking = [ast.unparse(n) for n, v in zip(node.args, args, strict=False) if v is UNKNOWN]
    lacking += [spell_dotted(node.func)] if maker is UNKNOWN else []
    if lacking:
        raise UnknownArgumentError(f"{lacking[0]} is not known without data ({place})")
    left = [name for name, value in named.items() if value is UNKNOWN]
    made = _unwrap(maker(*args, **{n: v for n, v in named.items() if n not in left}))
    if not isinstance(made, nn.Module):
        raise NotAModelError(f"it gives back {type(made).__name__}, not an nn.Module")
    if left:
        note_assumption(f"left as by default: {', '.join(left)} ({place})")
    return made


def _read_inputs(
    model: ScriptModel,
    script: Script,
    runner: ScriptRunner,
    kind: type[nn.Module],
    otherwise: CallPlace,
) -> tuple[tuple[tuple[str, FedArgument], ...], CallPlace]:
    """What the most telling call feeds the model, and the axes that it leaves open."""
    for call in _list_calls(model, script.text)[:_MOST_CALLS]:

        def find(part: ast.expr, call: ModelCall = call) -> Any:
            return runner.find_value(part, call.placed.region)

        with suppress(Exception):  # whatever user code raises
            if inputs := name_fed(*read_fed(call, find), kind):
                axes = read_open_axes(call, find, list(dict(inputs)))
                named = bool(axes) and names_dims(call, find)
                where = script.text.name_place(call.row, find_repository(script.project))
                return inputs, CallPlace(where, axes, named)
    return (), otherwise


def _list_calls(model: ScriptModel, text: CodeText) -> list[ModelCall]:
    """The calls of the script that run or export the model."""
    maker = spell_dotted(model.made.node.func).rpartition(".")[2]
    links, names = NameLinks(text.tree), frozenset((maker, model.name))
    calls = [c for c in find_model_calls(text, frozenset(), own=False) if c.model is not None]
    mine = [c for c in calls if c.model is not None and links.reaches(c.model, names)]
    return sorted(mine, key=lambda call: call.rank)


def _is_definition(value: Any) -> bool:
    return isinstance(value, (type, ModuleType, FunctionType))


def _keep_loaders() -> Callable[[], Any]:
    """Puts back, inside of a script, what gives a worker's models random weights."""
    places: tuple[tuple[Any, str], ...] = (
        (torch, "load"),
        (torch.hub, "load_state_dict_from_url"),
        (model_zoo, "load_url"),
        (nn.Module, "load_state_dict"),
    )
    kept = [(holder, name, getattr(holder, name)) for holder, name in places]

    @contextmanager
    def put_back() -> Iterator[None]:
        inside = [(holder, name, getattr(holder, name)) for holder, name, _ in kept]
        for holder, name, value in kept:
            setattr(holder, name, value)
        try:
            yield
        finally:
            for holder, name, value in inside:
                setattr(holder, name, value)

    return put_back
