"""What a model cannot do to the machine that it runs on, as docs/security.md says."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from examining import examine_files, examine_nets, net
from reported import failure_of
from running import CHECKOUT, COLD, lintorch
from watched import PATIENCE, Run, wait_for

from lintorch.host.reports import Report
from lintorch.record.model_options import ModelLimits

MIB = 2**20
HELPERS = """
def above():
    # the processes of the worker, nearest first; the last but one answers requests
    found, pid = [], os.getppid()
    while b"boot.py" in open(f"/proc/{pid}/cmdline", "rb").read():
        found.append(pid)
        pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    return found


def refused(why, lines):
    for line in lines:
        try:
            exec(line, globals())
        except Exception as error:
            assert why in str(error), (line, error)
        else:
            raise AssertionError(line)


def done(lines):
    for line in lines:
        exec(line, globals())

"""
REACHING = (
    "socket.create_connection(('127.0.0.1', {tcp}))",
    "socket.socket().sendto(b'open', socket.MSG_FASTOPEN, ('127.0.0.1', {tcp}))",
    "subprocess.run([sys.executable, '-c', 'import socket; "
    'socket.create_connection(("127.0.0.1", {tcp}))\'], check=True, stderr=-3)',
)
UNHEARD = (
    "socket.socket(type=socket.SOCK_DGRAM).sendto(b'udp', ('127.0.0.1', {udp}))",
    "_socket.socket(type=socket.SOCK_DGRAM).sendto(b'inner', ('127.0.0.1', {udp}))",
)
OUTSIDE = (
    "socket.create_connection(('192.0.2.1', 80))",
    "socket.socket().connect_ex(('192.0.2.1', 80))",
    "socket.socket().sendto(b'x', socket.MSG_FASTOPEN, ('192.0.2.1', 80))",
    "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.1', 53))",
    "_socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "_socket.getaddrinfo('192.0.2.1', 80)",
)
WITHIN = (
    "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); "
    "socket.create_connection(s.getsockname())",
    "one, other = socket.socketpair(); one.send(b'x')",
    "torch.distributed.is_initialized() or torch.distributed.init_process_group("
    "'gloo', rank=0, world_size=1, store=torch.distributed.HashStore())",
    "torch.distributed.all_reduce(torch.ones(1))",
    "assert os.stat(__file__).st_uid == os.getuid(), os.getuid()",
    "assert sys.platform != 'linux' or 'NoNewPrivs:\\t1' in open('/proc/self/status').read()",
)
SPOILING = (
    "open({kept!r}, 'a')",
    "os.truncate({kept!r}, 0)",
    "os.remove({kept!r})",
    "os.replace({kept!r}, 'here')",
    "os.mkdir({kept!r} + '-too')",
    "raise OSError(subprocess.run(['rm', {kept!r}], stderr=-1, env=dict(LC_ALL='C')).stderr)",
)
WRITING = (
    "os.makedirs('a/b', exist_ok=True); open('a/x', 'w').close(); os.replace('a/x', 'a/b/x')",
    "os.truncate('a/b/x', 9); os.symlink('x', 'a/b/y'); os.remove('a/b/y')",
    "open(os.path.expanduser('~/x'), 'w'); open('/dev/null', 'w').write('x')",
    "import multiprocessing; multiprocessing.Lock().acquire()",
    "subprocess.run('cat | wc -c > n; rm n', shell=True, input=b'x', check=True)",
    "torch.ones(3).share_memory_(); torch.save({{}}, 'x.pt'); torch.load('x.pt')",
)
SHARING = """
import os, signal
from lintorch.machine.process_tree import list_descendants, memory_held_by

held, (reading, writing) = bytearray(b"x") * 2**28, os.pipe()
if not (child := os.fork()):
    for _ in range(3):
        if not os.fork():
            break
    os.write(writing, b"x")
    signal.pause()
while len(list_descendants(os.getpid())) < 4:
    pass
for _ in range(4):
    os.read(reading, 1)
processes = [os.getpid(), *list_descendants(os.getpid())]
print(len(processes), memory_held_by(processes, 2**40) >> 28, memory_held_by(processes, 2**29) >> 28)
for pid in processes[:0:-1]:
    os.kill(pid, 9)
