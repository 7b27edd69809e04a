"""Puts what came of verifying fixes to the findings that are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import SequenceMatcher

from lintorch.core.finding import Applicability, Finding
from lintorch.core.merge import sort_findings
from lintorch.core.text_rows import split_rows
from lintorch.run.check_files import CheckedFiles
from lintorch.run.mend_file import FixKey, key_of
from lintorch.run.prove_fixes import FixProof, ProvenFile
from lintorch.run.scope import Scope


def tell_proofs(
    seen: CheckedFiles, proven: Mapping[str, ProvenFile], before: Mapping[str, str], scope: Scope
) -> CheckedFiles:
    """What was seen, its fixes with what is known of them, and a finding for each safe fix that was left out.

    `before` holds the texts that fixes were verified in, where what was seen may be later ones.
    """
    if not proven:
        return seen
    told = [_tell_proof(f, proven, before, seen) for f in seen.standing]
    defects = [
        _move_finding(each, before.get(path, ""), seen)
        for path, file in proven.items()
        for each in file.defects
        if each.code in scope.codes_of(path)
    ]
    return replace(seen, standing=tuple(sort_findings([*told, *defects])))


def _tell_proof(
    finding: Finding,
    proven: Mapping[str, ProvenFile],
    before: Mapping[str, str],
    seen: CheckedFiles,
) -> Finding:
    path = finding.place.path
    if finding.fix is None or path not in proven or path not in seen.texts:
        return finding
    text, proofs = seen.texts[path].text, proven[path].proofs
    key = key_of(finding, text)
    first = text == before.get(path)
    proof = proofs.get((key, finding.place.row)) if first else None
    proof = proof or _find_same_line(key, proofs)
    if proof is None and first:
        proof = proven[path].later.get((finding.code, finding.place.row))
    if proof is None:
        return finding
    kept = finding.fix.applicability if proof.may_go_in else Applicability.DISPLAY
    fix = replace(finding.fix, verified=proof.verified, verification=proof.told, applicability=kept)
    return replace(finding, fix=fix)


def _find_same_line(key: FixKey, proofs: Mapping[tuple[FixKey, int], FixProof]) -> FixProof | None:
    """What is known of a fix of the same line, wherever that is: of lines alike, one that differs."""
    found = [proof for (other, _), proof in proofs.items() if other == key]
    return min(found, key=lambda proof: proof.verified is not False, default=None)


def _move_finding(finding: Finding, before: str, seen: CheckedFiles) -> Finding:
    """A finding of an earlier text, at the row that its line has now."""
    path = finding.place.path
    now = seen.texts[path].text if path in seen.texts else before
    if now == before:
        return finding
    place = finding.place
    for match in SequenceMatcher(
        None, split_rows(before).lines, split_rows(now).lines, autojunk=False
    ).get_matching_blocks():
        if match.a < place.row <= match.a + match.size:
            by = match.b - match.a
            end = place.end_row + by if place.end_row else 0
            return replace(finding, place=replace(place, row=place.row + by, end_row=end))
    return finding
