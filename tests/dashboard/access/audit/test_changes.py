from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.test import Client, RequestFactory

from dashboard.access.audit.recorded import FIELDS
from dashboard.access.models import ApiToken, AuditEntry, Identity
from inventory.models import (
    Cluster,
    ConversionPreview,
    HamiPod,
    Membership,
    Namespace,
    SavedConversion,
    Team,
    TeamNamespace,
)
from inventory.sync.remove import remove
from tests.factories import make_namespace, make_pod

pytestmark = pytest.mark.django_db

# Written by the brake at the sign-in, and only ever deleted by hand.
OF_THE_BRAKE = {
    "axes.accessattempt",
    "axes.accesslog",
    "axes.accessfailurelog",
    "axes.accessattemptexpiration",
}


def entries(kind: str) -> list[tuple[str, Any, Any]]:
    found = AuditEntry.objects.filter(kind=kind).order_by("pk")
    return [(one.action, one.before, one.after) for one in found]


def part(values: Any, name: str) -> Any:
    return values[name]


def test_who_when_and_from_where(administration: Client, operator: User) -> None:
    form = {"name": "lab", "enabled": "on"}
    administration.post(
        "/admin/inventory/cluster/add/", form, headers={"X-Request-ID": "r-1"}, REMOTE_ADDR="192.0.2.9"
    )
    entry = AuditEntry.objects.get(kind="inventory.cluster")
    assert (entry.username, entry.user_id, entry.address, entry.request_id, entry.token) == (
        "operator",
        operator.pk,
        "192.0.2.9",
        "r-1",
        "",
    )
    assert (entry.action, entry.object_name, part(entry.after, "name")) == ("created", "lab", "lab")


def test_an_address_that_the_client_made_up_is_not_believed(administration: Client) -> None:
    administration.post(
        "/admin/inventory/cluster/add/",
        {"name": "lab"},
        headers={"X-Forwarded-For": "203.0.113.1"},
        REMOTE_ADDR="192.0.2.9",
    )
    assert AuditEntry.objects.get(kind="inventory.cluster").address == "192.0.2.9"


def test_before_and_after_of_what_changed_and_of_nothing_else() -> None:
    cluster = Cluster.objects.create(name="lab", kubeconfig="/a")
    cluster.kubeconfig = "/b"
    cluster.save()
    cluster.save()
    assert entries("inventory.cluster")[1:] == [("changed", {"kubeconfig": "/a"}, {"kubeconfig": "/b"})]


def test_what_a_poll_writes_is_no_change_of_anybody(django_assert_num_queries: Any) -> None:
    cluster = Cluster.objects.create(name="lab")
    cluster.revision += 1
    with django_assert_num_queries(1):
        cluster.save(update_fields=["revision"])
    assert [action for action, *_ in entries("inventory.cluster")] == ["created"]


def test_pausing_and_removing_a_cluster_is_recorded(administration: Client) -> None:
    cluster = Cluster.objects.create(name="lab")
    form = {"action": "pause", "_selected_action": [cluster.pk]}
    administration.post("/admin/inventory/cluster/", form)
    administration.post(f"/admin/inventory/cluster/{cluster.pk}/delete/", {"post": "yes"})
    _, paused, removed = AuditEntry.objects.filter(kind="inventory.cluster").order_by("pk")
    assert (paused.username, paused.after) == ("operator", {"enabled": False})
    assert (removed.username, removed.action, part(removed.before, "name")) == ("operator", "deleted", "lab")


def test_a_cluster_that_goes_by_another_way_is_recorded_too() -> None:
    cluster = Cluster.objects.create(name="lab")
    remove([cluster.pk])
    assert [action for action, *_ in entries("inventory.cluster")] == ["created", "deleted"]


def test_teams_their_namespaces_and_members(ada: User) -> None:
    team = Team.objects.create(slug="vision", name="Vision", colour=1)
    TeamNamespace.objects.create(team=team, namespace="team-vision")
    membership = Membership.objects.create(team=team, user=ada)
    membership.role = Membership.Role.LEAD
    membership.save()
    team.delete()
    of_member = {"team": "Vision", "user": "ada", "role": "member", "source": "hand"}
    assert entries("inventory.membership") == [
        ("created", None, of_member),
        ("changed", {"role": "member"}, {"role": "lead"}),
        ("deleted", {**of_member, "role": "lead"}, None),
    ]
    assert [action for action, *_ in entries("inventory.teamnamespace")] == ["created", "deleted"]
    assert entries("inventory.team")[-1] == (
        "deleted",
        {"slug": "vision", "name": "Vision", "colour": 1},
        None,
    )


