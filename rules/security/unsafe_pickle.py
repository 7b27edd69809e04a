"""LT704: a file of somebody's choice that is read by a pickle, or by a loader that makes objects."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.facts.api.network_bytes import comes_by_network, list_opened
from lintorch.facts.models.read_models import PICKLES, becomes_model
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT704",
    summary="a file of somebody's choice read by a pickle",
    why="""
        A pickle is a program: whoever wrote the file decides what runs when it is read. So it is with
        dill, cloudpickle, joblib, shelve and pandas.read_pickle, which unpickle, with numpy.load(allow_pickle=True),
        and with the loaders of PyYAML that make any Python object, Loader and UnsafeLoader.

        Reported where the path is what somebody gives: a parameter, an option of the command line, an
        attribute of an object that is given; and where the bytes come out of the network. A path with a
        name that is written down, and a file that the same module pickles, are taken to be your own.
        unsafe-load tells of torch.load, and of pickles that become a model. Measured on torch 2.13.
    """,
    bad="""
        import numpy as np
        import torch


        def read_features(path):
            return torch.from_numpy(np.load(path, allow_pickle=True).astype("float32"))
    """,
    good="""
        import numpy as np
        import torch


        def read_features(path):
            return torch.from_numpy(np.load(path).astype("float32"))
    """,
    remedy="save plain values by torch.save, and read them by torch.load(path, weights_only=True)",
    proof="""
        class Item:
            def __reduce__(self):
                return exec, ("raise SystemExit('code of the file has run')",)


        items = np.empty(1, dtype=object)
        items[0] = Item()
        np.save("items.npy", items, allow_pickle=True)
        try:
            read_features("items.npy")
        except ValueError:
            pass
    """,
)

_OPENED = frozenset({"pickle.load", "dill.load", "cloudpickle.load", "_pickle.load"})
"""What reads an open file."""
_NAMED = frozenset({"joblib.load", "pandas.read_pickle", "shelve.open"})
"""What is given a path."""
_BYTES = frozenset({"pickle.loads", "dill.loads", "cloudpickle.loads", "_pickle.loads"})
_ANY_OBJECT = frozenset({"Loader", "UnsafeLoader", "CLoader"})
_OPENS = frozenset({"open", "gzip.open", "bz2.open", "lzma.open", "io.open"})
_WRITES = frozenset({"dump", "dumps", "to_pickle", "save", "savez", "savez_compressed"})
"""Functions that write what is read here: the file is one's own."""


@rule.source(cst.Call, needs=("pickle", "dill", "joblib", "yaml", "pkl", "shelve"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    what = _name_reader(call, name, source)
    if not what or not call.args or call.args[0].star or source.is_test:
        return
    if name in PICKLES and _is_told(call, source):
        return
    given = call.args[0].value
    if name in _BYTES:
        if comes_by_network(given, source):
            said = f"{what} runs whatever code the bytes hold, which come by network"
            yield Hit(call, said, remedy=find_remedy(name))
        return
    path = given if name in _NAMED or name == "numpy.load" else _find_path(given, call, source)
    if path is None:
        return
    if comes_by_network(path, source):
        said = f"{what} runs whatever code the file holds, which comes by network"
        yield Hit(call, said, remedy=find_remedy(name))
    elif _is_given(path, source) and not _writes_own(source):
        said = f"{what} runs whatever code the file holds"
        yield Hit(call, said, remedy=find_remedy(name))


def find_remedy(name: str) -> str | None:
    """What to write instead of one reader."""
    if name == "numpy.load":
        return "leave allow_pickle out, which arrays of numbers do not need"
    if name.startswith("yaml."):
        return "write yaml.safe_load(file)"
    return None


def _name_reader(call: cst.Call, name: str, source: Source) -> str:
    """What reads, as people call it; "" where it makes no objects."""
    if name in _OPENED or name in _NAMED or name in _BYTES:
        return name.removeprefix("_")
    if name == "numpy.load":
        allowed = source.arguments(call, "file", "mmap_mode", "allow_pickle").get("allow_pickle")
        return "numpy.load with allow_pickle=True" if _is_true(allowed, source) else ""
    if name in ("yaml.unsafe_load", "yaml.unsafe_load_all"):
        return name
    if name in ("yaml.load", "yaml.load_all"):
        loader = source.name(source.arguments(call, "stream", "Loader").get("Loader"))
        kind = loader.rpartition(".")[2]
        return f"{name} with {kind}" if kind in _ANY_OBJECT else ""
    return ""


def _is_true(value: cst.BaseExpression | None, source: Source) -> bool:
    """`True`, or a name that is given True alone."""
    if value is None:
        return False
    bound = source.bound(value) if isinstance(value, cst.Name) else []
    if len(bound) == 1 and isinstance(bound[0].node, cst.BaseExpression):
        return literal(bound[0].node) is True
    return literal(value) is True


def _find_path(
    given: cst.BaseExpression, call: cst.Call, source: Source
) -> cst.BaseExpression | None:
    """The path of `open(path)` or `path.open()`, written there, or behind the name of the file."""
    if isinstance(given, cst.Name):
        opened = [*list_opened(given.value, call, source)]
        return _find_path(opened[0], call, source) if len(opened) == 1 else None
    if not isinstance(given, cst.Call):
        return None
    if source.name(given.func) in _OPENS:
        return given.args[0].value if given.args else None
    method = given.func.attr.value if isinstance(given.func, cst.Attribute) else ""
    if method == "open" and isinstance(given.func, cst.Attribute):
        return given.func.value
    return given if comes_by_network(given, source) else None


def _is_given(path: cst.BaseExpression, source: Source) -> bool:
    """A parameter, `args.path`, `self.path`, `sys.argv[1]`: no name of a file is written down."""
    if isinstance(path, cst.Subscript):
        return source.name(path.value) == "sys.argv"
    if isinstance(path, cst.Attribute):
        return isinstance(path.value, cst.Name) and not source.name(path)
    if isinstance(path, cst.Call) and len(path.args) == 1:
        named = source.name(path.func) in ("pathlib.Path", "str", "os.path.expanduser")
        return named and _is_given(path.args[0].value, source)
    if not isinstance(path, cst.Name):
        return False
    bound = source.bound(path)
    if len(bound) != 1:
        return False
    node = bound[0].node
    if bound[0].kind == "assign" and isinstance(node, (cst.Name, cst.Attribute, cst.Subscript)):
        return _is_given(node, source)
    return _is_parameter(path, source)


def _is_parameter(name: cst.Name, source: Source) -> bool:
    """Whether it is one of the function around it, without a default that names a file."""
    function = source.enclosing(name, cst.FunctionDef)
    params = function.params if function is not None else None
    every = (*params.posonly_params, *params.params, *params.kwonly_params) if params else ()
    mine = [each for each in every if each.name.value == name.value]
    return bool(mine) and not isinstance(mine[0].default, (cst.SimpleString, cst.Call))


def _writes_own(source: Source) -> bool:
    """Whether the module writes such files itself."""
    return any(
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in _WRITES
        and source.name(call.func).partition(".")[0]
        in ("", "pickle", "dill", "cloudpickle", "joblib", "numpy")
        and not source.name(call.func).startswith("torch")
        for call in source.nodes(cst.Call)
    )


def _is_told(call: cst.Call, source: Source) -> bool:
    """Whether what is read becomes a model, of which unsafe-load tells."""
    return any(
        isinstance(event, Called) and source.call_at(event) is call and becomes_model(event, source)
        for _, event in source.evaluation.list_events(PICKLES)
    )
