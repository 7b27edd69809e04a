"""`lintorch test-rules FOLDER`: rules of one's own hold what their files say."""

from __future__ import annotations

import os
import sys

import click

from lintorch.cli.shared_options import rules_option


@click.command("test-rules")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option("--python", metavar="PATH", help="The interpreter whose torch runs proofs.")
@click.option("--no-proofs", is_flag=True, help="Run no proof, and so no torch.")
@rules_option
def command(folder: str, python: str | None, no_proofs: bool, rules: tuple[str, ...]) -> None:
    """Try the rules of a folder by their own examples.

    What is found in `bad`, `good` has not; the fix makes `good` of `bad`; the proof goes wrong
    after `bad` and not after `good`; of files in FOLDER/_cases that are called as a rule, the
    lines that end in `# hit` are found and no others. Loads the rules, and so runs their files.

    Exit codes: 0 all hold, 1 some do not, 2 there are none, or they cannot be loaded.
    """
    from lintorch.catalog import CatalogError
    from lintorch.cli.problems import print_problems
    from lintorch.host.worker_process import WorkerError
    from lintorch.run.find_interpreter import find_interpreter
    from lintorch.run.try_rules import try_rules
    from lintorch.settings import NamedPython, Settings, SettingsError, rules_asked_for

    named = NamedPython(python, os.getcwd(), "--python") if python else None
    number = failed = 0
    try:
        runs = "" if no_proofs else find_interpreter(Settings(python=named), os.getcwd()).path
        for each in try_rules(folder, rules_asked_for(rules), runs):
            number += 1
            failed += bool(each.wrong)
            told = ", ".join(each.tried) or "nothing to try"
            verdict = "wrong" if each.wrong else "ok"
            click.echo(f"{verdict:5} {each.rule.code} {each.rule.name}: {told}")
            for line in each.wrong:
                click.echo("      " + line.replace("\n", "\n        "))
    except (CatalogError, SettingsError, WorkerError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if not number:
        print_problems(sys.stderr, [f"{folder}: no rules with detectors are in it"])
        sys.exit(2)
    click.echo(f"{number - failed} of {number} rules hold what they say")
    sys.exit(1 if failed else 0)
