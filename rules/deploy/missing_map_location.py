"""LT214: weights that are loaded to the device they were saved from."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import OF_PROJECT, Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.facts.project.parts_elsewhere import is_written_around, names_no_gpu
from lintorch.facts.training.part_values import role_of_class
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT214",
    summary="torch.load of weights without map_location",
    why="""
        torch.load puts every tensor back on the device it was saved from. Weights saved on a GPU
        raise on a machine without one, and on a machine with several all processes fill the first.
        With `map_location="cpu"` they are read anywhere; load_state_dict copies them to where the
        model is. Only what goes to load_state_dict is reported. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def restore(model, path):
            model.load_state_dict(torch.load(path))
            return model.eval()
    """,
    good="""
        import torch


        def restore(model, path):
            model.load_state_dict(torch.load(path, map_location="cpu"))
            return model.eval()
    """,
    remedy="pass map_location='cpu', and move the model afterwards",
    proof="""
        from torch import serialization

        model = torch.nn.Linear(4, 4)
        tag = serialization.location_tag
        serialization.location_tag = lambda storage: "cuda:0"  # as if saved on a GPU
        torch.save(model.state_dict(), "model.pt")
        serialization.location_tag = tag
        restore(model, "model.pt")
    """,
    fix=Applicability.SAFE,
)

_CUDA = re.compile(
    r"cuda\.(is_available|device_count)|(^|[._])(use_)?(cuda|gpus?|trt)$|use_cuda", re.I
)
_GPU = re.compile(
    r"""((torch\.)?device\()?f?["']cuda(:\d+|:\{[^{}"']*\})?["']\)?|torch\.cuda\.current_device\(\)"""
)
_DEVICE = re.compile(r"cuda|device|gpu|\.to\(|accelerat|fabric|\.mps|\.xpu", re.I)
_DEVICE_OF_BYTES = re.compile(_DEVICE.pattern.encode(), re.I)
_SAVES = re.compile(rb"\btorch\.save\(")
_SAVES_ELSEWHERE = re.compile(rb"\btorch\.save\((?![^\n]*\.(to\([\"']cpu[\"']\)|cpu\(\)))")
"""A save that does not say in its line that what it writes was taken to the CPU."""
_MORE = (cst.GreaterThan, cst.IsNot, cst.NotEqual)
_OF_NUMBERS = (Role.SCALER, Role.SCHEDULER)
"""What has a state without tensors."""
_MESSAGE = "no map_location: weights saved on a GPU raise where there is none"
_CAUSE = f"{OF_PROJECT}no map_location"
_NUMBERS = re.compile(r"scal|sched", re.I)
_AS_TEXT = re.compile(r"^str\((.*)\)$|^(.*)\.as_posix\(\)$")
_FILLED = re.compile(r"""^("[^"]*")\.format\(.*\)$""")
"""`"{}.pt".format(epoch)`: a row of files, whatever fills the gaps."""
_TRAINER = re.compile(r"_*(train|fit)(_|$)", re.I)
_MOST_ITEMS = 8
_PARAMETERS = ("f", "map_location", "pickle_module")


@rule.event("torch.load")
def in_loads(event: Called, source: Source) -> Iterator[Hit]:
    """What comes to load_state_dict, by whatever way."""
    call = source.call_at(event)
    if call is None or event.open or "map_location" in name_given(event):
        return
    takers = list(_list_takers(event, source))
    uses = [call, *_named(call, source)]
    cleaned = any(_goes_through(use, source) is not None for use in uses)
    if not (takers or cleaned) or not _is_judged(call, source):
        return
    written = [use for use in uses if _is_taken(use, source)]
    alone = written and len(written) == len(uses) - (len(uses) > 1)
    copies = alone and takers and all(_copies(taker, source) for taker in takers)
    promise = Applicability.SAFE if copies else Applicability.UNSAFE
    fix = Fix("load to the CPU", (source.insert_argument(call, 'map_location="cpu"'),), promise)
    yield Hit(call, _MESSAGE, fix, severity=_weigh(call, source), cause=_CAUSE)


@rule.source(cst.Call, needs=("load",))
def where_nothing_leads(call: cst.Call, source: Source) -> Iterator[Hit]:
    """In branches that defaults switch off, and beyond the steps that are followed."""
    if source.name(call.func) != "torch.load" or "map_location" in source.arguments(call).by_name:
        return
    taken = any(_is_taken(use, source) for use in (call, *_named(call, source)))
    if taken and not source.evaluation.is_reached(source.place(call)) and _is_judged(call, source):
        edit = source.insert_argument(call, 'map_location="cpu"')
        fix = Fix("load to the CPU", (edit,), Applicability.UNSAFE)
        yield Hit(call, _MESSAGE, fix, severity=_weigh(call, source), cause=_CAUSE)


