"""conversation_valid_end and conversation_correctly_finished: every end, with either side last."""

from __future__ import annotations

import pytest

from evalib.core import EndReason, Turn
from evalib.metrics.conversation_correctly_finished import METRIC as FINISHED
from evalib.metrics.conversation_valid_end import METRIC as VALID

CALLER_LAST = [Turn(0, agent=[(0, 1)]), Turn(1, [(2, 3)])]
AGENT_LAST = [Turn(0, agent=[(0, 1)]), Turn(1, [(2, 3)], [(4, 5)])]
ENDS = {
    # end reason: (valid, finished) with the caller last, and with the agent last
    EndReason.GOODBYE: ((1, 1), (1, 1)),
    EndReason.TRANSFER: ((1, 1), (1, 1)),
    EndReason.AGENT_HANGUP: ((1, 1), (1, 1)),
    EndReason.INACTIVITY: ((1, 0), (0, 1)),
    EndReason.TIME_LIMIT: ((0, 1), (0, 1)),
    EndReason.ERROR: ((0, None), (0, None)),
}


@pytest.mark.parametrize("ended", list(EndReason))
@pytest.mark.parametrize("last", [0, 1], ids=["caller last", "agent last"])
def test_every_end(make_conversation, make_scenario, ended, last):
    conversation = make_conversation(turns=(CALLER_LAST, AGENT_LAST)[last], end_reason=ended)
    valid, finished = (m.score(conversation, make_scenario())[0] for m in (VALID, FINISHED))
    assert (valid.value, finished.value) == ENDS[ended][last]
    assert valid.status == "ok"  # the gate can be told of a broken call as well
    assert finished.status == ("infra_error" if ended == EndReason.ERROR else "ok")


def test_failures_say_why(make_conversation, make_scenario):
    conversation = make_conversation(end_reason=EndReason.TIME_LIMIT)
    assert "time_limit_exceeded" in VALID.score(conversation, make_scenario())[0].reason


def test_empty_call(make_conversation, make_scenario):
    conversation = make_conversation(turns=[], end_reason=EndReason.INACTIVITY)
    assert VALID.score(conversation, make_scenario())[0].value == 0.0
    assert FINISHED.score(conversation, make_scenario())[0].value == 1.0
