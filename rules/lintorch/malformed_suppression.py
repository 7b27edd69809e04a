"""LT004: a comment meant to suppress that cannot be read, or that names no rule."""

from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT004",
    summary="a suppression that cannot be read or names no rule",
    why="""
        It suppresses nothing. Codes and names of rules stand in brackets, with a comma between
        them; a reason may follow. `ignore` is about its own line, or the statement below where
        it stands alone on a line; `ignore-file` is about the whole file.
    """,
    bad="""
        x = x.view(int(x.size(0)), -1)  # lintorch: ignore LT101
    """,
    good="""
        x = x.view(int(x.size(0)), -1)  # lintorch: ignore[LT101] -- the batch is always 1
    """,
)
