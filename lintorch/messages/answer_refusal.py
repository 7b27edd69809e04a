"""An answer to an error of any program that lacks an operator or an opset, put together from the tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lintorch.messages.message_kinds import Kind, Runtime, load_runtimes
from lintorch.messages.operator_groups import GROUPS, Group
from lintorch.messages.recognise import Recognised
from lintorch.messages.refused_operators import find_refused, is_contributed, is_of_torch
from lintorch.messages.refused_opset import find_refused_opset
from lintorch.targets import list_targets
from lintorch.targets.written_operators import list_writers

_TYPE = re.compile(
    r"(?i:for|with|type|types|support) (?:the )?(?:inputs? of )?(?:data ?types?|dtypes?|types?)?[\s:'\"`(\[]{0,3}(?:torch\.|tensor\()?(?P<type>float16|bfloat16|half|fp16|bf16|float64|double|u?int\d{1,2}|long|bool|complex\d{2,3}|float8\w{0,10})\b"
)
_FORM = re.compile(
    r"(?i:\b(?P<form>(?:with|for) (?:an? )?(?:different|dynamic|mixed|several|multiple|unequal|negative|unknown|non|asymmetric|broadcast)[\w-]{0,12}(?: [\w-]{1,16}){0,4}?),? (?:is |are )?not (?:yet |currently )?(?:implemented|supported))"
)
"""The one form of an operator that a program says it lacks."""
_NEAR = 160
_UNNAMED = "any", "readers", "torch", "tools"
_EXCERPT = 240
_OTHER_FORM = "write it in the form that is taken: both sides of one type and size (x.to(y.dtype), x ** 2.0 for x ** 2), sizes and arguments as plain numbers"
_TABLES = {"torch.onnx": "torch.onnx", "torch.export": "", "torchscript": ""}
_OWN = "an operator of ONNX Runtime itself (com.microsoft), and of no opset of ONNX: its optimizers and quantization write it"
_OWN_REMEDY = "the file as the exporter wrote it, before onnxruntime, Optimum or Olive optimized or quantized it; or ONNX Runtime to run it"


def read_refusal(runtime: Runtime, said: str, at: int = 0) -> Recognised | None:
    """What the error of a program says it lacks, in whatever words; None where it names nothing of the kind.

    `said` is the statement of the error alone.
    """
    names = find_refused(said)
    if names:
        return _answer_operators(runtime, names, said, at)
    opset = find_refused_opset(said)
    if opset is None:
        return None
    kind = replace(
        _find_kind("refused-opset"),
        rank="broad",
        runtime=runtime.name,
        cause=opset.describe(_name_program(runtime)),
        remedy=opset.write_remedy(),
    )
    return Recognised(kind, runtime, said[:_EXCERPT].strip(), at=at)


def _answer_operators(runtime: Runtime, names: Sequence[str], said: str, at: int) -> Recognised:
    who = _name_program(runtime)
    kind = _find_kind("refused-operator")
    group = next((each for each in GROUPS if any(each.holds(name) for name in names)), None)
    dtype = _find_type(names[0], said)
    form = _FORM.search(said, max(0, said.find(names[0])))
    causes = [
        _describe_lack(who, names, f" for {dtype}" if dtype else f" {form['form']}" if form else "")
    ]
    remedies = [] if dtype or group is None else [group.remedy]
    if form and not dtype:
        causes.append("Other forms of it are taken.")
        remedies.insert(0, _OTHER_FORM)
    elif dtype:
        remedies.append(
            "convert what goes into it in forward (y.to(torch.float32), or int32 for an index), or export the model in float32 and let the program's own tool make it smaller"
        )
    else:
        causes += _describe_origin(names, group)
    if any(map(is_contributed, names)):
        remedies = [_OWN_REMEDY]
    told = replace(
        kind,
        rank="broad",
        runtime=runtime.name,
        cause=" ".join(causes),
        remedy="; ".join((*remedies, kind.remedy)),
        rules=(*(group.rules if group else ()), *kind.rules),
        table=name_table(runtime),
    )
    groups = {"torch": names[0]} if is_of_torch(names[0]) else {}
    operator = "" if groups else names[0]
    return Recognised(told, runtime, _cut(said, names[0]), operator, groups=groups, at=at)


def _describe_lack(who: str, names: Sequence[str], what: str) -> str:
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    several = "the operators" if len(names) > 1 else "the operator"
    return f"{who} has no implementation of {several} {listed}{what}, as this release of it says."


def _describe_origin(names: Sequence[str], group: Group | None) -> list[str]:
    contributed = next((name for name in names if is_contributed(name)), "")
    if contributed:
        return [f"{contributed} is {_OWN}."]
    if group is not None:
        return [group.cause]
    if is_of_torch(names[0]):
        return []
    writers = [name for name in list_writers(names[0]) if name.startswith("torch.")][:3]
    return [f"The exporters write {names[0]} for {', '.join(writers)}."] if writers else []


def _find_type(name: str, said: str) -> str:
    at = said.find(name)
    match = _TYPE.search(said[at : at + _NEAR])
    return match["type"] if match else ""


def _cut(said: str, name: str) -> str:
    """The sentence that names the operator."""
    at = max(0, said.find(name) - _NEAR // 2)
    begun = said[at:] if at else said
    return begun[:_EXCERPT].strip()


def _name_program(runtime: Runtime) -> str:
    return "The program" if runtime.name in _UNNAMED else runtime.title


def name_table(runtime: Runtime) -> str:
    """The runtime whose tables tell of its operators; "" where there is none."""
    if runtime.name in _TABLES:
        return _TABLES[runtime.name]
    return runtime.name if any(each.family == runtime.name for each in list_targets()) else ""


def _find_kind(name: str) -> Kind:
    classes = next(each for each in load_runtimes() if each.name == "any")
    return next(each for each in classes.kinds if each.name == name)
