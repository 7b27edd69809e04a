"""A parsed file and what can be known of it; every fact is worked out when first asked for."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import libcst as cst

from lintorch.core.file_views import read_bytes
from lintorch.core.finding import Applicability, Edit, Evidence, Fix, Place
from lintorch.core.kept_by_size import keep_by_size
from lintorch.core.profile import CONVERTS_TRACE, Profile
from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.exporters import EVERYONE
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.classes.classes import Classes, ClassInfo
from lintorch.facts.exporting.written_calls import ModelCalls, list_model_calls
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.names.scopes import Binding, find_first_name
from lintorch.facts.project.module_homes import Project
from lintorch.facts.project.named_nowhere import is_named_nowhere
from lintorch.facts.regions.entered_functions import ProjectFunction, find_entered
from lintorch.facts.regions.file_purpose import FilePurpose
from lintorch.facts.regions.forward_region import Regions
from lintorch.facts.training.acts import STEPS, Act
from lintorch.facts.training.part_values import EVERYTHING, Subject
from lintorch.facts.training.roles import Role
from lintorch.facts.training.training_actions import Action
from lintorch.facts.training.training_regions import Passage, Training, TrainingRegion
from lintorch.files import FileText, decode_file
from lintorch.fix.idle_imports import add_import
from lintorch.fix.lost_comments import strands_comment
from lintorch.syntax.even_indentation import parse_text
from lintorch.syntax.literals import UNKNOWN, Arguments, arguments, literal
from lintorch.syntax.nesting_depth import is_too_deep
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.positions import Spans
from lintorch.syntax.tree import Tree

__all__ = [
    "EVERYTHING",
    "STEPS",
    "UNKNOWN",
    "Act",
    "Action",
    "Arguments",
    "Passage",
    "Role",
    "Source",
    "Subject",
    "Training",
    "TrainingRegion",
    "literal",
]

N = TypeVar("N", bound=cst.CSTNode)
_KEPT = 300_000
"""Characters of other files whose trees are kept, as several files lead into them."""


class Source:
    """One Python file. Raises `libcst.ParserSyntaxError` where the text does not parse."""

    path: str
    """Of the file, as it was given."""
    text: str
    """All of it; offsets of edits count its characters."""
    profile: Profile
    """What the project deploys with."""
    evidence = Evidence.SOURCE
    model = None
    exporter = None
    tried = None
    sizes = ()

    def __init__(
        self,
        path: str,
        text: str,
        profile: Profile | None = None,
        entered: frozenset[str] = frozenset(),
        brief: bool = False,
        awaits_runs: bool = False,
    ) -> None:
        """`entered` names the functions of the file that forward passes of other files call.

        `brief` follows models less far, for somebody who waits; `awaits_runs`: models are run as well.
        """
        self._brief, self.awaits_runs = brief, awaits_runs
        self.file = ParsedFile(path, text)
        self.path, self.text, self.module = path, text, self.file.module
        self.profile = profile or Profile()
        self._entered = entered
        self.consulted: set[str] = set()
        """Other files of the project that facts about this one were read from."""
        self._homes: dict[str, Home | None] = {}

    def find_home(self, path: str) -> Home | None:
        """Another file, with what happens there as the models of this one reach it; None of what is no text."""
        if path == self.path:
            return None
        if path not in self._homes:
            text = _read_home(path)
            self._homes[path] = None if text is None else Home(path, text, self)
        return self._homes[path]

    # what the dispatcher asks

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether any of these words occurs in the text."""
        return self.file.mentions(words)

    def walk(self, keys: Container[Hashable]) -> Iterable[tuple[Hashable, Any]]:
        """The nodes of the wanted classes, in document order within each class; then what happens."""
        for kind, nodes in self.tree.nodes.items():
            if kind in keys:
                for node in nodes:
                    yield kind, node
        yield from self.evaluation.list_events(keys)

    def place(self, node: Any) -> Place:
        """Where a node stands; of a class or function, its name."""
        if isinstance(node, Training):
            node = node.regions[0].began
        if isinstance(node, Occurrence):
            return self.evaluation.place(node.spot)
        return node if isinstance(node, Place) else self.file.place(node)

    # the file

    @property
    def tree(self) -> Tree:
        """Parents and nodes by class."""
        return self.file.tree

    @property
    def spans(self) -> Spans:
        """Rows, columns and offsets."""
        return self.file.spans

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""
        return self.file.parent(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around this one, innermost first."""
        return self.file.ancestors(node)

    def enclosing(self, node: cst.CSTNode, *kinds: type[N]) -> N | None:
        """The innermost node of these classes around this one."""
        return self.file.enclosing(node, *kinds)

    def is_within(self, node: cst.CSTNode, outer: cst.CSTNode | None) -> bool:
        """Whether a node stands somewhere in another, and is not that itself."""
        return any(each is outer for each in self.ancestors(node))

    def nodes(self, kind: type[N]) -> list[N]:
        """All nodes of exactly this class, in document order."""
        return self.file.nodes(kind)

    def precedes(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether one node begins before another; cheap, unlike positions."""
        return self.file.precedes(first, second)

    def mentions_of(self, name: str) -> list[cst.Name]:
        """All places where an identifier stands by itself, in document order."""
        return self.file.mentions_of(name)

    def receiver(self, node: cst.BaseExpression) -> str:
        """As what a method is called on: `x`, `(x + 1)`."""
        plain = isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
        return self.code(node) if plain else f"({self.code(node)})"

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""
        return self.file.code(node)

    # names, classes and what things were built from

    @cached_property
    def _project(self) -> Project:
        return Project(self.path, self.consulted)

    @cached_property
    def names(self) -> Lookup:
        """What the names of the file stand for."""
        return Lookup(self.file, self._project)

    @cached_property
    def classes(self) -> Classes:
        """The classes of the file: which are nn.Modules, their methods and attributes."""
        return Classes(self.file, self.names, self._project)

    def name(self, expression: cst.CSTNode | None) -> str:
        """Full dotted name through imports and aliases, such as `torch.nn.functional.interpolate`.

        A built-in is its own name; a definition of this file is `module.name`; anything that is
        not a name of something known (a local variable, a call) is "".
        """
        return self.names.name(expression)

    def arguments(self, call: cst.Call, *parameters: str) -> Arguments:
        """A call's arguments by parameter name."""
        return arguments(call, *parameters)

    def built(self, expression: cst.CSTNode) -> tuple[cst.Call, ...]:
        """The calls that `self.x` or a local name was assigned from; () where any is not a call."""
        return self.classes.built(expression)

    def bound(self, name: cst.Name) -> list[Binding]:
        """All bindings of a name in the scope it is looked up in; [] of what no scope binds."""
        return self.names.bound(name)

    def function(self, expression: cst.CSTNode) -> cst.FunctionDef | None:
        """The function or own method of this file that an expression stands for, if it is one."""
        return self.classes.function(expression)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What happens in the models of the file, worked out without running them."""
        return Evaluation(self.path, self.text, self.consulted, self._is_exported, self._brief)

    def list_model_calls(self) -> tuple[ModelCalls, ...]:
        """What the models of the file call in their forward passes, and what of that is not known."""
        return tuple(list_model_calls(self.evaluation.follow_calls(), self.path))

    def _is_exported(self, name: str) -> bool:
        """Whether the forward of a class of the file may be exported: it is no loss, no augmentation."""
        found = [info for info in self.classes.all.values() if info.name == name]
        if len(found) == 1 and self._is_idle(found[0]):
            return False
        forwards = [each for info in found if (each := self.classes.method(info, "forward"))]
        return not forwards or any(self.in_traced_forward(f.body.body[0]) for f in forwards)

    def _is_idle(self, info: ClassInfo) -> bool:
        """Whether nothing in the project speaks of a class, of whose file it uses others."""
        others = self.classes.all.values()
        beside = [each.name for each in others if each.is_module and each is not info]
        if not beside or not info.is_module or info.node.decorators:
            return False
        rest = self.text.replace(self.code(info.node).strip(), "")
        return is_named_nowhere(info.name, beside, rest, self.path, self.consulted)

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call of this file at which something happened; None where it stands in another file."""
        return self.node_at(event, cst.Call)

    def node_at(self, event: Occurrence, kind: type[N]) -> N | None:
        """The node of this class at which something happened; None where it stands in another file."""
        if event.spot.path != self.path:
            return None
        begin, place = self.evaluation.text(event.spot).partition("(")[0], self.place(event)
        named = kind is cst.Call and all(map(str.isidentifier, begin.split(".")))
        same = (
            each
            for each in self.nodes(kind)
            if (
                find_first_name(each) == begin.partition(".")[0]
                if named
                else self.code(each).lstrip("( ").startswith(begin)
            )
        )
        return next((each for each in same if self.place(each) == place), None)

    # where code runs

    @cached_property
    def regions(self) -> Regions:
        """What runs when a model of this file runs forward."""
        return Regions(self.file, self.names, self.classes, self._purpose, self._entered)

    @cached_property
    def _purpose(self) -> FilePurpose:
        return FilePurpose(self.file, self.consulted)

    @property
    def is_test(self) -> bool:
        """Whether the file is a test: nobody deploys what it builds."""
        return self._purpose.is_test

    @cached_property
    def enters(self) -> frozenset[ProjectFunction]:
        """Functions of other files of the project that run in the forward passes of this one."""
        return find_entered(self.regions, self.names, self._project)

    def in_traced_forward(self, node: cst.CSTNode) -> bool:
        """Whether the node runs in a forward pass that is traced: no loss, no TorchScript branch."""
        return self.regions.is_traced(node)

    # edits

    def promised(self, fix: Fix, node: Any) -> Fix:
        """Only shown where code asks which release runs it, or where a comment would be lost."""
        at = (
            self if isinstance(node, cst.CSTNode) else self.find_home(self.place(node).path) or self
        )
        stands = at.call_at(node) if isinstance(node, Occurrence) else node
        guarded = isinstance(stands, cst.CSTNode) and is_version_guarded(stands, at)
        if guarded or strands_comment(at.text, fix.edits):
            return replace(fix, applicability=Applicability.DISPLAY)
        return fix

    def list_spared(self, node: Any) -> frozenset[str]:
        """By the branches around an event of the evaluator that ask who runs the code."""
        if not isinstance(node, Occurrence):
            return frozenset()
        spared = EVERYONE - self.evaluation.list_exporters(node)
        return spared.union(CONVERTS_TRACE) if "torchscript-trace" in spared else spared

    def above(self, node: cst.CSTNode, content: str) -> Edit:
        """Put a line above the statement that a node is or stands in, and above its comments.

        Ahead of it in its line, where another statement, or the head of a block, begins that.
        """
        return self.file.above(node, content)

    def below(self, statement: cst.BaseSmallStatement, content: str) -> Edit:
        """Put a line below a statement; behind it in its line, where it does not end one of its own."""
        return self.file.below(statement, content)

    def exchange(self, first: cst.CSTNode, second: cst.CSTNode) -> Edit:
        """Let two statements with lines of their own change places, each with its comments."""
        return self.file.exchange(first, second)

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""
        return self.file.replace(node, content)

    def fitted(self, content: str, place: cst.CSTNode) -> str:
        """An operation as it may stand in the place of a node, in brackets where it needs them."""
        return self.file.fitted(content, place)

    def insert_argument(self, call: cst.Call, content: str) -> Edit:
        """Add an argument at the end of a call, however the call is laid out."""
        return self.file.insert_argument(call, content)

    def remove_argument(self, call: cst.Call, arg: cst.Arg) -> Edit:
        """Take an argument out of a call, with one comma."""
        return self.file.remove_argument(call, arg)

    def spell(self, dotted: str, at: cst.CSTNode) -> str:
        """How this file can write a dotted name at a node by its own imports; "" if it cannot."""
        return self.names.spell(dotted, at)

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs; "" if it cannot be.

        Where the imports of the file do not reach the name, its first part is imported
        (`import torch`), unless that name stands for something else there.
        """
        if spelled := self.spell(dotted, at):
            return spelled, ()
        top = dotted.partition(".")[0]
        if self.names.is_taken(top, at):
            return "", ()
        return dotted, (add_import(self.text, f"import {top}"),)


class Home(Source):
    """Another file, of whose models nothing happens: what happens is what those of `guest` come to.

    It is parsed when something of it is asked for; one that is no Python holds nothing.
    """

    def __init__(self, path: str, text: str, guest: Source) -> None:
        self._brief, self.awaits_runs = guest._brief, guest.awaits_runs
        self.file = _share_home(path, text)
        self.path, self.text = path, text
        self.profile, self.consulted, self._homes = guest.profile, guest.consulted, {}
        names = (name for file, name in guest.enters if file == path)
        self._entered = frozenset(names)
        self.evaluation = guest.evaluation

    @cached_property
    def module(self) -> cst.Module:  # type: ignore[override]
        """The whole of it."""
        return self.file.module

    def find_home(self, path: str) -> Home | None:
        """None: whose models reach another file is asked of the guest alone."""
        return None


class _HomeFile(ParsedFile):
    """A file that is edited where it can be parsed, and else holds nothing."""

    def parse(self) -> cst.Module:
        """Its tree, an empty one of what is no Python."""
        try:
            return cst.Module([]) if is_too_deep(self.text) else parse_text(self.text)
        except (SyntaxError, ValueError, cst.ParserSyntaxError):
            return cst.Module([])


@keep_by_size(_KEPT, lambda path, text: len(text))
def _share_home(path: str, text: str) -> ParsedFile:
    return _HomeFile(path, text, late=True)


def _read_home(path: str) -> str | None:
    try:
        read = decode_file(path, read_bytes(path))
    except OSError:
        return None
    return read.text if isinstance(read, FileText) else None
