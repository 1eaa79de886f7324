"""What in the configuration cannot work, said when a command starts and not when the first request fails."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from dashboard import declared_clusters
from inventory.dra.accelerators import RuleError, parse

_MAKE_A_KEY = "Set it, or name a file with SLICEBOARD_SECRET_KEY_FILE; `openssl rand -base64 48` makes one."


@register()
def secret_key_is_set(**kwargs: Any) -> list[CheckMessage]:
    try:
        known = bool(settings.SECRET_KEY)
    except ImproperlyConfigured:
        known = False
    if known:
        return []
    return [Error("SLICEBOARD_SECRET_KEY is not set.", hint=_MAKE_A_KEY, id="sliceboard.E001")]


@register()
def accelerator_rules_can_be_read(**kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for rule in settings.SLICEBOARD_ACCELERATORS:
        try:
            parse(rule)
        except RuleError as error:
            found.append(
                Error(
                    f"SLICEBOARD_ACCELERATORS: {error}",
                    hint="docs/configuration.md shows how a rule is written.",
                    id="sliceboard.E002",
                )
            )
    return found


@register()
def clusters_can_be_read(**kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for text in settings.SLICEBOARD_CLUSTERS:
        try:
            declared_clusters.parse(text)
        except declared_clusters.DeclarationError as error:
            found.append(
                Error(
                    f"SLICEBOARD_CLUSTERS: {error}",
                    hint="docs/configuration.md shows how a cluster is named.",
                    id="sliceboard.E003",
                )
            )
    return found


@register()
def snapshots_outlive_the_next_poll(**kwargs: Any) -> list[CheckMessage]:
    if settings.SLICEBOARD_STALE_SECONDS > settings.SLICEBOARD_POLL_SECONDS:
        return []
    return [
        Warning(
            f"SLICEBOARD_STALE_SECONDS ({settings.SLICEBOARD_STALE_SECONDS}) is not above "
            f"SLICEBOARD_POLL_SECONDS ({settings.SLICEBOARD_POLL_SECONDS}): "
            "every snapshot will be called stale before the next poll.",
            hint="Take at least twice the period.",
            id="sliceboard.W001",
        )
    ]
