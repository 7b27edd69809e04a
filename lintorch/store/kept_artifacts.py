"""Files that exports have made, by content."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lintorch.record.digests import digest_bytes
from lintorch.record.framing import Parcel
from lintorch.record.messages import ExportTried
from lintorch.store.places import Place
from lintorch.store.sealed import UnsoundError

_KEY = "artifact"


def keep_files(place: Place, parcel: Parcel) -> dict[str, str]:
    """Keep the files beside the artifact that a message tells of; their names and digests. Raises OSError."""
    made = artifact_of(parcel)
    kept: dict[str, str] = {}
    for path in sorted(Path(made).parent.iterdir()) if made else ():
        data = path.read_bytes()
        kept[path.name] = digest_bytes(data)
        if not place.has(_blob(kept[path.name])):
            place.write(_blob(kept[path.name]), data)
    return kept


def restore_files(place: Place, parcel: Parcel, files: Mapping[str, str], folder: str) -> Parcel:
    """The message, with its files in a new folder below this one. Raises OSError and UnsoundError."""
    name = os.path.basename(artifact_of(parcel))
    if not folder or not name:
        return with_artifact(parcel, "")
    target = Path(tempfile.mkdtemp(dir=folder))
    for inner, known in files.items():
        data = place.read(_blob(known))
        if digest_bytes(data) != known or os.path.basename(inner) != inner:
            raise UnsoundError(f"{_blob(known)} is not what was written")
        (target / inner).write_bytes(data)
    return with_artifact(parcel, str(target / name))


def artifact_of(parcel: Parcel) -> str:
    """The artifact that a message tells of; "" for none."""
    outcome = _outcome_of(parcel)
    return str(outcome.get(_KEY) or "") if outcome else ""


def with_artifact(parcel: Parcel, path: str) -> Parcel:
    """The message with another path of its artifact."""
    outcome = _outcome_of(parcel)
    if not outcome or _KEY not in outcome:
        return parcel
    changed: dict[str, Any] = {**outcome, _KEY: path}
    return Parcel(parcel.tag, {**parcel.parts, "outcome": changed})


def _outcome_of(parcel: Parcel) -> Mapping[str, Any] | None:
    found = parcel.parts.get("outcome") if parcel.tag == ExportTried.tag else None
    return found if isinstance(found, dict) else None


def _blob(content: str) -> str:
    return f"files/{content[:2]}/{content}"
