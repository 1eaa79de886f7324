import logging
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from dashboard.access.models import AuditEntry, Identity
from tests.dashboard.access.oidc.conftest import SignIn, back_from_provider
from tests.services.identity_provider import IdentityProvider

pytestmark = pytest.mark.django_db


def user_of(browser: Client) -> User | None:
    found = browser.session.get("_auth_user_id")
    return User.objects.get(pk=found) if found else None


def test_whoever_the_provider_vouches_for_is_signed_in(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada", preferred_username="ada", email="ada@example.org")
    assert sign_in()["Location"] == "/"
    user = user_of(client)
    assert user is not None
    assert (user.username, user.email, user.has_usable_password()) == ("ada", "ada@example.org", False)
    assert client.get("/").status_code == 200


def test_the_provider_is_asked_with_state_nonce_and_a_pkce_challenge(
    client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    asked = parse_qs(urlsplit(client.get("/sign-in/openid/")["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert {"state", "nonce", "code_challenge"} <= asked.keys()
    assert asked["redirect_uri"] == ["http://testserver/sign-in/openid/callback/"]


def test_it_goes_back_to_the_page_that_was_asked_for_and_to_no_other_site(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    assert sign_in(path="/sign-in/openid/?next=/claims/")["Location"] == "/claims/"
    for elsewhere in ("https://example.org/", "//example.org/", "/\\example.org", "javascript:alert(1)"):
        assert sign_in(path=f"/sign-in/openid/?next={elsewhere}")["Location"] == "/"


@pytest.mark.parametrize("word", ["nowhere", "tokens"])
def test_what_it_goes_back_to_is_an_address_and_no_name_of_a_page(
    sign_in: SignIn, provider: IdentityProvider, word: str
) -> None:
    provider.add("ada")
    assert sign_in(path=f"/sign-in/openid/?next={word}")["Location"] == word


def test_the_session_is_another_one_afterwards(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    back = back_from_provider(client, provider)
    before = client.session.session_key
    client.get(back)
    assert client.session.session_key != before


def test_one_comes_back_as_the_same_user_whatever_he_is_called_now(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada", preferred_username="ada", email="ada@example.org")
    sign_in()
    first = user_of(client)
    provider.people["ada"].update(preferred_username="lovelace", email="lovelace@example.org")
    sign_in(Client())
    assert list(User.objects.values_list("username", "email")) == [("ada", "lovelace@example.org")]
    assert user_of(client) == first


def test_a_name_or_an_address_makes_nobody_a_user_who_is_there(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    root = User.objects.create_superuser("root", "root@example.org", "a password of his own")
    provider.add("mallory", preferred_username="root", email="root@example.org")
    sign_in()
    user = user_of(client)
    assert user is not None
    assert user != root
    assert (user.username, user.is_superuser, user.is_staff) == ("root-2", False, False)


def test_an_operator_may_say_that_a_user_is_the_one_of_the_provider(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    user = User.objects.create_user("ada")
    Identity.objects.create(user=user, issuer=provider.issuer, subject="subject-of-ada")
    provider.add("ada")
    sign_in()
    assert user_of(client) == user


def test_one_who_is_switched_off_here_is_not_let_in(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada", preferred_username="ada")
    sign_in()
    User.objects.update(is_active=False)
    answer = sign_in(Client())
    assert (answer.status_code, user_of(client) is not None) == (403, True)
    assert "Your account is switched off here." in answer.content.decode()
    assert client.get("/").status_code == 302


@pytest.mark.parametrize(
    ("lie", "cause"),
    [
        ({"nonce": "of another sign-in"}, "nonce"),
        ({"audience": "another"}, "aud"),
        ({"issuer": "https://example.org"}, "iss"),
        ({"other_key": True}, "signature"),
        ({"unsigned": True}, "algorithm"),
    ],
)
def test_a_token_that_is_not_as_it_must_be_signs_in_nobody(
    sign_in: SignIn,
    client: Client,
    provider: IdentityProvider,
    caplog: pytest.LogCaptureFixture,
    lie: dict[str, Any],
    cause: str,
) -> None:
    provider.add("ada")
    for name, value in lie.items():
        setattr(provider.lies, name, value)
    with caplog.at_level(logging.WARNING, "dashboard.access.oidc"):
        answer = sign_in()
    assert (answer.status_code, user_of(client), User.objects.count()) == (502, None, 0)
    assert "What Example Login answered cannot be used." in answer.content.decode()
    assert cause in caplog.text.lower()


@pytest.mark.parametrize("seconds", [-3600, -61])
def test_an_expired_token_is_told_as_a_matter_of_clocks(
    sign_in: SignIn, client: Client, provider: IdentityProvider, seconds: int
) -> None:
    provider.add("ada")
    provider.lies.seconds = seconds
    answer = sign_in()
    assert (answer.status_code, user_of(client)) == (403, None)
    assert "The clocks of Example Login and of this server differ too much." in answer.content.decode()


def test_clocks_may_differ_a_little(sign_in: SignIn, client: Client, provider: IdentityProvider) -> None:
    provider.add("ada")
    provider.lies.seconds = -30
    sign_in()
    assert user_of(client) is not None


def test_a_provider_that_lists_unsigned_tokens_is_not_believed_in_that(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    provider.lies.metadata = {"id_token_signing_alg_values_supported": ["none", "RS256"]}
    provider.lies.unsigned = True
    assert (sign_in().status_code, user_of(client)) == (502, None)


@pytest.mark.parametrize("change", ["state=of-another-session", "code=made-up"])
def test_a_state_or_a_code_of_somebody_else_signs_in_nobody(
    client: Client, provider: IdentityProvider, change: str
) -> None:
    provider.add("ada")
    back = back_from_provider(client, provider)
    name = change.partition("=")[0]
    path, _, query = back.partition("?")
    parts = [change if part.startswith(f"{name}=") else part for part in query.split("&")]
    assert (client.get(f"{path}?{'&'.join(parts)}").status_code, user_of(client)) == (403, None)


def test_an_answer_that_this_browser_did_not_ask_for_signs_in_nobody(
    client: Client, provider: IdentityProvider
) -> None:
    """Somebody else's address of the way back, sent to a victim."""
    provider.add("mallory")
    back = back_from_provider(Client(), provider)
    answer = client.get(back)
    assert (answer.status_code, user_of(client)) == (403, None)
    assert "This sign-in was not begun here, or too long ago." in answer.content.decode()


def test_an_answer_is_good_for_once(client: Client, provider: IdentityProvider) -> None:
    provider.add("ada")
    back = back_from_provider(client, provider)
    assert client.get(back).status_code == 302
    assert client.get(back).status_code == 403


def test_a_sign_in_that_nobody_comes_back_from_is_soon_forgotten(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    client.get("/sign-in/openid/")
    assert client.session.get_expiry_age() == 3600
    sign_in()
    assert client.session.get_expiry_age() == 14 * 86_400


def test_whoever_then_comes_in_with_a_password_stays_as_long_as_any_other(
    client: Client, provider: IdentityProvider
) -> None:
    User.objects.create_user("ada", password="correct horse battery")
    client.get("/sign-in/openid/")
    client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"})
    assert client.session.get_expiry_age() == 14 * 86_400


def test_a_refusal_of_the_provider_is_told(
    client: Client, provider: IdentityProvider, sign_in: SignIn
) -> None:
    provider.add("ada")
    provider.refuses = True
    answer = sign_in()
    assert answer.status_code == 403
    assert "Example Login has refused the sign-in: access_denied" in answer.content.decode()


def test_what_somebody_else_lets_the_provider_say_is_not_shown(
    client: Client, provider: IdentityProvider
) -> None:
    """An address that anybody can write, sent to a victim."""
    back = "/sign-in/openid/callback/?error=x&error_description=Call+555+at+once"
    for address in (back, f"{back}&state=made-up"):
        answer = client.get(address)
        assert answer.status_code == 403
        assert "Call 555" not in answer.content.decode()
        assert "This sign-in was not begun here, or too long ago." in answer.content.decode()
    assert "Call 555" not in str(AuditEntry.objects.values_list("after"))


def test_what_a_refusal_says_is_shown_and_kept_as_text_of_some_length(
    client: Client, provider: IdentityProvider
) -> None:
    asked = parse_qs(urlsplit(client.get("/sign-in/openid/")["Location"]).query)
    said = {"state": asked["state"][0], "error": "x", "error_description": "no\x00\u202e" + "y" * 5000}
    answer = client.get("/sign-in/openid/callback/", said)
    assert answer.status_code == 403
    assert "no\ufffd\ufffdyyy" in answer.content.decode()
    told: Any = AuditEntry.objects.get(action="refused").after
    reason = told["reason"]
    assert (reason[:9], len(reason) < 400) == ("x: no\ufffd\ufffdyy", True)


def test_a_key_that_the_provider_has_withdrawn_is_believed_for_an_hour_at_most(
    sign_in: SignIn, client: Client, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.add("ada")
    sign_in()
    provider.lies.withdrawn = True
    now = time.time
    monkeypatch.setattr("time.time", lambda: now() + 3600)
    assert sign_in(Client()).status_code == 502


def test_a_key_that_took_the_name_of_another_is_found_at_the_next_try(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    sign_in(Client())
    provider.lies.withdrawn = provider.lies.other_key = True
    assert sign_in(Client()).status_code == 502
    sign_in()
    assert user_of(client) is not None


def test_a_provider_that_does_not_answer_is_told_and_passwords_go_on(
    client: Client, provider: IdentityProvider, settings: Any
) -> None:
    settings.SLICEBOARD_OIDC_ISSUER = "https://127.0.0.1:1"
    answer = client.get("/sign-in/openid/")
    assert answer.status_code == 502
    text = answer.content.decode()
    assert "Example Login does not answer at the moment." in text
    assert 'name="password"' in text


def test_a_discovery_document_of_another_issuer_is_refused(
    client: Client, provider: IdentityProvider, caplog: pytest.LogCaptureFixture
) -> None:
    provider.lies.metadata = {"issuer": "https://example.org"}
    assert client.get("/sign-in/openid/").status_code == 502
    assert "names the issuer 'https://example.org'" in caplog.text


@pytest.mark.parametrize("keys", [[], ["x"], {"keys": "x"}, {"keys": [{"kty": "x"}]}, {"keys": [1]}, "x"])
def test_keys_that_are_none_are_told(
    sign_in: SignIn, client: Client, provider: IdentityProvider, keys: Any
) -> None:
    provider.add("ada")
    provider.lies.keys = keys
    assert (sign_in().status_code, user_of(client)) == (502, None)


@pytest.mark.parametrize("listed", [None, [], ["HS256"], ["none"], 7])
def test_a_provider_that_signs_with_nothing_of_use_is_told(
    client: Client, provider: IdentityProvider, listed: Any
) -> None:
    provider.lies.metadata = {"id_token_signing_alg_values_supported": listed}
    assert client.get("/sign-in/openid/").status_code == 502


@pytest.mark.parametrize("metadata", [{"authorization_endpoint": None}, {"jwks_uri": None}])
def test_a_discovery_document_that_lacks_an_address_is_told(
    client: Client, provider: IdentityProvider, sign_in: SignIn, metadata: dict[str, Any]
) -> None:
    provider.add("ada")
    provider.lies.metadata = metadata
    answer = client.get("/sign-in/openid/") if "authorization_endpoint" in metadata else sign_in()
    assert (answer.status_code, user_of(client)) == (502, None)


def test_sign_ins_are_in_the_audit_log_also_those_that_are_refused(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada", preferred_username="ada")
    sign_in()
    provider.lies.audience = "another"
    sign_in(Client())
    entries = AuditEntry.objects.filter(action__in=["signed in", "refused"]).order_by("pk")
    (well, refused) = entries
    assert (well.username, well.after, well.address) == ("ada", {"by": "OpenID"}, "127.0.0.1")
    assert (refused.username, refused.address) == ("", "127.0.0.1")
    assert "Invalid claim: 'aud'" in str(refused.after)


def test_refusals_from_one_address_do_not_fill_the_audit_log(
    client: Client, provider: IdentityProvider, settings: Settings
) -> None:
    settings.SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS = 3
    for address in ["192.0.2.1"] * 5 + ["192.0.2.2"]:
        client.get("/sign-in/openid/callback/?state=x", REMOTE_ADDR=address)
    found = AuditEntry.objects.filter(action="refused").order_by("pk")
    assert [one.address for one in found] == ["192.0.2.1"] * 3 + ["192.0.2.2"]
    # And hide nothing of another way in.
    client.post("/sign-in/", {"username": "ada", "password": "wrong"}, REMOTE_ADDR="192.0.2.1")
    assert found.filter(after__by="password").count() == 1


def test_the_sign_in_page_has_a_button_for_it(client: Client, provider: IdentityProvider) -> None:
    text = client.get("/sign-in/?next=/claims/").content.decode()
    assert 'href="/sign-in/openid/?next=%2Fclaims%2F"' in text
    assert "Sign in with Example Login" in text


def test_one_may_sign_out_of_the_provider_too(
    sign_in: SignIn, client: Client, provider: IdentityProvider
) -> None:
    provider.add("ada")
    sign_in()
    out = client.post("/sign-out/")
    assert 'href="/sign-out/openid/"' in client.get(out["Location"]).content.decode()
    there = urlsplit(client.get("/sign-out/openid/")["Location"])
    assert f"{there.scheme}://{there.netloc}{there.path}" == f"{provider.issuer}/leave"
    assert parse_qs(there.query)["post_logout_redirect_uri"] == ["http://testserver/sign-in/"]


def test_a_provider_without_a_sign_out_is_told(client: Client, provider: IdentityProvider) -> None:
    provider.lies.metadata = {"end_session_endpoint": None}
    answer = client.get("/sign-out/openid/")
    assert answer.status_code == 200
    assert "Example Login has no sign-out that others lead to" in answer.content.decode()
