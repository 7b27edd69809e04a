"""LT114: a forward that takes or returns what an exporter has no place for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from lintorch.core.exporter_calls import EXPORTER_CALLS, ONNX_EXPORT
from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Place, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, GivenBack, Returned, Wrapped
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.make_arguments import is_none, pair_defaults
from lintorch.evaluator.values import (
    TRUE,
    Class,
    Held,
    Items,
    Unknown,
    Value,
)
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.classes.classes import ClassInfo
from lintorch.facts.exporting.export_calls import literal_strings, onnx_arguments
from lintorch.facts.exporting.export_events import choose_exporter
from lintorch.facts.exporting.function_bodies import nodes_in_body
from lintorch.facts.exporting.model_parts import is_made_elsewhere, is_part, is_root_part
from lintorch.facts.exporting.named_outputs import find_named_read
from lintorch.facts.exporting.returned_forms import keys_of, list_kinds
from lintorch.facts.exporting.returned_values import (
    DATACLASS,
    DICT_LIKE,
    DICTS,
    EVERY,
    OBJECT,
    PLAIN,
    REGISTERS,
    RETURNED,
    TRACE,
    VARYING,
    collect_harms,
    holds_size,
    judge_value,
)
from lintorch.facts.exporting.traced_returns import return_tensors
from lintorch.facts.exporting.wrapper_names import added_names
from lintorch.facts.names.scopes import dotted_text
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT114",
    summary="an input or output that the exporter does not take",
    why="""
        Exporters see tensors in tuples, lists, dicts and named tuples. A forward that takes or
        returns an object of a class of one's own (a dataclass too, unless it is registered), a
        set, a generator or a distribution is refused. torch.export passes on plain numbers,
        strings and sizes that are returned; the new ONNX exporter refuses them, but for a size that
        is declared dynamic, of which it makes an output, and the legacy one drops a string. torch.jit.trace refuses them as well, and None, and dicts unless it
        is given strict=False. The legacy exporter and jit.trace call forward by position, so
        that keyword-only parameters stop them. The legacy exporter gives all that has a default
        so, too: a decorator of forward that adds one of these to its **kwargs gives it twice.

        Names are given to ONNX inputs and outputs one by one: None in the example or in what is
        returned has no place in the model and shifts the names after it, a dict gives its values
        in the order it was filled in, whatever its keys. The numbers then carry the wrong names,
        and nothing says so. Measured on torch 2.13.

        What a model returns is reported where it is no part of another model of the project, and
        no argument of its forward decides on it: what a part returns never reaches an exporter.
        A model of transformers 5 that reads the outputs of its parts by name raises under
        config.return_dict = False, so that its forward returns an object, which jit.trace refuses,
        or nothing. jit.trace also refuses an empty list, and a list that holds others, tuples or dicts. A named tuple
        is exported by all, and torch.export.save refuses the program then. Of inputs,
        only those of models that the file exports itself are reported.
    """,
    bad="""
        import torch
        from torch import nn


        class Detector(nn.Module):
            def forward(self, x):
                return {"scores": x.sigmoid(), "boxes": x * 2}


        def save(x, path):
            torch.onnx.export(Detector(), (x,), path, output_names=["boxes", "scores"])
    """,
    good="""
        import torch
        from torch import nn


        class Detector(nn.Module):
            def forward(self, x):
                return {"scores": x.sigmoid(), "boxes": x * 2}


        def save(x, path):
            torch.onnx.export(Detector(), (x,), path, output_names=["scores", "boxes"])
    """,
    remedy="return tensors alone, in a tuple",
    proof="""
        import onnxruntime

        warnings.simplefilter("ignore")
        x = torch.randn(2, 3)
        save(x, "detector.onnx")
        (boxes,) = onnxruntime.InferenceSession("detector.onnx").run(["boxes"], {"x": x.numpy()})
        assert torch.equal(torch.from_numpy(boxes), x * 2)
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

