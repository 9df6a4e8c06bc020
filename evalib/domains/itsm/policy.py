"""The service desk's rules in figures: device ages, cool-downs, windows, service levels.

Source: the published EVA-Bench records (their premises and recorded responses) and the rules of the
published tools as eva-compat states them. The tools refuse what breaks most of these rules. What
they leave to the agent, as the published tools do, shows in the final state: whether a budget or a
device's age was checked before hardware is ordered, whether an assessment is on file.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

# Authentication: the flags of the session, by level
EMPLOYEE, OTP, MANAGER = "employee_auth", "otp_auth", "manager_auth"

# Incidents
TROUBLESHOOTING_FIRST = ("login_issue", "network_connectivity")
HELD_BY_SECURITY = ("security_investigation", "admin_hold")
SLA_TIER_OF_URGENCY = {"high": "tier_1", "medium": "tier_2", "low": "tier_3"}
SLA_RESPONSE_HOURS = {"tier_1": 1, "tier_2": 4, "tier_3": 8}
SLA_RESOLUTION_HOURS = {"tier_1": 4, "tier_2": 8, "tier_3": 24}

# Hardware
MIN_AGE_MONTHS = {"laptop_replacement": 36, "monitor_bundle": 12}
RETURN_DAYS = 14

# Approvals and licences
APPROVAL_HOURS = 48
ESCALATION_HOURS = 48  # stands in no record seen: taken to be as long as the approval's
LICENSE_DAYS = (30, 60, 90)
RENEWAL_DAYS_BEFORE = 30
RENEWAL_DAYS_AFTER = 14
RENEWAL_TERM_DAYS = 365

# Facilities: days between two assignments of a kind
DESK_COOLDOWN_DAYS = 90
PARKING_COOLDOWN_DAYS = 180
MAX_ROOM_CAPACITY = 50

# Accounts
EMAIL_DOMAIN = "company.com"
ACCESS_REVIEW_DAYS = 90
ACCESS_REVIEW_TOLERANCE_DAYS = 3
EMAIL_PRESERVED_DAYS = 30


def age_months(since: date, today: date) -> int:
    """Whole calendar months from `since` to `today`."""
    months = (today.year - since.year) * 12 + today.month - since.month
    return months - (today.day < since.day)


def renewable(expires: date, today: date) -> bool:
    """Whether a licence is close enough to its end, or has not ended too long ago."""
    return -RENEWAL_DAYS_AFTER <= (expires - today).days <= RENEWAL_DAYS_BEFORE


def deadline(today: date, hours: int) -> str:
    """So many hours from today's midnight, ``"YYYY-MM-DD HH:MM"``; the tools know no time of day."""
    return f"{datetime.combine(today, time()) + timedelta(hours=hours):%Y-%m-%d %H:%M}"
