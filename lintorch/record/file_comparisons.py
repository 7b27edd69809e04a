"""What an exported file computes, beside the model that it is said to be of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lintorch.record.sites import Site


@dataclass(frozen=True)
class Distance:
    """How far numbers of the file are from the model's: the largest difference, that over the
    model's largest number, and the cosine between both; `why` where no numbers can be compared.
    """

    amount: float | None = None
    relative: float | None = None
    cosine: float | None = None
    why: str = ""


@dataclass(frozen=True)
class FileRun:
    """The outputs of both at some sizes; `distance` is that of the output that is furthest apart."""

    sizes: Mapping[str, int]
    agrees: bool
    distance: Distance = Distance()


@dataclass(frozen=True)
class LayerNumbers:
    """What a layer of the model gives, beside the value of the file that stands for it.

    `name` is its dotted path, "" for the model itself; `built` and `called` are the user's lines
    that make it and call it. `call` counts its calls from 1 on.
    """

    name: str
    kind: str
    value: str
    operator: str
    distance: Distance
    call: int = 1
    built: Site | None = None
    called: Site | None = None


@dataclass(frozen=True)
class Cause:
    """Something that the file does otherwise, shown by numbers.

    `kind` is a word for programs (`training-mode`), `proof` says what was run to know it. What is
    not `wrong` changes no number: how an input is called, a size that the file declares as fixed.
    """

    kind: str
    text: str
    proof: str = ""
    remedy: str = ""
    wrong: bool = True
    site: Site | None = None


@dataclass(frozen=True)
class FileComparison:
    """A file beside a model; `unable` says why they could not be compared.

    `weights` says in words whose weights the model was run with. `last` is the last layer that
    agrees before `first`, the first that does not; `at` are the sizes where they were found.
    """

    opset: int | None = None
    producer: str = ""
    runtime: str = ""
    weights: str = ""
    matched: int = 0
    """Weights of the file that the model has too."""
    runs: tuple[FileRun, ...] = ()
    causes: tuple[Cause, ...] = ()
    last: LayerNumbers | None = None
    first: LayerNumbers | None = None
    between: Site | None = None
    """The line where the numbers part, where that is between these two layers."""
    at: Mapping[str, int] = field(default_factory=dict)
    unable: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the file computes what the model computes, wherever that was tried."""
        right = bool(self.runs) and all(run.agrees for run in self.runs)
        return right and not self.unable and not any(cause.wrong for cause in self.causes)
