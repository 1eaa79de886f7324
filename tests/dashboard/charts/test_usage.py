"""The area of teams over time, and hours by day."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

from dashboard.charts.heat import heat_figure
from dashboard.charts.usage import Band, area_figure, bands
from dashboard.words import periods
from inventory.history.buckets import Step as Length
from inventory.queries.slices import TeamBrief
from inventory.queries.usage.rows import HeatCell, Period, Reading, UsageHeat
from inventory.queries.usage.sums import Gaps, Part, Step, Whose

HOUR = Fraction(3600)
BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
NLP, VISION = (
    Whose(slug, TeamBrief(slug, slug, colour), False) for colour, slug in ((1, "nlp"), (2, "vision"))
)
GONE, OTHERS = Whose("gone", None, False), Whose("", None, True)
ZONE = periods.zone(None)


def day(number: int, *held: tuple[Whose, int], read: int = 24) -> Step:
    start = BEGAN + timedelta(days=number)
    parts = tuple(Part(whose, hours * HOUR, Fraction(0)) for whose, hours in held)
    return Step(Period(start, start + timedelta(days=1)), parts, read * HOUR, (24 - read) * HOUR)


def drawn(*steps: Step, gaps: Gaps | None = None) -> Any:
    return area_figure(steps, Length.DAY, ZONE, gaps or Gaps((), ()))


def test_teams_lie_by_their_colour_and_all_without_one_on_top() -> None:
    step = day(0, (OTHERS, 1), (VISION, 2), (GONE, 4), (NLP, 8))
    assert bands([step]) == [Band(1, "nlp", "nlp"), Band(2, "vision", "vision"), Band(0, "", "other")]
    traces = drawn(step)["data"]
    assert [trace["y"] for trace in traces] == [[8, 8], [2, 2], [5, 5]]
    assert [trace["fillcolor"] for trace in traces] == ["var(--team-1)", "var(--team-2)", "var(--team-0)"]


def test_what_is_read_in_part_is_drawn_and_what_is_not_read_breaks_the_area() -> None:
    traces = drawn(day(0, (NLP, 2), read=12), day(1, read=0), day(2), day(3, (NLP, 3)))["data"]
    assert [(trace["stackgroup"], trace["y"]) for trace in traces] == [
        ("run-0", [2, 2]),
        ("run-1", [0, 3, 3]),
    ]
    assert traces[1]["x"] == ["2026-03-03", "2026-03-04", "2026-03-05"]


def test_a_gap_has_words_where_there_is_room_for_them() -> None:
    short, long = (Period(BEGAN, BEGAN + timedelta(hours=hours)) for hours in (2, 30))
    steps = [day(number, (NLP, 1)) for number in range(4)]
    for gap, words in ((short, 0), (long, 1)):
        layout = drawn(*steps, gaps=Gaps((gap,), ()))["layout"]
        assert (len(layout["shapes"]), len(layout["annotations"])) == (1, words)


def test_what_was_read_in_part_has_an_edge_of_its_own() -> None:
    gap = Period(BEGAN, BEGAN + timedelta(hours=2))
    drawn_of = drawn(*(day(number, (NLP, 1)) for number in range(4)), gaps=Gaps((gap,), (gap,)))
    edges = [shape["line"].get("dash") for shape in drawn_of["layout"]["shapes"]]
    assert edges == [None, "dot"]


def test_what_is_not_known_of_a_step_stands_beside_its_number() -> None:
    steps = [
        Step(day(number).period, (Part(NLP, held * HOUR, unknown * HOUR),), 24 * HOUR, Fraction(0))
        for number, (held, unknown) in enumerate([(1, 0), (2, 3), (0, 4)])
    ]
    assert drawn(*steps)["data"][0]["text"][:3] == [
        "<b>nlp</b> 1 h",
        "<b>nlp</b> 2 h and 3 h of unknown size",
        "<b>nlp</b> not known for 4 h",
    ]


def test_names_are_no_markup() -> None:
    hostile = Whose("<b>", TeamBrief("<b>", "<a href=x>", 3), False)
    assert "<a" not in drawn(day(0, (hostile, 1)))["data"][0]["text"][0]


def cell(hour: int, held: float, *, read: float = 1, seconds: int = 3600, not_known: float = 0) -> HeatCell:
    known, unknown = (Fraction(number) * HOUR for number in (held, not_known))
    read_for = Fraction(read) * HOUR
    return HeatCell(date(2026, 3, 1), hour, Fraction(seconds), read_for, known, known, unknown, HOUR)


def by_hour(*cells: HeatCell) -> Any:
    period = Period(BEGAN, BEGAN + timedelta(hours=len(cells)))
    return heat_figure(UsageHeat(period, (Reading("lab", BEGAN, HOUR, ()),), cells, None))["data"]


def test_unread_is_a_dash_and_zero_a_colour_of_its_own() -> None:
    heat, dashes, rings = by_hour(cell(0, 0), cell(1, 0.5, read=0.5), cell(2, 0, read=0))
    assert rings["x"] == []
    assert [row[0] for row in heat["z"][:4]] == [0, 0.5, None, None]
    assert heat["colorscale"][0] == [0, "var(--seq-free)"]
    assert (dashes["x"], dashes["y"]) == (["03-01"], [2])
    assert heat["text"][1][0].endswith("0.5 h not read, of all clusters")
    assert heat["text"][2][0].endswith("not read")
    assert heat["text"][3][0].endswith("not in the period")


def test_an_hour_that_comes_twice_is_one_cell() -> None:
    reading = Reading("lab", BEGAN, HOUR, ())
    twice = cell(2, 2, read=2, seconds=7200)
    heat, dashes, _rings = heat_figure(
        UsageHeat(Period(BEGAN, BEGAN + timedelta(hours=3)), (reading,), (twice,), None)
    )["data"]
    assert heat["z"][2] == [2]
    assert dashes["x"] == []


def test_what_is_held_of_unknown_size_is_not_drawn_as_nothing() -> None:
    heat, dashes, rings = by_hour(cell(0, 0, not_known=1), cell(1, 0.5, not_known=0.5))
    assert [row[0] for row in heat["z"][:2]] == [None, 0.5]
    assert (dashes["x"], rings["x"], rings["y"]) == ([], ["03-01"], [0])
    assert heat["text"][0][0].endswith("not known<br>for 1 h")
    assert heat["text"][1][0].endswith("0.5 h of card-equivalents<br>and 0.5 h of unknown size")
