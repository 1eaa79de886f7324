"""Who may come in, and what was done."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from knox.models import AuthToken


class Identity(models.Model):
    """A user as an OpenID provider knows him: by its subject, never by a name or an address of his."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255)
    # Two subjects that differ in upper and lower case only are two people.
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)
    made_operator = models.BooleanField(
        default=False, editable=False, help_text="the provider's groups made him an operator"
    )

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(
                "issuer",
                "subject",
                name="one_user_of_identity",
                violation_error_message=_("Another user is this subject of this issuer already."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.subject} of {self.issuer}"


class ApiToken(models.Model):
    """What we know of a token beside its hash, which knox keeps."""

    class Scope(models.TextChoices):
        READ = "read", _("read")
        READ_WRITE = "read-write", _("read and write")

    token = models.OneToOneField(AuthToken, models.CASCADE, related_name="terms", editable=False)
    name = models.CharField(_("name"), max_length=100)
    scope = models.CharField(_("scope"), max_length=10, choices=Scope.choices, default=Scope.READ)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)

    class Meta:
        ordering = ("-token__created",)
        verbose_name = "API token"

    def __str__(self) -> str:
        return self.name

    @property
    def user(self) -> User:
        user: User = self.token.user
        return user

    @property
    def expires_at(self) -> datetime | None:
        instant: datetime | None = self.token.expiry
        return instant

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @classmethod
    def issue(cls, user: User, name: str, scope: str, life: timedelta | None) -> tuple["ApiToken", str]:
        """The token, and its text: the only time that anybody sees it."""
        with transaction.atomic():
            token, text = AuthToken.objects.create(user, expiry=life)
            known = cls.objects.create(token=token, name=name, scope=scope)
        return known, text

    def revoke(self) -> None:
        self.token.delete()


class UserSession(AbstractBaseSession):
    """A session, and whose it is, so that it can be found and ended."""

    user_id = models.BigIntegerField(null=True, db_index=True)
    public_id = models.CharField(max_length=16, blank=True, db_index=True)
    begun_at = models.DateTimeField(null=True)
    address = models.GenericIPAddressField(null=True)
    browser = models.CharField(max_length=200, blank=True)

    class Meta(AbstractBaseSession.Meta):
        abstract = False
        verbose_name = "session"
        verbose_name_plural = "sessions"

    @classmethod
    def get_session_store_class(cls) -> Any:
        from dashboard.access.sessions import SessionStore

        return SessionStore


class ForeverError(TypeError):
    """An entry of the audit log is neither changed nor taken away."""


class AuditEntries(models.QuerySet["AuditEntry"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise ForeverError("Entries of the audit log are not changed.")

    def delete(self) -> NoReturn:
        raise ForeverError("Entries of the audit log are not deleted; `forget` takes away the oldest.")

    def bulk_update(self, objs: Iterable["AuditEntry"], *args: Any, **kwargs: Any) -> NoReturn:
        raise ForeverError("Entries of the audit log are not changed.")

    def forget(self, before: datetime) -> int:
        """For the end of the time that they are kept."""
        return self.filter(at__lt=before)._raw_delete(self.db)


class AuditEntry(models.Model):
    """Who did what, when, from where, and what was there before and after.

    It outlives whoever did it and what it was done to: everything is kept as it was called then.
    """

    class Action(models.TextChoices):
        CREATED = "created", _("created")
        CHANGED = "changed", _("changed")
        DELETED = "deleted", _("deleted")
        SIGNED_IN = "signed in", _("signed in")
        REFUSED = "refused", _("sign-in refused")
        HELD_BACK = "held back", _("sign-ins held back")
        SIGNED_OUT = "signed out", _("signed out")
        ENDED = "sessions ended", _("sessions ended")
        PREVIEWED = "previewed", _("previewed")

    at = models.DateTimeField(default=timezone.now, db_index=True)
    user_id = models.BigIntegerField(null=True)
    username = models.CharField(max_length=150, blank=True, db_index=True)
    # Of the API token that it was done with.
    token = models.CharField(max_length=100, blank=True)
    address = models.GenericIPAddressField(null=True)
    request_id = models.CharField(max_length=128, blank=True)
    action = models.CharField(max_length=16, choices=Action.choices)
    kind = models.CharField(max_length=100, blank=True)
    object_id = models.CharField(max_length=64, blank=True)
    object_name = models.CharField(max_length=300, blank=True)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)

    objects: ClassVar[Any] = AuditEntries.as_manager()

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name_plural = "audit log"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.username} {self.action} {self.kind} {self.object_name}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ForeverError("Entries of the audit log are not changed.")
        # Never over another one of the same number.
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ForeverError("Entries of the audit log are not deleted.")
