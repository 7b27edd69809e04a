"""Code that misbehaves becomes one failure, and what comes after it still runs."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from examining import examine_files, examine_nets, net
from reported import failure_of, model_of

from lintorch.host.worker_process import WorkerError
from lintorch.record.model_options import ModelLimits

GIB = 2**30
HOSTILE = {
    "raises": net(building="raise OverflowError('too wide')"),
    "hangs": net(running="time.sleep(600)"),
    "leaves": net(running="sys.exit(3)"),
    "vanishes": net(running="os._exit(0)"),
    "crashes": net(running="ctypes.string_at(0)"),
    "signals": net(running="os.kill(os.getpid(), signal.SIGKILL)"),
}
STAGES = {
    "raises": ("build", "OverflowError: too wide"),
    "hangs": ("stopped", "did not finish within"),
    "leaves": ("run", "SystemExit: 3"),
    "vanishes": ("stopped", "ended the process itself, with exit status 0"),
    "crashes": ("stopped", "SIGSEGV"),
    "signals": ("stopped", "SIGKILL"),
}
UNIMPORTABLE = {
    "ends": ("os._exit(7)", "stopped", "exit status 7"),
}
REDUCED = {
    "exits": ("sys.exit('enough')", "raised SystemExit"),
    "waits": ("time.sleep(600)", "took too long"),
    "lacks": ("open('absent.txt')", "raised FileNotFoundError"),
}
HARMLESS = {
    "prints": net(importing="print('x' * 2**22)", running="os.write(2, b'y' * 2**21)"),
    "threads": net(importing="threading.Thread(target=time.sleep, args=(600,)).start()"),
    "children": net(importing="subprocess.Popen(['sleep', '617'])"),
    "deeper/prints": net(),
}


def test_a_model_that_misbehaves_is_one_failure_and_the_next_runs(tmp_path: Path) -> None:
    found = examine_nets(tmp_path, HOSTILE, ModelLimits(seconds=4))
    for name, (stage, cause) in STAGES.items():
        assert set(found[name]) == {"Net", "Next"}, name
        failure = failure_of(found[name]["Net"])
        assert cause in failure.cause
        assert not stage or failure.stage == stage
        assert failure.row == 7
        assert found[name]["Next"].failure is None
        assert model_of(found[name]["Next"]).inputs


def test_a_model_that_takes_all_memory_is_stopped_and_the_next_runs(tmp_path: Path) -> None:
    running = "self.held = [torch.ones(2**26) for _ in range(2**20)]"
    found = examine_nets(tmp_path, {"net": net(running=running)}, ModelLimits(memory=2 * GIB))
    assert "memory" in failure_of(found["net"]["Net"]).cause
    assert found["net"]["Next"].failure is None


def test_a_file_that_cannot_be_loaded_is_one_failure_and_the_next_is_loaded(tmp_path: Path) -> None:
    files = {name: net(importing=line) for name, (line, *_) in UNIMPORTABLE.items()}
    found = examine_nets(tmp_path, {**files, **HARMLESS}, ModelLimits(seconds=4))
    for name, (_, stage, cause) in UNIMPORTABLE.items():
        (failure,) = (failure_of(report) for report in found[name].values())
        assert (failure.qualname, failure.stage) == ("", stage)
        assert cause in failure.cause
    for name in HARMLESS:
        assert [r.failure for r in found[name].values()] == [None, None], name
    assert not left_running("sleep", "617")


def test_of_a_file_that_fails_at_import_the_definitions_are_run(tmp_path: Path) -> None:
    files = {name: net(importing=line) for name, (line, _) in REDUCED.items()}
    found = examine_nets(tmp_path, files, ModelLimits(seconds=4))
    for name, (_, cause) in REDUCED.items():
        (said,) = model_of(found[name]["Net"]).assumptions
        assert said.startswith(f"only the definitions of {name}.py were run: its import {cause}")


def test_what_a_failed_model_printed_is_kept_at_its_end(tmp_path: Path) -> None:
    running = "print('loading weights'); sys.stdout.flush(); os._exit(1)"
    found = examine_nets(tmp_path, {"net": net(running=running)})
    assert failure_of(found["net"]["Net"]).output == "loading weights"


def test_the_worker_has_no_network_and_a_home_of_its_own(tmp_path: Path) -> None:
    asking = "import socket; socket.create_connection(('192.0.2.1', 80))"
    writing = "open(os.path.expanduser('~/left'), 'w'); open('left', 'w')"
    found = examine_nets(tmp_path, {"asks": net(building=asking), "writes": net(building=writing)})
    assert "without network" in failure_of(found["asks"]["Net"]).cause
    assert found["writes"]["Net"].failure is None
    assert not Path.home().joinpath("left").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"asks.py", "writes.py"}


def test_a_python_without_torch_says_how_to_install_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    file = tmp_path / "net.py"
    file.write_text(net())
    with pytest.raises(WorkerError, match=r"has no torch.*pip install torch onnx"):
        examine_files([file], tmp_path, python=python)
    with pytest.raises(WorkerError, match="cannot start"):
        examine_files([file], tmp_path, python=str(tmp_path / "absent"))


def test_linting_side_imports_no_torch() -> None:
    text = "import sys, lintorch.host.examine_models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(text)]).returncode == 0


def left_running(*command: str) -> list[str]:
    """Processes with exactly this command line."""
    wanted = "\0".join(command) + "\0"
    lines = Path("/proc").glob("[0-9]*/cmdline")
    return [str(path) for path in lines if os.access(path, os.R_OK) and read(path) == wanted]


def read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
