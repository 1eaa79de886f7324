"""Groups and steps of usage in words."""

from django.utils.translation import gettext as _

from inventory.history.buckets import Step
from inventory.queries.usage.rows import UsageGroup


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