TAKEN = {
    **dict.fromkeys(("torch.dtype", "torch.device", "numpy.ndarray"), OBJECT),
    **dict.fromkeys(("typing.Callable", "collections.abc.Callable"), EVERY),
}
"""What a parameter may be annotated with."""
BY_POSITION = {"onnx-legacy": Harm.REFUSED, "torchscript-trace": Harm.REFUSED}
BY_POSITION_DEFAULT = {"onnx-legacy": Harm.REFUSED, "torchscript-script": Harm.REFUSED}
MISNAMED = {"onnx": Harm.SILENT, "onnx-legacy": Harm.SILENT}
SHIFTED = {"onnx": Harm.SILENT, "onnx-legacy": Harm.REFUSED}
BAKED = {"onnx": Harm.REFUSED}
SIZED = frozenset({"size"})
REMEDIES = {
    "a dict": "return a tuple, or call torch.jit.trace with strict=False",
    "None": "return what is there alone",
    "a number": "return it as a tensor: torch.tensor(value)",
    "a string": "leave it out of what forward returns",
    **dict.fromkeys(("a size", VARYING), "leave it out: the caller reads it off a tensor"),
    "a set": "return a tuple",
    "a generator": "return tuple(...) of it",
    "an empty list": "return a tuple",
    **dict.fromkeys(
        ("a list of tensors and others", "a list of lists or tuples"), "return a tuple"
    ),
    "a number of a tensor": "return the tensor, without item()",
}
"""What to return instead; of objects, their tensors."""
OF_ITS_OWN = "an object of its own class"
UNTRACED = (
    "a dict",
    "None",
    "a list of tensors and others",
    "a list of lists or tuples",
    "a number",
    "a string",
)
"""What the tracers are given without, as they refuse it."""
WAITING = (Held, Items, Unknown)
"""Values of which an exporter may refuse what nobody knows of them."""
TRACERS = {"torchscript-trace", "onnx-legacy"}
FOLLOWING = {"torch.export", "onnx"}
"""Exporters that take an object of a dataclass that is registered: measured on torch 2.13."""
REORDER = "list the names in this order"
UNNAME = "take its name out of"
NAMED = ("can_return_tuple", "capture_outputs", "config.return_dict")
"""Words of models whose configuration says whether they give a tuple."""
AROUND = "trace a module whose forward returns self.model(..., return_dict=False)"
IN_A_TUPLE = "return its tensors in a tuple"
IN_PLACE = "return the tensors of the dict in its place: (x, *d.values())"


@rule.event(*EXPORTER_CALLS)
def in_export(event: Called, source: Source) -> Iterator[Hit]:
    exporter, parameter = EXPORTER_CALLS[event.name]
    if event.name == ONNX_EXPORT:
        exporter = choose_exporter(event, source)
    given, call = name_given(event), source.call_at(event)
    if call is not None:
        yield from in_example(call, exporter, source)
    forward = find_forward(given.get(parameter), source)
    if forward is None:
        return
    if call is not None:
        yield from in_names(call, forward, source)
    loose = event.open or given.get("strict", TRUE) != TRUE
    for hit in (*in_parameters(forward, source), *in_returns(forward, source)):
        if hit.harm and exporter in hit.harm and not (loose and hit.harm is TRACE):
            yield hit


def find_forward(model: Value | None, source: Source) -> cst.FunctionDef | None:
    """The forward of a model whose class is written in this file."""
    kind = model.of if isinstance(model, Held) else None
    if not isinstance(kind, Class) or kind.file.path != source.path:
        return None
    named = (each for each in source.classes.all.values() if each.name == kind.name)
    info = next((each for each in named if each.is_module), None)
    return source.classes.method(info, "forward") if info is not None else None


@rule.source(cst.ClassDef, needs=("forward(",))
def in_class(node: cst.ClassDef, source: Source) -> Iterator[Hit]:
    """Objects returned by what is a model of its own, wherever it is exported."""
    info = source.classes.all[node]
    forward = info.methods.get("forward")
    if not info.is_module or forward is None or is_part(info, source):
        return
    for yielded in nodes_in_body(forward, cst.Yield, source):
        remedy = "collect the results and return them in a tuple"
        yield Hit(yielded, "forward is a generator", harm=EVERY, remedy=remedy)
        return
    values = [value for value, _ in returned(forward, source)]
    objects = [object_of(value, source) for value in values]
    first = objects[0] if objects else ()
    if not first or not all(objects) or takes_alike(forward, first[0]):
        return
    if all(isinstance(each, cst.Call) and not each.args for each in values):
        return  # nothing is in it
    if not is_made_elsewhere(info.name, source):
        told, harm = first
        yield give_back(values[0], told, harm, source)


