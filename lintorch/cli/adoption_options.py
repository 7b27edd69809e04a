"""Options for code that is older than its checks: what is known is not told again."""

from __future__ import annotations

import os
from typing import Any

import click

from lintorch.cli.shared_options import SettingOption, combine_options


def _find_path(context: click.Context, parameter: click.Parameter, path: Any) -> Any:
    return os.path.abspath(path) if path else path


baseline_option = click.option(
    "--baseline", cls=SettingOption, type=click.Path(dir_okay=False), metavar="FILE",
    callback=_find_path, help="The file of known findings, which `lintorch baseline` writes.",
)  # fmt: skip
adoption_options = combine_options(
    baseline_option,
    click.option("--add-ignore", is_flag=True,
                 help="Write `# lintorch: ignore[CODE]` on the line of every finding."),
    click.option("--diff-base", metavar="REV",
                 help="Only findings on lines changed since this git revision, and those that the "
                 "change causes elsewhere."),
)  # fmt: skip
