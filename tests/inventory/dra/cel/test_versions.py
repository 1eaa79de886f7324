from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.cel import encoding
from inventory.dra.cel.versions import Version, VersionError, parse, parse_tolerantly

NUMBERS = st.integers(0, 2**64 - 1)
IDENTIFIERS = st.one_of(
    NUMBERS.map(str), st.from_regex(r"[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}", fullmatch=True)
)
TEXTS = st.builds(
    lambda numbers, prerelease, build: (
        ".".join(map(str, numbers))
        + ("-" + ".".join(prerelease) if prerelease else "")
        + ("+" + ".".join(build) if build else "")
    ),
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.lists(IDENTIFIERS, max_size=3),
    st.lists(IDENTIFIERS, max_size=2),
)
VERSIONS = st.builds(parse, TEXTS)

# From semver.org, each before the next.
IN_ORDER = [
    "1.0.0-0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.10.0",
    "2.0.0",
]


@pytest.mark.parametrize(("earlier", "later"), list(pairwise(IN_ORDER)))
def test_order(earlier: str, later: str) -> None:
    assert parse(earlier).compared(parse(later)) == -1
    assert parse(later).compared(parse(earlier)) == 1


def test_build_metadata_does_not_count() -> None:
    assert parse("1.0.0+a") == parse("1.0.0+b.7") == parse("1.0.0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1.2",
        "1.2.3.4",
        "v1.2.3",
        "01.2.3",
        "1.2.03",
        "1.2.x",
        "1.2.3-",
        "1.2.3-01",
        "1.2.3-a..b",
        "1.2.3+",
        *("1.2.3-a_b", "1.2.3+a_b", "1.2.3 ", "-1.2.3", "1..3", "1.2.18446744073709551616", "٣.2.1"),
    ],
)
def test_no_version(text: str) -> None:
    with pytest.raises(VersionError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("v1.2.3", "1.2.3"),
        ("1.2", "1.2.0"),
        ("v7", "7.0.0"),
        ("01.02.003", "1.2.3"),
        ("00.0.0", "0.0.0"),
        ("1.2.03-rc.1", "1.2.3-rc.1"),
    ],
)
def test_tolerant_reading(text: str, meant: str) -> None:
    assert parse_tolerantly(text) == parse(meant)


@pytest.mark.parametrize("text", ["", "V1.2.3", "1.2-rc", "1+b", "v", "vv1.2.3", "x"])
def test_what_tolerance_does_not_mend(text: str) -> None:
    with pytest.raises(VersionError):
        parse_tolerantly(text)


@given(VERSIONS)
def test_the_parts_are_found_in_the_encoding(version: Version) -> None:
    encoded = encoding.of_version(version)
    parts = [encoding.part(encoded, index) for index in range(3)]
    assert parts == [version.major, version.minor, version.patch]


@given(VERSIONS, VERSIONS)
def test_versions_are_ordered_as_bytes(one: Version, other: Version) -> None:
    mine, others = encoding.of_version(one), encoding.of_version(other)
    assert (mine > others) - (mine < others) == one.compared(other)


@given(VERSIONS, VERSIONS, VERSIONS)
def test_the_order_is_total(one: Version, other: Version, third: Version) -> None:
    assert one.compared(other) == -other.compared(one)
    if one.compared(other) <= 0 and other.compared(third) <= 0:
        assert one.compared(third) <= 0


@given(st.text(max_size=20))
def test_any_text_is_a_version_or_refused(text: str) -> None:
    for reader in (parse, parse_tolerantly):
        try:
            version = reader(text)
        except VersionError:
            continue
        assert parse(str(version)) == version
