"""What differs from run to run of one checkout, and what is kept in its place.

Paths: the folder with the copied inputs becomes `<inputs>`, other folders of the recording become
`<recording>`, the checkout's becomes `<checkout>`. Seconds: a trial's `"seconds": 1.9` in JSON
becomes `"seconds": "<seconds>"`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECONDS = re.compile(r'("seconds": )\d+(?:\.\d+)?(?:e[-+]?\d+)?')


def mask_paths(text: str, places: Mapping[str, str]) -> str:
    """Text with folders written as names, those that are given first taken first."""
    for place, name in places.items():
        text = text.replace(place, name)
    return text


def mask_seconds(text: str) -> str:
    """JSON without the time that exports took."""
    return _SECONDS.sub(r'\1"<seconds>"', text)
