"""What changed about a device, in words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from dashboard.words import amounts, kinds
from inventory.dra.units import unit_of
from inventory.kube.quantity import Quantity
from inventory.queries.history.published import Offer, Published


class Told(NamedTuple):
    """`not_read_since`: it was found after a break, and may have been so in all of it."""

    at: datetime
    words: str
    not_read_since: datetime | None


def told(driver: str, changes: Sequence[Published], *, most: int) -> list[Told]:
    """The latest first."""
    return [Told(one.at, change(driver, one), one.not_read_since) for one in reversed(changes[-most:])]


def change(driver: str, one: Published) -> str:
    if one.after is None:
        return _("not published any more")
    if one.before is None:
        word = _("recorded first: %(offer)s") if one.first else _("published: %(offer)s")
        return word % {"offer": offered(driver, one.after)}
    return "; ".join(differences(driver, one.before, one.after)) or _("published in another way")


def offered(driver: str, offer: Offer) -> str:
    """`A100, 80 GiB memory, 100 % cores`."""
    parts = [f"{_amount(driver, name, one)} {_label(name)}" for name, one in sorted(offer.capacity.items())]
    return ", ".join([kinds.product(offer.product), *parts])


def differences(driver: str, before: Offer, after: Offer) -> list[str]:
    named = [
        (_("product"), before.product, after.product),
        (_("node"), before.node, after.node),
        ("UUID", before.uuid, after.uuid),
    ]
    found = [_from_to(name, old or _("none"), new or _("none")) for name, old, new in named if old != new]
    return [*found, *_capacities(driver, before.capacity, after.capacity)]


def _capacities(
    driver: str, before: Mapping[str, Quantity | None], after: Mapping[str, Quantity | None]
) -> list[str]:
    return [
        _from_to(_label(name), _there(driver, name, before), _there(driver, name, after))
        for name in sorted({*before, *after})
        if (name in before, before.get(name)) != (name in after, after.get(name))
    ]


def _there(driver: str, name: str, capacity: Mapping[str, Quantity | None]) -> str:
    return _amount(driver, name, capacity[name]) if name in capacity else _("none")


def _amount(driver: str, name: str, amount: Quantity | None) -> str:
    if amount is None:
        return amounts.not_known()
    return amounts.amount(amount, unit_of(driver, name, amount.notation))


def _label(name: str) -> str:
    return amounts.dimension_label(name)


def _from_to(name: str, old: str, new: str) -> str:
    return _("%(name)s from %(old)s to %(new)s") % {"name": name, "old": old, "new": new}
