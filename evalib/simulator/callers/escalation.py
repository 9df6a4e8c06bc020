"""Whether a caller's escalation rule, which is prose, lets it be transferred to a live agent."""

from __future__ import annotations

import re

_NOT = r"(?:do not|don't|must not|should not|never|under no circumstances|not to)"
_WHO = r"(?:transfer|live|human|agent|supervisor)"
_REFUSES = re.compile(
    r"(?<!agent )(?<!they )\b(?:refuse|decline|reject|turn (?:it |them )?down)\b|\bsay no\b|^\W*no\b"
    rf"|{_NOT}\W+(?:\w+\W+){{0,3}}?(?:accept|agree|speak|talk|let|allow|take"
    r"|be (?:transferred|connected|put))"
    rf"|{_WHO}.*\b(?:unacceptable|out of the question|not (?:acceptable|an option|wanted))",
    re.I,
)
# "Do not ask to speak to one" keeps from asking; "do not insist" does not even do that.
_NOT_ASKING = re.compile(rf"{_NOT}\W+(?:\w+\W+)?(?:ask|request|demand)\b", re.I)
_AGREES = re.compile(rf"\b(?:accept|agree|ask|request|welcome|insist)\b.*{_WHO}", re.I)


def transfer_allowed(rule: str) -> bool:
    """Judge the rule clause by clause.

    A clause that refuses decides; else one that asks for or accepts a transfer; else one that keeps
    the caller from asking. A rule that says none of this allows it.
    """
    parts = [part for part in re.split(r"[.;!]\s*|\bbut\b", rule) if part.strip()]
    asks = [bool(_NOT_ASKING.search(part)) for part in parts]
    if any(_REFUSES.search(part) for part, no in zip(parts, asks, strict=True) if not no):
        return False
    if any(_AGREES.search(part) for part, no in zip(parts, asks, strict=True) if not no):
        return True
    return not any(asks)
