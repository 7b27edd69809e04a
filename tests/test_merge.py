"""How findings of one line become one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintorch.core.finding import Evidence, Finding, Fix, Harm, Hazard, Note, Place, Severity
from lintorch.core.merge import merge_findings
from lintorch.core.profile import weigh_hazard
from lintorch.report.harm_by_exporter import sum_up_harm
from lintorch.report.wording import write_message


def finding(evidence: Evidence, row: int, said: str = "", confirms: bool = False) -> Finding:
    place = Place("net.py", row, 5, row, 20)
    return Finding(
        "LT301", "unaligned-dims", said, Severity.NOTE, place, evidence, confirms=confirms
    )


def test_what_only_confirms_joins_a_source_finding_and_else_is_dropped() -> None:
    source = finding(Evidence.SOURCE, 3, "300 features")
    runs = [finding(Evidence.TRACE, row, "100% of the work", confirms=True) for row in (3, 4)]
    (joined,) = merge_findings([source, *runs]).standing
    assert (joined.place.row, joined.evidence) == (3, Evidence.TRACE)
    assert joined.said == "100% of the work"
    assert not joined.confirms


def test_a_source_hit_that_waits_lends_its_fix_to_what_a_run_found() -> None:
    bare = finding(Evidence.SOURCE, 3, confirms=True)
    waiting = replace(bare, fix=Fix("write it so", ()), remedy="write it so")
    run = finding(Evidence.TRACE, 3, "seen")
    (lent,) = merge_findings([waiting, run]).standing
    assert (lent.said, lent.fix, lent.remedy) == ("seen", waiting.fix, "write it so")
    sure = finding(Evidence.SOURCE, 3, "sure")
    confirmation = replace(run, confirms=True)
    assert merge_findings([waiting, confirmation]).standing == ()
    assert merge_findings([waiting, finding(Evidence.TRACE, 4)]).standing[0].fix is None
    (alone,) = merge_findings([waiting, sure]).standing
    assert alone == sure


def test_a_finding_of_a_run_stands_alone_unless_it_only_confirms() -> None:
    (alone,) = merge_findings([finding(Evidence.TRACE, 4)]).standing
    assert alone.evidence is Evidence.TRACE


def test_several_models_say_the_same_of_a_line_once() -> None:
    runs = [finding(Evidence.TRACE, 3, f"seen {n} times") for n in (2, 5)]
    (joined,) = merge_findings([finding(Evidence.SOURCE, 3, "300 features"), *runs]).standing
    assert [(note.evidence, note.said) for note in joined.notes] == [
        (Evidence.SOURCE, "300 features"),
        (Evidence.TRACE, "seen 2 times"),
    ]


def about(path: str, exporter: str | None = None, evidence: Evidence = Evidence.TRACE) -> Finding:
    return Finding(
        "LT201", "missing-eval", f"{evidence} of {path}", Severity.WARNING,
        Place(path.partition(":")[0], 9), evidence, path, exporter=exporter, confirms=True,
    )  # fmt: skip


def test_what_is_said_of_a_model_joins_the_source_finding_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = Finding(
        "LT201", "missing-eval", "no eval", Severity.ERROR, Place("deploy.py", 3), Evidence.SOURCE,
        f"{tmp_path}/net.py:Net", exporter="torch.export",
    )  # fmt: skip
    others = [about("net.py:Other"), about("net.py:Net", "onnx", Evidence.EXPORT)]
    (joined,) = merge_findings([source, about("net.py:Net"), *others]).standing
    assert (joined.place, joined.said) == (Place("deploy.py", 3), "trace of net.py:Net")
    assert (joined.severity, joined.exporter) == (Severity.ERROR, "torch.export")


def test_a_run_of_its_model_withdraws_a_source_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = Finding(
        "LT201", "missing-eval", "no eval", Severity.ERROR, Place("deploy.py", 3), Evidence.SOURCE,
        "net.py:Net",
    )  # fmt: skip
    run = replace(about("net.py:Net"), confirms=False, refuted="the same in either mode")
    merged = merge_findings([source, run])
    assert merged.standing == ()
    assert [f.refuted for f in merged.withdrawn] == ["the same in either mode"]


def hazardous(row: int = 3, column: int = 5, untried: tuple[str, ...] = ()) -> Finding:
    """A finding of the source that names two exporters, of which a trial may clear either."""
    harm = (("onnx", Harm.SILENT), ("torchscript-trace", Harm.WARNED))
    hazard = Hazard(harm, ("onnx-legacy",), Severity.WARNING, untried=untried)
    return Finding(
        "LT101", "dynamic-size", "int() of a size", weigh_hazard(hazard),
        Place("net.py", row, column), hazard=hazard,
    )  # fmt: skip


def right(exporter: str = "onnx", settles: int = 1) -> Finding:
    """What a trial says that came out right."""
    return Finding(
        "LT101", "dynamic-size", "", Severity.WARNING, Place("net.py", 3), Evidence.EXPORT,
        "net.py:Net", exporter=exporter, refuted=f"{exporter} exports it right", settles=settles,
    )  # fmt: skip


def test_an_exporter_that_came_out_right_is_struck_from_the_finding() -> None:
    (left,) = merge_findings([hazardous(), right()]).standing
    assert left.said == "int() of a size"
    assert left.hazard is not None
    assert left.hazard.harm == (("torchscript-trace", Harm.WARNED),)
    assert left.hazard.fine == ("onnx", "onnx-legacy")
    assert (left.severity, left.evidence) == (Severity.WARNING, Evidence.SOURCE)


def test_a_finding_goes_with_the_last_of_its_exporters() -> None:
    merged = merge_findings([hazardous(), right(), right("torchscript-trace")])
    assert merged.standing == ()
    assert [f.refuted for f in merged.withdrawn] == ["onnx exports it right"]


def test_what_trials_do_not_try_is_not_struck() -> None:
    (left,) = merge_findings([hazardous(untried=("onnx",)), right()]).standing
    assert left == hazardous(untried=("onnx",))


def test_a_line_with_more_findings_than_ran_keeps_them() -> None:
    both = (hazardous(), hazardous(column=40))
    assert merge_findings([*both, right()]).standing == both
    (left, _) = merge_findings([*both, right(settles=2)]).standing
    assert left.hazard is not None
    assert left.hazard.fine == ("onnx", "onnx-legacy")


def test_what_another_model_reproduces_stands() -> None:
    wrong = replace(right(), said="onnx is wrong", refuted=None, settles=0, model="net.py:B")
    (left,) = merge_findings([hazardous(), right(), wrong]).standing
    assert left.said == "onnx is wrong"
    assert left.notes[0] == Note(Evidence.SOURCE, "int() of a size", hazard=hazardous().hazard)


def test_what_stands_beside_an_outcome_leaves_it_to_the_general_word() -> None:
    wrong = Finding(
        "LT905", "export-wrong", "", Severity.ERROR, Place("net.py", 9), Evidence.EXPORT,
        "net.py:Net", exporter="onnx",
    )  # fmt: skip
    other = replace(wrong, code="LT133", place=Place("net.py", 3))
    assert merge_findings([wrong, other]).standing == (other,)
    beside = replace(other, beside=True)
    assert merge_findings([wrong, beside]).standing == (beside, wrong)


def test_one_refusal_is_told_at_one_line() -> None:
    said = replace(
        right(), said="onnx refuses: no such size", refuted=None, settles=0, refusal=True
    )
    places = [Place("net.py", row) for row in (3, 7, 9)]
    merged = merge_findings([hazardous(row=7), *(replace(said, place=place) for place in places)])
    assert [(f.place.row, f.evidence) for f in merged.standing] == [
        (3, Evidence.EXPORT),
        (7, Evidence.SOURCE),
    ]


def test_an_export_that_is_wrong_is_told_at_each_of_its_lines() -> None:
    wrong = replace(right(), said="onnx is wrong: at batch 3", refuted=None, settles=0)
    places = [Place("net.py", row) for row in (3, 7)]
    merged = merge_findings([replace(wrong, place=place) for place in places])
    assert [f.place.row for f in merged.standing] == [3, 7]


HARMS = st.dictionaries(
    st.sampled_from(("torch.export", "onnx", "onnx-legacy")), st.sampled_from(Harm), max_size=3
)


@st.composite
def tiers(draw: st.DrawFn) -> list[Finding]:
    """What the source, runs and trials say of one line under one code."""
    found: list[Finding] = []
    for evidence in draw(st.lists(st.sampled_from((Evidence.SOURCE, Evidence.TRACE)), max_size=4)):
        if harm := draw(HARMS):
            hazard = Hazard(tuple(harm.items()), (), Severity.WARNING)
            said = f"says {len(found)}"
            found.append(replace(hazardous(), said=said, evidence=evidence, hazard=hazard))
    for exporter, harm in draw(HARMS).items():
        found.append(replace(right(exporter), said="tried", refuted=None, settles=0, tried=harm))
    return found


@given(tiers(), st.sets(st.sampled_from(("torch.export", "onnx"))))
def test_merging_keeps_every_exporter_that_is_harmed_but_those_that_trials_clear(
    found: list[Finding], cleared: set[str]
) -> None:
    harmed = {
        name for each in found for name, kind in sum_up_harm(each).items() if kind is not None
    }
    standing = merge_findings([*found, *(right(name, 9) for name in cleared)]).standing
    named = {
        name for each in standing for name, kind in sum_up_harm(each).items() if kind is not None
    }
    assert harmed - cleared <= named


def test_the_harm_that_a_run_shows_is_not_lost_behind_a_trial_of_another_exporter() -> None:
    shown = replace(hazardous(), evidence=Evidence.TRACE, model="net.py:Net")
    refusal = replace(
        right("onnx-legacy"), said="onnx-legacy refuses", refuted=None, settles=0,
        tried=Harm.REFUSED, severity=Severity.WARNING,
    )  # fmt: skip
    (joined,) = merge_findings([shown, refusal]).standing
    assert sum_up_harm(joined) == {
        "onnx": Harm.SILENT,
        "onnx-legacy": Harm.REFUSED,
        "torchscript-trace": Harm.WARNED,
    }
    assert "silently wrong under onnx" in write_message(joined)
    assert joined.severity is Severity.ERROR
