"""Started by its path, by an interpreter that need not have lintorch: makes only that package importable, and serves.

The arguments are the folders that it may write to, which go where nobody is left to remove them.

The folder that holds the package stays off sys.path: it may be a site-packages full of other things.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def serve_parent() -> None:
    """Import the package `lintorch` that this file lies in, and serve its parent's requests."""
    if sys.version_info < (3, 10):  # noqa: UP036 - whatever interpreter the user names
        raise SystemExit("lintorch needs Python 3.10 or newer to run models")
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != here]
    package = here.parents[1]
    spec = importlib.util.spec_from_file_location(
        "lintorch", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lintorch"] = module
    spec.loader.exec_module(module)
    importlib.import_module("lintorch.guest.process.guardian").guard_worker(sys.argv[1:])
    importlib.import_module("lintorch.guest.process.server").serve_requests(sys.argv[1:])


if __name__ == "__main__":
    serve_parent()
