"""The tables of `lintorch/targets/data`: every one is as `_schema.json` says, and mistakes are named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lintorch.targets.runtime_tables import list_families, read_table

DATA = Path(__file__).parent.parent / "lintorch/targets/data"
SCHEMA = json.loads((DATA / "_schema.json").read_text("utf-8"))


def list_problems(name: str, table: Any) -> list[str]:
    """What is wrong with the table of a file, each with the file and the key it stands at."""
    misfits = [(e.json_path, e.message) for e in Draft202012Validator(SCHEMA).iter_errors(table)]
    return [f"{name}.json: {key}: {said}" for key, said in misfits or _find_loose_ends(name, table)]


def _find_loose_ends(name: str, table: Any) -> Iterator[tuple[str, str]]:
    """What a schema cannot say: numbers that lead nowhere, and orders that are none."""
    if table["family"] != name:
        yield "$.family", f"{table['family']!r} is not the name of the file"
    if table["names"] != "aten" and "looks_up" in table:
        yield "$.looks_up", "is for aten names"
    versions = [release["version"] for release in table["releases"]]
    for number, release in enumerate(table["releases"]):
        key = f"$.releases[{number}]"
        if release["version"] in versions[:number]:
            yield f"{key}.version", f"{release['version']!r} is there twice"
        for source in release["sources"]:
            if source >= len(table["sources"]):
                yield f"{key}.sources", f"there is no source {source}"
        yield from _find_reversed(key, "bounds", release)
        if (release["highest"] or 99) < release.get("lowest", 1):
            yield f"{key}.lowest", "is above the highest"
    for number, row in enumerate(table["rows"]):
        yield from _find_reversed(f"$.rows[{number}]", "range", row)
        yield from _find_reversed(f"$.rows[{number}]", "rank", row)
    for operator, changes in table["operators"].items():
        yield from _find_misled(f"$.operators.{operator}", changes, versions, len(table["rows"]))


def _find_reversed(key: str, field: str, holder: Any) -> Iterator[tuple[str, str]]:
    low, high = holder.get(field, (0, None))
    if high is not None and low > high:
        yield f"{key}.{field}", f"{low} is above {high}"


def _find_misled(
    key: str, changes: Any, versions: list[str], rows: int
) -> Iterator[tuple[str, str]]:
    each = [(versions[0], changes)] if isinstance(changes, int) else changes
    for version, row in each:
        if version not in versions:
            yield key, f"there is no release {version!r}"
        if row is not None and row >= rows:
            yield key, f"there is no row {row}"
    begins = [versions.index(version) for version, _ in each if version in versions]
    if begins != sorted(set(begins)):
        yield key, "its releases are not in the order of `releases`"


def test_the_schema_is_one_and_explains_every_key() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for part in (SCHEMA, *(SCHEMA["$defs"][name] for name in ("source", "release", "row"))):
        assert all(each["description"] for each in part["properties"].values())


@pytest.mark.parametrize("name", list_families())
def test_a_table_is_as_the_schema_says(name: str) -> None:
    assert list_problems(name, read_table(name)) == []


def make_table() -> dict[str, Any]:
    """The table of two releases of a runtime that takes one operator, the later one another too."""
    return {
        "family": "rt",
        "runtime": "A runtime",
        "names": "onnx",
        "limit": "refused",
        "sources": [{"wheel": "rt==2.0 (PyPI)", "licence": "MIT"}],
        "releases": [
            {
                "version": version,
                "highest": 17,
                "lowest": 7,
                "confidence": "high",
                "basis": "its own list",
                "complete": True,
                "sources": [0],
                "retrieved": "2026-11-20",
            }
            for version in ("1.0", "2.0")
        ],
        "rows": [{"supported": True}, {"supported": True, "types": ["float32"], "rank": [4, 4]}],
        "operators": {"Relu": 0, "Resize": [["2.0", 1]]},
    }


GONE = object()


def change_key(table: Any, key: str, value: object) -> None:
    """Change one key, as `releases.0.highest`; `GONE` takes it out."""
    *path, last = [int(part) if part.isdigit() else part for part in key.split(".")]
    for part in path:
        table = table[part]
    if value is GONE:
        del table[last]
    else:
        table[last] = value


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("famly", "rt", "$: Additional properties are not allowed ('famly' was unexpected)"),
        ("runtime", GONE, "$: 'runtime' is a required property"),
        ("names", "caffe", "$.names: 'caffe' is not one of ['onnx', 'aten', 'torch']"),
        ("looks_up", "traced", "$.looks_up: is for aten names"),
        ("family", "tr", "$.family: 'tr' is not the name of the file"),
        ("sources.0.wheel", GONE, "$.sources[0]: {'licence': 'MIT'} is not valid"),
        ("releases.0.highest", "17", "$.releases[0].highest: '17' is not of type 'integer'"),
        ("releases.0.highest", True, "$.releases[0].highest: True is not of type 'integer'"),
        ("releases.0.highest", GONE, "$.releases[0]: 'highest' is a required property"),
        ("releases.0.highst", 17, "$.releases[0]: Additional properties are not allowed ('highst'"),
        ("releases.0.lowest", 18, "$.releases[0].lowest: is above the highest"),
        ("releases.0.version", 1.0, "$.releases[0].version: 1.0 is not of type 'string'"),
        ("releases.0.complete", "yes", "$.releases[0].complete: 'yes' is not of type 'boolean'"),
        ("releases.0.sources", [1], "$.releases[0].sources: there is no source 1"),
        ("releases.1.version", "1.0", "$.releases[1].version: '1.0' is there twice"),
        ("rows.0.supported", "yes", "$.rows[0].supported: 'yes' is not of type 'boolean'"),
        ("rows.0.suported", True, "$.rows[0]: Additional properties are not allowed ('suported'"),
        ("rows.0.ran_opset", ["7"], "$.rows[0].ran_opset[0]: '7' is not of type 'integer'"),
        ("rows.1.types", ["float"], "$.rows[1].types[0]: 'float' is not one of ['bool', "),
        ("rows.1.rank", [5, 4], "$.rows[1].rank: 5 is above 4"),
        ("operators.Add", "0", "$.operators.Add: '0' is not of type 'integer', 'array'"),
        ("operators.Add", 2, "$.operators.Add: there is no row 2"),
        ("operators.Add", [["3.0", 0]], "$.operators.Add: there is no release '3.0'"),
        ("operators.Add", [["2.0", 0], ["1.0", 1]], "$.operators.Add: its releases are not in"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_key(key: str, value: object, told: str) -> None:
    wrong = make_table()
    assert list_problems("rt", wrong) == []
    change_key(wrong, key, value)
    assert list_problems("rt", wrong)[0].startswith(f"rt.json: {told}")
