from inventory.history.lines import Line


def test_what_begins_lasts_for_the_rest_of_its_bucket_and_all_that_follow() -> None:
    line = Line()
    line.change(1, 4, 2)
    assert list(line.times([10, 10, 5])) == [(1, 8), (2, 10)]
    line.change(2, 3, -2)
    assert list(line.times([10, 10, 5])) == [(1, 8), (2, 4)]


def test_a_bucket_in_which_nothing_was_there_is_left_out() -> None:
    line = Line()
    assert list(line.times([10])) == []
    line.change(0, 10, 1)
    line.change(0, 2, -1)
    line.change(2, 9, 1)
    assert list(line.times([10, 10, 10])) == [(0, 8), (2, 9)]
