"""What changed, in templates."""

from django import template
from django.utils.safestring import SafeString

from dashboard.templatetags import marks
from dashboard.words import changes
from inventory.queries.history.device_changes import DeviceChange

register = template.Library()
register.filter("what_changed", changes.what)
register.filter("where_changed", changes.where)
register.filter("quota_changed", changes.quota)


@register.simple_tag
def device_change(one: DeviceChange) -> SafeString:
    found = changes.badge(one.kind)
    return marks.badge(found.word, found.icon, found.tone)
