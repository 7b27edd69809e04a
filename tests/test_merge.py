"""How findings of one line become one."""

from __future__ import annotations

from lintorch.finding import Evidence, Finding, Place, Severity
from lintorch.merge import merge


def finding(evidence: Evidence, row: int, message: str = "", confirms: bool = False) -> Finding:
    place = Place("net.py", row, 5, row, 20)
    return Finding(
        "LT301", "unaligned-dims", message, Severity.NOTE, place, evidence, confirms=confirms
    )


def test_what_only_confirms_joins_a_source_finding_and_else_is_dropped() -> None:
    source = finding(Evidence.SOURCE, 3, "300 features")
    runs = [finding(Evidence.TRACE, row, "100% of the work", confirms=True) for row in (3, 4)]
    (joined,) = merge([source, *runs]).standing
    assert (joined.place.row, joined.evidence) == (3, Evidence.TRACE)
    assert joined.message == "100% of the work"
    assert not joined.confirms


def test_a_finding_of_a_run_stands_alone_unless_it_only_confirms() -> None:
    (alone,) = merge([finding(Evidence.TRACE, 4)]).standing
    assert alone.evidence is Evidence.TRACE
