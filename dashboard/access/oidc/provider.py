"""The provider: what Authlib knows of it, and what it says of somebody who comes from there.

Authlib does the protocol: discovery, state, nonce, PKCE, signature and claims. Here is what is asked of it,
and what its refusals are called.
"""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import requests
from authlib.integrations.base_client import MismatchingStateError
from authlib.integrations.django_client import OAuth, OAuthError
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from joserfc.errors import ClaimError, JoseError

from dashboard.access.oidc.refusal import SignInError, unusable
from inventory.kube.untrusted import printable

Answer = TypeVar("Answer")
Claims = Mapping[str, Any]

_TIMEOUT_SECONDS = 10
# How long its addresses and keys are believed: one that it has withdrawn is not good for ever.
_KEPT_SECONDS = 3600
# How far two clocks may be apart.
_LEEWAY_SECONDS = 60
# Of those that a provider lists: never `none`, and never one whose key is a secret that two sides share.
_SIGNED_WITH = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")

_LONGEST_REASON = 300
_OF_TIME = ("exp", "nbf", "iat")


def redirect(request: HttpRequest, callback: str) -> HttpResponse:
    """To the provider, with a state, a nonce and a PKCE challenge that this session remembers."""
    response: HttpResponse = _told_plainly(
        lambda: _provider().authorize_redirect(request, request.build_absolute_uri(callback))
    )
    return response


def claims(request: HttpRequest) -> Claims:
    """Of whoever comes back with a code. Raises SignInError."""
    return _told_plainly(lambda: _claims(request))


def sign_out_address(back: str) -> str | None:
    """Where the provider ends its own session, if it says so."""

    def address() -> str | None:
        if not _provider().load_server_metadata().get("end_session_endpoint"):
            return None
        found = _provider().create_logout_url(back, client_id=settings.SLICEBOARD_OIDC_CLIENT_ID)
        return str(found["url"])

    return _told_plainly(address)


def _claims(request: HttpRequest) -> Claims:
    if not _is_awaited(request):
        raise MismatchingStateError
    known = _provider()
    token = known.authorize_access_token(
        request,
        leeway=_LEEWAY_SECONDS,
        claims_options={
            "iss": {"essential": True, "value": settings.SLICEBOARD_OIDC_ISSUER},
            "aud": {"essential": True, "value": settings.SLICEBOARD_OIDC_CLIENT_ID},
            "sub": {"essential": True},
        },
    )
    found: dict[str, Any] | None = token.get("userinfo")
    if found is None:
        raise _unusable("the answer has no ID token")
    wanted = {settings.SLICEBOARD_OIDC_GROUPS_CLAIM, "preferred_username"}
    if wanted <= found.keys() or not known.server_metadata.get("userinfo_endpoint"):
        return found
    # Some providers say there what others say in the token.
    more = known.userinfo(token=token)
    if more.get("sub") != found["sub"]:
        raise _unusable("the userinfo endpoint speaks of somebody else")
    return {**more, **found}


def _is_awaited(request: HttpRequest) -> bool:
    """Anybody can write an address, and with it what a provider is made to say: it is not even shown."""
    state = request.GET.get("state", "")
    return _client().framework.get_state_data(request.session, state) is not None


def _provider() -> Any:
    made = _client()
    metadata = made.load_server_metadata()
    if (named := metadata.get("issuer")) != settings.SLICEBOARD_OIDC_ISSUER:
        raise _unusable(
            f"its discovery document names the issuer {named!r}, "
            f"SLICEBOARD_OIDC_ISSUER is {settings.SLICEBOARD_OIDC_ISSUER!r}"
        )
    listed = metadata.get("id_token_signing_alg_values_supported", ["RS256"])
    if not (usable := [one for one in listed if one in _SIGNED_WITH]):
        # To Authlib an empty list says the same as none: all that it has by default.
        raise _unusable(f"it signs ID tokens with {listed!r}, and with none of {', '.join(_SIGNED_WITH)}")
    metadata["id_token_signing_alg_values_supported"] = usable
    return made


def _client() -> Any:
    return _made_for(
        settings.SLICEBOARD_OIDC_ISSUER,
        settings.SLICEBOARD_OIDC_CLIENT_ID,
        settings.SLICEBOARD_OIDC_CLIENT_SECRET,
        settings.SLICEBOARD_OIDC_SCOPES,
        time.time() // _KEPT_SECONDS,
    )


@lru_cache(maxsize=1)
def _made_for(issuer: str, client_id: str, client_secret: str, scopes: str, _period: float) -> Any:
    """With the discovery document and the keys, once they are read; an unknown key is looked for again."""
    return OAuth().register(
        "openid",
        client_id=client_id,
        client_secret=client_secret or None,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": scopes,
            "code_challenge_method": "S256",
            "default_timeout": _TIMEOUT_SECONDS,
            **({} if client_secret else {"token_endpoint_auth_method": "none"}),
        },
    )


def _told_plainly(ask: Callable[[], Answer]) -> Answer:
    try:
        return ask()
    except requests.RequestException as error:
        told = _("%(name)s does not answer at the moment. Try again later.")
        raise SignInError(
            told % _names(), cause=f"the provider does not answer: {error}", status=502
        ) from None
    except MismatchingStateError:
        told = _("This sign-in was not begun here, or too long ago. Try again.")
        raise SignInError(told, cause="the state is not that of this session") from None
    except OAuthError as error:
        told = _("%(name)s has refused the sign-in: %(reason)s")
        reason = printable(str(error.description or error.error), _LONGEST_REASON)
        raise SignInError(told % {**_names(), "reason": reason}, cause=f"{error.error}: {reason}") from None
    except JoseError as error:
        raise _of_token(error) from None
    except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        # Authlib takes JSON for what it should be: a list in the place of an object is any of these.
        raise _unusable(f"its answer cannot be read: {error}") from None


def _of_token(error: JoseError) -> SignInError:
    if isinstance(error, ClaimError) and error.claim in _OF_TIME:
        told = _("The clocks of %(name)s and of this server differ too much. Tell an operator.")
        cause = f"the ID token is not valid at this time, a clock may be wrong: {error}"
        return SignInError(told % _names(), cause=cause)
    return _unusable(f"its ID token is not accepted: {error}")


def _unusable(cause: str) -> SignInError:
    """What is known of the provider is read again next time: it may have been mended, or have other keys."""
    _made_for.cache_clear()
    return unusable(cause)


def _names() -> dict[str, str]:
    return {"name": settings.SLICEBOARD_OIDC_NAME}
