"""The order and the shares in which the tests run: long ones first, so that no core is idle at the end."""

from __future__ import annotations

import compileall
import os
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
LONG = (
    *("test_evidence", "test_wrong_cells", "test_proofs", "test_export", "test_wrong_part"),
    *("test_hostile", "test_packaging", "test_precommit", "test_trials", "test_contained"),
    *("test_structures", "test_real_models", "test_view_evidence", "test_layer_evidence"),
    *("test_pool_resize_evidence", "test_size_evidence", "test_forward_evidence", "test_leave"),
    *("test_deploy_evidence", "test_side_evidence", "test_worker", "test_limits", "test_stopping"),
    *("test_models", "test_models_write", "test_meanwhile", "test_interpreter", "test_trace"),
    *("test_server", "test_precisions", "test_timings"),
    *("test_safe_fixes", "test_sturdy", "test_far_sizes", "test_project_calls", "test_suggest"),
    *("test_explain_node", "test_verify_training", "test_compare", "test_dropped_input"),
    *("test_store", "test_cluster", "test_onnx_rewrites"),
)
"""The files that take longest, in that order: they run models, install things or start many processes."""


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Files stay together; of long ones each test is by itself, unless they share what was made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        stem = Path(file).stem
        if stem not in LONG or 'scope="module")' in (HERE / f"{stem}.py").read_text("utf-8"):
            return file
        return nodeid


hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")
"""A busy machine is no failure."""


def pytest_configure(config: pytest.Config) -> None:
    """What is imported is compiled once: processes that run models write no bytecode."""
    if not hasattr(config, "workerinput"):
        for name in ("lintorch", "rules"):
            compileall.compile_dir(HERE.parent / name, quiet=2)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: many tests wait for processes of their own."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    config.option.loadscopereorder = False
    return Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.stem in LONG:
            item.add_marker("slow")
    items.sort(key=lambda item: (*LONG, item.path.stem).index(item.path.stem))
