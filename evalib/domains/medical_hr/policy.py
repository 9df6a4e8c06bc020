"""The hospital's HR rules in figures: windows, limits, tiers of authentication.

Source: the published EVA-Bench records (their premises, goals and recorded responses) and the rules
of the published tools as eva-compat states them. The tools that look up and check say no where a
rule is broken; those that submit trust the agent to have asked them first, as the published tools
do. So an agent that submits what it should have refused is not stopped: it shows in the final state.
"""

from __future__ import annotations

from datetime import date, timedelta

# Authentication. Each group of session flags is one step, any flag of it will do.
Steps = tuple[tuple[str, ...], ...]
ANYONE: Steps = ()
IDENTIFIED: Steps = (("employee_auth", "provider_auth"),)
IDENTIFIED_WITH_OTP: Steps = (*IDENTIFIED, ("otp_auth",))
PROVIDER: Steps = (("provider_auth",),)
PROVIDER_WITH_OTP: Steps = (*PROVIDER, ("otp_auth",))

# Credentials
EXTENSION_DAYS = (30, 60, 90)
EXTENSION_WINDOW_DAYS = 60  # how long before its end a licence may be extended
RECREDENTIAL_BELOW_USD = 1_000_000  # per occurrence
MAX_COVERAGE_USD = 1_000_000_000  # evalib's own limit: no cover is higher

# Shifts and payroll
SWAP_LOCKOUT_HOURS = 24
MAX_CORRECTED_HOURS = 24

# Leave
FMLA_MIN_MONTHS = 12
FMLA_MIN_HOURS = 1250  # in the past year
SATURDAY = 5  # date.weekday() of the first day of a weekend
MAX_TIME_OFF_SPAN_DAYS = 366  # evalib's own limit: no request is longer than a year


def extendable(expires: date, today: date) -> bool:
    """Whether a licence has not ended yet and is close enough to its end."""
    return 0 <= (expires - today).days <= EXTENSION_WINDOW_DAYS


def recredential_required(per_occurrence_limit_usd: int) -> bool:
    """Whether malpractice cover is so low that the provider must be credentialed anew."""
    return per_occurrence_limit_usd < RECREDENTIAL_BELOW_USD


def weekdays(start: date, end: date, holidays: frozenset[str]) -> list[str]:
    """The days from `start` to `end`, both included, that are neither weekend nor holiday."""
    days = (start + timedelta(days=n) for n in range((end - start).days + 1))
    return [d.isoformat() for d in days if d.weekday() < SATURDAY and d.isoformat() not in holidays]