"""
FILLING = {
    "large": "open('large', 'wb').truncate(2**26)",
    "bytes": "[open(f'{n}', 'wb').write(b'x' * 2**20) for n in range(99)]; time.sleep(600)",
    "files": "[open(f'many{n}', 'wb') for n in range(9999)]; time.sleep(600)",
}


def examined(
    folder: Path, running: dict[str, str], limits: ModelLimits | None = None
) -> dict[str, Report]:
    """What became of `Net`, by file; `Next` is well."""
    texts = {name: net(running=line, helpers=HELPERS) for name, line in running.items()}
    found = examine_nets(folder, texts, limits)
    assert [each["Next"].failure for each in found.values()] == [None] * len(texts)
    return {name: each["Net"] for name, each in found.items()}


def refusing(why: str, lines: Iterable[str], **given: object) -> dict[str, str]:
    """A model that runs where each of these lines is refused, with this reason."""
    return {"net": f"refused({why!r}, {[line.format(**given) for line in lines]!r})"}


def doing(lines: Iterable[str], **given: object) -> dict[str, str]:
    """A model that runs where each of these lines does."""
    return {"net": f"done({[line.format(**given) for line in lines]!r})"}


@functools.cache
def containment() -> dict[str, str]:
    """What lintorch says that it can do here."""
    done = lintorch("models", "--containment", "--config", os.devnull, cwd=CHECKOUT, **COLD)
    assert done.returncode == 0, done.stderr
    return dict(line.split(None, 1) for line in done.stdout.splitlines())


@contextmanager
def servers() -> Iterator[dict[str, socket.socket]]:
    """A server for connections and one for messages, on this machine's own address."""
    with ExitStack() as closing:
        kinds = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}
        made = {n: closing.enter_context(socket.socket(type=kind)) for n, kind in kinds.items()}
        for server in made.values():
            server.bind(("127.0.0.1", 0))
            server.setblocking(False)
        made["tcp"].listen()
        yield made


def reached(servers: dict[str, socket.socket]) -> bool:
    for name, ask in (("tcp", servers["tcp"].accept), ("udp", lambda: servers["udp"].recv(9))):
        try:
            ask()
        except BlockingIOError:
            continue
        return bool(name)
    return False


def test_every_claim_of_the_page_names_a_test() -> None:
    page = (CHECKOUT / "docs" / "security.md").read_text()
    tests = "".join(path.read_text() for path in (CHECKOUT / "tests").glob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", page)
    assert len(named) > 20
    assert not [name for name in named if f"def {name}(" not in tests]
    tables = [block for block in page.split("\n\n") if "| test |\n" in block]
    assert len(tables) == 4
    for table in tables:
        assert not [row for row in table.splitlines()[2:] if "`test_" not in row]


def test_checking_runs_nothing_of_what_is_checked(tmp_path: Path) -> None:
    project, mark = tmp_path / "project", tmp_path / "mark"
    project.mkdir()
    runs = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n"
    interpreter = project / "interpreter"
    interpreter.write_text(f"#!{sys.executable}\n{runs}")
    interpreter.chmod(0o755)
    for name in ("net.py", "conftest.py", "sitecustomize.py", "torch.py"):
        project.joinpath(name).write_text(f"{runs}\nimport torch\nx = torch.cholesky(2)\n")
    model = '[models.net]\nfactory = "net:build"\n'
    settings = f"python = {str(interpreter)!r}\n{model}"
    project.joinpath("lintorch.toml").write_text(settings)
    done = lintorch("check", "--fix", "--select", "LT601", "--no-cache", ".", cwd=project)
    assert "cholesky" not in done.stderr
    assert "torch.linalg.cholesky" in (project / "net.py").read_text()
    assert not mark.exists()
    lintorch("check", "--trace", "--no-cache", ".", cwd=project)
    assert mark.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="platforms differ")
