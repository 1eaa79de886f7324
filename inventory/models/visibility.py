"""Which rows somebody may see: the one place that decides, for queries and for rows that are loaded.

A row that names something of a team is seen by that team, by the team of its namespace, and by operators.
What was held is seen by the team whose it was then: a namespace may have become another's since. All other
rows (devices, cards, nodes, pools, slices, classes, clusters) are seen by everybody who is signed in.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeVar

from django.apps import apps
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from inventory.viewer import Viewer

_ModelT = TypeVar("_ModelT", bound=Model)

# Where the teams stand whose members see a row.
_TEAMS: Mapping[str, Sequence[str]] = {
    "Team": ("id",),
    "Namespace": ("team_id",),
    "Claim": ("team_id", "namespace__team_id"),
    "ClaimTemplate": ("namespace__team_id",),
    "Consumer": ("claim__team_id", "claim__namespace__team_id"),
    "Share": ("claim__team_id", "claim__namespace__team_id"),
    "Pod": ("team_id", "namespace__team_id"),
    "HamiPod": ("team_id", "namespace__team_id"),
    "PodClaim": ("pod__team_id", "pod__namespace__team_id"),
    "Quota": ("namespace__team_id",),
    "TeamQuota": ("team_id",),
}
# The past is theirs whose it was then: a namespace that moves to another team takes nothing of it along.
_BY_SLUG = frozenset({"ClaimEvent", "PodInterval", "ShareInterval", "UsageTotal"})


class VisibleQuerySet(QuerySet[_ModelT]):
    """Of a model whose rows name something of a team."""

    def visible_to(self, viewer: Viewer) -> Self:
        return self if viewer.teams is None else self.filter(visible(self.model, viewer))


class OwnQuerySet(QuerySet[_ModelT]):
    """Of a model whose rows belong to the `user` who made them."""

    def visible_to(self, viewer: Viewer, user: AbstractBaseUser | AnonymousUser) -> Self:
        return self if viewer.teams is None else self.filter(user__isnull=False, user=user.pk)


def visible(model: type[Model], viewer: Viewer, path: str = "") -> Q:
    """The condition; with `path` for rows of this model at its end. Always true for who sees everything."""
    if viewer.teams is None:
        return Q()
    name, prefix = model.__name__, f"{path}__" if path else ""
    if name == "SkippedObject":
        return Q(Exists(_namespaces_named(viewer, prefix)))
    if name in _BY_SLUG:
        return Q(**{f"{prefix}team_slug__in": _slugs(viewer)})
    found = Q()
    for column in _TEAMS[name]:
        found |= _of_teams(f"{prefix}{column}", viewer)
    return found


def is_visible(row: Model, viewer: Viewer) -> bool:
    """Of a row whose namespace is loaded with it."""
    return viewer.teams is None or any(
        viewer.sees(_value(row, column)) for column in _TEAMS[type(row).__name__]
    )


def _of_teams(column: str, viewer: Viewer) -> Q:
    """By their namespaces and not by a join, so that an index finds the few rows of a team among all."""
    if not column.endswith("namespace__team_id"):
        return Q(**{f"{column}__in": viewer.teams})
    namespaces: type[Any] = apps.get_model("inventory", "Namespace")
    theirs = namespaces.objects.filter(team__in=viewer.teams).order_by()
    return Q(**{f"{column.removesuffix('__team_id')}__in": theirs.values("pk")})


def _value(row: Any, column: str) -> int | None:
    for step in column.split("__"):
        row = getattr(row, step)
    return None if row is None else int(row)


def _namespaces_named(viewer: Viewer, prefix: str) -> QuerySet[Model]:
    """Of what keeps the name of a namespace, which need not be there any more."""
    namespaces: type[Any] = apps.get_model("inventory", "Namespace")
    found: QuerySet[Model] = namespaces.objects.filter(
        cluster=OuterRef(f"{prefix}cluster"), name=OuterRef(f"{prefix}namespace"), team__in=viewer.teams
    )
    return found


def _slugs(viewer: Viewer) -> QuerySet[Any, Any]:
    teams: type[Any] = apps.get_model("inventory", "Team")
    found: QuerySet[Any, Any] = teams.objects.filter(pk__in=viewer.teams).order_by().values("slug")
    return found
