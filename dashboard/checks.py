"""What in the configuration cannot work, said when a command starts and not when the first request fails."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from dashboard import declared_clusters
from dashboard.access.oidc import mapping
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


@register()
def openid_can_work(**kwargs: Any) -> list[CheckMessage]:
    """Nothing is asked of the provider: it need not be up for a command to start."""
    if not settings.SLICEBOARD_OIDC_ISSUER:
        return []
    return [
        Error(told, hint="docs/sign-in.md shows how a provider is set.", id="sliceboard.E004")
        for told in _faults_of_openid()
    ]


def _faults_of_openid() -> Iterator[str]:
    if not settings.SLICEBOARD_OIDC_ISSUER.startswith("https://"):
        yield f"SLICEBOARD_OIDC_ISSUER: {settings.SLICEBOARD_OIDC_ISSUER!r} does not begin with https://."
    if not settings.SLICEBOARD_OIDC_CLIENT_ID:
        yield "SLICEBOARD_OIDC_CLIENT_ID is not set."
    if "openid" not in settings.SLICEBOARD_OIDC_SCOPES.split():
        yield "SLICEBOARD_OIDC_SCOPES: without the scope openid nobody is told who signs in."
    for text in settings.SLICEBOARD_OIDC_TEAMS:
        try:
            mapping.parse(text)
        except mapping.MappingError as error:
            yield f"SLICEBOARD_OIDC_TEAMS: {error}"