def test_what_this_kernel_offers_is_made_use_of() -> None:
    alone = ["unshare", "--map-current-user", "--net", "true"]
    if shutil.which("unshare") and not subprocess.run(alone, stderr=subprocess.DEVNULL).returncode:
        assert "own" in containment()["network"]
    release = ctypes.CDLL(None).syscall(444, None, 0, 1)
    assert ("temporary folder, the output" in containment()["files"]) == (release >= 3)
    assert ("their own" in containment()["signals"]) == (release >= 6)


def test_a_model_reaches_no_server_of_this_machine(tmp_path: Path) -> None:
    if "own" not in containment()["network"]:
        pytest.skip("this machine gives a process no network of its own")
    with servers() as made:
        ports = {name: server.getsockname()[1] for name, server in made.items()}
        for why, lines in (("", REACHING), (None, UNHEARD)):
            asked = doing(lines, **ports) if why is None else refusing(why, lines, **ports)
            assert examined(tmp_path, asked)["net"].failure is None
        assert not reached(made)
        with socket.create_connection(made["tcp"].getsockname()):
            wait_for(lambda: reached(made))


def test_pythons_sockets_say_why_they_reach_nothing_outside(tmp_path: Path) -> None:
    why = "runs models without network: 192.0.2.1 was not reached"
    assert examined(tmp_path, refusing(why, OUTSIDE))["net"].failure is None


def test_a_model_may_talk_to_itself_write_where_it_is_and_is_the_same_user(tmp_path: Path) -> None:
    assert examined(tmp_path, doing((*WITHIN, *WRITING)))["net"].failure is None


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_memory_that_processes_share_counts_once_where_it_matters() -> None:
    command = [sys.executable, "-c", SHARING]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout == "5 5 1\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is nobody to watch")
def test_a_model_that_writes_too_much_is_stopped(tmp_path: Path) -> None:
    found = examined(tmp_path, FILLING, ModelLimits(disk=32 * MIB))
    for name in FILLING:
        failure = failure_of(found[name])
        assert (failure.stage, failure.qualname) == ("stopped", "Net"), name
        assert "more than 32 MiB to disk; `trace-disk` raises" in failure.cause
    tmp_path.joinpath("large.py").write_text(f"import torch\n{FILLING['large']}\n{net()}")
    limits = ModelLimits(disk=32 * MIB)
    (report,) = examine_files([tmp_path / "large.py"], tmp_path, limits=limits)
    assert "more than 32 MiB to disk; `trace-disk` raises" in failure_of(report).cause


def test_a_model_changes_no_file_outside_its_folder(tmp_path: Path) -> None:
    if "the output folder" not in containment()["files"]:
        pytest.skip("this machine does not let files be held")
    kept = tmp_path / "kept"
    kept.write_text("whole")
    asked = refusing("Permission denied", SPOILING, kept=str(kept))
    assert examined(tmp_path, asked)["net"].failure is None
    assert kept.read_text() == "whole"
    assert {path.name for path in tmp_path.iterdir()} == {"net.py", "kept"}


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_model_sends_no_signal_outside(tmp_path: Path) -> None:
    if "their own only" not in containment()["signals"]:
        pytest.skip("this machine does not let signals be held")
    with subprocess.Popen(["sleep", "677"]) as bystander:
        try:
            pids = f"({bystander.pid}, above()[-1])"
            lines = [f"os.kill({pids}[{n}], signal.SIGKILL)" for n in (0, 1)]
            asked = refusing("Operation not permitted", lines)
            assert examined(tmp_path, asked)["net"].failure is None
            assert bystander.poll() is None
        finally:
            bystander.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_model_that_kills_its_worker_leaves_nothing_running(tmp_path: Path) -> None:
    line = (
        "subprocess.Popen(['sleep', '661'], start_new_session=True); "
        "os.kill(above()[-2], signal.SIGKILL); time.sleep(600)"
    )
    tmp_path.joinpath("net.py").write_text(net(running=line, helpers=HELPERS))
    run = Run(tmp_path, "models")
    out, _ = run.process.communicate(timeout=PATIENCE)
    assert "net.py:Next on x" in out
    assert "stopped: it ended the worker process" in out
    assert not run.others()
    assert not [*run.temporary.iterdir()]
