"""The simulator beside the ledger: what the one places, the other counts, and both leave the same."""

from collections import defaultdict
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.dra.ledger import Books, Total, Use, books
from inventory.dra.simulator.allocated import allocated
from inventory.dra.simulator.allocator import Placement
from inventory.dra.simulator.claims import Claim
from inventory.kube.objects import AllocationResult
from inventory.kube.quantity import Quantity, parse, total
from tests.inventory.dra.simulator.factories import (
    asking,
    cluster,
    device,
    exactly,
    explained,
    slice_of,
    wanting,
)

POLICY = {"default": "1Gi", "validRange": {"min": "1Gi", "max": "32Gi", "step": "1536Mi"}}
CARDS = (
    device("plain"),
    device(
        "stepped", capacity={"memory": {"value": "40Gi", "requestPolicy": POLICY}, "cores": {"value": "100"}}
    ),
    device("whole", shared=False),
)


def result(placement: Placement, number: int) -> AllocationResult:
    """As the scheduler writes it."""
    consumed = placement.consumed
    return AllocationResult(
        request=placement.request,
        driver=placement.candidate.id.driver,
        pool=placement.candidate.id.pool,
        device=placement.candidate.id.name,
        share_id=f"share-{number}" if placement.shared else None,
        consumed_capacity=None
        if consumed is None
        else {name: str(amount) for name, amount in consumed.items()},
        admin_access=placement.admin_access or None,
    )


def placed(claims: Sequence[Claim]) -> list[AllocationResult]:
    """One claim after the other, as they fit beside those before."""
    results: list[AllocationResult] = []
    for claim in claims:
        found = explained(cluster(slice_of(*CARDS), results=results), claim)
        placements = found.fits[0].placements if found.fits else ()
        results += [result(one, len(results) + number) for number, one in enumerate(placements)]
    return results


def booked(results: Sequence[AllocationResult]) -> dict[str, tuple[Books, list[Use]]]:
    uses: defaultdict[str, list[Use]] = defaultdict(list)
    for one in results:
        consumed = {name: parse(str(amount)) for name, amount in (one.consumed_capacity or {}).items()}
        uses[one.device].append(Use(one.share_id is None, bool(one.admin_access), consumed))
    totals = {"memory": Total(parse("40Gi")), "cores": Total(parse("100"))}
    return {card["name"]: (books(totals, uses[card["name"]]), uses[card["name"]]) for card in CARDS}


ASKED = st.builds(
    lambda memory, cores, count, admin: exactly(
        count=count, adminAccess=admin, capacity=asking(memory=f"{memory}Mi", cores=str(cores))
    ),
    st.integers(0, 40_960),
    st.integers(0, 100),
    st.integers(1, 2),
    st.booleans(),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(ASKED, max_size=8))
def test_what_was_placed_and_what_is_left_are_all_that_there_is(asked: list[dict[str, object]]) -> None:
    results = placed([wanting(one, name=f"c{number}") for number, one in enumerate(asked)])
    seen = allocated(results)
    for name, (found, uses) in booked(results).items():
        assert len([one for one in uses if one.dedicated and not one.admin_access]) <= 1
        for balance in found.balances:
            assert balance.total is not None
            assert balance.remaining is not None
            assert not balance.over
            counted = [one for one in uses if not one.admin_access]
            shares = [
                (one.consumed or {}).get(balance.dimension) or Quantity(0)
                for one in counted
                if not one.dedicated
            ]
            whole = balance.total if any(one.dedicated for one in counted) else Quantity(0)
            assert total(shares) + whole + balance.remaining == balance.total
            of_device = [consumed for device, consumed in seen.consumed.items() if device.name == name]
            assert total(one[balance.dimension] for one in of_device) == total(shares)
