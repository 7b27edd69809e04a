"""Messages of runtimes and exporters: real ones, each recognised for what it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lintorch.messages import describe_support, recognise, unify_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent / "messages"


def read_cases(name: str) -> list[Any]:
    cases = tomllib.loads((HERE / name).read_text("utf-8"))["case"]
    return [pytest.param(case, id=f"{case['kind']}-{case['address'][19:]}") for case in cases]


@pytest.mark.parametrize("case", read_cases("public.toml"))
def test_a_message_from_a_public_thread_is_recognised(case: dict[str, str]) -> None:
    first = recognise(unify_text(case["text"]))[0]
    assert (first.runtime.name, first.kind.name) == (case["runtime"], case["kind"])
    assert (first.operator, first.node) == (case.get("operator", ""), case.get("node", ""))
    assert first.groups.get("torch", "") == case.get("torch", first.groups.get("torch", ""))
    assert not case.get("rule") or case["rule"] in first.kind.rules
    assert case.get("support", "") in describe_support(first)


if __name__ == "__main__":
    for param in read_cases(sys.argv[1]):
        (case,) = param.values
        found = recognise(unify_text(case["text"]))
        got = [(r.runtime.name, r.kind.name, r.operator, r.node, dict(r.groups)) for r in found]
        print(
            case["address"], case["runtime"], case["kind"], case.get("operator"), case.get("node")
        )
        print("   ", got, "|", describe_support(found[0]) if found else "")
