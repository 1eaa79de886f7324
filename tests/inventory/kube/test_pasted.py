import pytest

from inventory.kube.pasted import pasted

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: app
    resources:
      limits:
        "a/b\\"c": 1
"""


def test_a_value_is_found_by_its_path() -> None:
    found, _ = pasted(f"# nothing\n---\n{POD}")
    (one,) = found
    assert (one.document, one.line) == (1, 2)
    assert one.line_of("spec.containers[0].resources.limits") == 11
    assert one.line_of('spec.containers[0].resources.limits["a/b\\"c"]') == 11
    # Of what is not there, what it would be in.
    assert one.line_of("spec.containers[7].name") == 8
    assert one.line_of("status") == 3


def test_objects_of_a_list_have_lines_of_their_own() -> None:
    items = "".join(f"- apiVersion: v1\n  kind: Pod\n  metadata: {{name: {name}}}\n" for name in "ab")
    found, unreadable = pasted(f"apiVersion: v1\nkind: List\nitems:\n{items}- 7\n")
    assert [(one.manifest.name, one.line) for one in found] == [("a", 4), ("b", 7)]
    assert [(one.line, one.message) for one in unreadable] == [
        (10, "item 3: expected a Kubernetes object: a mapping that is no list")
    ]
    assert found[1].line_of("metadata.name") == 9


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello: 1", "it has no apiVersion"),
        ("apiVersion: v1\nhello: 1", "it has no kind"),
        ('apiVersion: v1\nkind: ""', "it has no kind"),
        ("apiVersion: v1\nkind: Pod\nmetadata: 7", "its metadata is no mapping"),
        ("- 1", "a mapping that is no list"),
    ],
)
def test_what_is_no_object_of_kubernetes_is_told(text: str, told: str) -> None:
    found, unreadable = pasted(f"{text}\n---\n{POD}")
    assert [one.manifest.name for one in found] == ["a"]
    assert [told in one.message for one in unreadable] == [True]


@pytest.mark.parametrize("key", ["odd\\a", "\\U0001F600", "\\x01"])
def test_a_key_that_go_quotes_in_its_own_way_has_the_line_of_what_it_is_in(key: str) -> None:
    (one,), _ = pasted(POD)
    assert one.line_of(f'spec.containers[0].resources.limits["{key}"]') == 9


def test_what_is_nested_too_deeply_is_told_with_its_line_and_the_rest_is_read() -> None:
    deep = "apiVersion: v1\nkind: Pod\nx:\n  " + "[" * 150 + "]" * 150
    found, (unreadable,) = pasted(f"{deep}\n---\n{POD}")
    assert [one.manifest.name for one in found] == ["a"]
    assert (unreadable.line, unreadable.message) == (4, "more than 100 levels are not read")
