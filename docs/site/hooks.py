"""Makes the pages of the repository those of the site: where they stand, what they link to, their code.

mkdocs calls these functions. The files stay as they are read in the repository.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from lintorch.catalog import find_project_url

CHECKOUT = Path(__file__).parent.parent.parent
PLACED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "lintorch/targets/README.md": "target-tables.md",
}
"""Pages that stand outside of docs/, and where they stand in the site."""
_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!\w+:|#)([^)#\s]+)")
_FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?=\n* {4}))+")
_log = logging.getLogger("mkdocs.hooks.lintorch")
_foreign: set[str] = set()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out what is not there, and add the rules' pages."""
    assert config.nav is not None
    config.nav = [_complete_entry(entry, Path(config.docs_dir)) for entry in config.nav]
    return config


def _complete_entry(entry: dict[str, Any], docs: Path) -> dict[str, Any]:
    [(title, pages)] = entry.items()
    if isinstance(pages, str):
        return entry
    if title == "Rules":
        return {title: [*pages, *_list_themes(docs / "rules")]}
    there = [
        page
        for page in pages
        for place in page.values()
        if place in PLACED.values() or (docs / place).exists()
    ]
    return {title: there}


def _list_themes(rules: Path) -> list[dict[str, list[str]]]:
    """The pages of each theme, in the order of the list of all rules."""
    listed = re.findall(
        r"^\| \[\w+\]\((\w+)/([\w-]+\.md)\)", (rules / "README.md").read_text("utf-8"), re.M
    )
    themes: dict[str, list[str]] = {}
    for theme, page in listed:
        themes.setdefault(theme, []).append(f"rules/{theme}/{page}")
    return [{theme: pages} for theme, pages in themes.items()]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside of docs/."""
    for path, place in PLACED.items():
        text = (CHECKOUT / path).read_text("utf-8")
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as they are in the site, and code in the colors of its language."""
    here = page.file.src_uri
    path = next((path for path, place in PLACED.items() if place == here), f"docs/{here}")
    _foreign.update(re.findall(r"\]\((https?://[^)\s]+)", markdown))
    language = "python" if here.startswith("rules/") else "sh"
    linked = _LINK.sub(lambda m: m[1] + _link(path, m[2], here), markdown)
    parts = _FENCED.split(linked)
    parts[::2] = [_INDENTED.sub(lambda m: _fence(m[0], language), part) for part in parts[::2]]
    return "".join(parts)


def _link(path: str, link: str, here: str) -> str:
    """Where a link of a file of the repository leads from its page of the site."""
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    if file in PLACED or file.startswith("docs/"):
        place = PLACED.get(file, file.removeprefix("docs/"))
        return posixpath.relpath(place, posixpath.dirname(here))
    return (
        f"{find_project_url('Homepage')}/blob/main/{file}" if (CHECKOUT / file).exists() else link
    )


def _fence(code: str, language: str) -> str:
    lines = (line.removeprefix("    ") for line in code.strip("\n").splitlines())
    return f"```{language}\n" + "\n".join(lines) + "\n```\n"


def on_post_build(config: MkDocsConfig) -> None:
    """Name the links to other hosts, which nobody has tried."""
    _log.info("%d links to other hosts, not tried:\n%s", len(_foreign), "\n".join(sorted(_foreign)))
