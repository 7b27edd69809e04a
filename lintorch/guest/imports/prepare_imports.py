"""Prepares this process for the user's code: all that is replaced for it."""

from __future__ import annotations

from lintorch.guest.imports.command_line import relax_command_line
from lintorch.guest.imports.cpu_for_gpu import take_cpu_for_gpu
from lintorch.guest.imports.import_hook import hook_imports
from lintorch.guest.imports.project_reads import redirect_reads
from lintorch.guest.imports.user_frames import UserCode, set_user_code


def prepare_imports(code: UserCode) -> None:
    """Let this code import and read what is its own, and meet stand-ins for what is not there."""
    set_user_code(code)
    hook_imports()
    redirect_reads()
    relax_command_line()
    take_cpu_for_gpu()
