"""What differs between the versions of the webhook."""

from enum import StrEnum
from types import MappingProxyType

import msgspec


class Profile(StrEnum):
    V0_0_1 = "0.0.1"
    V0_2_3 = "0.2.3"
    # After 0.2.3: claims, or by its option ResourceClaimTemplate templates from which the cluster makes them.
    LATER = "later"
    TEMPLATE = "template"


class Behaviour(msgspec.Struct, frozen=True):
    """As of 0.2.3, where nothing else is said."""

    # Only NVIDIA, with the class and the driver of HAMi's own driver whatever is configured.
    only_nvidia: bool = False
    # Names end with the kind of card, have a random part for a Pod without one, and fit into 63 characters.
    has_bounded_names: bool = True
    # Annotations hold lists and may exclude; before, they were one text that went into CEL as it was.
    has_lists: bool = True
    # The claims that a container has already stay.
    appends_claims: bool = True
    # Claims made before a failure are deleted.
    rolls_back: bool = True
    makes_templates: bool = False
    knows_dry_run: bool = False


_BEHAVIOURS = MappingProxyType(
    {
        Profile.V0_0_1: Behaviour(
            only_nvidia=True, has_bounded_names=False, has_lists=False, appends_claims=False, rolls_back=False
        ),
        Profile.V0_2_3: Behaviour(),
        Profile.LATER: Behaviour(knows_dry_run=True),
        Profile.TEMPLATE: Behaviour(knows_dry_run=True, makes_templates=True),
    }
)


def behaviour(profile: Profile) -> Behaviour:
    return _BEHAVIOURS[profile]
