"""What the README promises is there."""

from __future__ import annotations

import re

from running import CHECKOUT

from lintorch import catalog

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_every_rule_as_it_describes_itself() -> None:
    rows = dict(re.findall(r"^\| (LT\d{3}) \| (.*) \|$", README, re.MULTILINE))
    rules = [r for r in catalog.load().rules.values() if not r.code.startswith("LT0")]
    assert rows == {r.code: f"`{r.name}` | {r.summary} | {r.fix or ''}" for r in rules}


def test_the_links_of_the_documents_lead_somewhere() -> None:
    for page in (CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
