"""A query that a page cannot answer; told to the reader as it is."""

from collections.abc import Iterable, Sequence

import django_filters
from django.utils.translation import gettext as _


class Refused(Exception):
    """`faults` are pairs of the parameter and what is wrong with it."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in faults))
        self.faults = faults


def checked(filters: django_filters.FilterSet) -> None:
    """Raises Refused with every fault of the filters."""
    if filters.is_valid():
        return
    raise Refused([(name, str(fault)) for name, faults in filters.errors.items() for fault in faults])


def only_known(parameter: str, chosen: Iterable[str], known: Iterable[str]) -> None:
    """Raises Refused for every name that there is not."""
    if unknown := sorted(set(chosen) - set(known)):
        faults = [_("“%(name)s” is not known here") % {"name": name} for name in unknown]
        raise Refused([(parameter, fault) for fault in faults])
