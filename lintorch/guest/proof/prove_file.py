"""The child's side: the models of one file, or one that settings describe, with the original text or a fixed one."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any

from lintorch.guest.examine_file import Examine, examine_configured, examine_file
from lintorch.guest.imports.fixed_text import put_in_place
from lintorch.guest.process.isolate import Send
from lintorch.guest.proof.executed_rows import ExecutedRows
from lintorch.guest.proof.prove_model import compare_model, keep_original


def prove_file(
    send: Send,
    path: str,
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    passed: list[str],
    modules: dict[str, str],
    proof: Mapping[str, Any],
) -> None:
    """Run the models of the checked file with the real path `path`; `proof` is as `_prepare_proof` reads it."""
    examine_file(send, path, checked, options, passed, modules, _prepare_proof(proof))


def prove_configured(
    send: Send,
    name: str,
    setting: Mapping[str, Any],
    checked: Mapping[str, str],
    options: Mapping[str, Any],
    modules: dict[str, str],
    proof: Mapping[str, Any],
) -> None:
    """Run the model `name` that the configuration describes."""
    examine_configured(send, name, setting, checked, options, modules, _prepare_proof(proof))


def _prepare_proof(proof: Mapping[str, Any]) -> Examine:
    """What is done with each model.

    `fixed` is the real path of the file that is fixed, `folder` where models are kept. Without
    texts they are run as they are, and kept where they run one of the `rows`, all of them where
    these are None; with some, they are run with these in the place of files and compared: `text`
    in that of the fixed one (None where it stays as it is), `beside` by the real paths of others,
    each the bytes of a file in base64. `beside` is None where nothing is to be compared with. `if_equal`
    says that exports of what computes something else are of no interest.
    """
    fixed, folder, text = proof["fixed"], proof["folder"], proof["text"]
    beside, rows = proof["beside"], proof["rows"]
    if beside is not None:
        for path, data in {**beside, **({fixed: text} if text is not None else {})}.items():
            put_in_place(path, base64.b64decode(data))
        return partial(compare_model, folder, proof["if_equal"])
    watched = ExecutedRows(fixed)
    watched.start_watching()
    wanted = None if rows is None else frozenset(rows)
    return partial(keep_original, folder, watched, wanted)
