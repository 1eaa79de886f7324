"""The largest request that still fits, in templates."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.templatetags import figures
from dashboard.words import largest
from inventory.queries.largest import ProductRow, RoomRow

register = template.Library()
register.filter("largest_request", largest.request)
register.filter("largest_omitted", largest.omitted)


@register.simple_tag
def largest_none(row: RoomRow | ProductRow, dimension: str) -> SafeString:
    told = largest.nothing(row, dimension)
    return format_html('<span class="dim">{}</span>', told) if told else figures.unknown()
