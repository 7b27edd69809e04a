"""Runs one statement of a script, as far as it can be run without data, weights and training."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from torch import nn

from lintorch.guest.calls.bind_imports import ImportBinder
from lintorch.guest.calls.follow_function import (
    bind_call,
    follow_function,
    is_followed,
    leave_function,
)
from lintorch.guest.calls.hollow_models import find_making
from lintorch.guest.calls.make_parts import is_own_model, make_part
from lintorch.guest.calls.needed_names import list_stores
from lintorch.guest.calls.script_surroundings import start_plain
from lintorch.guest.calls.unknown_value import UNKNOWN, UnknownValue, holds_unknown
from lintorch.guest.process import tampering
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds

_LEFT_OUT = re.compile(
    r"(train|fit|download|wget|gdown|upload|launch|spawn|finetune)(_\w+)?|main|run|system|Popen|"
    r"check_call|check_output|urlretrieve|urlopen|input|makedirs|mkdir|rmtree|remove|unlink|sleep|"
    r"init_process_group|imshow|imwrite|waitKey|VideoCapture|backward|load_state_dict_from_url|"
    r"DataLoader|SummaryWriter|breakpoint|exit|quit|_exit|kill"
)
"""Functions that no value of a model's call depends on, or that lintorch does not call."""
SOUGHT = "_lintorch_sought"
"""The name of the model's class in what is evaluated."""
_MOST_SECONDS = 3.0
"""Of one statement."""
_DEEPEST_FOLLOWED = 3
"""Functions that raise and are followed, one inside of the other."""
_GIVEN = "_lintorch_given"
"""The name of what a followed function gave, in the statement that takes it apart."""
_GROWING = (list, dict, set)
_PLAIN_ITERABLES = (list, tuple, range, dict)
_PLAIN_VIEWS = ("enumerate", "zip", "dict_items", "dict_keys", "dict_values")


