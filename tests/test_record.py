"""What crosses the process wall: every kind travels and comes back as it was, and nothing else is read."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, cast

import pytest

from lintorch.record import events, messages
from lintorch.record.bounds import Bounds
from lintorch.record.events import OperatorCall, RunEvent, SizeCompared, SizeRead, SizeUse
from lintorch.record.framing import ImproperError, Message, Parcel, read_line, write_line
from lintorch.record.limit_words import seconds_limit
from lintorch.record.messages import FactShown, FileMessage, RunRecorded, WorkRequest, tags_of
from lintorch.record.outcomes import AS_TRACED, Deviation, Outcome, Variation
from lintorch.record.readers import MalformedError, reader_of
from lintorch.record.runs import ModelRun
from lintorch.record.sites import Site
from lintorch.record.tagged import Tagged, tagged_classes
from lintorch.record.wire import pack_value, read_value

SITE = Site("net.py", 9, "forward")
CALL = OperatorCall(SITE, "conv", name="torch.cat", inputs=((2, 3),), args={"dim": (0, None)})
READ = SizeRead(SITE, how=SizeUse.INT, operand=2.5, value=2)


def sent(message: Message) -> Parcel:
    return read_line(write_line(message))


@pytest.mark.parametrize("base", [RunEvent, Message])
def test_every_kind_has_a_tag_of_its_own_and_can_be_read(base: type[Tagged]) -> None:
    kinds = set(tagged_classes(base))
    assert len(kinds) > 15
    assert max(Counter(kind.tag for kind in kinds).values()) == 1
    for kind in kinds:
        assert callable(reader_of(cast(Any, kind)))
        assert not str(kind.__doc__).startswith(f"{kind.__name__}("), "says nothing of itself"


def test_every_event_is_one_that_rules_can_name() -> None:
    assert {kind.__name__ for kind in tagged_classes(RunEvent)} <= set(events.__all__)


@pytest.mark.parametrize(
    "message",
    [
        RunRecorded(ModelRun({"batch": 2}, (CALL, READ), "too wide")),
        FactShown(SizeCompared(SITE, left=4, operator="<", right=5.0, value=True)),
        messages.ExportTried(
            Outcome(
                "onnx",
                "wrong",
                wrong=(
                    Deviation(AS_TRACED, None),
                    Deviation(Variation(("height", "width"), (97, 129)), 1),
                ),
            )
        ),
        messages.ModelDone(),
    ],
)
def test_a_message_comes_back_as_it_was(message: FileMessage) -> None:
    assert sent(message).open_as(FileMessage) == message


def test_a_request_brings_its_bounds_and_leaves_its_arguments_as_they_are() -> None:
    bounds = Bounds(3, 2**30, kinds=tags_of(FileMessage), time=seconds_limit(3))
    arguments = {"passed": ["a", "b"], "setting": {"inputs": [["x"]]}}
    request = WorkRequest("module:name", arguments, bounds, ("json",), ())
    assert sent(request).open_as(WorkRequest) == request


def event_with(**changes: Any) -> Any:
    return {"size": {**pack_value(READ)["size"], **changes}}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"sizes": {}}, "there is nothing known as 'sizes'"),
        ({**event_with(), "operator": {}}, "there is nothing known as 'size'"),
        ([], "dict is missing where list is"),
        (event_with(how="guess"), "there is no SizeUse 'guess'"),
        (event_with(how=[]), "there is no SizeUse list"),
        (event_with(more=1), "SizeRead has no field 'more'"),
        (event_with(operand="2"), "is missing where '2' is"),
        (event_with(site={"path": "net.py", "row": 0}), "there is no row 0"),
        (event_with(site={"row": 3}), "Site lacks path"),
        ({"plain-tensor": {"site": pack_value(SITE), "use": "lost"}}, "'lost' is none of computed"),
    ],
)
def test_what_is_no_event_is_refused(data: Any, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        read_value(RunEvent, json.loads(json.dumps(data)))


def test_what_a_piece_of_work_may_not_send_is_refused() -> None:
    bounds = Bounds(3, 2**30, kinds=tags_of(RunRecorded))
    assert bounds.admit(Parcel("run", {}))
    with pytest.raises(ImproperError, match="a kind that is not its own, 'done'"):
        bounds.admit(sent(messages.ModelDone()))