def _weigh(call: cst.Call, source: Source) -> Severity | None:
    """A note where the function asks for a GPU whatever there is: without one it raises in any case.

    So it does where all functions of the file that call it ask.
    """
    asking = {
        scope
        for other in source.nodes(cst.Call)
        if _goes_to_gpu(other, source) and not _is_on_gpu(other, source)
        for scope in (*_scopes(other, source), *_list_functions(other, source))
    }
    if not asking.isdisjoint(_scopes(call, source)):
        return Severity.NOTE
    function = source.enclosing(call, cst.FunctionDef)
    if any(_starts(other, asking) for other in _list_near(function, source)):
        return Severity.NOTE
    if function is None or source.enclosing(function, cst.ClassDef) is not None:
        return None
    callers = [each for each in source.nodes(cst.Call) if _calls(each, {function.name.value})]
    needed = all(not asking.isdisjoint(_scopes(each, source)) for each in callers)
    return Severity.NOTE if callers and needed else None


def _list_near(function: cst.CSTNode | None, source: Source) -> Iterator[cst.Call]:
    """The calls of a function, or of the script."""
    calls = source.nodes(cst.Call)
    return (each for each in calls if source.enclosing(each, cst.FunctionDef) is function)


def _starts(call: cst.Call, functions: set[cst.CSTNode]) -> bool:
    """`multiprocessing.spawn(work, …)` of a function that asks for a GPU."""
    names = {each.name.value for each in functions if isinstance(each, cst.FunctionDef)}
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    first = call.args[0].value if call.args else None
    return method == "spawn" and isinstance(first, cst.Name) and first.value in names


def _list_functions(node: cst.CSTNode, source: Source) -> Iterator[cst.CSTNode]:
    """The functions around, of helpers within a function too."""
    return (each for each in source.ancestors(node) if isinstance(each, cst.FunctionDef))


def _goes_to_gpu(call: cst.Call, source: Source) -> bool:
    """`model.cuda()`, `model.to("cuda:0")`, also by a name that is set to this alone."""
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if method != "to" or len(call.args) != 1:
        return method == "cuda"
    to = call.args[0].value
    given = source.classes.assigned(to) if isinstance(to, (cst.Name, cst.Attribute)) else [to]
    return bool(given) and all(_GPU.fullmatch(source.code(each)) for each in given)


def _is_judged(call: cst.Call, source: Source) -> bool:
    """Whether it may run without a GPU, and reads what was written elsewhere."""
    given = source.arguments(call, *_PARAMETERS)
    path = given.get("f")
    if path is None or not given.complete or "map_location" in given.by_name:
        return False
    if (
        source.is_test
        or source.mentions(("torch_xla", "TRTModule"))
        or _is_tried_again(call, source)
    ):
        return False
    return not _is_on_gpu(call, source) and not _is_own(path, call, source)


def _is_tried_again(call: cst.Call, source: Source) -> bool:
    """Whether what it raises is met by another load, with map_location."""
    around = [each for each in source.ancestors(call) if isinstance(each, cst.Try)]
    handlers = {handler for each in around for handler in each.handlers}
    others = (each for each in source.nodes(cst.Call) if source.name(each.func) == "torch.load")
    return any(
        "map_location" in source.arguments(each).by_name
        and not handlers.isdisjoint(source.ancestors(each))
        for each in others
        if handlers
    )


def _list_takers(event: Called, source: Source) -> Iterator[Called | UnknownCalled]:
    """Calls of load_state_dict that are given what is read, or an item of it, but for states without tensors."""
    ways, waiting = source.evaluation.ways, [event.result]
    for value in waiting:
        for each in ways.find_users(value):
            if isinstance(each, Indexed) and each.held is value and len(waiting) < _MOST_ITEMS:
                waiting.append(each.result)
            elif isinstance(each, Called) and _restores_tensors(each):
                yield each
        for taker in ways.find_takers(value):
            if taker.method == "load_state_dict" and _may_have_tensors(taker, source):
                yield taker


def _restores_tensors(event: Called) -> bool:
    path, _, method = event.name.rpartition(".")
    return method == "load_state_dict" and role_of_class(path) not in _OF_NUMBERS


def _may_have_tensors(taker: UnknownCalled, source: Source) -> bool:
    """Whether it is not known, nor called, a scaler or scheduler."""
    numbers = source.evaluation.parts.find_role(taker.held, taker) in _OF_NUMBERS
    return not numbers and not _NUMBERS.search(getattr(taker.held, "path", ""))


