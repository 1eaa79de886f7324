"""Groups and steps of usage in words."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from dashboard.words import hours
from inventory.history.buckets import Step
from inventory.queries.usage.rows import Reading, UsageGroup
from inventory.queries.usage.sums import unread_seconds

_NAMED = 3


def group(one: UsageGroup) -> str:
    words = {
        UsageGroup.TEAM: _("Team"),
        UsageGroup.NAMESPACE: _("Namespace"),
        UsageGroup.WORKLOAD: _("Workload"),
        UsageGroup.PRODUCT: _("Product"),
        UsageGroup.DRIVER: _("Driver"),
        UsageGroup.NODE: _("Node"),
        UsageGroup.CLUSTER: _("Cluster"),
    }
    return words[one]


def step(one: Step) -> str:
    words = {Step.HOUR: _("hours"), Step.DAY: _("days"), Step.WEEK: _("weeks"), Step.MONTH: _("months")}
    return words[one]


def each(one: Step) -> str:
    words = {
        Step.HOUR: _("card-equivalent hours in each hour"),
        Step.DAY: _("card-equivalent hours in each day"),
        Step.WEEK: _("card-equivalent hours in each week"),
        Step.MONTH: _("card-equivalent hours in each month"),
    }
    return words[one]


def not_read(readings: Sequence[Reading]) -> str:
    """In a sentence, of each cluster by itself; of many, how many they are."""
    gaps = [(one.cluster, seconds) for one in readings if (seconds := unread_seconds(one))]
    if not gaps:
        return ""
    if len(gaps) > _NAMED:
        words = _("Of %(n)s clusters not all was read: what was not is in no number.")
        return words % {"n": f"{len(gaps):,}"}
    named = [
        _("%(cluster)s for %(time)s") % {"cluster": cluster, "time": hours.hours(seconds)}
        for cluster, seconds in gaps
    ]
    return _("Not read, and in no number: %(clusters)s.") % {"clusters": "; ".join(named)}
