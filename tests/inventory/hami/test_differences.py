from inventory.hami.differences import Line, Mark, Row, difference
from tests.inventory.hami.pods import pod

BEFORE = pod({"cpu": "4", "nvidia.com/gpu": 1})
AFTER = pod({"cpu": "4"})


def test_nothing_changed_has_no_hunks_and_no_text() -> None:
    same = difference("Pod ml/p", BEFORE, BEFORE)

    assert same.hunks == ()
    assert same.text() == ""


def test_a_line_that_goes_stands_between_those_that_stay() -> None:
    (hunk,) = difference("Pod ml/p", BEFORE, AFTER, context=1).hunks

    assert hunk.lines == (
        Line(Mark.CONTEXT, '        cpu: "4"'),
        Line(Mark.REMOVED, "        nvidia.com/gpu: 1"),
    )


def test_the_text_is_that_of_a_unified_diff() -> None:
    text = difference("Pod ml/p", BEFORE, AFTER, context=0).text()

    assert text == "--- Pod ml/p\n+++ Pod ml/p\n@@ -13 +12,0 @@\n-        nvidia.com/gpu: 1\n"


def test_an_object_that_was_not_there_is_all_added() -> None:
    (hunk,) = difference("ResourceClaim ml/c", None, {"a": 1, "b": 2}).hunks

    assert [(line.mark, line.text) for line in hunk.lines] == [(Mark.ADDED, "a: 1"), (Mark.ADDED, "b: 2")]


def test_places_far_from_each_other_are_hunks_of_their_own() -> None:
    before = {f"key-{index:02}": index for index in range(30)}
    after = {**before, "key-00": "x", "key-29": "y"}

    assert len(difference("any", before, after).hunks) == 2


def test_a_line_that_begins_like_a_place_is_no_place() -> None:
    (hunk,) = difference("any", {"a": "x\n@@ -1 +1 @@\n"}, {"a": "y\n@@ -1 +1 @@\n"}).hunks

    assert hunk.lines[-1] == Line(Mark.CONTEXT, "  @@ -1 +1 @@")


def test_what_goes_stands_beside_what_comes() -> None:
    (hunk,) = difference("any", {"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1, "b": 5, "d": 4, "e": 6}).hunks

    assert list(hunk.rows()) == [
        Row("a: 1", "a: 1"),
        Row("b: 2", "b: 5"),
        Row("c: 3", None),
        Row("d: 4", "d: 4"),
        Row(None, "e: 6"),
    ]
