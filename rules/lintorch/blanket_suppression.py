"""LT005: a suppression that names no rule."""

from lintorch.core.rule import Rule

rule = Rule(
    __name__,
    code="LT005",
    summary="a suppression that names no rule",
    why="""
        It would hide whatever is found there later, so it suppresses nothing. Name the rule by
        its code or its name.
    """,
    bad="""
        x = x.view(int(x.size(0)), -1)  # lintorch: ignore
    """,
    good="""
        x = x.view(int(x.size(0)), -1)  # lintorch: ignore[dynamic-size]
    """,
)
