"""Where training may go on, told by the words that code calls: a cheap look ahead of following it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.roots import list_body
from lintorch.syntax.python_ast import list_nodes

Definition = ast.FunctionDef | ast.AsyncFunctionDef
STEPPING = frozenset({"backward", "step", "zero_grad", "unscale_"})
"""Methods by which a model is trained."""
OPTIMIZERS = frozenset(
    {
        "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "RAdam",
        "RMSprop", "Rprop", "SGD", "SparseAdam",
    }
)  # fmt: skip
SCHEDULERS = frozenset(
    {
        "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR",
        "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR",
        "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
    }
)  # fmt: skip
TRAINING_WORDS = STEPPING | OPTIMIZERS | SCHEDULERS | {
    "clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "GradScaler", "autocast", "DataLoader",
    "random_split", "requires_grad", "get_lr", "set_detect_anomaly",
}  # fmt: skip
"""What code calls that trains, or prepares for it."""


def trains(file: CodeFile) -> bool:
    """Whether anything of a file may train."""
    return any(_calls_any(each, file, TRAINING_WORDS) for each in file.tree.body)


def prepares_training(file: CodeFile) -> bool:
    """Whether the body of a file makes what trains."""
    return any(_calls_any(each, file, TRAINING_WORDS) for each in list_body(file))


def _calls_any(node: ast.stmt, file: CodeFile, words: Set[str]) -> bool:
    """Whether any of these is called below a node: its text is looked at first, which is quick."""
    renamed = list_renamed(file)
    spelled = {*words, *(short for short, whole in renamed.items() if whole in words)}
    text = "\n".join(file.lines[node.lineno - 1 : node.end_lineno])
    return any(word in text for word in spelled) and bool(list_called_words(file, node) & words)


@keep_beside
def list_called_words(file: CodeFile, node: ast.AST) -> frozenset[str]:
    """The last names of what is called below a node, as they were imported."""
    if not isinstance(node, (ast.Module, ast.ClassDef)):
        return _list_words(list_nodes(node), file)
    heads = node.bases if isinstance(node, ast.ClassDef) else []
    words = (list_called_words(file, each) for each in (*heads, *node.body))
    return frozenset().union(*words)


def _list_words(nodes: Iterable[ast.AST], file: CodeFile) -> frozenset[str]:
    found = set()
    renamed = list_renamed(file)
    for each in nodes:
        if isinstance(each, ast.Attribute):
            found.add(each.attr)
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            found.add(renamed.get(each.func.id, each.func.id))
        elif isinstance(each, ast.Name) and renamed.get(each.id, each.id)[:1].isupper():
            found.add(renamed.get(each.id, each.id))  # a class, which a partial may call
    return frozenset(found)


@keep_beside
def list_renamed(file: CodeFile) -> dict[str, str]:
    """By the names that imports of a file give: those that they stand for."""
    return {
        alias.asname: alias.name.rpartition(".")[2]
        for each in _list_imports(file.tree)
        for alias in each.names
        if alias.asname
    }


def _list_imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those of a file, of its functions and branches too; no expression is looked into."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, block, ())
        for each in inner if isinstance(inner, list) else ():
            if isinstance(each, (ast.Import, ast.ImportFrom)):
                yield each
            else:
                yield from _list_imports(each)


@keep_beside
def find_training_functions(file: CodeFile) -> dict[Definition, ast.ClassDef | None]:
    """Functions and methods of a file that train, those that call others last, with their classes."""
    defined = dict(list_definitions(file))
    found = {
        node: owner for node, owner in defined.items() if _calls_any(node, file, TRAINING_WORDS)
    }
    while True:
        names = {node.name for node in found}
        more = {
            node: owner
            for node, owner in defined.items()
            if node not in found and _calls_any(node, file, names)
        }
        if not more:
            return found
        found.update(more)


def list_definitions(file: CodeFile) -> Iterator[tuple[Definition, ast.ClassDef | None]]:
    """The functions at the top of a file, and the methods of its classes."""
    for each in file.tree.body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield each, None
        elif isinstance(each, ast.ClassDef):
            for inner in each.body:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield inner, each


@keep_beside
def runs_backward(file: CodeFile, loop: ast.AST) -> bool:
    """Whether a backward pass runs in a loop, in functions of the file that it calls too."""
    words = list_called_words(file, loop)
    if "backward" in words:
        return True
    names = {
        node.name
        for node in find_training_functions(file)
        if "backward" in list_called_words(file, node)
    }
    return bool(names & words)
