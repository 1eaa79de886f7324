"""The columns that `kubectl get resourceclaims` shows."""

from datetime import datetime, timedelta

from demo.store import Object

CLAIM_COLUMNS = [
    {
        "name": "Name",
        "type": "string",
        "format": "name",
        "description": (
            "Name must be unique within a namespace. Is required when creating resources, although some "
            "resources may allow a client to request the generation of an appropriate name automatically. "
            "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
            "updated. More info: "
            "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
        ),
        "priority": 0,
    },
    {
        "name": "State",
        "type": "string",
        "format": "",
        "description": "A summary of the current state (allocated, pending, reserved, etc.).",
        "priority": 0,
    },
    {
        "name": "Age",
        "type": "string",
        "format": "",
        "description": (
            "CreationTimestamp is a timestamp representing the server time when this object was created. "
            "It is not guaranteed to be set in happens-before order across separate operations. Clients may "
            "not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
            "system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/"
            "sig-architecture/api-conventions.md#metadata"
        ),
        "priority": 0,
    },
]


def claim_cells(claim: Object, now: datetime) -> list[str]:
    metadata = claim["metadata"]
    created = datetime.fromisoformat(metadata["creationTimestamp"])
    return [metadata["name"], claim_state(claim), human_duration(now - created)]


def claim_state(claim: Object) -> str:
    """The words of the upstream printer (pkg/printers/internalversion/printers.go)."""
    status = claim.get("status") or {}
    deleted = "deletionTimestamp" in claim["metadata"]
    states = ["deleted"] if deleted else []
    if status.get("allocation"):
        states.append("allocated")
        states += ["reserved"] if status.get("reservedFor") else []
    elif not deleted:
        states.append("pending")
    return ",".join(states)


def human_duration(age: timedelta) -> str:
    """Two units at most, the smaller one only while it tells something (`duration.HumanDuration`)."""
    seconds = max(0, int(age.total_seconds()))
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m" + (f"{seconds % 60}s" if seconds % 60 else "")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + (f"{minutes % 60}m" if minutes % 60 else "")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d" + (f"{hours % 24}h" if hours % 24 else "")
    years = days // 365
    if years < 2:
        return f"{days}d"
    if years < 8:
        return f"{years}y" + (f"{days % 365}d" if days % 365 else "")
    return f"{years}y"
