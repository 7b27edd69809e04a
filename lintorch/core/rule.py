"""A rule: what is wrong, why, what it looks like, and the detectors that see it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from textwrap import dedent
from typing import Any, TypeVar

from lintorch.core.finding import Applicability, Evidence, Hit, Refuted, Severity

Yielded = Hit | Refuted
Detect = Callable[[Any, Any], Iterator[Yielded]]
EXAMPLES = ("bad", "good", "proof")
D = TypeVar("D", bound=Callable[..., Iterator[Any]])


@dataclass(frozen=True)
class Detector:
    """One function of a rule and the keys of the nodes it wants to see."""

    rule: Rule
    evidence: Evidence
    keys: tuple[Hashable, ...]
    detect: Detect
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Rule:
    """The text, examples and detectors of one hazard. Its name is its file's, with hyphens.

    `good` is what the fix makes of `bad` where `fix` is given. `example_profile` names the
    exporters (and opset, as "onnx-legacy@10") and the targets ("target:tensorrt-8.4") under which
    `bad` is a hazard, where the default profile does not report it.

    `formerly` is the code and the name under which the hazard was reported with others: they still
    select and suppress it.

    `remedy` is what to write instead, where one answer holds for all hits; a hit with its own
    outweighs it. It ends the message of every finding.

    `in_tests`: a test has it too; not so where it compares with numbers that it chose itself.

    `proof` is a program that goes wrong (raises, or warns) when it is run after `bad`, and runs
    through after `good`: the tests do both. A hazard that cannot be shown so, as it takes a GPU
    or several machines, says in `unproven` why it is reported all the same.
    """

    module: str
    code: str
    summary: str
    why: str
    bad: str = ""
    good: str = ""
    remedy: str = ""
    proof: str = ""
    unproven: str = ""
    severity: Severity = Severity.WARNING
    fix: Applicability | None = None
    default: bool = True
    in_tests: bool = True
    formerly: tuple[str, ...] = ()
    since: str = "0.1"
    example_profile: tuple[str, ...] = ()
    detectors: list[Detector] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        for text, end in (("why", ""), ("unproven", ""), *((name, "\n") for name in EXAMPLES)):
            given = dedent(getattr(self, text)).strip("\n").rstrip()
            object.__setattr__(self, text, given + end if given else "")

    @property
    def name(self) -> str:
        """The rule's name as users write it, such as `dynamic-size`."""
        return self.module.rpartition(".")[2].replace("_", "-")

    @property
    def is_advice(self) -> bool:
        """Whether it has to be asked for, as far as it says nothing graver than a note."""
        own = self.theme == "lintorch"
        return not self.default or (self.severity is Severity.NOTE and not own)

    @property
    def theme(self) -> str:
        """The folder the rule lies in, such as `export`."""
        return self.module.split(".")[-2] if "." in self.module else ""

    def source(self, *keys: type, needs: tuple[str, ...] = ()) -> Callable[[D], D]:
        """Detector for libcst nodes of these classes, in files holding any word of `needs`."""
        return self._detector(Evidence.SOURCE, keys, needs)

    def event(self, *keys: type | str) -> Callable[[D], D]:
        """Detector for what happens when models of a file are evaluated without being run.

        A key is a class of `lintorch.evaluator.events`, or the full name of a foreign function, for
        its calls: `torch.nn.functional.interpolate`, `torch.Tensor.view`, `torch.nn.Linear.forward`.
        """
        return self._detector(Evidence.SOURCE, keys)

    def trace(self, *keys: type | str | Enum) -> Callable[[D], D]:
        """Detector for events of a run with these keys, and for the graphs it was traced as.

        A key is a class of `lintorch.evidence`; the name of an operator, for its calls; or a
        member of an enumeration that tells the events of one class apart, as `SizeUse.INT`.
        Raises ValueError for a text that names no operator: no event would ever match it.
        """
        for key in keys:
            if isinstance(key, str) and not key.startswith("torch"):
                raise ValueError(f"{self.code}: {key!r} is no operator; events go by their class")
        return self._detector(Evidence.TRACE, keys)

    def trial(self, *keys: str) -> Callable[[D], D]:
        """Detector for outcomes of trial exports: "wrong", "failed", "random" or "ok"."""
        return self._detector(Evidence.EXPORT, keys)

    def _detector(
        self, evidence: Evidence, keys: tuple[Hashable, ...], needs: tuple[str, ...] = ()
    ) -> Callable[[D], D]:
        def register(detect: D) -> D:
            self.detectors.append(Detector(self, evidence, keys, detect, needs))
            return detect

        return register
