"""What is told of a share, and to whom."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec

from inventory.models import InstantSource, ShareInterval
from inventory.models.visibility import is_visible
from inventory.queries import shares
from inventory.queries.briefs import node_name
from inventory.queries.history.published import quantity
from inventory.queries.news.events import ShareEvent, Step
from inventory.queries.results import Amounts
from inventory.queries.shares import ShareRow
from inventory.viewer import Viewer


class Audience(NamedTuple):
    """Who listens, and to what: clusters by id; namespaces and teams by name, none of them: all."""

    viewer: Viewer
    clusters: frozenset[int]
    namespaces: frozenset[str]
    teams: frozenset[str]


class PastDevice(msgspec.Struct, frozen=True):
    """Null is what is not there any more."""

    id: int | None
    driver: str
    pool: str
    name: str
    node: str | None
    uuid: str | None
    product: str | None


class PastClaim(msgspec.Struct, frozen=True):
    """Null is what is not there any more, or has become another team's since."""

    id: int | None
    namespace: str
    name: str
    uid: str
    state: str | None


class PastShare(msgspec.Struct, frozen=True):
    """A share that is held no more, as far as it is known.

    It is the same as one that began where cluster, device, claim UID, request and share ID are: its own id is
    gone. `ended_not_before`: since when it may have been over, where its end was only seen.
    """

    cluster: str
    device: PastDevice
    share_id: str | None
    request: str
    device_class: str | None
    dedicated: bool
    admin_access: bool
    consumed: Amounts
    claim: PastClaim
    team: str | None
    withheld: bool
    started_at: datetime
    started_source: InstantSource
    ended_at: datetime | None
    ended_not_before: datetime | None
    source: str


class Told(NamedTuple):
    step: Step
    share: ShareRow | PastShare


def told(event: ShareEvent, audience: Audience, slugs: Mapping[int, str]) -> Told | None:
    """None where it is nothing to them. `slugs`: of all teams, by id.

    A share that was passed on from one team to another changes for who sees both, and else begins or ends.
    """
    own = _slugs(audience.viewer, slugs)
    if not _concerns(event, event.interval, audience, own):
        return None
    step, after = event.step, event.passed_to
    if step is Step.ENDED and after is not None and _concerns(event, after, audience, own):
        return None
    if event.passed_from is not None and _concerns(event, event.passed_from, audience, own):
        step = Step.CHANGED
    if event.share is not None:
        return Told(step, shares.row(event.share, audience.viewer))
    return Told(step, _past(event, audience.viewer, own))


def _slugs(viewer: Viewer, slugs: Mapping[int, str]) -> frozenset[str] | None:
    """None: all of them, and what is nobody's."""
    return None if viewer.teams is None else frozenset(slugs[pk] for pk in viewer.teams if pk in slugs)


def _concerns(
    event: ShareEvent, interval: ShareInterval, audience: Audience, own: frozenset[str] | None
) -> bool:
    return (
        interval.cluster_id in audience.clusters
        and (not audience.namespaces or interval.namespace in audience.namespaces)
        and (not audience.teams or interval.team_slug in audience.teams)
        and _may_see(event, interval, audience.viewer, own)
    )


def _may_see(event: ShareEvent, interval: ShareInterval, viewer: Viewer, own: frozenset[str] | None) -> bool:
    """What is held, as in every list; what was, whose it was, and who may read of its claim still.

    What was passed on to another team, only whose it was: it is no news to the others that it was not theirs.
    """
    if own is None or (interval.ended_in is not None and interval.team_slug in own):
        return True
    passed = interval is event.passed_from or (interval is event.interval and event.passed_to is not None)
    return not passed and event.claim is not None and is_visible(event.claim, viewer)


def _past(event: ShareEvent, viewer: Viewer, own: frozenset[str] | None) -> PastShare:
    one = event.interval
    known = own is None or one.team_slug in own
    return PastShare(
        cluster=one.cluster.name,
        device=_device(event),
        share_id=one.share_id or None,
        request=one.request,
        device_class=one.device_class or None,
        dedicated=one.dedicated,
        admin_access=one.admin_access,
        consumed={name: quantity(text) for name, text in one.consumed.items()},
        claim=_claim(event, viewer),
        team=one.team_slug or None if known else None,
        withheld=not known,
        started_at=one.started_at,
        started_source=InstantSource(one.started_source),
        ended_at=one.ended_at,
        ended_not_before=one.ended_not_before,
        source="dra",
    )


def _device(event: ShareEvent) -> PastDevice:
    one, device = event.interval, event.device
    return PastDevice(
        id=device.pk if device else None,
        driver=one.driver,
        pool=one.pool,
        name=one.device,
        node=node_name(device.node) if device else None,
        uuid=device.uuid or None if device else None,
        product=device.product or None if device else None,
    )


def _claim(event: ShareEvent, viewer: Viewer) -> PastClaim:
    one = event.interval
    claim = event.claim if event.claim is not None and is_visible(event.claim, viewer) else None
    return PastClaim(
        id=claim.pk if claim else None,
        namespace=one.namespace,
        name=one.claim_name,
        uid=one.claim_uid,
        state=claim.state if claim else None,
    )
