"""The healthcare HR domain: 48 tools on credentials, shifts, leave, onboarding and privileges."""

from evalib.domains.executor import Tool
from evalib.domains.medical_hr import (
    appointments,
    authentication,
    credentials,
    employment,
    leave,
    notifications,
    privileges,
    shifts,
)
from evalib.domains.medical_hr.lookups import behind
from evalib.domains.medical_hr.specs import SPECS

_ROOMS = (
    authentication,
    employment,
    appointments,
    credentials,
    privileges,
    shifts,
    leave,
    notifications,
)

TOOLS = tuple(
    Tool(
        spec,
        behind(spec.needs, next(getattr(room, spec.name) for room in _ROOMS if hasattr(room, spec.name))),
    )
    for spec in SPECS
)
