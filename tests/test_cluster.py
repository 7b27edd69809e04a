"""Models that a cluster of Dask runs: real processes, of which some are killed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from examining import write_files
from running import interpreter, lintorch

from lintorch.host import cluster_orders
from lintorch.host.cluster_hands import Cluster, read_address
from lintorch.host.cluster_orders import Order, RunTerms, begin_run, do_order
from lintorch.host.examine_models import examine_models
from lintorch.host.pieces import Piece
from lintorch.host.worker_process import WorkerError
from lintorch.host.worker_task import make_file_task
from lintorch.record.digests import digest_file
from lintorch.record.model_options import ModelOptions

distributed = pytest.importorskip("distributed")
NET = """
    import torch
    from torch import nn


    class {name}(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            return self.layer(x).view(int(x.size(0)), -1)
"""
NAMES = ("First", "Second", "Third")
TEXTS = {name.lower(): NET.format(name=name) for name in NAMES}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        resources={"SLOT": 1},
    ) as found:  # fmt: skip
        yield found


def arm(cluster: Any, file: str, flag: Path) -> None:
    """Have workers that are there now die when they take this file, as long as there is no such flag."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.run(_arm_worker, file, str(flag))


def _arm_worker(file: str, flag: str | None) -> None:
    do_piece = cluster_orders._do_piece

    def die_or_do(piece: Piece, workers: Any, covered: Any) -> Any:
        if piece.shown.endswith(file) and not (flag and os.path.exists(flag)):
            if flag:
                Path(flag).touch()
            os._exit(9)
        return do_piece(piece, workers, covered)

    cluster_orders._do_piece = die_or_do


def address_of(cluster: Any) -> str:
    return f"dask://{cluster.scheduler_address.removeprefix('tcp://')}"


def without_times(text: str) -> str:
    return re.sub(r'"seconds": [^,]+', '"seconds": 0', text)


def test_the_report_is_the_same_where_a_worker_of_the_cluster_dies(
    cluster: Any, tmp_path: Path
) -> None:
    write_files(tmp_path, TEXTS)
    asked = ("export", "--to", "torchscript-trace", "--output-format", "json", ".")
    here = lintorch(*asked, cwd=tmp_path)
    arm(cluster, "second.py", tmp_path / "died")
    there = lintorch(*asked, "--executor", address_of(cluster), "--resource", "SLOT=1", cwd=tmp_path)  # fmt: skip
    assert (tmp_path / "died").exists()
    assert without_times(there.stdout) == without_times(here.stdout), there.stderr
    assert there.returncode == here.returncode == 1
    statuses = {t["model"]: t["status"] for t in json.loads(there.stdout)["trials"]}
    assert statuses == {f"{name.lower()}.py:{name}": "wrong" for name in NAMES}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"resources": {"TPU": 1}}, "was started with resources of TPU=1"),
        ({"python": "/nowhere/python"}, "has no interpreter /nowhere/python"),
    ],
)
def test_a_cluster_that_cannot_do_the_work_is_told_at_once(
    cluster: Any, tmp_path: Path, given: dict[str, Any], why: str
) -> None:
    files = write_files(tmp_path, TEXTS)
    terms = Cluster(read_address(address_of(cluster)), given.get("resources", {}))
    python = given.get("python", interpreter())
    with pytest.raises(WorkerError, match=re.escape(why)):
        [*examine_models(files, ModelOptions(str(tmp_path)), python=python, hands=terms.take_on)]


def test_a_file_that_ends_every_worker_is_told_and_the_others_are_run(
    cluster: Any, tmp_path: Path
) -> None:
    files = write_files(tmp_path, TEXTS)
    cluster.scheduler.allowed_failures = 0
    with distributed.Client(cluster, set_as_default=False) as client:
        client.register_worker_callbacks(partial(_arm_worker, "first.py", None))  # later ones, too
    terms = Cluster(read_address(address_of(cluster)), {})
    options = ModelOptions(str(tmp_path))
    reports = [*examine_models(files, options, python=interpreter(), hands=terms.take_on)]
    ended, *well = reports
    assert ended.failure is not None
    assert ended.failure.stage == "stopped"
    assert ended.failure.cause == "each worker of the cluster that took it ended"
    assert [report.model and report.model.qualname for report in well] == ["Second", "Third"]


def test_workers_say_what_they_lack(tmp_path: Path) -> None:
    net, *_ = write_files(tmp_path, TEXTS)
    terms = RunTerms("run", interpreter(), "", {net: net}, {net: digest_file(net)})
    gone = RunTerms("run", terms.python, "", {}, {f"{net}x": ""})
    assert begin_run(gone).startswith(f"cannot read {net}x (No such file or directory): the project")  # fmt: skip
    other = RunTerms("run", terms.python, "", {}, {net: "other"})
    assert begin_run(other).startswith(f"has another text in {net}: ")
    older = RunTerms("run", terms.python, "", {}, {}, version="0.0")
    assert begin_run(older).endswith("and not 0.0")
    apart = RunTerms("run", terms.python, str(tmp_path / "gone"), {}, {})
    assert "has to be a folder that all share" in begin_run(apart)
    piece = Piece(net, 0, make_file_task(net, (), {net: net}, ModelOptions(str(tmp_path)), {}))
    assert do_order(Order("never begun", piece, frozenset(), {})).unknown
    assert begin_run(terms) == ""
    answer = do_order(Order("run", piece, frozenset(), {net: "other"}))
    assert answer.problem.startswith(f"a worker of the cluster has another text in {net}: ")
    cluster_orders.end_run("run")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("dask://scheduler:8786", "tcp://scheduler:8786"),
        ("dask://tls://scheduler:8786", "tls://scheduler:8786"),
    ],
)
def test_addresses(text: str, address: str) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize("text", ["dask://", "ray://host", "scheduler:8786"])
def test_what_is_no_address(text: str, tmp_path: Path) -> None:
    done = lintorch("export", "--executor", text, ".", cwd=tmp_path)
    assert done.returncode == 2
    assert f"--executor: {text!r} is no address" in done.stderr
