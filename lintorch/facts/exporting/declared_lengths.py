"""Whether anybody asks an export for lengths that vary: what refuses them at once is told to those alone."""

from __future__ import annotations

from lintorch.core.profile import DEFAULT_EXPORTERS, Profile
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import NONE
from lintorch.facts.models.evaluation import Evaluation

_DECLARING = ("torch.export.export", "torch.onnx.export")


def is_declared(profile: Profile, evaluation: Evaluation) -> bool:
    """Whether exporters are named by the project, or the file declares sizes dynamic."""
    return profile.exporters != DEFAULT_EXPORTERS or any(
        name_given(event).get("dynamic_shapes", NONE) != NONE
        for _, event in evaluation.list_events(_DECLARING)
        if isinstance(event, Called)
    )
