"""Quotas in templates."""

from django import template
from django.utils.safestring import SafeString

from dashboard.templatetags import marks
from dashboard.words import quotas
from inventory.queries.quotas import QuotaRow

register = template.Library()
register.filter("quota_dimension", quotas.dimension_title)
register.filter("quota_devices", quotas.devices)
register.filter("why_different", quotas.why_different)


@register.simple_tag
def quota_state(row: QuotaRow) -> SafeString:
    found = quotas.badge(row)
    return marks.badge(found.word, found.icon, found.tone)
