"""Identifiers of what the service desk creates, derived from its content.

Nothing is drawn: a record is named by a digest of what it says, so the same request always gets the
same identifier whatever was done before it. Left out of the digest is what later steps add to a
record (its status, routing, service level) and every identifier of this kind inside it.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

ADDED_LATER = frozenset(
    {
        "access_review_id",
        "approval_routed_to",
        "approval_sla_deadline",
        "diagnostic_attached",
        "diagnostic_ref_code",
        "dispatch_date",
        "dispatch_id",
        "dispatch_window",
        "escalated_to",
        "escalation_sla_deadline",
        "linked_known_error_id",
        "remote_wipe_id",
        "resolved_date",
        "review_date",
        "sla_resolution_hours",
        "sla_response_hours",
        "sla_tier",
        "status",
    }
)
_DERIVED = re.compile(r"(?:REQ-[A-Z]+-|INC|CASE-[A-Z]+-|SEC-|CAL-)[A-Za-z0-9]+")
_DIGITS = 12


def content_id(prefix: str, record: dict[str, Any]) -> str:
    """`prefix` and 12 hex digits of the record's content; its own identifier must be None in it."""
    text = json.dumps(_content(record), sort_keys=True, separators=(",", ":"), default=str)
    return prefix + hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:_DIGITS]


def _content(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _content(v) for k, v in value.items() if k not in ADDED_LATER}
    if isinstance(value, list):
        return [_content(item) for item in value]
    if isinstance(value, str) and _DERIVED.fullmatch(value):
        return None
    return value


def store(db: dict[str, Any], table: str, prefix: str, id_field: str, record: dict[str, Any]) -> str:
    """Put a record into a table under the identifier its content gives it, and return that."""
    new_id = content_id(prefix, {id_field: None, **record})
    db.setdefault(table, {})[new_id] = {id_field: new_id, **record}
    return new_id
