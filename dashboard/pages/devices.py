"""Every card, as bars, as a wall, in groups or as a table; and devices that are no cards, as a table."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from dashboard.access.viewer import viewer_of
from dashboard.charts import cards as card_charts
from dashboard.charts import wall as wall_charts
from dashboard.charts.segments import Bar, is_barred, track_bar
from dashboard.pages import filtering
from dashboard.pages.around import cluster_names
from dashboard.pages.paging import ROWS, Paged, paged
from dashboard.pages.refusal import Refused, checked
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import states
from inventory.models import Card
from inventory.queries import cards as card_queries
from inventory.queries import devices as device_queries
from inventory.queries import groups, held_cards, options, wall
from inventory.queries.devices import DeviceFilter, DeviceRow
from inventory.queries.held_cards import HeldCard
from inventory.queries.room import RoomyCardFilter
from inventory.queries.slices import OTHERS, TeamBrief, Track, teams

VIEWS = ("bars", "wall", "groups", "table")
_CONDITIONS = ("node", "driver", "pool", "device", "product", "team", "state", "tainted", "room", "q")
# A card of several devices is in a state that none of them needs to be in.
_ON_CARDS = ("room", "state", "from", "to")


class TrackLine(NamedTuple):
    track: Track
    bar: Bar | None


class CardLine(NamedTuple):
    card: HeldCard
    lines: list[TrackLine]


@page
def devices(request: HttpRequest) -> HttpResponse:
    if request.GET.get("show"):
        return _others(request)
    viewer = viewer_of(request.user)
    filters = RoomyCardFilter(request.GET, card_queries.queryset(), viewer=viewer)
    checked(filters)
    cards = _between(request, filters.qs)
    counted, known = groups.Counted(cards), teams(viewer=viewer)
    view = _view(request, counted.total["cards"])
    context = {
        "view": view,
        "views": [("bars", _("Bars")), ("wall", _("Wall")), ("groups", _("Groups")), ("table", _("Table"))],
        "form": _form(request, known),
        "teams": [*known.values(), *([OTHERS] if viewer.teams is not None else [])],
        "counts": counted.total,
    }
    draw = {"bars": _bars, "wall": _wall, "groups": _groups, "table": _table}[view]
    drawn = draw(request, cards, counted, known)
    template = "devices/wall.html" if view == "groups" else f"devices/{view}.html"
    return show(request, template, {**context, **drawn}, active="devices", source=_source(request))


@never_cache
@piece
def peek(request: HttpRequest, at: str) -> HttpResponse:
    """The cards of one column of the wall, to be put under it."""
    return render(request, "devices/peek.html", _peek(request, at))


def _view(request: HttpRequest, cards: int) -> str:
    view = request.GET.get("view") or fitting_view(cards)
    if view not in VIEWS:
        raise Refused(
            [("view", _("“%(text)s” is none of %(views)s") % {"text": view, "views": ", ".join(VIEWS)})]
        )
    return view


def fitting_view(cards: int) -> str:
    """The picture that fits so many cards."""
    if cards <= card_charts.LARGEST:
        return "bars"
    return "wall" if cards <= wall.LARGEST else "groups"


def _source(request: HttpRequest) -> Source:
    """The devices that the cards are made of; none where a condition is one on cards only."""
    on_cards = any(request.GET.get(name) for name in _ON_CARDS) or options.NONE in request.GET.getlist(
        "product"
    )
    return Source(
        path="" if on_cards else "devices/",
        table=True,
        more=[("accelerator", "true")],
        dropped=["ordering"],
        clusters=chosen_clusters(request.GET),
        kinds=card_queries.KINDS,
    )


def _between(request: HttpRequest, cards: QuerySet[Card]) -> QuerySet[Any]:
    first, last = request.GET.get("from", ""), request.GET.get("to", "")
    return wall.between(wall.placed(cards), first, last)


def _wall(
    request: HttpRequest, cards: QuerySet[Any], counted: groups.Counted, known: Mapping[str, TeamBrief]
) -> dict[str, Any]:
    """Conditions grey what they leave out. What is more than a wall holds is shown in groups."""
    in_place = _between(request, wall.of_clusters(chosen_clusters(request.GET)))
    narrowed = any(request.GET.get(name) for name in _CONDITIONS)
    if (in_place.count() if narrowed else counted.total["cards"]) > wall.LARGEST:
        return {**_groups(request, cards, counted, known), "view": "groups", "too_many": wall.LARGEST}
    rows, total = counted.groups()
    at = request.GET.get("at", "")
    cells = wall.cells(in_place, cards if narrowed else None)
    shown = {"groups": rows, "group_total": total, "at": at, **(_peek(request, at, known) if at else {})}
    return {**shown, "figure": wall_charts.wall(cells), "cut": False}


def _groups(
    request: HttpRequest, cards: QuerySet[Any], counted: groups.Counted, _known: Mapping[str, TeamBrief]
) -> dict[str, Any]:
    """Runs of neighbouring nodes; conditions narrow them."""
    rows, total = counted.groups()
    found = wall.blocks(cards)
    lines = wall_charts.block_lines(found, request.GET)
    return {
        "groups": rows,
        "group_total": total,
        "figure": wall_charts.blocks(found, request.GET),
        "block_lines": lines[: wall.BLOCKS],
        "blocks_more": len(lines[wall.BLOCKS :]),
        "cut": True,
    }


def _bars(
    request: HttpRequest, cards: QuerySet[Any], counted: groups.Counted, known: Mapping[str, TeamBrief]
) -> dict[str, Any]:
    total = counted.total["cards"]
    found = paged(request, wall.by_place(cards), card_charts.LARGEST, total=total)
    held = held_cards.rows(found.rows, viewer=viewer_of(request.user), known=known)
    return {"paged": found, "figure": card_charts.cards_figure(held), "lines": card_lines(held)}


def _table(
    request: HttpRequest, cards: QuerySet[Any], counted: groups.Counted, known: Mapping[str, TeamBrief]
) -> dict[str, Any]:
    ordered = cards if request.GET.get("ordering") else wall.by_place(cards)
    found = paged(request, ordered, total=counted.total["cards"])
    held = held_cards.rows(found.rows, viewer=viewer_of(request.user), known=known)
    return {"paged": found, "lines": card_lines(held)}


def card_lines(cards: Sequence[HeldCard]) -> list[CardLine]:
    return [
        CardLine(card, [_track_line(card, track) for track in card_charts.main_tracks(card)])
        for card in cards
    ]


def _track_line(card: HeldCard, track: Track) -> TrackLine:
    known = track.total is not None and track.allocated is not None
    return TrackLine(
        track,
        track_bar(card.key, track, barred=is_barred(card.state, tainted=card.tainted)) if known else None,
    )


def _peek(request: HttpRequest, at: str, known: Mapping[str, TeamBrief] | None = None) -> dict[str, Any]:
    held = held_cards.rows(wall.column(at), viewer=viewer_of(request.user), known=known)
    if not held:
        raise Http404(_("There is no such column on the wall."))
    return {"peek": card_lines(held), "peek_place": held[0]}


def _form(request: HttpRequest, known: Mapping[str, TeamBrief]) -> filtering.Form:
    return filtering.form(
        request,
        [
            filtering.choose(request, "cluster", _("Cluster"), cluster_names(request)),
            filtering.choose(
                request, "product", _("Product"), options.products_or_none(_("product not published"))
            ),
            filtering.choose(request, "driver", _("Driver"), options.drivers()),
            filtering.choose(request, "team", _("Team"), options.teams(known.values())),
            filtering.choose(request, "state", _("State"), filtering.states(states.DEVICE)),
            filtering.choose(request, "tainted", _("Tainted"), [("true", _("yes")), ("false", _("no"))]),
            filtering.write(request, "room", _("At least free"), "8 GiB, 30 %"),
        ],
    )


def _others(request: HttpRequest) -> HttpResponse:
    """Licences, NICs, CPUs: devices that are shown, but are no cards."""
    query = request.GET.copy()
    query["accelerator"] = "false"
    viewer = viewer_of(request.user)
    filters = DeviceFilter(query, device_queries.queryset(), viewer=viewer)
    checked(filters)
    found: Paged = paged(request, filters.qs, ROWS)
    form = filtering.form(
        request,
        [
            filtering.choose(request, "cluster", _("Cluster"), cluster_names(request)),
            filtering.choose(request, "driver", _("Driver"), options.drivers()),
            filtering.write(request, "q", _("Name")),
        ],
    )
    rows: list[DeviceRow] = device_queries.rows(found.rows, viewer=viewer)
    return show(
        request,
        "devices/others.html",
        {"paged": found, "rows": rows, "form": form},
        active="devices",
        source=Source(
            "devices/",
            table=True,
            more=[("accelerator", "false")],
            clusters=chosen_clusters(request.GET),
            kinds=device_queries.KINDS,
        ),
    )
