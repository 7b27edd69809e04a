"""What readers of the formats take, as their documentation says it: closed, so that a typo is found.

SARIF: the objects that lintorch writes, with what code scanning asks for besides the schema of
OASIS, which `published_schemas` holds.
GitLab: its code quality reports. RDJSON: reviewdog's `DiagnosticResult`. JUnit: the schema that
Jenkins reads.
"""

from __future__ import annotations

from typing import Any


def _closed(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def _several(item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": item, **more}


_TEXT = {"type": "string", "minLength": 1}
_ANY = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 1}
_BAG = {"type": "object"}
_URL = {"type": "string", "pattern": "^https://"}

GITLAB_POINT = _closed({"line": _COUNT, "column": _COUNT})
GITLAB = _several(
    _closed(
        {
            "description": _TEXT,
            "check_name": _TEXT,
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": _closed(
                {
                    "path": {"type": "string", "pattern": r"^(?!\./)"},
                    "positions": _closed({"begin": GITLAB_POINT, "end": GITLAB_POINT}),
                }
            ),
        },
        type={"const": "issue"},
        content=_closed({"body": _TEXT}),
        categories=_several({"const": "Bug Risk"}),
    )
)

_RANGE = _closed({"start": _closed({"line": _COUNT}, column=_COUNT)}, end=_closed({"line": _COUNT}, column=_COUNT))  # fmt: skip
_RD_SEVERITY = {"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]}
RDJSON = _closed(
    {
        "source": _closed({"name": _TEXT}, url=_URL),
        "diagnostics": _several(
            _closed(
                {"message": _TEXT, "location": _closed({"path": _TEXT}, range=_RANGE)},
                severity=_RD_SEVERITY,
                code=_closed({"value": _TEXT}, url=_URL),
                suggestions=_several(_closed({"range": _RANGE, "text": _ANY})),
            )
        ),
    },
    severity=_RD_SEVERITY,
)

_MESSAGE = _closed({"text": _TEXT})
_REGION = _closed({"startLine": _COUNT}, startColumn=_COUNT, endLine=_COUNT, endColumn=_COUNT)
_FILE = _closed(
    {"uri": {"type": "string", "pattern": r"^[!-~]+$"}}, uriBaseId={"const": "%SRCROOT%"}
)
_PHYSICAL = _closed({"artifactLocation": _FILE}, region=_REGION)
_LOGICAL = _closed({}, name=_TEXT, fullyQualifiedName=_TEXT, kind=_TEXT)
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_FIX = _closed(
    {
        "artifactChanges": _several(
            _closed(
                {
                    "artifactLocation": _FILE,
                    "replacements": _several(
                        _closed(
                            {"deletedRegion": _REGION}, insertedContent=_closed({"text": _ANY})
                        ),
                        minItems=1,
                    ),
                }
            ),
            minItems=1,
        )
    },
    description=_MESSAGE,
    properties=_BAG,
)
_RESULT = _closed(
    {"message": _MESSAGE, "ruleId": _TEXT},
    ruleIndex={"type": "integer", "minimum": 0},
    level=_LEVEL,
    locations=_several(_closed({"physicalLocation": _PHYSICAL}), minItems=1, maxItems=1),
    partialFingerprints={"type": "object", "additionalProperties": _TEXT},
    relatedLocations=_several(
        _closed(
            {"id": _COUNT, "message": _MESSAGE, "physicalLocation": _PHYSICAL},
            logicalLocations=_several(_LOGICAL),
        )
    ),
    fixes=_several(_FIX, minItems=1),
    properties=_BAG,
)
_RULE = _closed(
    {"id": _TEXT},
    name=_TEXT,
    helpUri=_URL,
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_closed({"text": _TEXT}, markdown=_TEXT),
    defaultConfiguration=_closed({}, level=_LEVEL, enabled={"type": "boolean"}),
)
_DRIVER = _closed({"name": _TEXT}, version=_TEXT, rules=_several(_RULE, uniqueItems=True))
_RUN = _closed(
    {"tool": _closed({"driver": _DRIVER})},
    results=_several(_RESULT),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=_several(_closed({"executionSuccessful": {"type": "boolean"}})),
)
SARIF = _closed({"version": {"const": "2.1.0"}, "runs": _several(_RUN)}, **{"$schema": _URL})

_COUNTS = {"tests", "failures", "errors"}
JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "disabled", *_COUNTS}, {"testsuite"}),
    "testsuite": (
        {"name", "tests"},
        {"failures", "errors", "skipped", "package", "hostname", "id", "time", "timestamp"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": ({"name"}, {"classname", "time", "assertions", "status"}, {"failure", "error", "skipped"}),
    "failure": (set(), {"message", "type"}, set()),
}  # fmt: skip
"""By element: the attributes that it has to have, those that it may have, and its children."""
