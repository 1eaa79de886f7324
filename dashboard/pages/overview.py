"""The first page: how full, who holds it, what waits, what needs a look."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse

from dashboard.access.viewer import viewer_of
from dashboard.charts.segments import Bar, part_bar, sum_bar
from dashboard.charts.squares import Strip, strips
from dashboard.pages.around import cluster_names
from dashboard.pages.filtering import choose
from dashboard.pages.refusal import only_known
from dashboard.pages.shell import page, show
from dashboard.pages.source import Source, chosen_clusters
from dashboard.words import amounts, kinds
from inventory.queries import options, wall
from inventory.queries.kinds import DimensionSum, KindSum
from inventory.queries.overview import Overview, TeamUse
from inventory.queries.overview import overview as read_overview
from inventory.queries.slices import TeamBrief, by_colour, known_teams

# Beyond, the squares would be a wall, which has a page of its own.
_SQUARES = 256


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
    teams = known_teams(viewer=viewer)
    found = read_overview(chosen, teams, viewer=viewer)
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
            "strips": _strips(chosen, found),
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


def _strips(clusters: list[str], found: Overview) -> list[Strip]:
    if found.cards.total > _SQUARES:
        return []
    return strips(wall.cells(wall.placed(wall.of_clusters(clusters)), None))
