"""The line of a node by its name, which tells the module, or by the weights around it."""

from __future__ import annotations

from dataclasses import replace

from lintorch.onnx_file import FoundNode
from lintorch.run.between_weights import Between, find_between
from lintorch.run.find_followed import FoundModel
from lintorch.run.module_scopes import read_scope
from lintorch.run.node_answer import NodeAnswer
from lintorch.run.node_by_scope import ScopedNodes
from lintorch.run.place_nodes import Placed


def answer_by_scope(answer: NodeAnswer, found: FoundNode, scoped: ScopedNodes) -> NodeAnswer:
    model = scoped.found
    scope = read_scope(found.node.name)
    told = replace(answer.told, module="/".join(scope) if scope else "")
    between = find_between(found.body, found.node)
    if model is None:
        why = "the file does not say it, and no model was found that has the modules it names"
        why = f"{why}: name the model's files behind the .onnx file; --trace exports them anew and matches the two"
        near = "" if scope else between.describe()
        return replace(answer, told=told, why=f"{near}; {why}" if near else why)
    if scope is None:
        return _answer_by_weights(answer, found, between, scoped)
    placed = scoped.place(found)
    kind = model.model.name_class(placed.module or "") if placed.module is not None else ""
    told = replace(answer.told, module=placed.module or "", module_class=kind)
    answer = replace(answer, told=told, way="scope")
    if not placed.steps:
        return replace(answer, why=_explain_nothing(placed, model))
    rivals = "".join(f"; {each.name} fits as well" for each in scoped.rivals[:3])
    sure = placed.sure and model.share > 0.99 and not rivals
    calls = [scoped.list_calls(step) for step in placed.steps]
    return replace(
        answer,
        lines=tuple(each[-1] for each in calls),
        calls=calls[0],
        certainty="certain" if sure else "probable" if placed.found else "possible",
        why=_explain_placed(placed, model) + rivals,
        together=scoped.list_together(found, placed),
    )


def _answer_by_weights(
    answer: NodeAnswer, found: FoundNode, between: Between, scoped: ScopedNodes
) -> NodeAnswer:
    """By the weights around it, where its name says nothing; no line where several models may be it."""
    if doubt := scoped.describe_doubt():
        near = between.describe()
        return replace(answer, way="weights", why=f"{near}; {doubt}" if near else doubt)
    steps, agreed, through = scoped.list_between(found, between)
    calls = [scoped.list_calls(step) for step in steps] if agreed else []
    why = between.describe() or "by the order of operations alone"
    if through is not None:
        why = f"it computes what {through.name or through.operator} takes; {why}"
    if steps and not agreed:
        why = f"{why}; no line there stands in the same order as the node"
    return replace(
        answer,
        lines=tuple(each[-1] for each in calls if each),
        calls=calls[0] if calls else (),
        way="weights",
        certainty="probable" if calls else "unknown",
        why=why,
    )


def _explain_nothing(placed: Placed, model: FoundModel) -> str:
    where = model.name
    if placed.module is None:
        return f"its name tells no module of {where}"
    return f"no line of {placed.module or 'the model itself'}, of {where}, is known to write it"


def _explain_placed(placed: Placed, model: FoundModel) -> str:
    told = f"by its name, and the operations of {model.name} in order"
    if placed.through is not None:
        told = f"it computes what {placed.through.name} takes; that one is known {told}"
    elif placed.sure:
        told = f"{told}: no other line of the module writes it"
    share = (
        "" if model.share > 0.99 else f"; {model.share:.0%} of the file's modules are that model's"
    )
    return told + share
