"""The first page: how full, who holds it, what waits, what needs a look."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _

from dashboard.access.viewer import viewer_of
from dashboard.charts import wall as wall_charts
from dashboard.charts.segments import Bar, part_bar, sum_bar
from dashboard.charts.squares import strips
from dashboard.pages.around import cluster_names
from dashboard.pages.filtering import choose
from dashboard.pages.refusal import Refused, only_known
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import amounts, kinds
from inventory.queries import options, wall
from inventory.queries.kinds import DimensionSum, KindSum
from inventory.queries.overview import Overview, TeamUse
from inventory.queries.overview import overview as read_overview
from inventory.queries.slices import TeamBrief, by_colour, known_teams
from inventory.snapshot import snapshot

# Of more cards, squares are no longer told apart by the names of their nodes.
_SQUARES = 256
VIEWS = ("squares", "wall", "groups")


class DimensionLine(NamedTuple):
    sum: DimensionSum
    bar: Bar


class KindLine(NamedTuple):
    """A kind of cards with a line for each of its dimensions."""

    product: str
    sharing: str
    cards: int
    query: str
    lines: list[DimensionLine]


class TeamLine(NamedTuple):
    use: TeamUse
    bar: Bar


@page
def overview(request: HttpRequest) -> HttpResponse:
    chosen = chosen_clusters(request.GET)
    known = cluster_names(request)
    only_known("cluster", chosen, known)
    viewer = viewer_of(request.user)
    with snapshot():
        teams = known_teams(viewer=viewer)
        found = read_overview(chosen, teams, viewer=viewer)
        cards = _cards(request, chosen, found.cards.total)
    return show(
        request,
        "overview.html",
        {
            "overview": found,
            "clusters": choose(request, "cluster", "", known),
            "chosen": chosen,
            "kinds": [_kind_line(one) for one in found.kinds],
            "teams": [_team_line(use) for use in found.teams],
            "legend": _legend(found),
            "team_of": by_colour(teams.values()),
            **cards,
        },
        active="overview",
        source=Source("devices/", table=True, more=[("accelerator", "true")], clusters=chosen),
    )


def _kind_line(one: KindSum) -> KindLine:
    product = kinds.product(one.kind.product)
    return KindLine(
        product=product,
        sharing=kinds.sharing(one.kind.sharing),
        cards=one.cards,
        query=one.kind.product or options.NONE,
        lines=[DimensionLine(dimension, sum_bar(product, dimension)) for dimension in one.dimensions],
    )


def _team_line(use: TeamUse) -> TeamLine:
    colour = use.team.colour if use.team else 0
    return TeamLine(use, part_bar(amounts.share_of_memory(use.memory_ratio), colour, use.memory_ratio))


def _legend(found: Overview) -> list[TeamBrief]:
    """The teams that hold something, in the order of their colours."""
    holding = {part.team for one in (found.memory, found.cores) for part in one.parts if part.team}
    return sorted(holding, key=lambda team: (team.colour or 9, team.slug))


def _cards(request: HttpRequest, clusters: list[str], number: int) -> dict[str, Any]:
    """All cards as the picture that fits so many, or the one that is asked for where it can hold them."""
    view = request.GET.get("view") or _fitting(number)
    if view not in VIEWS:
        named = {"text": view, "views": ", ".join(VIEWS)}
        raise Refused([("view", _("“%(text)s” is none of %(views)s") % named)])
    view = max(view, _fitting(number), key=VIEWS.index)
    cards = wall.placed(wall.of_clusters(clusters))
    fitting = VIEWS[VIEWS.index(_fitting(number)) :]
    named = {"squares": _("Squares"), "wall": _("Wall"), "groups": _("Groups")}
    common = {"view": view, "views": [(one, named[one]) for one in fitting]}
    if view == "squares":
        return {**common, "strips": strips(wall.cells(cards, None))}
    if view == "wall":
        return {**common, "figure": wall_charts.wall(wall.cells(cards, None), opens=False)}
    return {**common, "figure": wall_charts.blocks(wall.blocks(cards), QueryDict())}


def _fitting(number: int) -> str:
    if number <= _SQUARES:
        return "squares"
    return "wall" if number <= wall.LARGEST else "groups"
