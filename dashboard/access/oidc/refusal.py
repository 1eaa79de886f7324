from django.conf import settings
from django.utils.translation import gettext as _

from inventory.kube.untrusted import printable

_LONGEST_CAUSE = 1000


class SignInError(Exception):
    """Somebody cannot be signed in; the message is for him, `cause` for the log of operators."""

    def __init__(self, told: str, *, cause: str, status: int = 403) -> None:
        super().__init__(told)
        # It quotes what others wrote.
        self.cause = printable(cause, _LONGEST_CAUSE)
        self.status = status


def unusable(cause: str) -> SignInError:
    """What the provider says is not what the protocol asks for."""
    told = _("What %(name)s answered cannot be used. Tell an operator; the log says why.")
    return SignInError(told % {"name": settings.SLICEBOARD_OIDC_NAME}, cause=cause, status=502)
