"""How kinds of cards are named on pages."""

from django.utils.translation import gettext as _


def product(name: str | None) -> str:
    """A driver may publish none."""
    return name or _("product not published")


def sharing(how: str) -> str:
    words = {"shared": _("shared"), "whole": _("whole cards"), "partitions": _("partitions")}
    return words[how]
