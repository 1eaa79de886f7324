"""What people decide: which clusters are followed, and whose namespaces are whose. All else is read."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from inventory import team_admin  # noqa: F401 (registers the screens of teams)
from inventory.models import (
    Cluster,
    ConversionPreview,
    HamiPod,
    KindState,
    SavedConversion,
    TeamQuota,
)
from inventory.queries.uses import Uses
from inventory.sync.remove import remove
from inventory.tasks import poll_cluster


@admin.register(Cluster)
class ClusterAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "enabled", "queue", "server_version", "observed_at", "error_reason")
    list_filter = ("enabled", "error_reason", "queue")
    search_fields = ("name",)
    actions = ("read_now", "pause", "resume")
    fieldsets = (
        (None, {"fields": ("name", "enabled", "queue")}),
        (
            _("Connection"),
            {
                "fields": ("kubeconfig", "context", "in_cluster"),
                "description": _(
                    "A kubeconfig may name a program that is run to get credentials: trust its source."
                ),
            },
        ),
        (
            _("Last reading"),
            {
                "fields": (
                    "server_version",
                    "dra_version",
                    "observed_at",
                    "poll_seconds",
                    "error_at",
                    "error_reason",
                    "error_message",
                )
            },
        ),
    )
    readonly_fields = (
        "server_version",
        "dra_version",
        "observed_at",
        "poll_seconds",
        "error_at",
        "error_reason",
        "error_message",
    )

    def save_model(self, request: HttpRequest, obj: Cluster, form: Any, change: bool) -> None:  # noqa: FBT001
        """Only what was changed here: a poll may have written the rest of the row in the meantime."""
        obj.save(update_fields=form.changed_data if change else None)

    @admin.action(description=_("Read now"), permissions=["change"])
    def read_now(self, request: HttpRequest, queryset: QuerySet[Cluster]) -> None:
        _send_polls(queryset)
        self._tell(request, _("A worker reads %(names)s next."), queryset)

    @admin.action(description=_("Pause"), permissions=["change"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Cluster]) -> None:
        """Whoever follows one of them stops within some seconds; a whole list is read to its end."""
        _switch(queryset, enabled=False)
        self._tell(request, _("Paused: %(names)s. What was read last stays."), queryset)

    @admin.action(description=_("Resume"), permissions=["change"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Cluster]) -> None:
        _switch(queryset, enabled=True)
        _send_polls(queryset)
        self._tell(request, _("Resumed: %(names)s. A worker reads next what has changed."), queryset)

    def delete_model(self, request: HttpRequest, obj: Cluster) -> None:
        remove([obj.pk])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Cluster]) -> None:
        remove(list(queryset.values_list("pk", flat=True)))

    def _tell(self, request: HttpRequest, text: Promise, queryset: QuerySet[Cluster]) -> None:
        names = ", ".join(map(str, queryset))
        self.message_user(request, str(text) % {"names": names}, messages.SUCCESS)


def _switch(clusters: QuerySet[Cluster], *, enabled: bool) -> None:
    """One by one, so that it is recorded who did it."""
    with transaction.atomic():
        for cluster in clusters:
            cluster.enabled = enabled
            cluster.save(update_fields=["enabled"])


def _send_polls(clusters: QuerySet[Cluster]) -> None:
    """At once: whoever asks knows more than what makes us wait after a failure."""
    clusters.update(retry_at=None)
    KindState.objects.filter(cluster__in=clusters).update(retry_at=None)
    for cluster in clusters:
        poll_cluster.apply_async((cluster.pk,), queue=cluster.queue or settings.CELERY_TASK_DEFAULT_QUEUE)


@admin.register(TeamQuota)
class TeamQuotaAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Nothing of it is enforced in a cluster."""

    list_display = ("team", "dimension", "quantity", "hard", "devices", "starts_at", "ends_at", "note")
    list_filter = ("team", "dimension", "hard", "cluster")
    list_select_related = ("team", "cluster")
    search_fields = ("team__name", "team__slug", "dimension", "product", "note")
    autocomplete_fields = ("team",)
    fieldsets = (
        (None, {"fields": ("team", "dimension", "quantity", "hard", "note")}),
        (
            _("On which devices"),
            {
                "fields": ("cluster", "product", "driver", "device_class"),
                "description": _("What is left empty is any of them."),
            },
        ),
        (_("When"), {"fields": ("starts_at", "ends_at")}),
    )

    def save_model(self, request: HttpRequest, obj: TeamQuota, form: Any, change: bool) -> None:  # noqa: FBT001
        super().save_model(request, obj, form, change)
        if Uses.of([obj]).cards(obj) == 0:
            told = _("No card that was read is one of these. If there should be one, look at the names.")
            messages.warning(request, told)

    @admin.display(description=_("on which devices"))
    def devices(self, quota: TeamQuota) -> str:
        named = (quota.product, quota.driver, quota.device_class, quota.cluster and quota.cluster.name)
        return ", ".join(one for one in named if one) or "–"


class ReadAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What is read, or recorded: nobody writes it by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(HamiPod)
class HamiPodAdmin(ReadAdmin):
    list_display = ("name", "namespace", "cluster", "workload", "node", "phase", "asks")
    list_filter = ("cluster", "phase", "team")
    list_select_related = ("cluster", "namespace", "node")
    search_fields = ("name", "namespace__name", "workload_name")
    ordering = ("namespace__name", "name")
    list_per_page = 200
    list_max_show_all = 20_000
    show_full_result_count = False
    actions = ("preview_conversion",)
    fields = ("cluster", "namespace", "name", "uid", "node", "phase", "created_at", "asks", "hami_manifest")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("workload"), ordering="workload_name")
    def workload(self, pod: HamiPod) -> str:
        return f"{pod.workload_kind} {pod.workload_name}".strip() or "–"

    @admin.display(description=_("asks for"))
    def asks(self, pod: HamiPod) -> Any:
        """One line for each container; names and amounts come from the cluster."""
        lines = (
            (container, ", ".join(f"{name} {amount}" for name, amount in amounts.items()))
            for container, amounts in pod.hami_resources.items()
        )
        return format_html_join(mark_safe("<br>"), "{}: {}", lines)

    @admin.action(description=_("Preview ResourceClaim conversion"), permissions=["view"])
    def preview_conversion(self, request: HttpRequest, queryset: QuerySet[HamiPod]) -> HttpResponse:
        """Nothing is written to a cluster; who looked at what is recorded."""
        return redirect(ConversionPreview.record(request.user, queryset))


@admin.register(ConversionPreview)
class ConversionPreviewAdmin(ReadAdmin):
    """Who looked at which Pods: kept, and not to be changed."""

    list_display = ("created_at", "username", "number_of_pods")
    search_fields = ("username",)
    date_hierarchy = "created_at"
    fields = ("created_at", "username", "pods")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def view_on_site(self, preview: ConversionPreview) -> str:
        return preview.get_absolute_url()

    @admin.display(description=_("Pods"))
    def number_of_pods(self, preview: ConversionPreview) -> int:
        return len(preview.pods)


@admin.register(SavedConversion)
class SavedConversionAdmin(ReadAdmin):
    list_display = ("created_at", "username", "profile", "cluster")
    search_fields = ("username",)
    fields = ("created_at", "username", "profile", "cluster", "namespace", "vendors", "config", "manifest")