def _copies(taker: Called | UnknownCalled, source: Source) -> bool:
    """Whether the weights end where the model is: not so with `assign=True`, or a class of its own."""
    if isinstance(taker, Called):
        return "assign" not in taker.keyword and len(taker.positional) < 4
    role = source.evaluation.parts.find_role(taker.held, taker)
    assigns = "assign" in taker.given.keyword or len(taker.given.positional) > 2
    return not assigns and role in (Role.MODEL, Role.OPTIMIZER)


def _is_on_gpu(call: cst.Call, source: Source) -> bool:
    """Whether it runs only where a GPU was asked for, or is there: `if torch.cuda.is_available():`."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.If, cst.IfExp)) and inner is not outer.test:
            denied = isinstance(outer.test, cst.UnaryOperation)
            asked = outer.test
            if isinstance(asked, cst.UnaryOperation):
                asked = asked.expression
            if _asks_gpu(asked, source) and (inner is outer.orelse) is denied:
                return True
        inner = outer
    return False


def _asks_gpu(test: cst.BaseExpression, source: Source) -> bool:
    """`use_cuda`, also by what the name was set to; of comparisons `> 0`, `is not None` and `== "cuda"`."""
    if isinstance(test, cst.Comparison):
        first = test.comparisons[0]
        if isinstance(first.operator, cst.Equal):
            return bool(_GPU.fullmatch(source.code(first.comparator)))
        return isinstance(first.operator, _MORE) and _asks_gpu(test.left, source)
    if isinstance(test, cst.BooleanOperation):
        return isinstance(test.operator, cst.And) and _asks_gpu(test.left, source)
    given = source.classes.assigned(test) if isinstance(test, (cst.Name, cst.Attribute)) else []
    return any(_CUDA.search(source.code(node)) for node in (test, *given))


def _named(call: cst.Call, source: Source) -> list[cst.Name]:
    """The uses of the name that a call is assigned to."""
    assign = source.parent(call)
    target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
    if not isinstance(target, cst.Name):
        return []
    function = source.enclosing(call, cst.FunctionDef)
    return [
        n
        for n in source.mentions_of(target.value)
        if n is not target and source.enclosing(n, cst.FunctionDef) is function
    ]


def _is_taken(node: cst.CSTNode, source: Source) -> bool:
    """`m.load_state_dict(node)`, also of `node["model"]` and of `without_prefix(node)`, a function of the project."""
    call = _goes_through(node, source) or _find_taker(node, source)
    func = call.func if isinstance(call, cst.Call) else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "load_state_dict":
        return False
    return not _NUMBERS.search(source.code(func.value))


def _goes_through(node: cst.CSTNode, source: Source) -> cst.Call | None:
    """The load_state_dict of `m.load_state_dict(without_prefix(node))`, a function of the project."""
    inner = _find_taker(node, source)
    if not isinstance(inner, cst.Call) or not isinstance(inner.func, cst.Name):
        return None
    outer = _find_taker(inner, source)
    func = outer.func if isinstance(outer, cst.Call) else None
    loads = isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict"
    return outer if loads and isinstance(outer, cst.Call) else None


def _find_taker(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """The call that is given a value, or an item of it."""
    outer = source.parent(node)
    while isinstance(outer, cst.Subscript) and outer.value is node:
        node, outer = outer, source.parent(outer)
    return source.parent(outer) if isinstance(outer, cst.Arg) else None


def _is_own(path: cst.BaseExpression, call: cst.Call, source: Source) -> bool:
    """Whether the same function, or class, has written the file: its device is the same.

    So has any function of a file that makes the model and names no device. On the CPU it is the same anywhere.
    """
    if _follows_training(call, source) or _saves_on_cpu(source) or _is_known(path, source):
        return True
    one_device = not _DEVICE.search(source.text)
    if one_device and _knows_one_device(source):
        return True
    written = _write_path(path, source)
    scopes = _scopes(call, source)
    return any(
        source.name(other.func) == "torch.save"
        and (to := source.arguments(other, "obj", "f").get("f")) is not None
        and _write_path(to, source) == written
        and (scopes & _scopes(other, source) or (one_device and _saves_made(other, source)))
        for other in source.nodes(cst.Call)
    )


def _is_known(path: cst.BaseExpression, source: Source) -> bool:
    """Whether the file is one that torchvision publishes, or lies there: both hold weights of the CPU."""
    given = source.classes.assigned(path) if isinstance(path, (cst.Name, cst.Attribute)) else []
    names = [name for each in (path, *given) for name in _TEXT.findall(source.code(each))]
    if any(_PUBLISHED.search(name) for name in names):
        return True
    return bool(names) and names_no_gpu(names[-1], source.path, source.consulted)


_TEXT = re.compile(r"""["']([^"'\n]*\.pth?(?:\.tar)?)["']""")
_PUBLISHED = re.compile(
    r"(^|/)(resnet|vgg|densenet|alexnet|inception|resnext|googlenet)\w*-[0-9a-f]{8}\.pth$"
)


def _saves_on_cpu(source: Source) -> bool:
    """Whether the project saves something, and takes to the CPU whatever it saves."""
    path, consulted = source.path, source.consulted
    saves = is_written_around(_SAVES, path, consulted, if_large=False)
    return saves and not is_written_around(_SAVES_ELSEWHERE, path, consulted)


def _knows_one_device(source: Source) -> bool:
    """Whether the project saves weights somewhere, and nothing in it speaks of devices."""
    saves = is_written_around(_SAVES, source.path, source.consulted)
    return saves and not is_written_around(_DEVICE_OF_BYTES, source.path, source.consulted)


def _saves_made(save: cst.Call, source: Source) -> bool:
    """Whether it saves what its own file has made: `model = Net()`, no parameter of a helper."""
    held: cst.CSTNode | None = source.arguments(save, "obj", "f").get("obj")
    while isinstance(held, (cst.Call, cst.Attribute)):
        held = held.func if isinstance(held, cst.Call) else held.value
    given = source.classes.assigned(held) if isinstance(held, cst.Name) else []
    return bool(given) and all(isinstance(each, cst.Call) for each in given)


def _write_path(path: cst.BaseExpression, source: Source) -> str:
    """A path as it is written, also to the name that is given for it, without what makes a text of it."""
    given = source.classes.assigned(path) if isinstance(path, cst.Name) else []
    if len(given) == 1 and isinstance(given[0], (cst.SimpleString, cst.FormattedString)):
        path = given[0]
    text = _AS_TEXT.sub(r"\1\2", source.code(path).replace("'", '"'))
    return _FILLED.sub(r"\1", text)


def _follows_training(call: cst.Call, source: Source) -> bool:
    """Whether its function has trained before: what it reads then are weights of this very run.

    So are those of a function that is called behind one that trains, as `train(); test()`, and of a
    script behind such a call.
    """
    function = source.enclosing(call, cst.FunctionDef)
    before = [*_list_before(call, source)]
    if any(_trains(e) or (_is_training(e) and _surely_ran(e, call, source)) for e in before):
        return True
    trainers = _list_trainers(source)
    if any(_calls(each, trainers) and _surely_ran(each, call, source) for each in before):
        return True
    if not isinstance(function, cst.FunctionDef):
        return False
    if source.enclosing(function, cst.ClassDef):
        return False
    calls = [each for each in source.nodes(cst.Call) if _calls(each, {function.name.value})]
    return bool(calls) and all(
        any(
            _calls(e, trainers) and _surely_ran(e, each, source) for e in _list_before(each, source)
        )
        for each in calls
    )


def _list_trainers(source: Source) -> set[str]:
    """The functions of the file that train by themselves."""
    inner = (
        source.enclosing(each, cst.FunctionDef) for each in source.nodes(cst.Call) if _trains(each)
    )
    return {each.name.value for each in inner if isinstance(each, cst.FunctionDef)}


def _list_before(call: cst.Call, source: Source) -> Iterator[cst.Call]:
    """The calls of the same function that stand before one."""
    function = source.enclosing(call, cst.FunctionDef)
    for other in source.nodes(cst.Call):
        if other is call:
            return
        if source.enclosing(other, cst.FunctionDef) is function:
            yield other


def _trains(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in ("backward", "fit")


def _is_training(call: cst.Call) -> bool:
    """`train_epoch(model, loader)`, `self._train(criterion, loader)`: no `model.train(True)`."""
    func = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    named = isinstance(func, cst.Name) and _TRAINER.match(func.value)
    return bool(named) and len(call.args) > 1


def _calls(call: cst.Call, names: set[str]) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value in names


def _surely_ran(before: cst.Call, call: cst.Call, source: Source) -> bool:
    """Whether one call runs wherever another does: it stands in a block around that, but for loops."""
    around = [*source.ancestors(call)]
    for outer in source.ancestors(before):
        if isinstance(outer, (cst.IndentedBlock, cst.Module)) and outer in around:
            return True
        if isinstance(outer, (cst.If, cst.FunctionDef, cst.ExceptHandler)):
            return False
    return False


def _scopes(node: cst.CSTNode, source: Source) -> set[cst.CSTNode]:
    """The function and the class around a node, or the module."""
    around = (source.enclosing(node, cst.FunctionDef), source.enclosing(node, cst.ClassDef))
    return {scope for scope in around if scope is not None} or {source.module}
