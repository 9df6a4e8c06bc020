"""The declarations of the 59 service desk tools: names, kinds, parameters (eva-compat signatures)."""

from evalib.domains.itsm.specs import accounts, facilities, hardware, identity, incidents, security, software

SPECS = (
    *identity.SPECS,
    *incidents.SPECS,
    *hardware.SPECS,
    *software.SPECS,
    *facilities.SPECS,
    *accounts.SPECS,
    *security.SPECS,
    software.STATUS,
    software.ESCALATE,
    identity.TRANSFER,
)
