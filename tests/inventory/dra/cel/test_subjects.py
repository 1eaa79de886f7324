from typing import Any

import msgspec
import pytest

from inventory.dra.cel.errors import EvaluationError, UnsupportedError
from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import subject
from inventory.kube.objects import Device
from tests.inventory.dra.cel.devices import DRIVER, device, matches, seen

OWN = f'device.attributes["{DRIVER}"]'


@pytest.mark.parametrize(
    ("published", "message"),
    [
        ({"version": "550"}, "attribute odd: parse semantic version: '550' is no semantic version"),
        ({"strings": ["a", "b"]}, "attribute odd: unsupported attribute value"),
        ({"matrix": [[1]]}, "attribute odd: unsupported attribute value"),
        ({}, "attribute odd: unsupported attribute value"),
    ],
)
def test_an_attribute_that_the_scheduler_cannot_tell_fails_every_selector(
    published: Any, message: str
) -> None:
    card = seen({"odd": published, "even": 1})
    for expression in ("true", f"{OWN}.even == 1"):
        with pytest.raises(EvaluationError) as failed:
            matches(expression, card)
        assert str(failed.value).startswith(message)


@pytest.mark.parametrize(
    "published",
    [
        "text",
        None,
        {"int": "5"},
        {"int": True},
        {"int": 2**63},
        {"bool": 1},
        {"string": 7},
        {"string": "x" * 65},
    ],
)
def test_an_attribute_that_no_api_server_lets_through_is_not_guessed(published: Any) -> None:
    card = subject(DRIVER, msgspec.convert({"name": "gpu-0", "attributes": {"odd": published}}, Device))
    with pytest.raises(UnsupportedError, match="attribute odd is"):
        matches("true", card)


def test_a_quantity_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UnsupportedError, match="capacity memory: 'lots' is not a Kubernetes quantity"):
        matches("true", seen(capacity={"memory": "lots"}))


@pytest.mark.parametrize("what", ["attribute", "capacity"])
def test_a_name_published_with_and_without_its_domain_is_not_guessed(what: str) -> None:
    twice = {"memory": "1", f"{DRIVER}/memory": "2"}
    card = seen(twice) if what == "attribute" else seen(capacity=twice)
    with pytest.raises(UnsupportedError, match=f"{what} memory is published with and without {DRIVER}/"):
        matches("true", card)


def test_lists_are_values_where_the_scheduler_takes_them() -> None:
    published = {
        "models": {"strings": ["a", "b"]},
        "numbers": {"ints": [1, 2]},
        "flags": {"bools": [True]},
        "versions": {"versions": ["1.2.3"]},
    }
    card = subject(DRIVER, device(published), lists=True)
    for expression in (
        f'"a" in {OWN}.models && {OWN}.models.includes("b")',
        f"{OWN}.numbers.exists(n, n == 2) && {OWN}.numbers.size() == 2",
        f"{OWN}.flags.all(flag, flag)",
        f'{OWN}.versions.all(v, v.isGreaterThan(semver("1.0.0")))',
        f'{OWN}.versions.includes(semver("1.2.3"))',
        f'{OWN}.models.indexOf("b") == 1',
    ):
        assert compiled(expression).matches(card)


@pytest.mark.parametrize("published", [True, False, None])
def test_sharing_is_off_unless_it_is_on(published: bool | None) -> None:
    card = subject(DRIVER, device(allowMultipleAllocations=published))
    assert matches("device.allowMultipleAllocations", card) is bool(published)


def test_a_device_that_publishes_nothing() -> None:
    assert matches(f'device.driver == "{DRIVER}" && size(device.attributes) == 0', seen())
