"""What of which model is recorded: what people decide, and nothing of what is read from clusters."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Model

FIELDS: Mapping[str, Sequence[str]] = {
    "auth.user": (
        "username",
        "first_name",
        "last_name",
        "email",
        "is_active",
        "is_staff",
        "is_superuser",
        "password",
    ),
    "auth.group": ("name",),
    "access.apitoken": ("user", "name", "scope", "expires_at"),
    "access.identity": ("user", "issuer", "subject", "made_operator"),
    # Paths of kubeconfig files are settings of operators; what is in the files is never read here.
    "inventory.cluster": ("name", "kubeconfig", "context", "in_cluster", "enabled", "queue"),
    "inventory.team": ("slug", "name", "colour"),
    "inventory.teamnamespace": ("team", "cluster", "namespace"),
    "inventory.teamrule": ("position", "cluster", "subject", "selector", "team", "key", "source"),
    "inventory.teamrulevalue": ("rule", "value", "team"),
    "inventory.teamquota": (
        "team",
        "dimension",
        "quantity",
        "hard",
        "cluster",
        "driver",
        "product",
        "device_class",
        "starts_at",
        "ends_at",
        "note",
    ),
    "inventory.membership": ("team", "user", "role", "source"),
    # Without its manifest, which may hold what its author would not want to be kept for long.
    "inventory.savedconversion": ("username", "profile", "cluster", "namespace"),
}
# Relations to many, each with what it is to.
RELATIONS: Mapping[str, Sequence[str]] = {
    "auth.user": ("groups", "user_permissions"),
    "auth.group": ("permissions",),
}
# That they were changed is told, and never what to.
SECRET = ("password",)
_HIDDEN = "(not shown)"


def values(thing: Model, names: Sequence[str]) -> dict[str, Any]:
    return {name: _shown(getattr(thing, name)) for name in names}


def difference(old: Model, new: Model, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What changed, before and after; secrets are compared and then hidden."""
    before, after = values(old, names), values(new, names)
    changed = [name for name in names if before[name] != after[name]]
    return hidden({name: before[name] for name in changed}), hidden({name: after[name] for name in changed})


def hidden(found: dict[str, Any]) -> dict[str, Any]:
    return {name: _HIDDEN if name in SECRET else value for name, value in found.items()}


def _shown(value: Any) -> Any:
    return str(value) if isinstance(value, Model) else value
