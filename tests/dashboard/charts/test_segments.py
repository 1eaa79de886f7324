from decimal import Decimal

import pytest

from dashboard.charts.segments import Ghost, Pattern, asked_bar, is_barred, track_bar
from inventory.kube.quantity import parse
from tests.dashboard.charts.building import NLP, VISION, Held, track


def test_slices_lie_end_to_end() -> None:
    bar = track_bar("gpu-0", track("memory", "80Gi", Held("20Gi", NLP), Held("16Gi", VISION)))
    places = [(one.colour, int(one.start), int(one.width)) for one in bar.segments]
    assert places == [(1, 0, 25), (2, 25, 20)]


def test_a_claim_of_several_pods_is_one_segment_that_names_the_first() -> None:
    bar = track_bar(
        "gpu-0", track("memory", "80Gi", Held("16Gi", VISION, ("shared-0", "shared-1", "shared-2")))
    )
    (segment,) = bar.segments
    assert segment.forms == ("shared-0 + 2 · vision · 16 GiB", "shared-0 + 2 · vision", "shared-0 + 2")


def test_a_claim_that_no_pod_uses_is_named_itself() -> None:
    bar = track_bar("gpu-0", track("memory", "80Gi", Held("16Gi", None, (), claim="idle")))
    assert bar.segments[0].title == "idle · team-nlp: 16 GiB"
    assert bar.segments[0].colour == 0


def test_an_amount_that_is_not_known_has_no_place_in_the_bar() -> None:
    assert track_bar("gpu-0", track("memory", "80Gi", Held(None))).segments == []


def test_more_than_there_is_still_fits_the_picture() -> None:
    bar = track_bar("gpu-0", track("memory", "80Gi", Held("80Gi"), Held("80Gi")))
    assert sum(one.width for one in bar.segments) == Decimal(100)


def test_what_is_free_is_dotted_where_another_dimension_is_used_up() -> None:
    bar = track_bar("gpu-0", track("memory", "80Gi", Held("20Gi"), stranded=True))
    assert bar.patterns == [Pattern("dots", Decimal(25), Decimal(75))]


@pytest.mark.parametrize(
    ("state", "tainted", "barred"),
    [("free", False, False), ("unavailable", False, True), ("partly_allocated", True, True)],
)
def test_room_is_out_of_reach_on_tainted_and_unavailable_cards(
    state: str, tainted: object, barred: object
) -> None:
    assert is_barred(state, tainted=bool(tainted)) is barred


def test_what_is_free_on_a_tainted_card_is_hatched() -> None:
    bar = track_bar("gpu-0", track("memory", "80Gi", Held("20Gi")), barred=True)
    assert bar.patterns == [Pattern("hatch", Decimal(25), Decimal(75))]


def test_a_full_bar_has_no_pattern() -> None:
    assert track_bar("gpu-0", track("memory", "80Gi", Held("80Gi")), barred=True).patterns == []


def test_the_label_says_what_the_bar_shows() -> None:
    bar = track_bar("gpu-0", track("memory", "80Gi", Held("20Gi")))
    assert bar.label == "gpu-0 memory: 20 GiB of 80 GiB allocated, 60 GiB left"


def test_the_label_of_an_unknown_dimension_claims_nothing() -> None:
    assert track_bar("gpu-0", track("memory", None)).label == "gpu-0 memory: not known"


def test_what_a_request_asks_lies_behind_what_is_held() -> None:
    bar = asked_bar("gpu-0", track("memory", "80Gi", Held("20Gi"), stranded=True), parse("40Gi"))
    assert bar.ghost == Ghost(Decimal(25), Decimal(50), enough=True)
    assert bar.label == "gpu-0 memory: 20 GiB of 80 GiB allocated, 60 GiB left; 40 GiB asked"
    assert bar.patterns == ()


def test_where_it_is_too_much_all_that_is_left_is_shown() -> None:
    bar = asked_bar("gpu-0", track("memory", "80Gi", Held("60Gi")), parse("40Gi"))
    assert bar.ghost == Ghost(Decimal(75), Decimal(25), enough=False)


def test_nothing_left_has_no_place_in_the_bar() -> None:
    assert asked_bar("gpu-0", track("memory", "80Gi", Held("80Gi")), parse("40Gi")).ghost is None
    assert asked_bar("gpu-0", track("memory", "80Gi", Held("20Gi")), None).ghost is None
    assert asked_bar("gpu-0", track("memory", None), parse("40Gi")).ghost is None
