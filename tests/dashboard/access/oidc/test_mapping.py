import pytest

from dashboard.access.oidc.mapping import MappingError, parse, teams
from inventory.models import Membership

Role = Membership.Role


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vision=vision", ("vision", "vision", Role.MEMBER)),
        (" /a/b = nlp : lead ", ("/a/b", "nlp", Role.LEAD)),
        ("cn=x,ou=y=nlp:member", ("cn=x,ou=y", "nlp", Role.MEMBER)),
    ],
)
def test_a_rule_names_a_group_a_team_and_a_role(text: str, expected: tuple[str, str, Role]) -> None:
    assert tuple(parse(text)) == expected


@pytest.mark.parametrize("text", ["vision", "=vision", "vision=", "vision=:lead", "vision=vision:boss"])
def test_a_rule_that_cannot_be_read_is_quoted(text: str) -> None:
    with pytest.raises(MappingError, match=text):
        parse(text)


def test_of_several_groups_the_one_that_gives_more_counts() -> None:
    grants = [parse(text) for text in ("l=t:lead", "m=t", "m=u", "x=v")]
    assert teams(grants, {"l", "m"}) == {"t": Role.LEAD, "u": Role.MEMBER}
