"""LT701: a checkpoint that is read by a pickle which may run code."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import OF_PROJECT, Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE, NONE, TRUE, External, ModuleValue
from lintorch.facts.api.network_bytes import comes_by_network
from lintorch.facts.models.read_models import PICKLES, becomes_model
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT701",
    summary="a checkpoint whose loading may run code",
    why="""
        A pickle is a program: whoever wrote the file decides what runs when it is read. torch.load
        reads tensors and plain values only with `weights_only=True`, which is the default since
        torch 2.6 and exists since 1.13; before 2.6 a torch.load that does not say so unpickles
        whatever is in the file. The same goes for pickle, joblib and dill. unsafe-pickle tells of those that become no model. Up to torch 2.5.1 even
        weights_only=True could be got around (CVE-2025-32434).

        With `pickle_module=` torch.load unpickles whatever is in the file, as weights_only is False
        then where nothing is said; together with `weights_only=True` it raises RuntimeError.

        Where a literal path or a buffer is read, or what the same module writes, the file is taken
        to be your own, and so is one of a name that a file of the project writes beside torch.save. With weights_only=True a file that holds more than weights is refused; what it
        needs can be allowed by torch.serialization.add_safe_globals. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def restore(path):
            return torch.load(path, map_location="cpu", weights_only=False)
    """,
    good="""
        import torch


        def restore(path):
            return torch.load(path, map_location="cpu", weights_only=True)
    """,
    remedy="pass weights_only=True, and allow classes by torch.serialization.add_safe_globals",
    proof="""
        import pickle


        class Weights:
            def __reduce__(self):
                return exec, ("raise SystemExit('code of the file has run')",)


        torch.save(Weights(), "weights.pt")
        try:
            restore("weights.pt")
        except pickle.UnpicklingError:
            pass
    """,
    fix=Applicability.UNSAFE,
)

_OWN = re.compile(r"\bself\.\w+")
_FETCHES = frozenset({"torch.hub.load_state_dict_from_url", "torch.utils.model_zoo.load_url"})
_PARAMETERS = ("f", "map_location", "pickle_module")
_CAUSE = f"{OF_PROJECT}weights_only=False"
_NAMED = 4
"""Characters that a file's name has at least, by which it is known again."""


