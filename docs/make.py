"""Writes the pages of rules, messages and settings, made from the code: `python docs/make.py`."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

from lintorch import catalog
from lintorch.core.rule import Rule
from lintorch.messages import load_runtimes
from lintorch.messages.message_page import write_message_page
from lintorch.report.rule_page import write_page
from lintorch.settings.describe_keys import make_schema, write_reference

HERE = Path(__file__).parent
THEMES = {
    "export": "what a tracer or exporter cannot carry",
    "deploy": "the state a model is exported, loaded or served in",
    "precision": "autocast, gradient scaling and half precision",
    "training": "losses, optimizers and the training loop",
    "data": "loading data, and speed",
    "api": "names and arguments of torch that are old, gone, or never were",
    "security": "code that runs when a file is loaded",
    "numerics": "numbers and shapes",
    "target": "trial exports and what they are for",
    "lintorch": "lintorch's own work",
}


def pages() -> dict[Path, str]:
    """Every page, the list of all rules first, by its place below this folder."""
    rules = sorted(
        catalog.build_catalog().rules.values(), key=lambda r: (list(THEMES).index(r.theme), r.code)
    )
    links = {rule.name: (rule.code, f"rules/{rule.theme}/{rule.name}.md") for rule in rules}
    made = {
        Path("rules/README.md"): _listed(rules),
        Path("settings.md"): write_reference(),
        Path("../lintorch/settings/schema.json"): json.dumps(make_schema(), indent=2) + "\n",
    }
    made |= {
        Path(f"errors/{each.name.replace('.', '-')}.md"): write_message_page(each, links)
        for each in load_runtimes()
    }
    return made | {Path(f"rules/{rule.theme}/{rule.name}.md"): write_page(rule) for rule in rules}


def _listed(rules: list[Rule]) -> str:
    parts = [
        "# The rules",
        "Made from the rule files by `python docs/make.py`; `lintorch rule CODE` prints the same pages.",
    ]
    for theme, group in groupby(rules, key=lambda r: r.theme):
        parts += [
            f"## {theme}",
            f"{THEMES[theme][:1].upper()}{THEMES[theme][1:]}.",
            _table(list(group)),
        ]
    return "\n\n".join(parts) + "\n"


def _table(rules: list[Rule]) -> str:
    rows = [
        f"| [{r.code}]({r.theme}/{r.name}.md) | `{r.name}` | {r.severity} "
        f"| {r.summary}{_mark_shown(r)} | {r.fix or ''} |"
        for r in rules
    ]
    return "\n".join(
        ["| code | name | severity | what it flags | fix |", "|---|---|---|---|---|", *rows]
    )


def _mark_shown(rule: Rule) -> str:
    if not rule.default:
        return " (off by default)"
    return " (advice)" if rule.is_advice else ""


def write() -> None:
    """Write what has changed and remove the pages of rules that are gone."""
    made = pages()
    for old in sorted([*HERE.glob("rules/**/*.md"), *HERE.glob("errors/*.md")]):
        if old.relative_to(HERE) not in made:
            old.unlink()
    for place, text in made.items():
        path = HERE / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
