"""What may be said of a class or function that a checkpoint names: harmless, dangerous, or somebody's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lintorch.checkpoint.admitted_globals import BLOCKED_MODULES, WITH_IMPORT
from lintorch.checkpoint.values import Global

Verdict = Literal["harmless", "torch", "own", "dangerous"]

_HARMLESS = frozenset(
    """
    argparse.Namespace collections.defaultdict collections.deque collections.UserDict
    builtins.dict builtins.list builtins.tuple builtins.frozenset builtins.slice builtins.range
    builtins.int builtins.float builtins.str builtins.bool builtins.bytes builtins.object
    datetime.datetime datetime.date datetime.timedelta datetime.timezone decimal.Decimal
    fractions.Fraction uuid.UUID pathlib.Path pathlib.PosixPath pathlib.WindowsPath
    pathlib.PurePosixPath pathlib._local.PosixPath pathlib._local.WindowsPath
    types.SimpleNamespace copyreg._reconstructor numpy.dtype numpy.ndarray
    numpy._core.multiarray.scalar numpy._core.multiarray._reconstruct numpy.core.multiarray.scalar
    numpy.core.multiarray._reconstruct typing.Any typing.Union typing.Optional
    """.split()  # noqa: SIM905
)
"""Classes that hold values, and functions that make them, and no more."""
_DANGEROUS_BUILTINS = frozenset(
    """
    eval exec compile __import__ getattr setattr delattr open input breakpoint globals locals vars
    map filter print type help exit quit memoryview classmethod staticmethod property super
    """.split()  # noqa: SIM905
)
_DANGEROUS_MODULES = frozenset(
    """
    os posix nt sys subprocess importlib imp runpy pty socket socketserver shutil ctypes _ctypes
    pickle _pickle marshal shelve code codeop pdb bdb timeit cProfile profile trace webbrowser
    operator _operator functools inspect site pip ensurepip venv asyncio multiprocessing threading
    _thread concurrent http urllib urllib2 httplib ftplib smtplib telnetlib requests aiohttp httpx
    tempfile glob io _io codecs linecache doctest unittest distutils setuptools pkg_resources
    cloudpickle dill commands popen2 platform signal resource fcntl mmap gc atexit faulthandler
    zipimport pkgutil builtins.__dict__ tkinter idlelib lib2to3 pydoc sqlite3 ssl uu ast
    """.split()  # noqa: SIM905
)
_DANGEROUS_PATHS = frozenset(
    """
    torch.load torch.serialization.load torch.jit.load
    torch.package.PackageImporter joblib.load numpy.load numpy.testing._private.utils.runstring
    numpy.testing.utils.runstring pandas.read_pickle types.FunctionType types.CodeType
    types.LambdaType yaml.load yaml.unsafe_load logging.config.dictConfig
    """.split()  # noqa: SIM905
)
_DANGEROUS_PACKAGES = ("torch.hub.", "torch.utils.cpp_extension.", "torch.utils.bundled_inputs.")
_IMPORTED_BY_TORCH = ("torch.nn.", "torch.optim.", "torch.storage.")
_OF_ARRAYS = ("numpy.core.", "numpy._core.")


@dataclass(frozen=True)
class RefusedGlobal:
    """A class or function that weights_only=True does not take by itself.

    `spelled` is what admits it in `torch.serialization.safe_globals([...])`, and `imports` the
    module that it needs; both "" where it should not be admitted, or cannot be.
    """

    path: str
    verdict: Verdict
    why: str
    spelled: str = ""
    imports: str = ""


def judge_globals(refused: Iterable[Global]) -> tuple[RefusedGlobal, ...]:
    """Each once, the dangerous ones first."""
    judged = [_judge(each) for each in refused]
    return tuple(sorted(judged, key=lambda each: each.verdict != "dangerous"))


def spell_array_type(code: str) -> RefusedGlobal:
    """The class of a NumPy type, which torch asks for where `numpy.dtype` is given its state."""
    spelled = f"type(np.dtype({code!r}))"
    return RefusedGlobal(spelled, "harmless", "it holds values", spelled, "numpy as np")


def _judge(found: Global) -> RefusedGlobal:
    path = found.path
    if not all(part.isidentifier() for part in path.split(".")):
        return RefusedGlobal(path, "dangerous", "it is no name of a class or function")
    if reason := _find_danger(found):
        return RefusedGlobal(path, "dangerous", reason)
    if path in WITH_IMPORT:
        why = f"torch takes it once {WITH_IMPORT[path]} is imported"
        return RefusedGlobal(path, "torch", why, "", WITH_IMPORT[path])
    spelled, imports = _spell(found)
    if path in _HARMLESS or path.startswith("numpy.dtypes."):
        return RefusedGlobal(path, "harmless", "it holds values", spelled, imports)
    if found.module.split(".")[0] == "torch":
        return RefusedGlobal(path, "torch", "it is torch's own", spelled, imports)
    why = (
        "a class of the script that saved it, which must be there again"
        if found.module == "__main__"
        else f"{found.module.split('.')[0]} is imported, and the file decides how it is used"
    )
    return RefusedGlobal(path, "own", why, spelled, imports)


def _find_danger(found: Global) -> str:
    root = found.module.split(".")[0]
    if found.module in BLOCKED_MODULES:
        return "it can run commands; torch takes nothing of this module, whatever is asked for"
    if found.module == "builtins" and found.name.split(".")[0] in _DANGEROUS_BUILTINS:
        return "with it a file runs what it likes"
    if "__" in found.name.replace("__main__", "") and found.module != "__main__":
        return "it reaches into the inside of a class or module"
    if root in _DANGEROUS_MODULES or found.path in _DANGEROUS_PATHS:
        return "with it a file can run code, load more of it, or reach other files or the network"
    if found.path.startswith(_DANGEROUS_PACKAGES):
        return "it loads and runs other code"
    return ""


def _spell(found: Global) -> tuple[str, str]:
    """How it is written in Python, and what is imported for that."""
    if found.module == "builtins":
        return found.name, ""
    if found.module == "__main__":
        return f"({found.name}, {found.path!r})", ""
    if found.path.startswith(_OF_ARRAYS):  # NumPy 2 has moved it, and kept the name in old files
        place = found.path.split(".", 2)[2]
        return f"(np._core.{place}, {found.path!r})", "numpy as np"
    if found.module.split(".")[0] == "numpy":
        return f"np.{found.path.split('.', 1)[1]}", "numpy as np"
    return found.path, "" if found.path.startswith(_IMPORTED_BY_TORCH) else found.module
