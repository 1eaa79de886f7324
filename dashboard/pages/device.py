"""One device: who holds which slice of it, what is left, what a claim may ask, what the driver says of it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.access.viewer import viewer_of
from dashboard.charts.device import dimensions_figure, drawn
from dashboard.charts.segments import is_barred, sentence
from dashboard.pages import device_timeline, spans
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source
from dashboard.words import amounts
from inventory.dra.units import short_name
from inventory.kube.quantity import Quantity
from inventory.queries import devices as device_queries
from inventory.queries import held_devices
from inventory.queries.devices import DeviceRow
from inventory.queries.held_devices import HeldDevice
from inventory.queries.shares import ShareRow
from inventory.queries.slices import OTHERS, TeamBrief, Track

_COLUMNS = 4


class ShareLine(NamedTuple):
    """A share with its amount in each dimension that has a column."""

    share: ShareRow
    team: TeamBrief | None
    amounts: list[tuple[Quantity | None, Track]]


class OthersLine(NamedTuple):
    """What others hold together, whose names are withheld."""

    shares: int
    amounts: list[tuple[Quantity | None, Track]]


@page
def device(request: HttpRequest, device_id: int) -> HttpResponse:
    viewer = viewer_of(request.user)
    found = held_devices.one(device_id, viewer=viewer)
    if found is None:
        raise Http404(_("There is no such device; it may have gone since."))
    columns = _columns(found.tracks)
    shown = drawn(found.tracks)
    return show(
        request,
        "device.html",
        {
            "held": found,
            "device": found.row,
            "columns": columns,
            "lines": _lines(found.shares, columns, found.teams),
            "watchers": _lines(found.watchers, columns, found.teams),
            "drawn": shown,
            "figure": dimensions_figure(
                found.row.name,
                found.tracks,
                barred=is_barred(found.row.state or "", tainted=found.row.health.state == "tainted"),
            ),
            "label": ". ".join(sentence("", track).strip() for track in shown),
            "say": _say(found),
            "shares_csv": _shares_csv(found.row),
            "policies": [(name, one, track) for name, one, track in _policies(found)],
            "attributes": _attributes(found.row.attributes),
            "others": _others(found, columns),
            "holders": [*_teams(found.shares, found.teams), *([OTHERS] if found.others else [])],
            "timeline": device_timeline.part(request, found.device, found.teams, timezone.now(), viewer),
            "pods": len({pod.id for share in found.shares for pod in share.pods}),
        },
        active="devices",
        source=Source(
            f"devices/{device_id}/",
            dropped=spans.PARAMETERS,
            clusters=[found.row.cluster],
            kinds=device_queries.KINDS,
        ),
    )


@piece
def device_by_name(request: HttpRequest) -> HttpResponse:
    """Where only the names of a device are known: its page. Those of pools have slashes; paths cannot."""
    cluster, driver, pool, name = (
        request.GET.get(part, "") for part in ("cluster", "driver", "pool", "device")
    )
    found = device_queries.queryset().filter(
        cluster__name=cluster, pool__driver=driver, pool__name=pool, name=name
    )
    if (one := found.first()) is None:
        raise Http404(_("There is no such device; it may have gone since."))
    return redirect("device", device_id=one.pk)


def _columns(tracks: Sequence[Track]) -> list[Track]:
    """Memory and cores, or what else there is, as long as the table stays readable."""
    return [track for track in tracks if track.total is None or track.total][:_COLUMNS]


def _lines(
    shares: Sequence[ShareRow], columns: Sequence[Track], teams: Mapping[str, TeamBrief]
) -> list[ShareLine]:
    return [
        ShareLine(
            share, teams.get(share.team or ""), [(share.held.get(track.name), track) for track in columns]
        )
        for share in shares
    ]


def _others(found: HeldDevice, columns: Sequence[Track]) -> OthersLine | None:
    """None where nothing of it is withheld."""
    others = found.others
    if others is None:
        return None
    return OthersLine(others.shares, [(others.held.get(track.name), track) for track in columns])


def _shares_csv(row: DeviceRow) -> str:
    where = {"cluster": row.cluster, "driver": row.driver, "pool": row.pool, "device": row.name}
    return f"{reverse('shares-list')}?{urlencode({**where, 'format': 'csv'})}"


def _say(found: HeldDevice) -> str:
    """What the picture shows, in one sentence."""
    row = found.row
    if not row.listed:
        return _("No current resource slice lists this device; what claims hold of it is shown below.")
    if not found.shares_held:
        return _of_its_card(found)
    held = ngettext("%(n)d share holds it", "%(n)d shares hold it", found.shares_held) % {
        "n": found.shares_held
    }
    stranded = [track for track in found.tracks if track.stranded and track.remaining is not None]
    if not stranded:
        return held
    left = ", ".join(
        f"{amounts.amount(one.remaining, one.unit)} {amounts.dimension_label(one.name)}"
        for one in stranded
        if one.remaining
    )
    used_up = ", ".join(
        amounts.dimension_label(one.name)
        for one in found.tracks
        if one.total and one.remaining is not None and not one.remaining
    )
    return _(
        "%(held)s; no %(used_up)s left, so that the %(left)s left fit only a claim that asks for none of it"
    ) % {
        "held": held,
        "used_up": used_up,
        "left": left,
    }


def _of_its_card(found: HeldDevice) -> str:
    """Nothing of it is held; but other names of the same silicon may be."""
    held = sum(one.shares > 0 for one in found.siblings)
    if not held:
        return _("Nothing of it is held.")
    return ngettext(
        "Nothing of it is held by its own name, but %(n)d other device of the card is; "
        "the counters say what is left of the card.",
        "Nothing of it is held by its own name, but %(n)d other devices of the card are; "
        "the counters say what is left of the card.",
        held,
    ) % {"n": held}


def _policies(found: HeldDevice) -> list[tuple[str, Any, Track]]:
    """What one claim may ask of each dimension that has a request policy."""
    by_name = {track.name: track for track in found.tracks}
    return [
        (name, found.row.capacity[name].request_policy, track)
        for name, track in by_name.items()
        if found.row.capacity[name].request_policy
    ]


def _attributes(published: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(name, domain, value as text), in the order of the names."""
    rows = [(short_name(name), name.rpartition("/")[0], _text(value)) for name, value in published.items()]
    return sorted(rows)


def _text(published: Any) -> str:
    """The one-of as the driver wrote it: `{"version": "8.0.0"}` → `8.0.0`."""
    if isinstance(published, dict) and len(published) == 1:
        content = next(iter(published.values()))
        if isinstance(content, bool):
            return "true" if content else "false"
        return ", ".join(map(str, content)) if isinstance(content, list) else str(content)
    return json.dumps(published, sort_keys=True, ensure_ascii=False)


def _teams(shares: Sequence[ShareRow], teams: Mapping[str, TeamBrief]) -> list[TeamBrief]:
    holding = {share.team for share in shares}
    return [team for slug, team in teams.items() if slug in holding]
