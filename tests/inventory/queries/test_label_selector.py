import pytest
from django.db.models import F

from inventory.kube.label_selector import SelectorError
from inventory.models import Node
from inventory.queries.label_selector import condition
from tests.factories import make_node


def matching(selector: str) -> list[str]:
    return list(Node.objects.filter(condition(selector, F("labels"))).values_list("name", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("app=train", ["a"]),
        ("app==train", ["a"]),
        ("app!=train", ["b", "c"]),
        ("app in (train, eval)", ["a", "b"]),
        ("app notin (train)", ["b", "c"]),
        ("app", ["a", "b"]),
        ("!app", ["c"]),
        ("! app", ["c"]),
        ("app,tier=gold", ["a"]),
        ("tier=", ["b"]),
        ("tier in (,gold)", ["a", "b"]),
        ("example.com/zone=z1", ["a"]),
        ("1=one", ["c"]),
        ("app = train , tier = gold", ["a"]),
    ],
)
def test_selectors_match_as_in_kubernetes(selector: str, names: list[str]) -> None:
    make_node("a", labels={"app": "train", "tier": "gold", "example.com/zone": "z1"})
    make_node("b", labels={"app": "eval", "tier": ""})
    make_node("c", labels={"1": "one"})
    assert matching(selector) == names


@pytest.mark.parametrize(
    "selector",
    [
        "",
        " ",
        ",",
        "a=b,",
        "a=b c",
        "=b",
        "a in b",
        "a in (b",
        "a>1",
        "a=b=c",
        "a in (b,$)",
        'a"=b',
        "a/b/c=d",
        "é=b",
    ],
)
def test_what_is_no_selector_is_refused_and_quoted(selector: str) -> None:
    with pytest.raises(SelectorError, match="is no label selector"):
        condition(selector, F("labels"))
