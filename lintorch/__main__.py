"""`python -m lintorch`."""

from lintorch.cli import main

main(prog_name="lintorch")
