"""What all evidence of a finding comes to: by exporter how it is treated, and at which sizes that showed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from lintorch.core.finding import Evidence, Finding, Harm, Note, Sizes
from lintorch.core.profile import EXPORTERS


def sum_up_harm(found: Finding | Note) -> dict[str, Harm | None]:
    """How each exporter of which a finding, or a note alone, knows treats it, None where it is right.

    The exporters come in the order of their table. Of the harm that several pieces of evidence tell
    of, what a run shows outweighs what the source says, a trial export outweighs both, and of equal
    evidence the gravest counts. That one of them tells of no harm takes back nothing.
    """
    known: dict[str, tuple[Evidence, Harm] | None] = {}
    weaker = found.notes if isinstance(found, Finding) else ()
    for each in (*weaker, found):
        for name, kind in _harm_told(each):
            told = None if kind is None else (each.evidence, kind)
            known[name] = max(filter(None, (known.get(name), told)), default=None)
    weighed = {name: told and told[1] for name, told in known.items()}
    return {name: weighed[name] for name in EXPORTERS if name in weighed}


def gather_sizes(finding: Finding) -> list[Sizes]:
    """The sizes at which any run or trial showed it, each once."""
    every = chain(finding.sizes, *(note.sizes for note in finding.notes))
    return list(dict.fromkeys(every))


def _harm_told(each: Finding | Note) -> Iterator[tuple[str, Harm | None]]:
    if each.hazard is not None:
        yield from ((name, None) for name in each.hazard.fine)
        yield from each.hazard.harm
    if each.exporter is not None and each.tried is not None:
        yield each.exporter, each.tried
