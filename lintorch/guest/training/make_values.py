"""Values for the names that a piece of training code asks for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from lintorch.guest.training.batch_form import USUAL, BatchForm, find_batch_forms, read_batch
from lintorch.guest.training.goals import BATCHES, ROWS, Goal, make_batch
from lintorch.guest.training.kinds import Kind, find_kind, guess_number, guess_word
from lintorch.guest.training.listener import Listener
from lintorch.guest.training.name_uses import Matches, NameUses, collect_uses
from lintorch.guest.training.small_model import SmallModel

_VALUES = re.compile(r"discriminator|critic|^(net_?)?d$|_d$", re.IGNORECASE)
_LIKE = re.compile(r"generator|decoder|^(net_?)?g$|_g$", re.IGNORECASE)
_SIZES = (ROWS, 3, 8, 8, 8)
_NO_SETTINGS = ("batch", "loss", "model")


@dataclass(frozen=True)
class Wanted:
    """A name that needs a value: what it stands for, and what is done with it."""

    name: str
    kind: Kind
    uses: NameUses
    forms: tuple[BatchForm, ...] = ()


def describe_wanted(name: str, nodes: Sequence[ast.AST], matches: Matches) -> Wanted:
    """What the code below some nodes wants of a name."""
    uses = collect_uses(nodes, matches)
    kind = find_kind(name, uses)
    forms: tuple[BatchForm, ...] = ()
    if kind == "loader":
        forms = tuple(find_batch_forms(nodes, matches))
    elif kind == "batch":
        forms = (read_batch(name, nodes),)
    return Wanted(name, kind, uses, forms)


@dataclass
class Made:
    """The values that were made in one go, from one seed. What trains is kept by name, to be looked at later."""

    goal: Goal
    form: int = 0
    """Which of the forms of batches is taken."""
    models: dict[str, nn.Module] = field(default_factory=dict)
    keeping: dict[str, Any] = field(default_factory=dict)
    """Optimizers, schedulers and scalers."""
    generator: torch.Generator = field(default_factory=lambda: torch.Generator().manual_seed(1))

    def make_all(self, wanted: Iterable[Wanted]) -> dict[str, Any]:
        """A value for each name; models come first, optimizers before what goes with them."""
        ranks = {"model": 0, "loss": 1, "optimizer": 2}
        ordered = sorted(wanted, key=lambda each: ranks.get(each.kind, 3))
        return {each.name: self._make(each) for each in ordered}

    def _make(self, wanted: Wanted) -> Any:
        name, uses = wanted.name, wanted.uses
        match wanted.kind:
            case "model":
                wrapped = uses.attributes.get("module", NameUses()).methods
                asked = uses.methods | wrapped
                small = SmallModel(self._choose_output(name), uses.results, asked)
                return self.models.setdefault(name, small)
            case "loss":
                model = self.models.setdefault("model", SmallModel("loss"))
                return model(torch.rand((ROWS, 3, 8, 8), generator=self.generator)).mean()
            case "list":
                return []
            case "optimizer":
                made = torch.optim.AdamW(self._list_parameters(name), lr=0.01)
                return self.keeping.setdefault(name, made)
            case "scheduler":
                made = torch.optim.lr_scheduler.StepLR(self._find_optimizer(), 1, 0.5)
                return self.keeping.setdefault(name, made)
            case "scaler":
                return self.keeping.setdefault(name, torch.amp.GradScaler("cpu", init_scale=8.0))
            case "criterion":
                return self.goal.loss()
            case "loader":
                return self._make_loader(wanted)
            case "batch":
                made_up = make_batch(wanted.forms[0], self.goal, self.generator)
                return self._fit_rank(made_up, uses.count_axes())
            case "device":
                return torch.device("cpu")
            case "listener":
                return Listener(name)
            case "settings":
                return Settings(self, uses)
            case "flag":
                return False
            case "word":
                return guess_word(name, uses)
            case "seconds":
                return 0.0
        number = guess_number(name) or float(uses.divides)
        return int(number) if number == int(number) else number

    def _fit_rank(self, batch: object, axes: int) -> object:
        """A batch of as many axes as the code takes the shape apart into, where that is one tensor."""
        if not isinstance(batch, torch.Tensor) or axes in (0, batch.dim()) or axes > len(_SIZES):
            return batch
        return torch.rand(_SIZES[-axes:] if axes < 4 else _SIZES[:axes], generator=self.generator)

    def _choose_output(self, name: str) -> str:
        short = name.rpartition(".")[2]
        if _VALUES.search(short):
            return "chances" if self.goal.output == "chances" else "values"
        return "like" if _LIKE.search(short) else self.goal.output

    def _list_parameters(self, name: str) -> list[nn.Parameter]:
        """Those of the models whose names end as that of the optimizer; else, of all."""
        ending = name.lower().rpartition("_")[2][-1:]
        fitting = [
            m for n, m in self.models.items() if n.lower()[-1:] == ending or n.lower()[:1] == ending
        ]
        chosen = fitting if len(self.models) > 1 and fitting else [*self.models.values()]
        found = [each for model in chosen for each in model.parameters()]
        return found or [nn.Parameter(torch.zeros(2))]

    def _find_optimizer(self) -> torch.optim.Optimizer:
        known = (each for each in self.keeping.values() if isinstance(each, torch.optim.Optimizer))
        return next(known, None) or torch.optim.SGD([nn.Parameter(torch.zeros(2))], lr=0.1)

    def _make_loader(self, wanted: Wanted) -> DataLoader[Any]:
        form = wanted.forms[min(self.form, len(wanted.forms) - 1)]
        batches = [make_batch(form, self.goal, self.generator) for _ in range(BATCHES)]
        rows = [_take_row(batch, row) for batch in batches for row in range(ROWS)]
        return DataLoader(_Rows(rows), batch_size=ROWS)


class _Rows(torch.utils.data.Dataset[Any]):  # type: ignore[misc]
    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Any:
        return self._rows[index]


def _take_row(batch: Any, row: int) -> Any:
    if isinstance(batch, Mapping):
        return {key: _take_row(each, row) for key, each in batch.items()}
    if isinstance(batch, list):
        return [_take_row(each, row) for each in batch]
    return batch[row]


class Settings(dict[str, Any]):
    """Settings as attributes and keys, each made when it is asked for, by its name and what is done with it."""

    def __init__(self, made: Made, uses: NameUses) -> None:
        super().__init__()
        vars(self).update(_made=made, _uses=uses)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __missing__(self, name: str) -> Any:
        uses = vars(self)["_uses"].attributes.get(name, NameUses())
        kind = find_kind(name, uses)
        wanted = Wanted(name, "number" if kind in _NO_SETTINGS else kind, uses, USUAL)
        self[name] = vars(self)["_made"]._make(wanted)
        return self[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The setting; the default where the code has one."""
        return self[name] if default is None or name in self else default
