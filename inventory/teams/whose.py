"""Whose namespaces are, and why: also of those that are nobody's."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from inventory.kube.label_selector import SelectorError, parse
from inventory.models import Cluster, Namespace, TeamRule
from inventory.ownership.described import Described
from inventory.ownership.rulebook import Owner, Rulebook, Why
from inventory.sync.teams import rulebook


class Whose(NamedTuple):
    """A namespace with the reason for which it is its team's; empty where it has none."""

    namespace: Namespace
    reason: str


class Reasons:
    """Why namespaces are whose they are; the rules of each cluster are read once."""

    def __init__(self) -> None:
        self._books: dict[int, Rulebook] = {}
        self._rules: Mapping[int, TeamRule] | None = None

    def of(self, namespace: Namespace) -> str:
        if namespace.cluster_id not in self._books:
            self._books[namespace.cluster_id] = rulebook(namespace.cluster)
        said = Described(namespace.labels, namespace.annotations) if namespace.listed else None
        owner = self._books[namespace.cluster_id].of_namespace(namespace.name, said)
        return self._told(owner) if owner else ""

    def _told(self, owner: Owner) -> str:
        if owner.rule is None:
            return (
                _("assigned in this cluster") if owner.why is Why.ASSIGNED_HERE else _("assigned everywhere")
            )
        if self._rules is None:
            self._rules = TeamRule.objects.in_bulk()
        rule = self._rules.get(owner.rule.id)
        # It may have been deleted since the others were read.
        return _("rule %(position)s, %(rule)s") % {"position": rule.position, "rule": rule} if rule else ""


def namespaces(clusters: QuerySet[Cluster]) -> Iterator[Whose]:
    """All that are known in these clusters, by name."""
    reasons = Reasons()
    rows = Namespace.objects.filter(cluster__in=clusters).select_related("cluster", "team")
    for namespace in rows.order_by("cluster__name", "name"):
        yield Whose(namespace, reasons.of(namespace))


def unread_rules() -> Iterator[tuple[TeamRule, str]]:
    """Rules that never apply, because nobody can read their selectors."""
    for rule in TeamRule.objects.exclude(selector=""):
        try:
            parse(rule.selector)
        except SelectorError as error:
            yield rule, str(error)
