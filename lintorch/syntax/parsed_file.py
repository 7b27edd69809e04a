"""One parsed file: its text, its tree, where things stand in it, and edits of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol, TypeVar, cast

import libcst as cst

from lintorch.core.finding import Edit, Place
from lintorch.syntax import edits
from lintorch.syntax.even_indentation import parse_text
from lintorch.syntax.positions import Spans
from lintorch.syntax.tree import Tree, grow_tree, is_of_kind

N = TypeVar("N", bound=cst.CSTNode)


class HasFile(Protocol):
    """What knows a parsed file."""

    @property
    def file(self) -> ParsedFile:
        """The file itself, without what was found out about it."""


class ParsedFile:
    """One Python file. Raises `libcst.ParserSyntaxError` where the text does not parse; if `late`, `module` does."""

    def __init__(self, path: str, text: str, late: bool = False) -> None:
        self.path = path
        self.text = text
        if not late:
            self.module = self.parse()
        self._written: dict[cst.CSTNode, str] = {}
        self._mentioned: dict[tuple[str, ...], bool] = {}

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether any of these words occurs in the text."""
        if words not in self._mentioned:
            self._mentioned[words] = any(word in self.text for word in words)
        return self._mentioned[words]

    # the tree

    @cached_property
    def module(self) -> cst.Module:
        """The whole of it."""
        return self.parse()

    def parse(self) -> cst.Module:
        """Its tree. Raises `libcst.ParserSyntaxError`."""
        return parse_text(self.text)

    @cached_property
    def tree(self) -> Tree:
        """Parents and nodes by class."""
        return grow_tree(self.module)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""
        return self.tree.parents.get(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around this one, innermost first."""
        parents = self.tree.parents
        while (outer := parents.get(node)) is not None:
            yield outer
            node = outer

    def enclosing(self, node: cst.CSTNode, *kinds: type[N]) -> N | None:
        """The innermost node of these classes around this one."""
        parents = self.tree.parents
        outer = parents.get(node)
        while outer is not None and not is_of_kind(outer.__class__, kinds):
            outer = parents.get(outer)
        return outer  # type: ignore[return-value]

    def nodes(self, kind: type[N]) -> list[N]:
        """All nodes of exactly this class, in document order."""
        return cast("list[N]", self.tree.nodes.get(kind, []))

    def precedes(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether one node begins before another; cheap, unlike positions."""
        return self.tree.order[first] < self.tree.order[second]

    def mentions_of(self, name: str) -> list[cst.Name]:
        """All places where an identifier stands by itself, in document order."""
        return self._mentions.get(name, [])

    @cached_property
    def _mentions(self) -> dict[str, list[cst.Name]]:
        table: dict[str, list[cst.Name]] = {}
        for node in self.nodes(cst.Name):
            table.setdefault(node.value, []).append(node)
        return table

    # the text

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""
        written = self._written.get(node)
        if written is None:
            written = self.module.code_for_node(node)
            if "\n" in written and isinstance(node, (cst.BaseExpression, cst.Arg)):
                written = self._indent_again(written, node)
            self._written[node] = written
        return written

    def _indent_again(self, written: str, node: cst.CSTNode) -> str:
        """Lines as they stand: libcst prints a node by itself without the indentation of its block."""
        blocks = [each for each in self.ancestors(node) if isinstance(each, cst.IndentedBlock)]
        indent = "".join(each.indent or self.module.default_indent for each in reversed(blocks))
        lines = (f"{indent}{line}" if line.strip() else line for line in written.split("\n")[1:])
        whole = "\n".join((written.partition("\n")[0], *lines))
        return whole if whole in self.text else written

    @cached_property
    def spans(self) -> Spans:
        """Rows, columns and offsets."""
        return Spans(self.text, self.module, self.tree.parents)

    def place(self, node: cst.CSTNode) -> Place:
        """Where a node stands; of a class or function, its name."""
        shown = node.name if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else node
        start, end = self.spans.of(shown)
        return Place(self.path, *start, *end)

    # edits

    def above(self, node: cst.CSTNode, content: str) -> Edit:
        """Put a line above the statement that a node is or stands in, and above its comments.

        Ahead of it in its line, where another statement, or the head of a block, begins that.
        """
        around = (node, *self.ancestors(node))
        part = next((each for each in around if isinstance(each, cst.BaseSmallStatement)), None)
        line = self.parent(part) if part is not None else None
        begins = isinstance(line, cst.SimpleStatementLine) and line.body[0] is part
        if part is None or line is None or begins:
            return edits.put_line_above(self.spans, line or node, content)
        return edits.put_ahead(self.spans, part, content)

    def below(self, statement: cst.BaseSmallStatement, content: str) -> Edit:
        """Put a line below a statement; behind it in its line, where it does not end one of its own."""
        line = self.parent(statement)
        if isinstance(line, cst.SimpleStatementLine) and line.body[-1] is statement:
            return edits.put_line_below(self.spans, line, content)
        return edits.put_behind(self.spans, statement, content)

    def exchange(self, first: cst.CSTNode, second: cst.CSTNode) -> Edit:
        """Let two statements with lines of their own change places, each with its comments."""
        return edits.exchange_statements(self.spans, first, second)

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""
        start, end = self.spans.of(node)
        return Edit(self.spans.offset(*start), self.spans.offset(*end), content)

    def fitted(self, content: str, place: cst.CSTNode) -> str:
        """An operation as it may stand in the place of a node, in brackets where it needs them."""
        return edits.fit_operation(content, self.parent(place), place)

    def insert_argument(self, call: cst.Call, content: str) -> Edit:
        """Add an argument at the end of a call, however the call is laid out."""
        return edits.insert_argument(self.spans, call, content)

    def remove_argument(self, call: cst.Call, arg: cst.Arg) -> Edit:
        """Take an argument out of a call, with one comma."""
        return edits.remove_argument(self.spans, call, arg)