def takes_alike(forward: cst.FunctionDef, told: str) -> bool:
    """Whether it is given such an object too, which no exporter gives: other code of the model does."""
    notes = [each.annotation for each in forward.params.params if each.default is None]
    names = [dotted_text(each.annotation).rpartition(".")[2] for each in notes if each]
    return any(name and told.endswith(f" own class {name}") for name in names)


def is_given_alike(forward: ast.FunctionDef, told: str) -> bool:
    """The same of one that was followed."""
    notes = (ast.unparse(each.annotation) for each in forward.args.args if each.annotation)
    return any(told.endswith(f" own class {note.rpartition('.')[2]}") for note in notes)


def give_back(node: object, told: str, harm: dict[str, Harm], source: Source) -> Hit:
    """What a forward returns, and what it is to return instead."""
    remedy = IN_PLACE if told == "a dict" and not is_dict(node) else REMEDIES.get(told, IN_A_TUPLE)
    name = told.removeprefix(OF_ITS_OWN).strip()
    if (
        name != told
        and is_dataclass(name, source)
        and FOLLOWING & harm.keys() & source.profile.exporters
    ):
        remedy = f"{IN_A_TUPLE}, or call torch.export.register_dataclass({name}) ahead of torch.export and dynamo=True"
    traced = told in UNTRACED and not TRACERS.isdisjoint(harm.keys() & source.profile.exporters)
    mended = traced or told.startswith(OF_ITS_OWN)
    fix = return_traced(node, source) if mended else None
    return Hit(node, f"forward returns {told}", fix, harm=harm, remedy=remedy)


def is_dataclass(name: str, source: Source) -> bool:
    """Whether a class of this file is one, which torch.export takes once it is registered."""
    info = next((each for each in source.classes.all.values() if each.name == name), None)
    return info is not None and any(each in DATACLASS for each in name_decorators(info, source))


def name_decorators(info: ClassInfo, source: Source) -> list[str]:
    """The full names of what decorates a class, called or not; "" for what is not known."""
    made = (each.decorator for each in info.node.decorators)
    return [source.name(each.func if isinstance(each, cst.Call) else each) for each in made]


def is_dict(node: object) -> bool:
    """Whether it may be a dict that is given back, and no dict inside of what is: strict=False does not help there."""
    if isinstance(node, Returned):
        return not isinstance(node.value, Items) or node.value.kind == "dict"
    return not isinstance(node, (cst.Tuple, cst.List))


def return_traced(node: object, source: Source) -> Fix | None:
    """Tensors for the tracer, where what all `return`s of the forward give is known; none for TorchScript."""
    events = [e for _, e in source.evaluation.list_events({Returned}) if isinstance(e, Returned)]
    one = next((each for each in events if source.place(each) == source.place(node)), None)
    if one is None or "torchscript-script" in source.profile.exporters:
        return None
    given = {source.place(each): each.value for each in events if each.inside is one.inside}
    lines = (each.value for each in source.nodes(cst.Return) if each.value is not None)
    written = [(line, given[source.place(line)]) for line in lines if source.place(line) in given]
    return return_tensors(written, source) if len(written) == len(given) else None


def gives_nothing_own(event: Returned) -> bool:
    """`return super().forward(x)`, of which is told where that is written, and `return AttrDict()`."""
    given = event.node.value if isinstance(event.node, ast.Return) else event.node
    match given:
        case ast.Call(
            func=ast.Attribute(attr="forward", value=ast.Call(func=ast.Name(id="super")))
        ):
            return True
        case ast.Call(func=ast.Name(), args=[], keywords=[]):
            return True
    return False


@rule.event(Returned)
def in_model(event: Returned, source: Source) -> Iterator[Hit]:
    """What a model gives whatever way its forward is left."""
    told = judge_value(event.value)
    if source.profile.dynamic:
        told.pop(VARYING, None)
    name = event.way.root.rpartition(":")[2]
    if not told or offers_others(event) or is_root_part(name, source) or gives_nothing_own(event):
        return
    if any(is_given_alike(event.inside, each) for each in told):
        return
    given = list_returned(event.way.root, source)
    if given[0].spot != event.spot:
        return
    judged = [collect_harms(judge_value(each.value)) for each in given]
    known: set[str] = set()
    for text, harm in told.items():
        sure = {k: v for k, v in harm.items() if all(k in each for each in judged)}
        if sure.keys() <= known:
            continue
        known |= sure.keys()
        whole = text == "a dict" and is_dict(event)
        if sure and not (whole and "strict=False" in source.text):
            yield give_back(event, text, sure, source)


