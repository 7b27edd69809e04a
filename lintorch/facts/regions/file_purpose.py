"""What a file is for: a test, an augmentation of data, a metric or loss, or code that may be deployed."""

from __future__ import annotations

import re
from functools import cached_property

from lintorch.files import testfile
from lintorch.syntax.parsed_file import ParsedFile

_AUGMENTS = re.compile(r"(^|[/\\])(data_?)?augment(er|ation)?s?(_\w+)?(\.py$|[/\\])")
_MEASURES = re.compile(r"(^|[/\\])(metrics?|(\w+_|my)?(loss(es)?|criterions?))(\.py$|[/\\])", re.I)


class FilePurpose:
    """The purpose of one file, told by its place and its text."""

    def __init__(self, file: ParsedFile, consulted: set[str]) -> None:
        self._file = file
        self._consulted = consulted

    @cached_property
    def is_test(self) -> bool:
        """Whether the file is a test: nobody deploys what it builds."""
        self._consulted.update(testfile.package_marks(self._file.path))
        return testfile.is_test_file(self._file.path, self._file.text)

    @cached_property
    def is_deployable(self) -> bool:
        """Whether models of the file may be deployed: it neither tests, augments data nor measures."""
        other = _AUGMENTS.search(self._file.path) or _MEASURES.search(self._file.path)
        return not self.is_test and other is None
