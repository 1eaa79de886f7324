"""Whose a thing is, whatever labels and rules there are."""

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from inventory.kube.label_selector import parse
from inventory.ownership.described import LONGEST_VALUE, Described, kept
from inventory.ownership.rulebook import Owner, Rule, Rulebook, Subject, Why

VISION, NLP = 1, 2
SLUGS = {"vision": VISION, "nlp": NLP}
KEYS = st.sampled_from(["team", "tier"])
VALUES = st.sampled_from(["vision", "nlp", "c-1:p-2", ""])
TEAMS = st.sampled_from([VISION, NLP])

things = st.builds(Described, st.dictionaries(KEYS, VALUES), st.dictionaries(KEYS, VALUES))
selecting = st.builds(
    lambda number, subject, key, value, team: Rule(number, subject, parse(f"{key} in ({value})"), team),
    st.integers(),
    st.sampled_from(Subject),
    KEYS,
    st.sampled_from(["vision", "nlp", ""]),
    TEAMS,
)
naming = st.builds(
    lambda number, subject, key, annotated, named: Rule(
        number, subject, key=key, in_annotations=annotated, named=named
    ),
    st.integers(),
    st.sampled_from(Subject),
    KEYS,
    st.booleans(),
    st.dictionaries(VALUES, TEAMS),
)
rulebooks = st.builds(
    Rulebook,
    st.just(SLUGS),
    st.dictionaries(st.sampled_from("ab"), TEAMS),
    st.dictionaries(st.sampled_from("ab"), TEAMS),
    st.lists(st.one_of(selecting, naming), max_size=6),
)
names = st.sampled_from("abc")


def selects(text: str, team: int, subject: Subject = Subject.NAMESPACE) -> Rule:
    return Rule(1, subject, parse(text), team)


def names_team(key: str, subject: Subject = Subject.NAMESPACE, **fields: object) -> Rule:
    return replace(Rule(2, subject, key=key), **fields)  # type: ignore[arg-type]


def team(owner: Owner | None) -> int | None:
    return owner.team if owner else None


@given(rulebooks, names, things)
def test_an_assignment_in_the_cluster_goes_before_all_else(
    book: Rulebook, name: str, thing: Described
) -> None:
    owner = book.of_namespace(name, thing)
    if name in book.here:
        assert owner == Owner(book.here[name], Why.ASSIGNED_HERE)
    elif name in book.everywhere:
        assert owner == Owner(book.everywhere[name], Why.ASSIGNED_EVERYWHERE)
    else:
        assert owner is None or owner.why is Why.RULE


@given(rulebooks, things)
def test_the_rule_that_is_told_is_the_first_that_applies(book: Rulebook, thing: Described) -> None:
    rules = [rule for rule in book.rules if rule.subject is Subject.NAMESPACE]
    applying = [rule for rule in rules if rule.team_of(thing, SLUGS) is not None]
    owner = book.of_namespace("elsewhere", thing)
    assert (owner.rule if owner else None) == (applying[0] if applying else None)
    assert owner is None or owner.team == owner.rule.team_of(thing, SLUGS)  # type: ignore[union-attr]


@given(rulebooks, things, st.lists(things, max_size=4))
def test_rules_on_claims_go_before_those_on_their_pods(
    book: Rulebook, thing: Described, pods: list[Described]
) -> None:
    alone = book.of_claim(thing, ())
    assert alone is None or book.of_claim(thing, pods) == alone


@given(rulebooks, things, st.lists(things, min_size=1, max_size=4), st.randoms())
def test_the_order_of_pods_does_not_matter(
    book: Rulebook, thing: Described, pods: list[Described], chance: Random
) -> None:
    shuffled = list(pods)
    chance.shuffle(shuffled)
    assert book.of_claim(thing, shuffled) == book.of_claim(thing, pods)


@given(rulebooks, st.lists(things, min_size=1, max_size=4))
def test_pods_decide_only_where_all_of_them_lead_to_one_team(book: Rulebook, pods: list[Described]) -> None:
    nothing_said = replace(book, rules=[rule for rule in book.rules if rule.subject is Subject.POD])
    led_to = {team(book.of_pod(pod)) for pod in pods}
    expected = led_to.pop() if len(led_to) == 1 else None
    assert team(nothing_said.of_claim(Described(), pods)) == expected


@given(rulebooks, things)
def test_rules_for_others_do_not_matter(book: Rulebook, thing: Described) -> None:
    pods_alone = replace(book, rules=[rule for rule in book.rules if rule.subject is Subject.POD])
    assert pods_alone.of_pod(thing) == book.of_pod(thing)


def test_a_value_names_the_team_by_its_slug() -> None:
    book = Rulebook(SLUGS, rules=[names_team("team")])
    assert team(book.of_namespace("a", Described({"team": "nlp"}))) == NLP
    assert book.of_namespace("a", Described({"team": "nobody"})) is None
    assert book.of_namespace("a", Described({}, {"team": "nlp"})) is None


def test_a_listed_value_goes_before_a_slug() -> None:
    rule = names_team("field.cattle.io/projectId", in_annotations=True, named={"c-1:p-2": NLP, "vision": NLP})
    book = Rulebook(SLUGS, rules=[rule])
    for value in ("c-1:p-2", "vision", "nlp"):
        assert team(book.of_namespace("a", Described({}, {"field.cattle.io/projectId": value}))) == NLP


def test_a_rule_whose_value_names_nobody_leaves_it_to_the_next() -> None:
    book = Rulebook(SLUGS, rules=[names_team("team"), selects("tier notin (gold)", VISION)])
    assert team(book.of_namespace("a", Described({"team": "who"}))) == VISION


def test_a_pod_that_says_nothing_leaves_its_claim_to_the_namespace() -> None:
    book = Rulebook(SLUGS, rules=[selects("team=vision", VISION, Subject.POD)])
    ours, silent = Described({"team": "vision"}), Described()
    assert team(book.of_claim(Described(), [ours, ours])) == VISION
    assert book.of_claim(Described(), [ours, silent]) is None


def test_of_annotations_only_those_asked_for_are_kept_and_never_a_part_of_one() -> None:
    told = {"a": "vision", "b": "x" * (LONGEST_VALUE + 1), "c": "nlp", "d": ""}
    assert kept(told, {"a", "b", "d", "e"}) == {"a": "vision"}
    assert kept(None, {"a"}) == {}
