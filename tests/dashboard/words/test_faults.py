from dashboard.words.faults import short


def test_a_short_message_stays_as_it_is() -> None:
    assert short("connection refused") == "connection refused"


def test_lines_become_one_line() -> None:
    assert short("no route\n  to host") == "no route to host"


def test_the_markup_of_a_page_is_left_out() -> None:
    assert short("HTTP 502: <!DOCTYPE html><p>Bad gateway") == "HTTP 502: …"


def test_a_long_message_is_cut() -> None:
    cut = short("x" * 500)
    assert len(cut) == 160
    assert cut.endswith("…")
