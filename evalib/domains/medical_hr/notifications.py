"""Tools that tell somebody: a committee, a manager, a state programme, HR, counsel.

Telling the same thing twice leaves one notification.
"""

from __future__ import annotations

from evalib.domains.medical_hr.lookups import Record, person_of, provider_of


def _notify(db: Record, recipient: str, **content: str) -> None:
    notification = {"recipient": recipient, **content}
    sent = db.setdefault("notifications", [])
    if notification not in sent:
        sent.append(notification)


def notify_credentialing_committee(db: Record, args: Record, call_index: int) -> Record:
    provider_of(db, args["npi"])
    _notify(db, "credentialing_committee", **args)
    return args | {"message": f"Credentialing committee notified: {args['notification_type']}"}


def notify_department_manager(db: Record, args: Record, call_index: int) -> Record:
    department = person_of(db, args["employee_id"])["department_code"]
    _notify(db, "department_manager", department_code=department, **args)
    return args | {"message": f"Department manager notified: {args['notification_type']}"}


def notify_pdmp(db: Record, args: Record, call_index: int) -> Record:
    provider_of(db, args["npi"])
    _notify(db, "pdmp", notification_type="dea_transfer", **args)
    where = f"state {args['state_code']}, facility {args['facility_code']}"
    return args | {"message": f"PDMP notified for {where}"}


def notify_hr_compliance(db: Record, args: Record, call_index: int) -> Record:
    person_of(db, args["employee_id"])
    _notify(db, "hr_compliance", **args)
    return args | {"message": f"HR compliance notified: {args['notification_type']}"}


def notify_immigration_counsel(db: Record, args: Record, call_index: int) -> Record:
    person_of(db, args["employee_id"])
    _notify(db, "immigration_counsel", **args)
    return args | {"message": f"Immigration counsel notified: {args['notification_type']}"}
