"""What fixing makes of one text, as a file that stands alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from lintorch.catalog import build_catalog
from lintorch.core.dispatch import Index, index_detectors, lint_subject
from lintorch.core.finding import Applicability, Evidence, Finding
from lintorch.core.profile import Profile
from lintorch.files import FileText, decode_file
from lintorch.fix.fix_rounds import settle
from lintorch.source import Source

SAFE = frozenset({Applicability.SAFE})
EVERY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
_NAME = "model.py"


@dataclass(frozen=True)
class Mended:
    """A file before and after its fixes went in."""

    before: bytes
    after: bytes
    text: str
    """The text after."""
    codes: Counter[str]
    """How often the fixes of each rule went in."""
    unsettled: tuple[str, ...]
    """Rules whose fixes broke the text, or came to no end."""


def mend(data: bytes, allowed: frozenset[Applicability], profile: Profile) -> Mended:
    """Fix a file as far as `allowed` goes. Raises ValueError for what is no Python text."""
    file = decode_file(_NAME, data)
    if not isinstance(file, FileText):
        raise ValueError(file.cause)

    def check(text: str) -> list[Finding]:
        found = lint_subject(Source(_NAME, text, profile), _index_rules())
        return [finding for finding in found if not finding.confirms]

    done = settle(file.text, check, allowed, path=_NAME)
    codes = Counter(finding.code for finding in done.applied)
    return Mended(data, file.encode_text(done.text), done.text, codes, done.unsettled)


@lru_cache(maxsize=1)
def _index_rules() -> Index:
    return index_detectors(build_catalog().rules.values(), Evidence.SOURCE)
