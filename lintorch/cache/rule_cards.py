"""The cards of a catalogue, kept so that a run in which nothing has changed loads no rule."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from lintorch.cache.cache_folder import cache_folder, read_kept, write_kept
from lintorch.cache.finding_store import BROKEN, digest_content
from lintorch.catalog import Card
from lintorch.core.finding import Evidence, Severity


def read_cards(fingerprint: str) -> Mapping[str, Card] | None:
    """The cards by code that were kept under a fingerprint of their rules; None where none are."""
    with suppress(*BROKEN):
        cards = [_read_card(stored) for stored in json.loads(read_kept(_card_file(fingerprint)))]
        return {card.code: card for card in cards}
    return None


def keep_cards(fingerprint: str, cards: Mapping[str, Card]) -> None:
    """Keep cards for the next run; where that cannot be done they are read off the rules again."""
    with suppress(OSError):
        stored = [_plain_card(card) for card in cards.values()]
        write_kept(_card_file(fingerprint), json.dumps(stored, separators=(",", ":")).encode())


def _card_file(fingerprint: str) -> str:
    return os.path.join(cache_folder(), f"cards-{digest_content(fingerprint.encode())}.json")


def _plain_card(card: Card) -> list[Any]:
    seen = sorted(card.evidence)
    known = [card.code, card.name, card.theme, int(card.severity), card.default, seen]
    return [*known, card.formerly]


def _read_card(stored: list[Any]) -> Card:
    code, name, theme, severity, default, seen, formerly = stored
    evidence = frozenset(map(Evidence, seen))
    return Card(code, name, theme, Severity(severity), default, evidence, tuple(formerly))
