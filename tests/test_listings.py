"""Which listings of files are told at once, and which are left to those who ask for advice."""

import pytest
from test_rules import findings

from lintorch.catalog import build_catalog
from lintorch.core.finding import Severity
from lintorch.core.profile import Profile

RULE = build_catalog().rules["LT503"]
HEAD = "import os\n\nfrom torch.utils.data import Dataset\n\n\nclass Pairs(Dataset):\n    def __init__(self, a, b, scored):\n"
ITEM = "\n    def __getitem__(self, i):\n        return self.a[i], self.b[i]\n"


@pytest.mark.parametrize(
    ("filled", "severity"),
    [
        ("self.a = os.listdir(a)\n        self.b = os.listdir(b)", Severity.WARNING),
        (
            "self.a, self.b = [], []\n        for x in os.listdir(a):\n            for y in os.listdir(x):\n"
            "                self.a.append(y)\n                self.b.append(x + y)",
            Severity.NOTE,
        ),
        (
            "if scored:\n            self.a = os.listdir(a)\n        else:\n            self.b = os.listdir(b)",
            Severity.NOTE,
        ),
    ],
    ids=["two that must agree", "one within the other", "one or the other"],
)
def test_listings_are_told_at_once_where_they_can_get_out_of_step(
    filled: str, severity: Severity
) -> None:
    text = f"{HEAD}        {filled}\n{ITEM}"
    assert {each.severity for each in findings(RULE, text, Profile())} == {severity}
