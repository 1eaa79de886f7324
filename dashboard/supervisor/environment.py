"""What the programs find in their environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from dashboard.supervisor.address import Address

# The demo never touches what these name: a real database, a real broker, real clusters, real people.
_NOT_IN_DEMO = (
    "DATABASE_URL",
    "SLICEBOARD_BROKER_URL",
    "SLICEBOARD_CLUSTERS",
    "SLICEBOARD_DEBUG",
    "SLICEBOARD_OIDC_ISSUER",
    "SLICEBOARD_OPERATOR_NAME",
    "SLICEBOARD_SECRET_KEY",
    "SLICEBOARD_SSL_REDIRECT",
    "SLICEBOARD_STATIC_ROOT",
)


def of_own(state: Path, address: Address) -> dict[str, str]:
    """As it is here; plain HTTP to this machine itself needs cookies that go over plain HTTP."""
    environment = {**os.environ, "SLICEBOARD_STATE": str(state)}
    if address.is_loopback:
        environment.setdefault("SLICEBOARD_SECURE_COOKIES", "0")
    return environment


def of_demo(state: Path, address: Address, clusters: Mapping[str, Path]) -> dict[str, str]:
    hidden = {name + suffix for name in _NOT_IN_DEMO for suffix in ("", "_FILE")}
    environment = {name: value for name, value in of_own(state, address).items() if name not in hidden}
    environment.setdefault("SLICEBOARD_POLL_SECONDS", "5")
    environment["SLICEBOARD_CLUSTERS"] = ",".join(f"{name}={path}" for name, path in clusters.items())
    return environment


def with_broker(environment: Mapping[str, str], url: str) -> dict[str, str]:
    return {**environment, "SLICEBOARD_BROKER_URL": url}
