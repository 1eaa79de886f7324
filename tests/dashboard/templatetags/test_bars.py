"""Bars and squares drawn by the server: sizes in attributes, text never markup."""

import re
from decimal import Decimal

from dashboard.charts.segments import Bar, Ghost, Segment
from dashboard.charts.squares import Square
from dashboard.templatetags.bars import bar, squares


def _segment(start: int, width: int, name: str = "train-0", colour: int = 1) -> Segment:
    forms = (f"{name} · nlp · 8 GiB", f"{name} · nlp", name)
    return Segment(colour, Decimal(start), Decimal(width), f"{name}: 8 GiB", forms)


def test_a_segment_of_a_tall_bar_is_labelled_where_there_is_room() -> None:
    drawn = bar(Bar("gpu-0", [_segment(0, 30, "wide"), _segment(30, 8, "some"), _segment(38, 7, "none")]), 16)
    words = re.findall(r'<div class="lbl([^"]*)">([^<]*)', drawn)
    assert words == [("", "wide · nlp"), (" m-hide", "some · nlp")]
    assert "lbl" not in bar(Bar("gpu-0", [_segment(0, 100)]), 12)


def test_names_are_never_markup() -> None:
    hostile = "<script>alert(1)</script>"
    assert hostile not in bar(Bar(hostile, [_segment(0, 100, hostile)]), 16)
    assert hostile not in squares([Square("/devices/1/", hostile, use=5, tainted=False)], hostile)


def test_what_is_asked_and_not_enough_is_marked() -> None:
    asked = Bar("gpu-0", [], ghost=Ghost(Decimal(50), Decimal(25), enough=False))
    assert 'class="ghost no"' in bar(asked)
    assert 'class="ghost"' in bar(asked._replace(ghost=Ghost(Decimal(50), Decimal(25), enough=True)))


def test_many_squares_stand_in_rows_of_eight_and_far_enough_apart_to_be_hit() -> None:
    drawn = squares([Square("/devices/1/", "gpu: 5 % used", use=5, tainted=False)] * 11, "node-1")
    places = [(int(x), int(y)) for x, y in re.findall(r'<rect class="use0" x="(\d+)" y="(\d+)"', drawn)]
    assert len({y for _x, y in places}) == 2
    assert places[1][0] - places[0][0] == places[8][1] - places[0][1] == 24
    assert re.match(r'<svg class="cells" width="192" height="48"', drawn)


def test_a_square_says_what_its_colour_says() -> None:
    unknown = squares([Square("/devices/1/", "gpu: use not known", use=None, tainted=False)], "node-1")
    tainted = squares([Square("/devices/1/", "gpu: 0 % used, tainted", use=0, tainted=True)], "node-1")
    assert 'class="unknown"' in unknown
    assert 'class="dash"' in unknown
    assert 'class="free"' in tainted
    assert 'class="cross"' in tainted
    assert 'aria-label="gpu: 0 % used, tainted"' in tainted
