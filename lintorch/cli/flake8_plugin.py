"""lintorch as a plugin of flake8: what `lintorch check` finds in the source of each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lintorch import __version__


class Plugin:
    """Takes what flake8 has read of a file; settings of lintorch hold, and flake8's `# noqa` too."""

    name = "lintorch"
    version = __version__

    def __init__(self, tree: object, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._text = "".join(lines)

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """Row, column from 0, code and message of each finding."""
        from lintorch.report.places import find_start
        from lintorch.report.wording import write_message
        from lintorch.run import CheckRequest, check_and_fix

        path = "stdin.py" if self._filename in ("-", "stdin") else self._filename
        for finding in check_and_fix(CheckRequest((path,), text=self._text)).result.findings:
            row, column = find_start(finding.place)
            yield row, column - 1, f"{finding.code} {write_message(finding)}", Plugin
