"""The command line: reads arguments, prints, exits; nothing else in lintorch does any of these."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from lintorch import __version__
from lintorch.machine.stopping import Stopped, stop_at_signals

_EXIT_OF_SIGPIPE = 128 + 13
"""SIGPIPE, which Windows lacks."""
_DISK_ERRORS = (errno.ENOSPC, errno.EIO)
_COMMANDS = (
    "baseline",
    "check",
    "checkpoint",
    "clean",
    "compare",
    "config",
    "explain",
    "export",
    "fix",
    "merge",
    "models",
    "opset",
    "rule",
    "rules",
    "server",
    "targets",
    "test-rules",
)


class _Commands(click.Group):
    """Loads a command's module when the command is named: `lintorch --version` loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"lintorch.cli.{cmd_name.replace('-', '_')}_command")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a defect of lintorch is no finding, and so has exit code 2."""
        try:
            with stop_at_signals(), _flush_at_end():
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt as stop:
            with suppress(OSError):  # its terminal may be gone
                click.echo("lintorch: stopped; no file is half written", err=True)
            _leave_what_is_gone()
            sys.exit(stop.exit_code if isinstance(stop, Stopped) else 128 + signal.SIGINT)
        except BrokenPipeError:  # as `lintorch check | head` ends
            sys.exit(_EXIT_OF_SIGPIPE)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
                click.echo(f"lintorch: the output cannot be written: {error.strerror}", err=True)
                sys.exit(2)
            import traceback

            traceback.print_exc()
            click.echo("lintorch: this is a defect of lintorch; please report it", err=True)
            sys.exit(2)


@contextmanager
def _flush_at_end() -> Iterator[None]:
    """Meet errors of the output here, and not when Python ends."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        _leave_what_is_gone()
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def _leave_what_is_gone() -> None:
    """Send what is left for a stream that takes no more nowhere: Python would try it again at its end, and exit with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--version", is_flag=True, is_eager=True, help="Show the version and exit.")
@click.option(
    "--verbose", "-v", is_flag=True, help="With --version: Python, torch and exporters too."
)
@click.pass_context
def main(context: click.Context, version: bool, verbose: bool) -> None:
    """Tells where in the source a PyTorch model will break when it is exported or deployed.

    Exit codes: 0 clean or all fixed, 1 findings, 2 lintorch could not do its job, 128 and its
    number where a signal ended it.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if version:
        click.echo(f"lintorch {__version__}")
        if verbose:
            from lintorch.cli.show_versions import list_versions

            click.echo("\n".join(list_versions()))
        context.exit()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(2)
