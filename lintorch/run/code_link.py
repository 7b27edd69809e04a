"""Where a browser shows the files of a run: on the host that a CI job says it works for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote


def find_code_link(environment: Mapping[str, str]) -> str:
    """`https://github.com/owner/name/blob/<commit>/`, to which paths as shown are added; "" elsewhere.

    GitHub says it by GITHUB_SERVER_URL, GITHUB_REPOSITORY and GITHUB_SHA, GitLab by CI_PROJECT_URL
    and CI_COMMIT_SHA.
    """
    said = environment.get
    if said("GITHUB_ACTIONS") == "true" and said("GITHUB_REPOSITORY") and said("GITHUB_SHA"):
        server = said("GITHUB_SERVER_URL") or "https://github.com"
        base = f"{server}/{said('GITHUB_REPOSITORY')}/blob/{said('GITHUB_SHA')}"
    elif said("GITLAB_CI") == "true" and said("CI_PROJECT_URL") and said("CI_COMMIT_SHA"):
        base = f"{said('CI_PROJECT_URL')}/-/blob/{said('CI_COMMIT_SHA')}"
    else:
        return ""
    here = Path.cwd()
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    below = here.relative_to(root).as_posix()
    return f"{base}/" if below == "." else f"{base}/{quote(below)}/"