@rule.event(Returned)
def of_another_class(event: Returned, source: Source) -> Iterator[Hit]:
    """An output of transformers and its kin, a mapping, or what nobody knows, which waits for an exporter to refuse it."""
    known = judge_value(event.value)
    name = event.way.root.rpartition(":")[2]
    told = known and "a dict" not in known  # the legacy exporter refuses keys that are numbers
    if not isinstance(event.value, WAITING) or told or is_root_part(name, source):
        return
    fix = return_traced(event, source)
    if fix is not None:
        yield Hit(event, "forward returns an object of another class", fix, confirms=True)


@rule.source(cst.ClassDef, needs=NAMED)
def in_named_outputs(node: cst.ClassDef, source: Source) -> Iterator[Hit]:
    """A model that gives an object of named outputs, and fails where its configuration asks for a tuple."""
    info = source.classes.all[node]
    failing = find_named_read(info, source) if info.is_module else None
    if failing is None:
        return
    off = "fails here"
    if isinstance(failing, cst.Attribute):
        off = f"fails at {source.code(failing)}"
    elif isinstance(failing, cst.Return):
        off = "gives None"
    told = f"forward returns an object of named outputs, and {off} under config.return_dict = False"
    yield Hit(failing, f"{told}, where {info.name} itself is exported", harm=TRACE, remedy=AROUND)


@rule.event(Wrapped)
def in_wrapper(event: Wrapped, source: Source) -> Iterator[Hit]:
    """A decorator that gives by name what the legacy exporter gives by position: all that has a default."""
    spec = event.inside.args
    known = {each.arg for each in (*spec.posonlyargs, *spec.args)}
    owner = name_owner(event, source)
    of = f" where {owner} itself is exported" if owner else ""
    for wrapper in event.wrappers if event.way.forward else ():
        for name in dict.fromkeys(added_names(wrapper)):
            if name in known:
                message = (
                    f"a decorator gives forward {name} by name, which is given by position too{of}"
                )
                remedy = f"give {name} by position in the decorator"
                yield Hit(event, message, harm={"onnx-legacy": Harm.REFUSED}, remedy=remedy)
                return


def name_owner(event: Wrapped, source: Source) -> str:
    """The class whose forward it is, which may be a part of what is evaluated: the last to begin before it."""
    given = [info for info in source.classes.all.values() if "forward" in info.methods]
    begun = [each for each in given if source.place(each.node).row < event.spot.row]
    last = max(begun, key=lambda each: source.place(each.node).row, default=None)
    return last.name if last is not None and event.spot.path == source.path else ""


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """The return statement whose value an exporter refused, which takes the tensors in it."""
    if outcome.returned:
        yield report_refusal(outcome, outcome, outcome.message)


def offers_others(event: Returned) -> bool:
    """Whether an argument decides what is given: `if not return_dict: return (x,)`."""
    spec = event.inside.args
    names = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)} - {"self"}
    branches = [each for each in ast.walk(event.inside) if isinstance(each, ast.If)]
    branches = [each for each in branches if not asks_whether_given(each, event.inside)]
    leaving = [each for each in branches if any(isinstance(n, ast.Return) for n in ast.walk(each))]
    return any(n.id in names for b in leaving for n in ast.walk(b.test) if isinstance(n, ast.Name))


def asks_whether_given(branch: ast.AST, inside: ast.FunctionDef) -> bool:
    """`if labels is not None:` of an argument that None stands for, which an export leaves out."""
    defaults = pair_defaults(inside.args)
    left_out = {arg.arg for arg, default in defaults if default is not None and is_none(default)}
    test = branch.test if isinstance(branch, ast.If) else None
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[none]):
            return name in left_out and is_none(none)
    return False


def list_returned(root: str, source: Source) -> list[Returned]:
    """What the forward of a root gave, at each of its returns but those of what an export leaves out."""
    events = (event for _, event in source.evaluation.list_events({Returned}))
    given = [each for each in events if isinstance(each, Returned) and each.way.root == root]
    return [each for each in given if not is_for_given(each, source)] or given


