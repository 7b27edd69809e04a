"""Every key of settings: what it is for, and what it takes, as a JSON schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.core.profile import EXPORTERS

_WORDS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_STRING: dict[str, Any] = {"type": "string"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}
_AMOUNT: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0}
_PYTHON: dict[str, Any] = {
    "type": ["string", "object"],
    "properties": dict.fromkeys(("default", *EXPORTERS), _STRING),
    "additionalProperties": False,
}
_MODEL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "factory": {"type": "string", "pattern": ":"},
        "args": {"type": "object"},
        "inputs": _WORDS,
        "decoder": {
            "anyOf": [
                {"const": False},
                {
                    "type": "object",
                    "properties": {
                        **dict.fromkeys(("tokens", "cache", "mask", "positions"), _STRING),
                        "part": {"type": ["string", "integer"]},
                    },
                    "additionalProperties": False,
                },
            ]
        },
    },
    "required": ["factory"],
    "additionalProperties": False,
}

KEYS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "extend": ("Another settings file, relative to this one; the rest of this one changes it.", _STRING),
    "select": ('Rules that are on, instead of the default: codes, beginnings of codes, names, themes, "advice" or "ALL".', _WORDS),
    "ignore": ("Rules that are off.", _WORDS),
    "extend-select": ("Rules that are on besides.", _WORDS),
    "per-file-ignores": ("Rules that are off in files, by pattern; `!` before one means all other files.", {"type": "object", "additionalProperties": _WORDS}),
    "fixable": ("Rules whose fixes may go in; default: all.", _WORDS),
    "unfixable": ("Rules whose fixes are shown only.", _WORDS),
    "baseline": ("A file of findings that are known and not told again; `lintorch baseline` writes it.", _STRING),
    "fail-on": ("The least severity that findings make the exit code 1 with; default: note.", {"enum": ["note", "warning", "error"]}),
    "exporters": ("What the project exports with, instead of what its export calls show.", {"type": "array", "items": {"enum": [*EXPORTERS]}}),
    "opset": ("The ONNX opset that is deployed with.", _COUNT),
    "target-torch": ("The torch release that the code is for.", {"type": "string", "pattern": r"^\d+\.\d+(\.\d+)?$"}),
    "target": ("Runtimes that models are deployed to; `lintorch targets` lists them.", _WORDS),
    "dynamic": ("Whether sizes vary where the exported model runs, instead of what export calls show.", {"type": "boolean"}),
    "exclude": ("Files to leave out, as patterns of a .gitignore, instead of the default.", _WORDS),
    "extend-exclude": ("Files to leave out besides.", _WORDS),
    "models": ("Models that are not found or fed by themselves, by name: `factory`, `args`, `inputs`, `decoder`.", {"type": "object", "additionalProperties": _MODEL}),
    "rules": ("Folders of rules of one's own; loaded only from the user's own settings.", _WORDS),
    "trace-seconds": ("Seconds in which a model is built, fed and run.", _AMOUNT),
    "trial-seconds": ("Seconds that a trial export may take; default: twice those of a model.", _AMOUNT),
    "trace-memory": ("Megabytes that a model may take.", _COUNT),
    "trace-disk": ("Megabytes that the models of a file may write.", _COUNT),
    "python": ("The interpreter whose torch runs the models: a file, a folder of an environment, or a name on PATH. As a table the interpreter of each exporter: `python.litert`, and `python.default` of all others.", _PYTHON),
}  # fmt: skip
"""By key its purpose and what it takes."""


def make_schema() -> dict[str, Any]:
    """The schema of a `lintorch.toml`, which is also that of `[tool.lintorch]`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of lintorch",
        "type": "object",
        "properties": {key: {"description": d, **takes} for key, (d, takes) in KEYS.items()},
        "additionalProperties": False,
    }


def write_reference() -> str:
    """The page of all keys, as Markdown."""
    rows = [f"| `{key}` | {describe_kind(takes)} | {told} |" for key, (told, takes) in KEYS.items()]
    return "\n".join(
        [
            "# Settings",
            "",
            "Made from the code by `python docs/make.py`; `lintorch config KEY` tells the same of one, and its "
            "value here. They stand in `lintorch.toml`, `.lintorch.toml`, or `[tool.lintorch]` of `pyproject.toml`; "
            "`lintorch/settings/schema.json` is their JSON schema.",
            "",
            "| key | takes | what it is |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def describe_kind(takes: Mapping[str, Any]) -> str:
    """What a key takes, in words."""
    if "enum" in takes:
        return "one of " + ", ".join(f"`{each}`" for each in takes["enum"])
    if takes["type"] == "array":
        inner = takes["items"]
        return "a list of strings" if "type" in inner else f"a list: {describe_kind(inner)}"
    if isinstance(takes["type"], list):
        return " or ".join(describe_kind({**takes, "type": each}) for each in takes["type"])
    words = {"integer": "an integer", "number": "a number", "boolean": "true or false"}
    return words.get(takes["type"], "a table" if takes["type"] == "object" else "a string")
