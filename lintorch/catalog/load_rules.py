"""Loading rules from folders, by path."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from lintorch.catalog.rule_folders import CatalogError, list_rule_files

if TYPE_CHECKING:
    from lintorch.core.rule import Rule


@cache
def load_rules(folders: tuple[str, ...]) -> Mapping[str, Rule]:
    """The rules of these folders by code, loaded once per process. Raises CatalogError."""
    rules: dict[str, Rule] = {}
    names: dict[str, str] = {}
    for folder in folders:
        for path in list_rule_files(folder):
            rule = _load_rule(path, folder)
            other = rules.get(rule.code) or rules.get(names.get(rule.name, ""))
            if other is not None:
                raise CatalogError(
                    f"{path}: {rule.code} {rule.name} is already {other.code} {other.name}"
                )
            rules[rule.code] = rule
            names[rule.name] = rule.code
    return dict(sorted(rules.items()))


def _load_rule(path: str, folder: str) -> Rule:
    import importlib.util  # here, as most runs load no rule

    from lintorch.core.rule import Rule

    inner = os.path.relpath(path, folder).removesuffix(".py").replace(os.sep, ".")
    label = hashlib.blake2b(os.path.abspath(folder).encode(), digest_size=4).hexdigest()
    name = f"lintorch_rules_{label}.{inner}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CatalogError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CatalogError(f"{path}: {type(error).__name__}: {error}") from error
    rule = getattr(module, "rule", None)
    if not isinstance(rule, Rule):
        raise CatalogError(f"{path}: defines no `rule = Rule(__name__, ...)`")
    return rule
