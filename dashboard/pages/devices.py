"""Every card, as a wall, as bars or as a table; and devices that are no cards, as a table."""

from collections.abc import Sequence
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
from dashboard.pages.paging import ROWS, Paged, paged
from dashboard.pages.refusal import Refused, checked
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import states as words
from inventory.models import Card
from inventory.queries import cards as card_queries
from inventory.queries import devices as device_queries
from inventory.queries import groups, held_cards, options, wall
from inventory.queries.at_once import Questions, number_of
from inventory.queries.devices import DeviceFilter, DeviceRow
from inventory.queries.held_cards import HeldCard
from inventory.queries.options import Options
from inventory.queries.room import RoomyCardFilter
from inventory.queries.slices import OTHERS, Track, by_colour

VIEWS = ("wall", "bars", "table")
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
    questions = Questions()
    chosen = Options("clusters", "products", "drivers", "teams", viewer=viewer, questions=questions)
    asked_states, in_place = groups.States(cards, questions), _in_place(request)
    asked_in_place = questions.ask(number_of(in_place))
    states = asked_states.found()
    view = _view(request, states["cards"])
    context = {
        "view": view,
        "views": [("wall", _("Wall")), ("bars", _("Bars")), ("table", _("Table"))],
        "form": _form(request, chosen),
        "teams": [
            *by_colour(chosen.briefs.values()).values(),
            *([OTHERS] if viewer.teams is not None else []),
        ],
        **states,
    }
    if view == "wall":
        drawn = _wall(request, cards, in_place if asked_in_place.number <= wall.LARGEST else None)
    else:
        drawn = {"bars": _bars, "table": _table}[view](request, cards, states["cards"])
    return show(
        request, f"devices/{view}.html", {**context, **drawn}, active="devices", source=_source(request)
    )


@never_cache
@page
def peek(request: HttpRequest, at: str) -> HttpResponse:
    """The cards of one column of the wall, to be put under it."""
    return render(request, "devices/peek.html", _peek(request, at))


def _view(request: HttpRequest, cards: int) -> str:
    view = request.GET.get("view") or ("bars" if cards <= card_charts.LARGEST else "wall")
    if view not in VIEWS:
        raise Refused(
            [("view", _("“%(text)s” is none of %(views)s") % {"text": view, "views": ", ".join(VIEWS)})]
        )
    return view


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


def _in_place(request: HttpRequest) -> QuerySet[Any]:
    """The cards that stay on the wall whatever the conditions say."""
    return _between(request, wall.of_clusters(chosen_clusters(request.GET)))


def _wall(request: HttpRequest, cards: QuerySet[Any], in_place: QuerySet[Any] | None) -> dict[str, Any]:
    """Conditions grey what they leave out; past the largest wall, without `in_place`, they narrow."""
    rows, total = groups.groups(cards)
    at = request.GET.get("at", "")
    common = {"groups": rows, "group_total": total, "at": at, **(_peek(request, at) if at else {})}
    if in_place is not None:
        narrowed = any(request.GET.get(name) for name in _CONDITIONS)
        cells = wall.cells(in_place, cards if narrowed else None)
        return {**common, "figure": wall_charts.wall(cells), "cut": False}
    return {**common, "figure": wall_charts.blocks(wall.blocks(cards), request.GET), "cut": True}


def _bars(request: HttpRequest, cards: QuerySet[Any], total: int) -> dict[str, Any]:
    found = paged(request, wall.by_place(cards), card_charts.LARGEST, total=total)
    held = held_cards.rows(found.rows, viewer=viewer_of(request.user))
    return {"paged": found, "figure": card_charts.cards_figure(held), "lines": card_lines(held)}


def _table(request: HttpRequest, cards: QuerySet[Any], total: int) -> dict[str, Any]:
    found = paged(request, cards if request.GET.get("ordering") else wall.by_place(cards), total=total)
    held = held_cards.rows(found.rows, viewer=viewer_of(request.user))
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


def _peek(request: HttpRequest, at: str) -> dict[str, Any]:
    held = held_cards.rows(wall.column(at), viewer=viewer_of(request.user))
    if not held:
        raise Http404(_("There is no such column on the wall."))
    return {"peek": card_lines(held), "peek_place": held[0]}


def _form(request: HttpRequest, chosen: Options) -> filtering.Form:
    return filtering.form(
        request,
        [
            filtering.choose(request, "cluster", _("Cluster"), chosen.clusters),
            filtering.choose(
                request, "product", _("Product"), chosen.products_or_none(_("product not published"))
            ),
            filtering.choose(request, "driver", _("Driver"), chosen.drivers),
            filtering.choose(request, "team", _("Team"), chosen.teams),
            filtering.choose(request, "state", _("State"), filtering.states(words.DEVICE)),
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
    chosen = Options("clusters", "drivers", viewer=viewer, questions=Questions())
    form = filtering.form(
        request,
        [
            filtering.choose(request, "cluster", _("Cluster"), chosen.clusters),
            filtering.choose(request, "driver", _("Driver"), chosen.drivers),
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
