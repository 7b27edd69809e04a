"""The node that a text names where its message is not known, told by the form of such names alone."""

from __future__ import annotations

import re
from dataclasses import replace

from lintorch.messages.answer_refusal import name_table
from lintorch.messages.recognise import Recognised
from lintorch.targets.opset_history import is_standard

_PATH = re.compile(r"(?<![\w/.\\:-])/(?:[\w.\[\]-]{1,80}/){1,12}(?P<operator>[A-Z][A-Za-z]{1,30})(?:_\d{1,5})?\b(?![/.\w])")  # fmt: skip
"""`/encoder/layer.3/attn/MatMul_1`, as torch's exporters name nodes: the last part is the operator."""
_NUMBERED = re.compile(r"(?:^|[\s'\"`(\[:])(?P<operator>[A-Z][A-Za-z]{1,30})_\d{1,6}\b(?![/.\w])")
"""`Reshape_448`, as they did before torch 1.13."""
_TOLD = "It names the node"


def find_named(said: str) -> tuple[str, str]:
    """`("MatMul", "/encoder/attn/MatMul_1")` of the last node that a text names; "" and "" where it names none."""
    for pattern in (_PATH, _NUMBERED):
        named = [each for each in pattern.finditer(said) if is_standard(each["operator"])]
        if named:
            return named[-1]["operator"], named[-1][0].strip(" '\"`([:\n\t")
    return "", ""


def add_named(found: Recognised, said: str) -> Recognised:
    """A message of which the class alone is known, with the node that its own words name, and whose tables tell of it."""
    operator, node = find_named(said)
    if not node or found.node or found.operator:
        return found
    cause = f"{found.kind.cause} {_TOLD} {node} ({operator})."
    table = found.kind.table or name_table(found.runtime)
    return replace(
        found, kind=replace(found.kind, cause=cause, table=table), operator=operator, node=node
    )