def is_for_given(event: Returned, source: Source) -> bool:
    """Whether it is left where an argument is given that an export leaves out: `return loss`."""
    branches = (
        each
        for each in source.evaluation.list_around(event)
        if isinstance(each, ast.If) and asks_whether_given(each, event.inside)
    )
    return any(event.node in ast.walk(line) for each in branches for line in each.body)


def in_example(call: cst.Call, exporter: str, source: Source) -> Iterator[Hit]:
    """What stands in the example inputs as it is."""
    traced = exporter == "torchscript-trace"
    given = source.arguments(call, "model", "example_inputs" if traced else "args")
    example = given.get("example_inputs" if traced else "args")
    if not isinstance(example, cst.Tuple):
        return
    plain = [(element, literal(element.value)) for element in example.elements]
    if traced:
        for element, value in plain:
            if value is not UNKNOWN:
                told = f"{source.code(element.value)} among the example inputs"
                remedy = "give tensors alone: torch.tensor(value)"
                yield Hit(element.value, told, harm=TRACE, remedy=remedy)
    elif len([*literal_strings(given.get("input_names"))]) == len(plain):
        yield from unnamed(plain)


def unnamed(plain: list[tuple[cst.BaseElement, object]]) -> Iterator[Hit]:
    """What has a name among `input_names` and is no input of the exported model."""
    for index, (element, value) in enumerate(plain):
        if value is None and any(later is UNKNOWN for _, later in plain[index:]):
            told = "None is no input: its name goes to the next"
            yield Hit(element.value, told, harm=SHIFTED, remedy=f"{UNNAME} input_names")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            told = f"{value} is baked, and no input of its name"
            yield Hit(element.value, told, harm=BAKED, remedy="give torch.tensor(value)")


