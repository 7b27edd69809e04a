"""Every hazard is real: the proof of a rule goes wrong after its bad example and not after the good one."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from warm.server import prepare_models

from lintorch import catalog
from lintorch.core.rule import Rule

RULES = [rule for rule in catalog.build_catalog().rules.values() if rule.bad and rule.detectors]
SECONDS = 600
_START = "import warnings\nwarnings.simplefilter('error')\nimport torch\ntorch.manual_seed(0)\n"


@pytest.fixture(scope="module", autouse=True)
def _torch_and_exporters_are_imported_once() -> None:
    prepare_models()


def outcome(example: str, proof: str, folder: Path) -> str:
    """How running an example and its proof ends: "" if well, else the traceback."""
    path = folder / "example.py"
    path.write_text(f"{_START}\n{example}\n\n{proof}", encoding="utf-8")
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(path, sender))
    process.start()
    sender.close()
    try:
        return str(receiver.recv()) if receiver.poll(SECONDS) else f"not over after {SECONDS} s"
    except EOFError:
        return "the process died"
    finally:
        process.kill()
        process.join()


def _run(path: Path, sender: Connection) -> None:
    os.chdir(path.parent)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    sys.path.insert(0, str(path.parent))
    try:
        runpy.run_path(str(path), run_name="example")
    except BaseException:
        sender.send(traceback.format_exc())
    else:
        sender.send("")


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_a_hazard_is_proven_or_says_why_not(rule: Rule) -> None:
    assert bool(rule.proof) != bool(rule.unproven)


@pytest.mark.parametrize("rule", [r for r in RULES if r.proof], ids=lambda r: r.name)
def test_the_bad_example_goes_wrong_and_the_good_one_does_not(rule: Rule, tmp_path: Path) -> None:
    assert outcome(rule.good, rule.proof, tmp_path) == ""
    assert outcome(rule.bad, rule.proof, tmp_path) != ""
