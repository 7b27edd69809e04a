"""`lintorch baseline`: what is found now becomes known, so that checks tell only what is new."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.adoption_options import baseline_option
from lintorch.cli.shared_options import (
    choice_options,
    exporter_option,
    limit_options,
    model_option,
    paths_argument,
    selection_options,
    target_option,
)


@click.command("baseline")
@paths_argument
@baseline_option
@click.option("--prune", is_flag=True, help="Only take out entries whose finding is gone.")
@click.option("--trace", is_flag=True, help="Run the models found, as `check --trace` does.")
@exporter_option("--export", help="Try a real export.")
@selection_options
@target_option
@model_option
@limit_options
@choice_options
@click.option("--jobs", "-j", type=click.IntRange(0), default=0, help="Processes; 0: one per core.")
@click.option("--no-cache", is_flag=True, help="Check every file again.")
@click.option("--force-exclude", is_flag=True, help="Exclude even files given by name.")
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Write what files and folders hold now to a baseline: from then on only new findings fail.

    The file is that of --baseline or of the setting `baseline`, else lintorch-baseline.json.
    What it holds of files that are not looked at, or of rules that are not selected, stays.
    """
    from lintorch.baseline import BaselineError
    from lintorch.catalog import CatalogError
    from lintorch.cli.make_request import make_request
    from lintorch.cli.problems import print_problems
    from lintorch.cli.terminal import FINDING_MODELS, progress_on
    from lintorch.report.places import shown_path
    from lintorch.run.make_baseline import make_baseline
    from lintorch.run.request import BaselineRequest
    from lintorch.settings import SettingsError

    request = make_request(BaselineRequest, context)
    try:
        with progress_on(sys.stderr, FINDING_MODELS if request.runs_models else "") as progress:
            made = make_baseline(request, progress)
    except (SettingsError, CatalogError, BaselineError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    print_problems(sys.stderr, [*made.notes, *made.errors])
    if made.errors:
        sys.exit(2)
    click.echo(
        f"{shown_path(made.file)}: {made.entries} findings ({made.added} new, {made.gone} gone)"
    )
    if not made.is_set:
        click.echo(f'lintorch heeds it where the settings say: baseline = "{made.named}"')
