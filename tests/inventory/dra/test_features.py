import pytest

from inventory.dra.features import CONSUMABLE_CAPACITY, DEVICE_TAINT_RULES, FeatureState, Gate, state


@pytest.mark.parametrize(
    ("gate", "release", "expected"),
    [
        (CONSUMABLE_CAPACITY, (1, 33), FeatureState.ABSENT),
        (CONSUMABLE_CAPACITY, (1, 35), FeatureState.OFF_BY_DEFAULT),
        (CONSUMABLE_CAPACITY, (1, 36), FeatureState.ON_BY_DEFAULT),
        (DEVICE_TAINT_RULES, (1, 36), FeatureState.OFF_BY_DEFAULT),
        (CONSUMABLE_CAPACITY, None, FeatureState.UNKNOWN),
    ],
)
def test_the_release_tells_the_default(
    gate: Gate, release: tuple[int, int] | None, expected: FeatureState
) -> None:
    assert state(gate, release, ()) is expected


def test_a_field_that_was_seen_proves_its_gate_whatever_the_release_says() -> None:
    assert state(CONSUMABLE_CAPACITY, (1, 34), {CONSUMABLE_CAPACITY}) is FeatureState.SEEN
