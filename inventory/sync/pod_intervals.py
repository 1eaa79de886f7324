"""Who claims were reserved for, and from when to when.

Written last, from the rows: claims and Pods come one after the other, and each may be the newer.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q
from django.db.models.functions import Greatest

from inventory.models import Claim, Cluster, Consumer, Pod, PodInterval
from inventory.ownership.rulebook import Rulebook
from inventory.sync import bulk
from inventory.sync.links import GANG
from inventory.sync.touched import Touched, batches

_ALL = tuple(field.attname for field in PodInterval._meta.concrete_fields)
_KEY = ("claim_uid", "resource", "pod_uid", "pod_name")
_PODS, _GANGS = "pods", "podgroups"
Key = tuple[str, ...]


class Where(NamedTuple):
    """What a consumer belongs to, and where it runs; empty as long as it is not known."""

    workload_kind: str = ""
    workload_name: str = ""
    node: str = ""

    def known_with(self, later: "Where") -> "Where":
        """What is not known any more, was."""
        workload = later[:2] if later.workload_kind else self[:2]
        return Where(*workload, later.node or self.node)


class _Claim(NamedTuple):
    uid: str
    namespace: str
    name: str
    team_slug: str


class Wanted(NamedTuple):
    """What is to be open."""

    namespace: str
    claim_name: str
    team_slug: str
    where: Where


class Open(NamedTuple):
    """What is."""

    id: int
    where: Where
    team_slug: str


def write(cluster: Cluster, book: Rulebook, touched: Touched, now: datetime) -> None:
    """Open and close the intervals of claims that were touched, and amend those of Pods that were."""
    nothing_yet = not PodInterval.objects.filter(cluster=cluster).exists()
    placed = set() if nothing_yet else _reserved_for(cluster, touched.pods_placed)
    for batch in batches(touched.claims | placed):
        of_claims = named(batch, book)
        wanted = desired(cluster, of_claims)
        open_rows = {} if nothing_yet else stored(cluster, [claim.uid for claim in of_claims.values()])
        ended = {key: row for key, row in open_rows.items() if key not in wanted}
        _end([row.id for row in ended.values()], now)
        _amend(open_rows, wanted)
        opened = {key: one for key, one in wanted.items() if key not in open_rows}
        if not nothing_yet:
            touched.claims_retold.update(key[0] for key in (*ended, *opened))
        starts = {key: touched.given_at.get(key[0], now) for key in opened}
        if opened and not nothing_yet:
            starts = _apart(cluster, starts)
        _insert(cluster, opened, {key: (starts[key], None) for key in opened})
    close(cluster, touched.claims_gone, now)
    _write_passed(cluster, touched, now)


def close(cluster: Cluster, uids: Iterable[str], now: datetime) -> None:
    """Of claims that are gone."""
    for batch in batches(uids):
        rows = PodInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=batch)
        _end(list(rows.values_list("pk", flat=True)), now)


def pass_on(cluster: Cluster, slugs: Mapping[str, str], now: datetime) -> None:
    """These claims, by UID, are other teams' from now on: what was, stays theirs whose it was."""
    rows = PodInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=slugs).order_by("pk")
    held = [row for row in rows.values(*_ALL) if row["team_slug"] != slugs[row["claim_uid"]]]
    _end([row["id"] for row in held], now)
    going_on = [
        {
            **row,
            "id": pk,
            "team_slug": slugs[row["claim_uid"]],
            "started_at": max(row["started_at"], now),
        }
        for pk, row in zip(bulk.reserve(PodInterval, len(held)), held, strict=True)
    ]
    bulk.insert(PodInterval, _ALL, ([row[column] for column in _ALL] for row in going_on))


def named(claim_ids: Sequence[int], book: Rulebook) -> dict[int, _Claim]:
    """Claims by what their intervals keep of them."""
    rows = Claim.objects.filter(pk__in=claim_ids).order_by()
    columns = ("pk", "uid", "namespace__name", "name", "team_id")
    return {
        pk: _Claim(uid, namespace, name, book.slug_of(team))
        for pk, uid, namespace, name, team in rows.values_list(*columns)
    }


def desired(cluster: Cluster, claims: Mapping[int, _Claim]) -> dict[Key, Wanted]:
    """What the rows say of these claims."""
    consumers = Consumer.objects.filter(claim__in=claims).order_by("claim_id", "position")
    rows = list(consumers.values_list("claim_id", "resource", "uid", "name"))
    pods = _pods(cluster, {uid for _, resource, uid, _ in rows if resource == _PODS})
    found: dict[Key, Wanted] = {}
    for claim, resource, uid, name in rows:
        where = pods.get(uid, Where()) if resource == _PODS else _of_other(resource, name)
        of = claims[claim]
        found[of.uid, resource, uid, name] = Wanted(of.namespace, of.name, of.team_slug, where)
    return found


