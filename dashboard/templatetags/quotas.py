"""Quotas in templates."""

from collections.abc import Iterable

from django import template
from django.utils.safestring import SafeString

from dashboard.templatetags import marks
from dashboard.words import quotas
from inventory.models import TeamQuota
from inventory.queries.largest import ProductRow
from inventory.queries.quotas import QuotaRow

register = template.Library()
register.filter("quota_dimension", quotas.dimension_title)
register.filter("quota_devices", quotas.devices)
register.filter("why_different", quotas.why_different)


@register.filter
def bears_on(limits: Iterable[TeamQuota], row: ProductRow) -> bool:
    """Whether one of them may be on such devices; which ones a class selects is not asked."""
    return any(one.driver in ("", row.driver) and one.product in ("", row.product or "") for one in limits)


@register.simple_tag
def quota_state(row: QuotaRow) -> SafeString:
    found = quotas.badge(row)
    return marks.badge(found.word, found.icon, found.tone)
