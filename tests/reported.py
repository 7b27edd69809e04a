"""What a report of a model holds, where a test knows that it holds it."""

from __future__ import annotations

from lintorch.host.reports import Report
from lintorch.record.models import Failure, Model


def model_of(report: Report) -> Model:
    assert report.model is not None, report.failure
    return report.model


def failure_of(report: Report) -> Failure:
    assert report.failure is not None, report.model
    return report.failure


def subject_of(report: Report) -> Failure | Model:
    """The failure, or else the model that ran."""
    return report.failure or model_of(report)
