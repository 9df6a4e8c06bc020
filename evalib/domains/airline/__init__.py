"""The airline domain: 15 tools on reservations, flights, vouchers and refunds."""

from evalib.domains.airline import compensation, flights, reservations, services
from evalib.domains.airline.specs import SPECS
from evalib.domains.executor import Tool

_ROOMS = (reservations, flights, services, compensation)

TOOLS = tuple(
    Tool(spec, next(getattr(room, spec.name) for room in _ROOMS if hasattr(room, spec.name)))
    for spec in SPECS
)
