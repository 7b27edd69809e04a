"""What a file is for: a test, an augmentation of data, a metric or loss, or code that may be deployed."""

from __future__ import annotations

import re
from functools import cached_property

from lintorch.files import testfile
from lintorch.syntax.parsed_file import ParsedFile

_AUGMENTS = re.compile(
    r"(^|[/\\])(((data|auto|rand)_?)?augment(er|ation)?s?(_\w+)?|data_aug|augs?)(\.py$|[/\\])"
)
_TRANSFORMS = re.compile(r"(^|[/\\])_?(\w+_)?(transforms?|functional)(_\w+)?(\.py$|[/\\])")
_PICTURES = re.compile(
    r"^\s*(from|import) (PIL|cv2|accimage)\b|^\s*from [\w.]* ?import .*functional_(pil|tensor)\b"
    r"|^def get_image_num_channels\(|^def _?get_dimensions\(",
    re.M,
)
"""What files that change pictures ahead of a model have, and no layer has."""
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
        """Whether models of the file may be deployed: it neither tests, changes data nor measures."""
        path = self._file.path
        other = _AUGMENTS.search(path) or _MEASURES.search(path)
        return not self.is_test and other is None and not self._changes_pictures

    @cached_property
    def _changes_pictures(self) -> bool:
        """Whether it is named as transforms of data are, and takes pictures as Pillow holds them."""
        named = _TRANSFORMS.search(self._file.path)
        return named is not None and _PICTURES.search(self._file.text) is not None