def in_names(call: cst.Call, forward: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """Names of inputs and outputs that go to others than they say."""
    given = onnx_arguments(call)
    inputs, outputs = given.get("input_names"), given.get("output_names")
    parameters = [p.name.value for p in forward.params.params[1:]]
    names, example = [*literal_strings(inputs)], given.get("args")
    positional = isinstance(example, cst.Tuple) and len(example.elements) == len(names)
    if inputs is not None and positional and others_order(names, parameters[: len(names)]):
        told = f"forward takes {', '.join(parameters[: len(names)])}"
        fix = reorder_names(inputs, parameters[: len(names)], source)
        yield Hit(inputs, told, fix, harm=MISNAMED, remedy=REORDER)
    values = [value for value, _ in returned(forward, source)]
    if outputs is None or len(values) != 1:
        return
    keys, names = keys_of(values[0], source), [*literal_strings(outputs)]
    if others_order(names, keys):
        told = f"forward returns {', '.join(keys)}, in this order"
        yield Hit(
            outputs, told, reorder_names(outputs, keys, source), harm=MISNAMED, remedy=REORDER
        )
    elif isinstance(values[0], cst.Tuple) and len(values[0].elements) == len(names):
        absent = [literal(e.value) is None for e in values[0].elements]
        if any(absent) and not all(absent[absent.index(True) :]):
            told = "None is no output: its name goes to the next"
            yield Hit(outputs, told, harm=SHIFTED, remedy=f"{UNNAME} output_names")


def reorder_names(given: cst.BaseExpression, real: list[str], source: Source) -> Fix | None:
    """The names of a list as forward has them: same numbers, each under the name that is its own."""
    if not isinstance(given, (cst.List, cst.Tuple)):
        return None
    places = [each.value for each in given.elements]
    written = {literal(each): source.code(each) for each in places}
    edits = [
        source.replace(old, written[name])
        for old, name in zip(places, real, strict=False)
        if literal(old) != name
    ]
    if len(written) != len(real) or not set(real) <= written.keys():
        return None
    return Fix("list the names as forward has them", tuple(edits), Applicability.UNSAFE)


def others_order(names: list[str], real: list[str]) -> bool:
    """Whether the same names stand in another order."""
    return names != real and sorted(names) == sorted(real)


def in_parameters(forward: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """Parameters that no exporter, or not every one, can feed."""
    for parameter in forward.params.params[1:]:
        annotation = parameter.annotation.annotation if parameter.annotation else None
        if annotation is None or parameter.default is not None:
            continue
        bare = annotation.value if isinstance(annotation, cst.Subscript) else annotation
        harm = TAKEN.get(source.name(bare)) or own_class(source.name(bare), source)
        if harm:
            told = f"forward takes a {source.code(annotation)}"
            yield Hit(parameter, told, harm=harm, remedy="take its tensors one by one")
    for parameter in forward.params.kwonly_params:
        harm = BY_POSITION if parameter.default is None else BY_POSITION_DEFAULT
        told = f"{parameter.name.value} is taken by keyword only"
        remedy = "take it by position: no * before it"
        yield Hit(parameter, told, take_by_position(forward, source), harm=harm, remedy=remedy)


def take_by_position(forward: cst.FunctionDef, source: Source) -> Fix | None:
    """`forward(self, x, mask=None)` for `forward(self, x, *, mask=None)`, which takes all that it took."""
    params = forward.params
    star, later = params.star_arg, params.kwonly_params
    if not isinstance(star, cst.ParamStar):
        return None
    defaults = [each.default is not None for each in (*params.params, *later)]
    if defaults != sorted(defaults):
        return None
    begin, end = source.replace(star, "").start, source.replace(later[0], "").start
    return Fix("take it by position", (Edit(begin, end, ""),), Applicability.SAFE)


def in_returns(forward: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """What every return statement of a forward gives back that is no tensor."""
    given = returned(forward, source)
    for kind in dict.fromkeys(kind for _, kinds in given for kind in kinds):
        if kind in RETURNED and all(kind in kinds for _, kinds in given):
            told, harm = RETURNED[kind]
            yield give_back(given[0][0], told, harm, source)


def returned(
    forward: cst.FunctionDef, source: Source
) -> list[tuple[cst.BaseExpression, frozenset[str]]]:
    """The values that a forward gave back, each with what is found in it."""
    given, listed = find_given(source), []
    lines = [*nodes_in_body(forward, cst.Return, source)]
    if not any(each.value is not None and source.place(each.value) in given for each in lines):
        return []  # it is not followed, as that of a loss is not
    for line in lines:
        seen = given.get(source.place(line.value), []) if line.value is not None else []
        if line.value is not None and (seen or not is_for_training(line, source)):
            sized = (
                SIZED
                if any(holds_size(each, source.profile.dynamic) for each in seen)
                else frozenset()
            )
            listed.append((line.value, sized.union(list_kinds(line.value, source))))
    return listed


def is_for_training(line: cst.Return, source: Source) -> bool:
    """Whether a branch around asks for the mode of the model."""
    tests = (each.test for each in source.ancestors(line) if isinstance(each, cst.If))
    return any(source.code(test).removeprefix("not ") == "self.training" for test in tests)


@lru_cache(maxsize=1)
def find_given(source: Source) -> dict[Place, list[Value]]:
    """By place: what forwards that may be exported gave back there."""
    given: dict[Place, list[Value]] = {}
    for _, event in source.evaluation.list_events({GivenBack}):
        if isinstance(event, GivenBack) and event.way.forward and event.spot.path == source.path:
            given.setdefault(source.place(event), []).append(event.value)
    return given


def object_of(value: cst.BaseExpression, source: Source) -> tuple[str, dict[str, Harm]] | tuple[()]:
    """What to say of a value that is an object no exporter knows; () where it is none."""
    made = source.built(value)
    names = {source.name(call.func) for call in made}
    name = names.pop() if len(names) == 1 else ""
    short = name.rpartition(".")[2]
    if name.startswith("torch.distributions.") and short[:1].isupper():
        return (f"a distribution, {short}", EVERY)
    harm = own_class(name, source)
    return (f"{OF_ITS_OWN} {short}", harm) if harm else ()


def own_class(name: str, source: Source) -> dict[str, Harm] | None:
    """How exporters treat objects of a class of the file; None where it may be known to torch."""
    info = source.classes.named(name) if name else None
    if info is None or info.is_module or source.mentions(REGISTERS) or info.node.keywords:
        return None
    if "__init_subclass__" in info.methods or not set(info.bases) <= {*PLAIN, *DICTS}:
        return None
    decorators = name_decorators(info, source)
    if any(each not in DATACLASS for each in decorators):
        return None
    if set(info.bases) & {*DICTS}:
        return DICT_LIKE
    return EVERY if decorators else OBJECT