class StatementRunner:
    """Runs statements in scopes until the `deadline` of the clock.

    `made` lists the models of the class as they are made: without layers, so that calls of
    the class are made even where some arguments are not known. No statement takes more `seconds`.
    """

    def __init__(
        self,
        made: list[nn.Module],
        deadline: float,
        imports: ImportBinder,
        seconds: float = _MOST_SECONDS,
    ) -> None:
        self._made = made
        self._deadline = deadline
        self._seconds = seconds
        self._kind = imports.kind
        self._imports = imports
        self._failed: set[int] = set()
        self._followed = 0

    def evaluate(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        """The value of an expression; UNKNOWN where it raises."""
        if _calls_left_out(node):
            return UNKNOWN
        before = len(self._made)
        scope[SOUGHT] = self._kind
        try:
            code = compile(ast.Expression(node), name_script(scope), "eval")
            return self._do(lambda: eval(code, scope))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            if len(self._made) > before:
                return self._made[-1]
            if isinstance(node, ast.IfExp):
                return self._choose(node, scope)
            if isinstance(node, ast.Dict):
                return self._read_mapping(node, scope)
            return self._work_out_call(node, scope) if isinstance(node, ast.Call) else UNKNOWN

    def _choose(self, node: ast.IfExp, scope: dict[str, Any]) -> Any:
        """The value that a condition chooses; the first where that is not known."""
        taken = self._test(node.test, scope)
        return self.evaluate(node.orelse if taken is False else node.body, scope)

    def _read_mapping(self, node: ast.Dict, scope: dict[str, Any]) -> Any:
        """A mapping by words of which not all values are known: `{"width": 300, "words": len(data)}`."""
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        if not all(isinstance(key, str) for key in keys):
            return UNKNOWN
        return {k: self.evaluate(v, scope) for k, v in zip(keys, node.values, strict=True)}

    def _work_out_call(self, node: ast.Call, scope: dict[str, Any]) -> Any:
        """What a call that raised gives: a model of the class, else what its function comes to."""
        made = self._make_like(node, scope)
        made = self._make_part(node, scope) if made is UNKNOWN else made
        return made if made is not UNKNOWN else self._follow(node, scope)

    def _make_part(self, node: ast.Call, scope: dict[str, Any]) -> Any:
        """Another model of the project, of which what is not known is made up: an encoder of `len(vocab)` words."""
        if _calls_left_out(node) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return UNKNOWN
        kind = self.evaluate(node.func, scope)
        if not is_own_model(kind, self._imports.project):
            return UNKNOWN
        try:
            return self._do(lambda: make_part(kind, bind_call(kind, node, self.evaluate, scope)))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            return UNKNOWN

    def _follow(self, node: ast.Call, scope: dict[str, Any]) -> Any:
        if self._followed == _DEEPEST_FOLLOWED or _calls_left_out(node):
            return UNKNOWN
        function = self.evaluate(node.func, scope)
        if not is_followed(function, self._imports.project):
            return UNKNOWN
        self._followed += 1
        try:
            given = bind_call(function, node, self.evaluate, scope)
            return UNKNOWN if given is None else follow_function(function, given, self.run)
        finally:
            self._followed -= 1

    def _make_like(self, node: ast.Call, scope: dict[str, Any]) -> Any:
        """A model of a call of the class, with those arguments that are known."""
        if isinstance(node.func, ast.Attribute):  # net.cuda(), nn.DataParallel(net)
            inside = [node.func.value, *node.args[:1]]
            return next((m for n in inside if find_making(m := self._find_made(n, scope))), UNKNOWN)
        if self.evaluate(node.func, scope) is not self._kind:
            return UNKNOWN
        args = [self.evaluate(n, scope) for n in node.args if not isinstance(n, ast.Starred)]
        named = {k.arg: self.evaluate(k.value, scope) for k in node.keywords if k.arg}
        return self._kind(*args, **named)

    def _find_made(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        return self.evaluate(node, scope) if isinstance(node, (ast.Call, ast.Name)) else UNKNOWN

    def run(self, node: ast.stmt, scope: dict[str, Any]) -> None:
        """Run a statement; what it would have set is unknown where it raises."""
        if isinstance(node, ast.If):
            self._run_branch(node, scope)
        elif isinstance(node, ast.Return):
            leave_function(node, self.evaluate, scope)
        elif isinstance(node, ast.For):
            self._run_first_round(node, scope)
        elif isinstance(node, ast.While):
            self._run_all(node.body, scope)
        elif isinstance(node, ast.With):
            self._run_with(node, scope)
        elif isinstance(node, ast.Try):
            self._run_try(node, scope)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            if not self._imports.bind(node, scope) and not self._run_simple(node, scope):
                self._imports.bind_failed(node, scope)
        else:
            self._run_simple(node, scope)

    def _run_all(self, body: list[ast.stmt], scope: dict[str, Any]) -> None:
        for node in body:
            self.run(node, scope)

    def _run_simple(self, node: ast.stmt, scope: dict[str, Any]) -> bool:
        """Whether it ran."""
        if isinstance(node, ast.Expr) and find_making(scope.get(_find_root(node.value))):
            return True  # what is done to a model without layers
        before = len(self._made)
        try:
            if id(node) in self._failed or _is_left_out(node):
                raise ValueError("left out")
            code = compile(ast.Module([node], []), name_script(scope), "exec")
            self._do(lambda: _start_again(lambda: exec(code, scope)))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._failed.add(id(node))  # what cannot be imported is slow to say so
            last = self._made[-1] if len(self._made) > before else UNKNOWN
            value = node.value if isinstance(node, (ast.Assign, ast.Expr)) else None
            if isinstance(value, ast.Dict):
                last = self.evaluate(value, scope)
            if last is UNKNOWN and isinstance(value, ast.Call):
                last = self._work_out_call(value, scope)
                if self._take_apart(node, last, scope):
                    return True
            changes = isinstance(node, (ast.Expr, ast.Delete, ast.AugAssign))
            for name in () if changes else list_stores(node):
                if not name.startswith("self."):
                    scope[name] = last
                elif last is not UNKNOWN and "self" in scope:
                    _set_quietly(scope["self"], name.partition(".")[2], last)
            return False
        return True

    def _take_apart(self, node: ast.stmt, given: Any, scope: dict[str, Any]) -> bool:
        """Set what a statement sets to what a function came to; whether it does."""
        if not isinstance(node, ast.Assign) or given is UNKNOWN or find_making(given):
            return False
        taken = ast.copy_location(ast.Assign(node.targets, ast.Name(_GIVEN, ast.Load())), node)
        module = ast.fix_missing_locations(ast.Module([taken], []))
        try:
            exec(compile(module, name_script(scope), "exec"), {**scope, _GIVEN: given}, scope)
        except Exception:  # whatever user code raises
            return False
        return True

    def _do(self, action: Callable[[], Any]) -> Any:
        left = self._deadline - clock()
        if left <= 0:
            raise TooSlow("no seconds are left")
        try:
            with limit_seconds(min(left, self._seconds)):
                return action()
        finally:
            tampering.restore_interpreter()

    def _run_branch(self, node: ast.If, scope: dict[str, Any]) -> None:
        """The branch that is taken; where that is not known, the first, and the other for what it lacks.

        Of branches that import from several files, the one that does from the model's own.
        """
        if (own := self._find_own_branch(node, scope)) is not None:
            self._run_all(own, scope)
            return
        taken = self._test(node.test, scope)
        if taken is UNKNOWN:
            self._run_all(node.body, scope)
            lacking = [n for part in node.orelse for n in list_stores(part) if _lacks(scope, n)]
            if lacking:
                self._run_all(node.orelse, scope)
        else:
            self._run_all(node.body if taken else node.orelse, scope)

    def _find_own_branch(self, node: ast.If, scope: dict[str, Any]) -> list[ast.stmt] | None:
        """The branch, of an `elif` further down too, that alone imports from the model's own file."""
        branches = [node.body, node.orelse]
        while len(branches[-1]) == 1 and isinstance(inner := branches[-1][0], ast.If):
            branches[-1:] = [inner.body, inner.orelse]
        imports = [[n for n in branch if isinstance(n, ast.ImportFrom)] for branch in branches]
        if sum(map(bool, imports)) < 2:
            return None
        own = [any(self._imports.is_own(n, scope) for n in each) for each in imports]
        return branches[own.index(True)] if sum(own) == 1 else None

    def _test(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        if "__name__" in ast.unparse(node):
            return True
        value = self.evaluate(node, scope)
        try:
            return UNKNOWN if isinstance(value, UnknownValue) else bool(value)
        except Exception:  # whatever user code raises
            return UNKNOWN

    def _run_first_round(self, node: ast.For, scope: dict[str, Any]) -> None:
        """All rounds over a plain list; of anything else one round with what is not known."""
        over = self.evaluate(node.iter, scope)
        plain = isinstance(over, _PLAIN_ITERABLES) or type(over).__name__ in _PLAIN_VIEWS
        if plain and self._run_simple(node, scope):
            return
        for name in list_stores(node.target):
            scope[name] = UNKNOWN
        empty = [name for name, held in scope.items() if type(held) in _GROWING and not held]
        self._run_all(node.body, scope)
        if not plain:
            _forget_grown(node, empty, scope)

    def _run_with(self, node: ast.With, scope: dict[str, Any]) -> None:
        """The block; what it is entered with only where that has a name."""
        named = [item for item in node.items if item.optional_vars is not None]
        if named and self._run_simple(node, scope):
            return
        for item in named:
            for name in list_stores(item.optional_vars or item.context_expr):
                scope[name] = UNKNOWN
        self._run_all(node.body, scope)

    def _run_try(self, node: ast.Try, scope: dict[str, Any]) -> None:
        """The block; where that raises, what its handlers set."""
        if not self._run_simple(node, scope):
            self._run_all(node.body, scope)
            for handler in node.handlers:
                if any(_lacks(scope, name) for part in handler.body for name in list_stores(part)):
                    self._run_all(handler.body, scope)


def _forget_grown(node: ast.For, empty: Collection[str], scope: dict[str, Any]) -> None:
    """What was empty before a loop over nobody knows what, and is filled in it: nobody knows how many there are."""
    for part in ast.walk(node):
        holder: Any = None
        match part:
            case ast.Subscript(holder, ctx=ast.Store()):
                pass
            case ast.Call(ast.Attribute(holder, "append" | "add" | "extend" | "update")):
                pass
        name = getattr(holder, "id", "")
        held = scope[name] if name in empty else UNKNOWN
        if held is not UNKNOWN and all(map(holds_unknown, held)):
            scope[name] = UNKNOWN


def _start_again(action: Callable[[], Any]) -> Any:
    """Do it; once more without arguments where a command line does not take those of a text: `[a|b]`."""
    try:
        return action()
    except SystemExit:
        with start_plain() as had_some:
            if not had_some:
                raise
            return action()


def _is_left_out(node: ast.stmt) -> bool:
    """Whether a statement is not run for what it calls; what functions and classes call is not called yet."""
    return not isinstance(node, (ast.FunctionDef, ast.ClassDef)) and _calls_left_out(node)


def _calls_left_out(node: ast.AST) -> bool:
    """Whether a function is called in it that is left out."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    names = (str(getattr(c.func, "attr", "") or getattr(c.func, "id", "")) for c in calls)
    return any(_LEFT_OUT.fullmatch(name) for name in names)


def name_script(scope: Mapping[str, Any]) -> str:
    """The file whose statements run in a scope."""
    return str(scope.get("__file__", "<script>"))


def _find_root(node: ast.expr) -> str:
    """`net` of `net.a.b(…)`."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def _lacks(scope: dict[str, Any], name: str) -> bool:
    return scope.get(name, UNKNOWN) is UNKNOWN


def _set_quietly(holder: Any, name: str, value: Any) -> None:
    try:
        setattr(holder, name, value)
    except Exception:  # whatever user code raises
        return
