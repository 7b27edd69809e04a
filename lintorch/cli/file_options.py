"""Options of `check` that outweigh settings about files and releases, as ruff spells them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import click

from lintorch.cli.problems import UsageProblem
from lintorch.cli.shared_options import SettingOption, combine_options, split_words


def _read_ignores(context: click.Context, parameter: click.Parameter, text: Any) -> Any:
    """From pattern to rules, of `PATTERN:RULE` pairs. Raises UsageProblem."""
    if text is None:
        return None
    found: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for pair in filter(None, map(str.strip, text.split(","))):
        pattern, colon, rule = pair.rpartition(":")
        if not (pattern and colon and rule):
            raise UsageProblem(f"--per-file-ignores takes PATTERN:RULE pairs, not {pair!r}")
        found[pattern.strip()] += (rule.strip(),)
    return dict(found)


def _read_release(context: click.Context, parameter: click.Parameter, text: Any) -> Any:
    from lintorch.settings.key_kinds import expect_release

    try:
        return None if text is None else expect_release(text, "")
    except ValueError as error:
        raise UsageProblem(f"--target-torch: {error}") from error


file_options = combine_options(
    click.option("--exclude", cls=SettingOption, metavar="PATTERNS", callback=split_words,
                 help="Leave these files out, by commas; replaces `exclude` of the settings."),
    click.option("--extend-exclude", cls=SettingOption, metavar="PATTERNS", callback=split_words,
                 help="Leave these files out too."),
    click.option("--per-file-ignores", cls=SettingOption, metavar="PAIRS", callback=_read_ignores,
                 help="Rules that are off in files, as PATTERN:RULE by commas."),
    click.option("--target-torch", cls=SettingOption, metavar="RELEASE", callback=_read_release,
                 help="The torch release that the code is for, such as 2.4."),
    click.option("--isolated", is_flag=True, help="Ignore all settings files."),
)  # fmt: skip