def _pods(cluster: Cluster, uids: Iterable[str]) -> dict[str, Where]:
    columns = ("uid", "name", "workload_kind", "workload_name", "node__name")
    found: dict[str, Where] = {}
    for batch in batches(uids):
        rows = Pod.objects.filter(cluster=cluster, uid__in=batch).order_by()
        for uid, name, kind, workload, node in rows.values_list(*columns):
            found[uid] = Where(kind or "Pod", workload or name, node or "")
    return found


def _of_other(resource: str, name: str) -> Where:
    return Where(GANG, name) if resource == _GANGS else Where()


def _reserved_for(cluster: Cluster, uids: Iterable[str]) -> set[int]:
    """The claims that are reserved for these Pods."""
    found: set[int] = set()
    for batch in batches(uids):
        rows = Consumer.objects.filter(resource=_PODS, uid__in=batch).order_by()
        columns = ("claim_id", "claim__cluster_id")
        found.update(claim for claim, of_cluster in rows.values_list(*columns) if of_cluster == cluster.pk)
    return found


def stored(cluster: Cluster, uids: Sequence[str]) -> dict[Key, Open]:
    """What is open of the claims of these UIDs."""
    rows = PodInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=uids).order_by()
    return {
        tuple(key): Open(pk, Where(kind, workload, node), slug)
        for pk, kind, workload, node, slug, *key in rows.values_list("pk", *Where._fields, "team_slug", *_KEY)
    }


def _amend(open_rows: Mapping[Key, Open], wanted: Mapping[Key, Wanted]) -> None:
    amended = [
        (row.id, *after)
        for key, row in open_rows.items()
        if key in wanted and (after := row.where.known_with(wanted[key].where)) != row.where
    ]
    bulk.update(PodInterval, Where._fields, amended)


def _apart(cluster: Cluster, starts: Mapping[Key, datetime]) -> dict[Key, datetime]:
    """None of them lies in the last interval of the same consumer, whatever the clocks say."""
    rows = PodInterval.objects.filter(
        cluster=cluster, claim_uid__in={key[0] for key in starts}, ended_at__gt=min(starts.values())
    )
    last = {tuple(key): end for end, *key in rows.order_by("ended_at").values_list("ended_at", *_KEY)}
    return {key: max(at, last.get(key, at)) for key, at in starts.items()}


def _write_passed(cluster: Cluster, touched: Touched, now: datetime) -> None:
    """What came and went between two commits is in no row."""
    for batch in batches(touched.passed_reservations.items()):
        uids = {one.claim_uid for one, _ in batch}
        rows = PodInterval.objects.filter(
            Q(ended_at=None) | Q(ended_at__gte=now), cluster=cluster, claim_uid__in=uids
        )
        told = {tuple(key) for key in rows.order_by().values_list(*_KEY)}
        missing: dict[Key, Wanted] = {
            key: Wanted(one.namespace, one.claim_name, slug, _of_other(one.resource, one.pod_name))
            for one, slug in batch
            if (key := (one.claim_uid, one.resource, one.pod_uid, one.pod_name)) not in told
        }
        pods = _pods(cluster, {uid for _, resource, uid, _ in missing if resource == _PODS})
        known = {key: one._replace(where=pods.get(key[2], one.where)) for key, one in missing.items()}
        starts = _apart(cluster, {key: touched.given_at.get(key[0], now) for key in known}) if known else {}
        _insert(cluster, known, {key: (starts[key], max(starts[key], now)) for key in known})


def _insert(
    cluster: Cluster,
    opened: Mapping[Key, Wanted],
    moments: Mapping[Key, tuple[datetime, datetime | None]],
) -> None:
    ids = bulk.reserve(PodInterval, len(opened))
    rows = (
        (pk, cluster.pk, *key, *one[:3], *one.where, *moments[key])
        for pk, (key, one) in zip(ids, opened.items(), strict=True)
    )
    columns = ("id", "cluster_id", *_KEY, *Wanted._fields[:3], *Where._fields, "started_at", "ended_at")
    bulk.insert(PodInterval, columns, rows)


def _end(ids: Sequence[int], at: datetime) -> None:
    for batch in batches(ids):
        # A clock may have stepped back: nothing lasts less than nothing.
        PodInterval.objects.filter(pk__in=batch).update(ended_at=Greatest("started_at", at))
