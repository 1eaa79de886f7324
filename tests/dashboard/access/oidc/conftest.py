from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.test import Client
from django.urls import get_resolver
from pytest_django import Settings

from tests.services.identity_provider import (
    CLIENT_ID,
    CLIENT_SECRET,
    IdentityProvider,
    running_identity_provider,
)

SignIn = Callable[..., Any]


@pytest.fixture
def provider(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[IdentityProvider]:
    """One that runs, and a deployment that goes by it."""
    # The addresses without a provider are made while there is none.
    assert get_resolver("dashboard.urls").url_patterns
    with running_identity_provider(tmp_path) as running:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(running.certificate))
        settings.ROOT_URLCONF = "tests.dashboard.access.oidc.urls"
        settings.SLICEBOARD_OIDC_ISSUER = running.issuer
        settings.SLICEBOARD_OIDC_CLIENT_ID = CLIENT_ID
        settings.SLICEBOARD_OIDC_CLIENT_SECRET = CLIENT_SECRET
        settings.SLICEBOARD_OIDC_NAME = "Example Login"
        yield running


@pytest.fixture
def sign_in(client: Client, provider: IdentityProvider) -> SignIn:
    """The whole way of a browser: to the provider, which asks nothing, and back with what it says."""

    def went(browser: Client = client, path: str = "/sign-in/openid/") -> Any:
        return browser.get(back_from_provider(browser, provider, path))

    return went


def back_from_provider(browser: Client, provider: IdentityProvider, path: str = "/sign-in/openid/") -> str:
    """Where the provider sends the browser."""
    there = browser.get(path)
    assert there.status_code == 302, there.content.decode()
    answer = requests.get(
        there["Location"], verify=str(provider.certificate), allow_redirects=False, timeout=10
    )
    assert answer.status_code == 302, answer.text
    back = urlsplit(answer.headers["Location"])
    return f"{back.path}?{back.query}"