@rule.source(cst.Call, needs=("load",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name == "torch.load":
        yield from _torch(call, source)
    elif name in _FETCHES:
        given = source.arguments(call, "url", "model_dir", "map_location")
        asked = given.get("weights_only")
        if asked is not None and literal(asked) is False and not _is_own(given.get("url"), source):
            fix = Fix("read weights only", (source.replace(asked, "True"),), Applicability.UNSAFE)
            message = (
                "with weights_only=False this runs whatever code the file holds that it fetches"
            )
            yield Hit(call, message, fix)


@rule.event("torch.load")
def by_settings(event: Called, source: Source) -> Iterator[Hit]:
    """Where weights_only=False comes from a setting, a default or a partial."""
    given, call = name_given(event), source.call_at(event)
    if call is None or event.open or given.get("weights_only") != FALSE or "pickle_module" in given:
        return
    asked = source.arguments(call, *_PARAMETERS)
    plain = source.name(call.func) == "torch.load" and asked.value("weights_only", None) is False
    if not plain and not _is_own(asked.get("f"), source):
        message = "torch.load with weights_only=False runs whatever code the file holds"
        yield Hit(event, message, cause=_CAUSE)


@rule.event("torch.load")
def by_module(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.load(path, pickle_module=pickle)`."""
    given, call = name_given(event), source.call_at(event)
    module = given.get("pickle_module", NONE)
    if not isinstance(module, (External, ModuleValue)) or event.open or call is None:
        return
    remedy = "leave pickle_module out"
    if given.get("weights_only") == TRUE:
        message = "torch.load with weights_only=True raises where pickle_module is given"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)
    elif not _is_own(call.args[0].value if call.args else None, source):
        message = "pickle_module makes torch.load run whatever code the file holds"
        yield Hit(event, message, remedy=remedy)


@rule.event(*sorted(PICKLES))
def of_pickles(event: Called, source: Source) -> Iterator[Hit]:
    if becomes_model(event, source):
        message = f"{event.name} of a model runs whatever code the file holds"
        yield Hit(event, message, remedy="keep its state_dict(), by torch.save and torch.load")


def _torch(call: cst.Call, source: Source) -> Iterator[Hit]:
    given = source.arguments(call, *_PARAMETERS)
    only = given.value("weights_only", None)
    asked = given.get("weights_only")
    if _is_own(given.get("f"), source):
        return
    if given.get("pickle_module") is not None:  # of which the event tells
        return
    if only is False and asked is not None:
        fix = Fix("read weights only", (source.replace(asked, "True"),), Applicability.UNSAFE)
        message = "torch.load with weights_only=False runs whatever code the file holds"
        told = fix if source.profile.torch >= (1, 13) else None
        yield Hit(call, message, told, cause=_CAUSE)
    elif only is None and asked is None and source.profile.torch < (2, 6):
        release = ".".join(map(str, source.profile.torch))
        message = f"torch.load runs whatever code the file holds: {release} does not read weights only by itself"
        yield Hit(call, message, _told(call, source))


def _told(call: cst.Call, source: Source) -> Fix | None:
    if source.profile.torch < (1, 13):
        return None
    edit = source.insert_argument(call, "weights_only=True")
    return Fix("read weights only", (edit,), Applicability.UNSAFE)


def _is_own(path: cst.BaseExpression | None, source: Source) -> bool:
    """A literal path, a buffer, or a path in a folder that torch.save of the same file writes to."""
    if path is None or any(literal(v) is not UNKNOWN for v in _values(path, source)):
        return True
    buffers = [each for each in source.built(path) if source.name(each.func) == "io.BytesIO"]
    if buffers:
        return not any(e.args and comes_by_network(e.args[0].value, source) for e in buffers)
    if any(_is_saved_around(name, source) for name in _list_file_names(path, source)):
        return True
    read = set(_parts(path, source))
    return any(
        _writes(call, source)
        and (to := source.arguments(call, "obj", "f").get("f")) is not None
        and not read.isdisjoint(_parts(to, source))
        for call in source.nodes(cst.Call)
    )


def _writes(call: cst.Call, source: Source) -> bool:
    """torch.save, also by another name such as `fs.torch_save`."""
    func = call.func
    wrapped = isinstance(func, cst.Attribute) and func.attr.value == "torch_save"
    return wrapped or source.name(func) == "torch.save"


def _values(path: cst.BaseExpression, source: Source) -> list[cst.BaseExpression]:
    """A path and what it was assigned from."""
    return [path, *(source.classes.assigned(path) if isinstance(path, cst.Name) else ())]


def _parts(path: cst.BaseExpression, source: Source) -> Iterator[str]:
    """The text of a path and the attributes of `self` in it, such as the folder of a cache."""
    for value in _values(path, source):
        written = source.code(value)
        yield written
        yield from _OWN.findall(written)


def _list_file_names(path: cst.BaseExpression, source: Source) -> Iterator[str]:
    """How the name of a file ends that is written out: of `folder / f"fold{i}_best.pth"`, `os.path.join(folder, "a.pt")`."""
    for value in _values(path, source):
        last = value
        while True:
            if isinstance(last, cst.BinaryOperation) and isinstance(last.operator, cst.Divide):
                last = last.right
            elif isinstance(last, cst.Call) and last.args:
                last = last.args[-1].value
            else:
                break
        text = literal(last)
        if isinstance(last, cst.FormattedString):
            part = last.parts[-1] if last.parts else None
            text = part.value if isinstance(part, cst.FormattedStringText) else None
        if isinstance(text, str) and len(name := text.rpartition("/")[2]) >= _NAMED + len(".pt"):
            yield name


def _is_saved_around(name: str, source: Source) -> bool:
    """Whether a file of the project that calls torch.save writes out this name."""
    written = rb"^(?![^\n]*load\()[^\n]*" + re.escape(name.encode())
    pattern = rb"(?m)\A(?=(?s:.)*torch\.save\()(?s:.)*" + written
    return is_written_around(re.compile(pattern), source.path, source.consulted, if_large=False)
