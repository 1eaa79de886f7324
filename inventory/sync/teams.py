"""Whose things are, by the rules: kept with namespaces, claims and Pods.

Each row gets its team when it is written. What else decides may change later, or be known later: a namespace
moves, a Pod comes after its claim. `follow` gives what that concerns to whom it belongs now.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from inventory.kube.label_selector import SelectorError, parse
from inventory.models import Claim, Cluster, Namespace, Pod, PodClaim, Team, TeamNamespace, TeamRule
from inventory.ownership import presets
from inventory.ownership.described import Described
from inventory.ownership.rulebook import Rule, Rulebook, Subject
from inventory.sync import bulk, holdings, intervals, past, pod_intervals
from inventory.sync.touched import Touched, batches


def rulebook(cluster: Cluster) -> Rulebook:
    """What decides in this cluster; a rule that cannot be read is left out."""
    concerns_it = Q(cluster=cluster) | Q(cluster=None)
    here: dict[str, int] = {}
    everywhere: dict[str, int] = {}
    assigned = TeamNamespace.objects.filter(concerns_it).order_by()
    for namespace, team, of_cluster in assigned.values_list("namespace", "team_id", "cluster_id"):
        (here if of_cluster else everywhere)[namespace] = team
    return Rulebook(
        slugs=dict(Team.objects.order_by().values_list("slug", "pk")),
        here=here,
        everywhere=everywhere,
        rules=tuple(_rules(TeamRule.objects.filter(concerns_it))),
    )


def _rules(rows: QuerySet[TeamRule]) -> Iterator[Rule]:
    named: defaultdict[int, dict[str, int]] = defaultdict(dict)
    columns = ("pk", "subject", "selector", "team_id", "key", "source", "values__value", "values__team_id")
    found: dict[int, tuple[Any, ...]] = {}
    for pk, *rest, value, team in rows.order_by("position", "pk").values_list(*columns):
        found[pk] = tuple(rest)
        if value is not None:
            named[pk][value] = team
    for pk, (subject, text, team, key, source) in found.items():
        try:
            selector = parse(text) if text else None
        except SelectorError:
            continue
        in_annotations = source == TeamRule.Source.ANNOTATION
        yield Rule(pk, Subject(subject), selector, team, key, in_annotations, named[pk])


def kept_annotations(book: Rulebook) -> dict[Subject, set[str]]:
    """The keys of the annotations that are kept, by whose they are."""
    return {subject: book.annotations(subject) | presets.annotations(subject) for subject in Subject}


def users_of(book: Rulebook, claim_ids: Iterable[int]) -> Mapping[int, Sequence[Described]]:
    """The Pods that each claim is reserved for; of one that is reserved for none, those that name it."""
    reserved: defaultdict[int, list[Described]] = defaultdict(list)
    naming: defaultdict[int, list[Described]] = defaultdict(list)
    if not book.looks_at_pods:
        return {}
    columns = ("claim_id", "reserved", "pod__labels", "pod__annotations")
    for batch in batches(claim_ids):
        rows = PodClaim.objects.filter(claim__in=batch).order_by()
        for claim, is_reserved, labels, annotations in rows.values_list(*columns):
            (reserved if is_reserved else naming)[claim].append(Described(labels, annotations))
    return {**naming, **reserved}


def follow(cluster: Cluster, book: Rulebook, touched: Touched, now: datetime) -> None:
    """Give claims and Pods to whom they belong after all that has been written, and tell their history."""
    if book.looks_at_pods:
        _settle_claims(book, touched.claims | touched.claims_of_pods | _used_by(touched.pods), touched)
    if touched.moved:
        of_moved = {"namespace__in": touched.moved}
        _settle_claims(book, Claim.objects.filter(**of_moved).values_list("pk", flat=True), touched)
        _settle_pods(book, Pod.objects.filter(**of_moved).values_list("pk", flat=True), touched)
    _tell_history(cluster, book, touched, now)


def assign(cluster: Cluster, now: datetime) -> int:
    """Give everything that is known of a cluster to whom it belongs now; how many rows changed.

    A team that has another slug now is told in history as another one: that is a change, too.
    """
    book, touched = rulebook(cluster), Touched(cluster.revision + 1)
    claims = Claim.objects.filter(cluster=cluster).order_by()
    namespaces = owned_namespaces(book, Namespace.objects.filter(cluster=cluster))
    wrong = [(row.id, team) for row, team in namespaces if row.team != team]
    touched.changes += bulk.update(Namespace, ("team_id",), wrong)
    _settle_claims(book, claims.values_list("pk", flat=True), touched)
    touched.changes += holdings.pass_on(cluster, touched.passed_on)
    touched.passed_on = dict(claims.values_list("uid", "team_id"))
    _settle_pods(book, Pod.objects.filter(cluster=cluster).values_list("pk", flat=True), touched)
    _tell_history(cluster, book, touched, now)
    past.set_back(cluster, touched.past)
    return max(touched.changes, int(touched.tells))


class Row(NamedTuple):
    """What has a team. `name` is a claim's UID, to find its history, and a namespace's name."""

    id: int
    name: str
    team: int | None
    one: Described


def owned_namespaces(book: Rulebook, namespaces: QuerySet[Namespace]) -> Iterator[tuple[Row, int | None]]:
    """Namespaces, with the teams that they belong to."""
    columns = ("pk", "name", "team_id", "labels", "annotations", "listed")
    for pk, name, team, labels, annotations, listed in namespaces.order_by().values_list(*columns):
        row = Row(pk, name, team, Described(labels, annotations))
        owner = book.of_namespace(name, row.one if listed else None)
        yield row, owner.team if owner else None


def owned_claims(book: Rulebook, claim_ids: Sequence[int]) -> Iterator[tuple[Row, int | None]]:
    """Claims, with the teams that they belong to."""
    users = users_of(book, claim_ids)
    columns = ("pk", "uid", "team_id", "labels", "annotations", "namespace__team_id")
    for pk, uid, team, labels, annotations, of_namespace in (
        Claim.objects.filter(pk__in=claim_ids).order_by().values_list(*columns)
    ):
        row = Row(pk, uid, team, Described(labels, annotations))
        owner = book.of_claim(row.one, users.get(pk, ()))
        yield row, owner.team if owner else of_namespace


def owned_pods(book: Rulebook, pod_ids: Sequence[int]) -> Iterator[tuple[Row, int | None]]:
    """Pods, with the teams that they belong to."""
    columns = ("pk", "name", "team_id", "labels", "annotations", "namespace__team_id")
    for pk, name, team, labels, annotations, of_namespace in (
        Pod.objects.filter(pk__in=pod_ids).order_by().values_list(*columns)
    ):
        row = Row(pk, name, team, Described(labels, annotations))
        owner = book.of_pod(row.one)
        yield row, owner.team if owner else of_namespace


def _used_by(pod_ids: Iterable[int]) -> set[int]:
    found: set[int] = set()
    for batch in batches(pod_ids):
        rows = PodClaim.objects.filter(pod__in=batch, claim__isnull=False).order_by()
        found.update(rows.values_list("claim_id", flat=True))
    return found


def _settle_claims(book: Rulebook, claim_ids: Iterable[int], touched: Touched) -> None:
    for batch in batches(claim_ids):
        wrong = [(row, team) for row, team in owned_claims(book, batch) if row.team != team]
        touched.changes += bulk.update(Claim, ("team_id",), [(row.id, team) for row, team in wrong])
        touched.passed_on.update((row.name, team) for row, team in wrong)


def _settle_pods(book: Rulebook, pod_ids: Iterable[int], touched: Touched) -> None:
    for batch in batches(pod_ids):
        wrong = [(row.id, team) for row, team in owned_pods(book, batch) if row.team != team]
        touched.changes += bulk.update(Pod, ("team_id",), wrong)


def _tell_history(cluster: Cluster, book: Rulebook, touched: Touched, now: datetime) -> None:
    for batch in batches(touched.passed_on.items()):
        of_claims = {uid: book.slug_of(team) for uid, team in batch}
        intervals.pass_on(cluster, of_claims, touched, now)
        pod_intervals.pass_on(cluster, of_claims, now)
