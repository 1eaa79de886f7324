"""Users, their tokens and sessions, and the audit log, for operators."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from knox import admin as of_knox  # noqa: F401 (registers its own, which ours replaces)
from knox.models import AuthToken

from dashboard.access.account import TokenForm
from dashboard.access.audit.entries import record
from dashboard.access.models import ApiToken, AuditEntry, Identity
from dashboard.access.operators import OPERATORS
from dashboard.access.sessions import end, of_user

# Of the rights of a user these are for superusers to give: an operator could make himself one.
_OF_SUPERUSERS = ("is_superuser", "user_permissions")
# It follows from the group of operators, and nothing asks for it.
_NOT_ASKED = "is_staff"

for model in (User, Group, AuthToken):
    admin.site.unregister(model)


@admin.register(Group)
class Groups(GroupAdmin):
    """What a group may do is for superusers to say; who is in it stands with the user."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request) and not _is_of_operators(obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Operators are known by the name of their group."""
        return ("name",) if _is_of_operators(obj) else ()


class IdentityInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Identity
    extra = 0
    verbose_name = _("identity at an OpenID provider")


@admin.register(User)
class Users(UserAdmin):  # type: ignore[type-arg]
    list_display = ("username", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser", "groups")
    inlines = (IdentityInline,)
    actions = ("end_sessions",)
    filter_horizontal = ("groups", "user_permissions")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return [(title, _without_staff(options)) for title, options in super().get_fieldsets(request, obj)]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = () if _is_superuser(request) else _OF_SUPERUSERS
        return (*super().get_readonly_fields(request, obj), *fixed)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What hangs on a user goes with him, also what nobody deletes by itself."""
        found, counts, _needed, protected = super().get_deleted_objects(objs, request)
        refused = {str(one) for one in objs if not _may_touch(request, one)}
        return found, counts, refused, protected

    @admin.action(description=_("End all sessions"), permissions=["change"])
    def end_sessions(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Tokens stay: they are revoked by themselves."""
        with transaction.atomic():
            for user in queryset:
                record(AuditEntry.Action.ENDED, user, after={"sessions": end(of_user(user.pk))})
        names = ", ".join(map(str, queryset))
        self.message_user(
            request, _("No session is left of: %(names)s.") % {"names": names}, messages.SUCCESS
        )


def _service_accounts() -> QuerySet[User]:
    """Whom nobody can sign in as. People make their own tokens: one made for them would act in their name."""
    programs = User.objects.filter(is_active=True, is_superuser=False, identities=None)
    return programs.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX)


class NewTokenForm(forms.ModelForm):  # type: ignore[type-arg]
    user = forms.ModelChoiceField(User.objects.none(), label=_("Service account"))
    days = forms.TypedChoiceField(coerce=int)

    class Meta:
        model = ApiToken
        fields = ("name", "scope")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        accounts: Any = self.fields["user"]
        accounts.queryset = _service_accounts()
        self.fields["days"] = TokenForm().fields["days"]


@admin.register(ApiToken)
class ApiTokens(admin.ModelAdmin):  # type: ignore[type-arg]
    """Made here for service accounts only. The text of a token is told once."""

    list_display = ("name", "owner", "scope", "created", "expires", "last_used_at")
    list_filter = ("scope",)
    list_select_related = ("token__user",)
    search_fields = ("name", "token__user__username")
    ordering = ("-token__created",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("user"), ordering="token__user__username")
    def owner(self, token: ApiToken) -> str:
        return token.user.get_username()

    @admin.display(description=_("made"), ordering="token__created")
    def created(self, token: ApiToken) -> Any:
        return token.token.created

    @admin.display(description=_("expires"), ordering="token__expiry")
    def expires(self, token: ApiToken) -> Any:
        return token.expires_at

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002
        return super().get_form(request, obj, change, **({} if obj else {"form": NewTokenForm}), **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("user", "name", "scope", "days")
        return ("name", "owner", "scope", "created", "expires", "last_used_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else self.get_fields(request, obj)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> ApiToken:  # noqa: FBT001
        """Nothing is saved twice: the token and what is known of it are made together."""
        chosen = form.cleaned_data
        life = timedelta(days=chosen["days"])
        token, text = ApiToken.issue(chosen["user"], chosen["name"], chosen["scope"], life)
        form.save_m2m = list
        told = _("The token “%(name)s” of %(user)s. It is shown this once: copy it now.") % {
            "name": token.name,
            "user": token.user,
        }
        self.message_user(request, format_html("{} <code>{}</code>", told, text), messages.SUCCESS)
        return token

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:  # noqa: FBT001
        """It is saved."""

    def delete_model(self, request: HttpRequest, obj: ApiToken) -> None:
        obj.revoke()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset:
            token.revoke()


@admin.register(AuditEntry)
class AuditLog(admin.ModelAdmin):  # type: ignore[type-arg]
    """To be read; nobody writes or deletes here."""

    list_display = ("at", "who", "token", "address", "action", "kind", "object_name")
    list_filter = ("action", "kind", ("at", admin.DateFieldListFilter))
    search_fields = ("username", "object_name", "=address", "=request_id", "=object_id")
    date_hierarchy = "at"
    show_full_result_count = False
    fields = (
        "at",
        "who",
        "token",
        "address",
        "request_id",
        "action",
        "kind",
        "object_name",
        "object_id",
        "before",
        "after",
    )

    @admin.display(description=_("who"), ordering="username")
    def who(self, entry: AuditEntry) -> str:
        if entry.username:
            return entry.username
        return gettext("nobody signed in") if entry.request_id else gettext("a command or worker")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser


def _is_of_operators(group: Any) -> bool:
    return group is not None and group.name == OPERATORS


def _may_touch(request: HttpRequest, user: Any) -> bool:
    """A superuser is changed by superusers only: whoever sets his password could sign in as him."""
    return user is None or not user.is_superuser or _is_superuser(request)


def _without_staff(options: Any) -> dict[str, Any]:
    fields = tuple(name for name in options["fields"] if name != _NOT_ASKED)
    return {**options, "fields": fields}