def test_a_new_password_is_told_and_never_what_it_is(ada: User) -> None:
    ada.set_password("another horse battery")
    ada.save()
    hidden = {"password": "(not shown)"}
    assert entries("auth.user")[-1] == ("changed", hidden, hidden)
    assert not any("md5$" in str((one.before, one.after)) for one in AuditEntry.objects.all())


def test_that_somebody_signed_in_changes_nothing_of_him(client: Client, ada: User) -> None:
    client.force_login(ada)
    assert [action for action, *_ in entries("auth.user")] == ["created", "signed in"]


@pytest.mark.parametrize("reverse", [False, True])
def test_groups_of_a_user(ada: User, reverse: bool) -> None:
    group = Group.objects.create(name="cooks")
    first: Any = {"groups": []}
    second = {"groups": ["cooks"]}
    if reverse:
        group.user_set.add(ada)
        group.user_set.clear()
    else:
        ada.groups.add(group)
        ada.groups.add(group)
        ada.groups.remove(group)
    assert entries("auth.user")[1:] == [("changed", first, second), ("changed", second, first)]


def test_permissions_of_a_group() -> None:
    group = Group.objects.create(name="cooks")
    permission = Permission.objects.get(codename="view_team")
    group.permissions.set([permission])
    group.permissions.clear()
    named = {"permissions": [str(permission)]}
    assert entries("auth.group")[1:] == [
        ("changed", {"permissions": []}, named),
        ("changed", named, {"permissions": []}),
    ]


def test_tokens_by_name_and_never_by_content(ada: User) -> None:
    token, text = ApiToken.issue(ada, "nightly", "read", timedelta(days=1))
    digest = token.token.digest
    token.revoke()
    made, revoked = AuditEntry.objects.filter(kind="access.apitoken").order_by("pk")
    assert (made.object_name, part(made.after, "user"), part(made.after, "scope")) == (
        "nightly",
        "ada",
        "read",
    )
    assert (revoked.action, part(revoked.before, "user")) == ("deleted", "ada")
    for entry in AuditEntry.objects.all():
        said = str(vars(entry))
        assert text not in said
        assert digest[:32] not in said


def test_what_a_program_did_is_told_with_the_name_of_its_token(ada: User) -> None:
    namespace = make_namespace("team-a")
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": []}}
    pod = make_pod("a", namespace=namespace, hami_manifest=manifest)
    Membership.objects.create(team=_team_of(namespace), user=ada)
    _, text = ApiToken.issue(ada, "nightly", "read", timedelta(days=1))
    question = {"pods": [{"namespace": "team-a", "name": pod.name}], "cluster": namespace.cluster.name}
    program = Client(headers={"Authorization": f"Bearer {text}"})
    program.post("/api/v1/conversions/", question, content_type="application/json")
    entry = AuditEntry.objects.get(action="previewed")
    assert (entry.username, entry.token, entry.address) == ("ada", "nightly", "127.0.0.1")


def _team_of(namespace: Namespace) -> Team:
    namespace.team = Team.objects.create(slug="vision", name="Vision")
    namespace.save()
    return namespace.team


def test_previews_are_told_with_where_to_find_them(ada: User) -> None:
    preview = ConversionPreview.record(ada, HamiPod.objects.none())
    entry = AuditEntry.objects.get(action="previewed")
    assert (entry.object_id, entry.after) == (str(preview.pk), {"pods": 0})


def test_a_saved_conversion_is_recorded_without_its_manifest(ada: User) -> None:
    SavedConversion.objects.create(
        user=ada, username="ada", manifest="SECRET", profile="0.2.3", namespace="x"
    )
    assert "SECRET" not in str(entries("inventory.savedconversion"))


def test_who_is_who_at_a_provider(ada: User) -> None:
    Identity.objects.create(user=ada, issuer="https://example.org", subject="1")
    assert entries("access.identity")[0][2] == {
        "user": "ada",
        "issuer": "https://example.org",
        "subject": "1",
        "made_operator": False,
    }


def test_everything_that_the_administration_lets_one_write_is_recorded() -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("root")
    written = {
        model._meta.label_lower
        for model, its in admin.site._registry.items()
        if its.has_add_permission(request) or its.has_change_permission(request)
        for model in (model, *_inlines(its))
    }
    assert written - OF_THE_BRAKE <= FIELDS.keys()


def _inlines(its: Any) -> Sequence[Any]:
    return [inline.model for inline in its.inlines]
