"""The admin of teams: their members and namespaces, and the rules that say whose things are."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.forms import BaseInlineFormSet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inventory.kube.untrusted import printable
from inventory.models import Membership, Namespace, Team, TeamNamespace, TeamRule, TeamRuleValue
from inventory.ownership.presets import PRESETS
from inventory.teams import from_presets
from inventory.teams.assignment import changing_teams
from inventory.teams.whose import Reasons


class ChangesTeams(admin.ModelAdmin):  # type: ignore[type-arg]
    """What is changed on one page moves things once, and in the same transaction."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        with _changing(request):
            return super().changeform_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        with _changing(request):
            return super().changelist_view(request, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        with _changing(request):
            return super().delete_view(request, *args, **kwargs)


def _changing(request: HttpRequest) -> AbstractContextManager[None]:
    return changing_teams() if request.method == "POST" else nullcontext()


class Rows(BaseInlineFormSet):  # type: ignore[type-arg]
    """Rows of one page, of which no two say the same: each alone is compared with those stored already."""

    keys: Mapping[Any, Sequence[str]] = {
        TeamNamespace: ("namespace", "cluster"),
        Membership: ("user",),
        TeamRuleValue: ("value",),
    }

    def clean(self) -> None:
        super().clean()
        key = self.keys[self.model]
        given = [tuple(row.get(name) for name in key) for row in self.kept()]
        if len(given) > len(set(given)):
            raise ValidationError(self.get_unique_error_message(key))

    def kept(self) -> list[Mapping[str, Any]]:
        forms = (form for form in self.forms if form.is_valid() and form not in self.deleted_forms)
        return [form.cleaned_data for form in forms if form.cleaned_data]


class ValueRows(Rows):
    """Of a rule whose key they stand under."""

    def clean(self) -> None:
        super().clean()
        if self.instance.selector and self.kept():
            raise ValidationError(_("A rule with a selector has one team: it has no use for values."))


class NamespaceInline(admin.TabularInline):  # type: ignore[type-arg]
    model = TeamNamespace
    formset = Rows
    extra = 1


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Membership
    formset = Rows
    extra = 1
    readonly_fields = ("source",)
    autocomplete_fields = ("user",)


@admin.register(Team)
class TeamAdmin(ChangesTeams):
    list_display = ("name", "slug", "colour", "namespaces_of_team")
    search_fields = ("name", "slug")
    prepopulated_fields = {"slug": ("name",)}
    inlines = (NamespaceInline, MembershipInline)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        return super().get_queryset(request).prefetch_related("assignments", "namespaces")

    @admin.display(description=_("namespaces"))
    def namespaces_of_team(self, team: Team) -> Any:
        """Those assigned to it, whether they are there or not, and those that a rule gives it."""
        assigned = {assignment.namespace for assignment in team.assignments.all()}
        return ", ".join(sorted(assigned | {namespace.name for namespace in team.namespaces.all()}))


class ValueInline(admin.TabularInline):  # type: ignore[type-arg]
    model = TeamRuleValue
    formset = ValueRows
    extra = 1
    autocomplete_fields = ("team",)


@admin.register(TeamRule)
class TeamRuleAdmin(ChangesTeams):
    list_display = ("condition", "position", "subject", "cluster", "leads_to")
    list_editable = ("position",)
    list_filter = ("subject", "cluster")
    list_select_related = ("cluster", "team")
    autocomplete_fields = ("team",)
    inlines = (ValueInline,)
    change_list_template = "admin/inventory/teamrule/change_list.html"
    fieldsets = (
        (None, {"fields": ("position", "subject", "cluster")}),
        (_("Either a selector and its team"), {"fields": ("selector", "team")}),
        (_("or a key whose value names the team"), {"fields": ("key", "source")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[TeamRule]:
        return super().get_queryset(request).prefetch_related("values__team")

    @admin.display(description=_("condition"))
    def condition(self, rule: TeamRule) -> Any:
        if rule.selector:
            return rule.selector
        kind = rule.get_source_display()
        return f"{kind} {rule.key}"

    @admin.display(description=_("team"))
    def leads_to(self, rule: TeamRule) -> Any:
        if rule.team is not None:
            return rule.team.name
        listed = (f"{printable(one.value)} → {one.team.name}" for one in rule.values.all())
        return ", ".join((str(_("its slug is the value")), *listed))

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.preset_view)
        ours = [
            path("presets/", view, name="inventory_teamrule_presets"),
            path("presets/<slug:name>/", view, name="inventory_teamrule_preset"),
        ]
        return [*ours, *super().get_urls()]

    def preset_view(self, request: HttpRequest, name: str = "") -> HttpResponse:
        """All presets, or what one of them would make; a POST makes it."""
        if not self.has_add_permission(request) or not request.user.has_perm("inventory.add_team"):
            raise PermissionDenied
        if name and name not in PRESETS:
            raise Http404
        if name and request.method == "POST":
            return self._make(request, name)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": gettext(PRESETS[name].title) if name else _("Teams from what there is already"),
            "presets": PRESETS.values(),
            "plan": from_presets.plan(PRESETS[name]) if name else None,
        }
        return TemplateResponse(request, "admin/inventory/teamrule/presets.html", context)

    def _make(self, request: HttpRequest, name: str) -> HttpResponse:
        made = from_presets.make(PRESETS[name])
        told = _("New teams: %(teams)s, new rules: %(rules)s. Everything is assigned by them.")
        numbers = {"teams": len(made.new_teams), "rules": len(made.new_rules)}
        self.message_user(request, str(told) % numbers, messages.SUCCESS)
        return redirect("admin:inventory_teamrule_changelist")


class _WithReasons(ChangeList):
    """A page of namespaces that reads the rules once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = _reasoned(self.result_list)


def _reasoned(namespaces: Iterable[Namespace]) -> list[Namespace]:
    """The same, each with its reason."""
    found, reasons = list(namespaces), Reasons()
    for namespace in found:
        namespace.reason = reasons.of(namespace)  # type: ignore[attr-defined]
    return found


@admin.register(Namespace)
class NamespaceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Whose namespaces are: also of those that nobody has."""

    list_display = ("name", "cluster", "whose", "why", "listed")
    list_filter = ("cluster", ("team", admin.EmptyFieldListFilter), "team")
    list_select_related = ("cluster", "team")
    search_fields = ("name",)
    ordering = ("name", "cluster__name")
    fields = ("cluster", "name", "whose", "why", "labels", "annotations", "listed")
    readonly_fields = ("whose", "why")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return _WithReasons

    def get_object(self, *args: Any, **kwargs: Any) -> Namespace | None:
        found: Namespace | None = super().get_object(*args, **kwargs)
        return found and _reasoned([found])[0]

    @admin.display(description=_("team"), ordering="team__name")
    def whose(self, namespace: Namespace) -> Any:
        return namespace.team or _("nobody's")

    @admin.display(description=_("why"))
    def why(self, namespace: Namespace) -> str:
        return str(getattr(namespace, "reason", ""))
