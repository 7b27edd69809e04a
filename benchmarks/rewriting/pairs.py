"""Rewritten `bad` and `good` of a rule: whether the hazard is still there, and what lintorch says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from lintorch.core.rule import Rule
from rewriting.asking import finds
from rewriting.names import list_imports
from rewriting.program import Program, Rewrite
from rewriting.proving import Ending, Prover
from rewriting.statements import is_import


class Standing(Enum):
    """What is known of a pair."""

    PROVEN = "proven"
    UNPROVEN = "unproven"
    """The rule has no proof: the rewrite is believed to have kept the meaning."""
    BROKEN = "broken"
    """The proof says otherwise: the rewrite took the hazard away, or broke the program."""


@dataclass(frozen=True)
class Pair:
    """A rule's two examples after a rewrite."""

    rule: Rule
    rewrite: str
    bad: Program
    good: Program

    @property
    def name(self) -> str:
        """As misses are listed."""
        return f"{self.rule.code} {self.rewrite}"


@dataclass(frozen=True)
class Judged:
    """A pair, how it stands, and in which of its programs lintorch finds the hazard."""

    pair: Pair
    standing: Standing
    why: str = ""
    found: bool = False
    false: bool = False


def make_programs(rule: Rule) -> tuple[Program, Program]:
    """`bad` and `good` as they are."""
    gates = tuple(word for detector in rule.detectors for word in detector.needs)
    bad, good = (Program(text, proof=rule.proof, gates=gates) for text in (rule.bad, rule.good))
    return bad, good


def make_pairs(
    rule: Rule, bad: Program, good: Program, rewrites: Mapping[str, Rewrite]
) -> Iterator[Pair]:
    """The pairs of those rewrites that change `bad`."""
    for name, rewrite in rewrites.items():
        rewritten = rewrite(bad)
        if rewritten.text != bad.text:
            yield Pair(rule, name, rewritten, rewrite(good))


def judge_pair(pair: Pair, prover: Prover) -> Judged:
    """Prove both programs, and ask lintorch where they stand."""
    standing, why = prove_pair(pair, prover)
    if standing is Standing.BROKEN:
        return Judged(pair, standing, why)
    return Judged(
        pair, standing, found=finds(pair.rule, pair.bad), false=finds(pair.rule, pair.good)
    )


def prove_pair(pair: Pair, prover: Prover) -> tuple[Standing, str]:
    """Whether `bad` still goes wrong as it did before the rewrite, and `good` does not."""
    if not pair.rule.proof:
        return _compile_pair(pair)
    before, _ = make_programs(pair.rule)
    wanted = _run(before, before, prover)
    ending = _run(pair.bad, before, prover)
    if ending.raised != wanted.raised:
        return Standing.BROKEN, f"bad: {_describe(ending)}, not {wanted.raised}"
    _, good = make_programs(pair.rule)
    ending = _run(pair.good, good, prover)
    if ending.raised:
        return Standing.BROKEN, f"good: {_describe(ending)}"
    return Standing.PROVEN, ""


def _compile_pair(pair: Pair) -> tuple[Standing, str]:
    for program in (pair.bad, pair.good):
        for text in (program.text, *program.others.values()):
            try:
                compile(text, pair.name, "exec", dont_inherit=True)
            except SyntaxError as error:
                return Standing.BROKEN, str(error)
    return Standing.UNPROVEN, ""


def _run(program: Program, before: Program, prover: Prover) -> Ending:
    """The proof may use what the program imported before it was rewritten."""
    module = before.module
    used = before.names_of_proof
    lines = [
        module.code_for_node(each)
        for each in module.body
        if is_import(each) and used & list_imports(module.with_changes(body=[each])).keys()
    ]
    return prover.prove(replace(program, signatures={}), "".join(lines))


def _describe(ending: Ending) -> str:
    return (
        f"{ending.raised} {ending.message.splitlines()[0][:100] if ending.message else ''}".strip()
        or "well"
    )
