from pathlib import Path

import pytest

from dashboard.supervisor import environment
from dashboard.supervisor.address import Address

HERE = Address("127.0.0.1", 8000)
STATE = Path("/state")


def test_the_demo_never_hears_of_a_real_database_broker_or_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://real")
    monkeypatch.setenv("SLICEBOARD_BROKER_URL_FILE", "/run/secrets/broker")
    monkeypatch.setenv("SLICEBOARD_CLUSTERS", "real=/real")
    monkeypatch.setenv("SLICEBOARD_OIDC_ISSUER", "https://real")
    found = environment.of_demo(STATE, HERE, {"story": Path("/state/story.kubeconfig")})
    assert "DATABASE_URL" not in found
    assert "SLICEBOARD_BROKER_URL_FILE" not in found
    assert "SLICEBOARD_OIDC_ISSUER" not in found
    assert found["SLICEBOARD_CLUSTERS"] == "story=/state/story.kubeconfig"
    assert found["SLICEBOARD_STATE"] == "/state"


def test_ones_own_service_keeps_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://real")
    assert environment.of_own(STATE, HERE)["DATABASE_URL"] == "postgresql://real"


@pytest.mark.parametrize(("host", "cookies"), [("127.0.0.1", "0"), ("0.0.0.0", None)])
def test_only_this_machine_itself_gets_cookies_over_plain_http(
    host: str, cookies: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLICEBOARD_SECURE_COOKIES", raising=False)
    found = environment.of_own(STATE, Address(host, 8000))
    assert found.get("SLICEBOARD_SECURE_COOKIES") == cookies
