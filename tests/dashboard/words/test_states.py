from dashboard.words import states
from inventory.models import Claim, KindState, Pool
from inventory.models.devices import DeviceState
from inventory.queries.pods import PodState


def test_every_state_has_a_word_an_icon_and_a_tone() -> None:
    assert set(states.DEVICE) == set(DeviceState.values)
    assert set(states.CLAIM) == set(Claim.State.values)
    assert set(states.POOL) == set(Pool.State.values)
    assert set(states.KIND) == set(KindState.State.values)
    assert set(states.POD) == set(PodState.values)


def test_no_two_states_of_a_thing_look_the_same() -> None:
    for known in (states.DEVICE, states.CLAIM, states.POOL, states.KIND, states.POD):
        assert len({str(badge.word) for badge in known.values()}) == len(known)


def test_full_is_no_fault() -> None:
    assert states.DEVICE[DeviceState.FULL].tone == ""
    assert states.DEVICE[DeviceState.OVER_ALLOCATED].tone == "bad"
