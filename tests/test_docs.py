"""What the documents promise is there, and the pages of the rules are those of the rule files."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from running import CHECKOUT

DOCS = CHECKOUT / "docs"
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
PAGES = runpy.run_path(str(DOCS / "make.py"))["pages"]()


@pytest.mark.parametrize("place", PAGES, ids=str)
def test_a_page_is_made_from_its_rule(place: Path) -> None:
    """`python docs/make.py` writes them."""
    assert (DOCS / place).read_text(encoding="utf-8") == PAGES[place]


def test_there_are_no_other_pages() -> None:
    assert {path.relative_to(DOCS) for path in DOCS.glob("rules/**/*.md")} == {
        place for place in PAGES if place.parts[0] == "rules"
    }


def test_the_readme_names_every_theme() -> None:
    themes = {p.parts[1] for p in PAGES if p.parts[0] == "rules" and len(p.parts) == 3}
    assert themes <= set(re.findall(r"\(docs/rules/README\.md#(\w+)", README))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "lintorch/targets/README.md"])
def test_files_that_the_documents_name_are_there(page: str) -> None:
    text = (CHECKOUT / page).read_text("utf-8")
    named = re.findall(r"`((?:lintorch|rules|tests|docs|benchmarks|examples)/[\w/.]+)`", text)
    assert [name for name in named if not re.search("THEME|NAME", name)]
    for name in named:
        assert re.search("THEME|NAME", name) or (CHECKOUT / name).exists(), name


def test_the_links_of_the_documents_lead_somewhere() -> None:
    for page in (CHECKOUT / "README.md", *sorted(DOCS.rglob("*.md"))):
        text = re.sub(r"`[^`\n]+`(?!\])", "", page.read_text(encoding="utf-8"))
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
