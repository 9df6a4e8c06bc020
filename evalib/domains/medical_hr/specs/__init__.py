"""The declarations of the HR tools: names, kinds, parameters (eva-compat signatures)."""

from evalib.domains.medical_hr.specs import credentialing, employment, workforce

SPECS = (
    *employment.AUTHENTICATION,
    *employment.FILE,
    *credentialing.SPECS,
    *workforce.SPECS,
    *employment.TRANSFER,
)
