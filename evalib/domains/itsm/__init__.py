"""The IT service desk: 59 tools on accounts, incidents, devices, software, places to work, security."""

from evalib.domains.executor import Tool
from evalib.domains.itsm import (
    accounts,
    approvals,
    facilities,
    hardware,
    identity,
    incidents,
    roles,
    rooms,
    security,
    software,
)
from evalib.domains.itsm.lookups import behind
from evalib.domains.itsm.specs import SPECS

_FAMILIES = (
    identity,
    incidents,
    hardware,
    software,
    approvals,
    facilities,
    rooms,
    accounts,
    roles,
    security,
)

TOOLS = tuple(
    Tool(spec, behind(spec.needs, next(vars(f)[spec.name] for f in _FAMILIES if spec.name in vars(f))))
    for spec in SPECS
)
