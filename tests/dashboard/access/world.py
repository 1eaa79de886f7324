"""A cluster of three tenants: one's own team, another team, and namespaces of nobody.

Every name of the other two has a random token in it, so that it can be looked for in every answer.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from secrets import token_hex
from typing import Any

from django.contrib.auth.models import Group, User

from dashboard.access.models import ApiToken
from demo.store import Object
from inventory.models import (
    Claim,
    Cluster,
    ConversionPreview,
    Coverage,
    DeviceInterval,
    Difference,
    HamiPod,
    KindState,
    Membership,
    Pod,
    PodInterval,
    SavedConversion,
    ShareInterval,
    SkippedObject,
    Team,
    TeamNamespace,
    TeamQuota,
    TeamRule,
)
from inventory.sync import holdings
from tests.inventory.sync.objects import DRA, HAMI, card, named, resource_slice, result
from tests.looking_back import make_event

CLUSTER = "lab"
_HOUR = timedelta(hours=1)
_GPU, _MEMORY, _CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"


@dataclass
class Tenant:
    """Names that are told of nowhere but to those who may read them."""

    token: str = field(default_factory=lambda: token_hex(4))

    def __getattr__(self, kind: str) -> str:
        if kind.startswith("_"):
            raise AttributeError(kind)
        return f"{kind.replace('_', '-')}-{self.token}"

    @property
    def share_id(self) -> str:
        return f"{self.token}-1111-4111-8111-111111111111"

    @property
    def selector(self) -> str:
        return f"{self.label}={self.value}"

    def objects(self, memory: str) -> list[Object]:
        holding = self._pod(self.pod, [self.claim], owned=True)
        return [
            named("v1", "Namespace", self.namespace, metadata={"labels": self._labels()}),
            self._claim(self.claim, memory, self.share_id, [holding]),
            self._claim(self.watcher, None, None, [], admin=True),
            self._claim(self.idle, None, None, []),
            self._claim(self.pending, None, None, []),
            named(DRA, "ResourceClaimTemplate", self.template, self.namespace, spec={"spec": _asks("20Gi")}),
            named(
                "v1", "ResourceQuota", self.quota, self.namespace, spec={"hard": {_COUNT: "1"}}, status=_FULL
            ),
            holding,
            self._waiting(),
            self._of_hami(),
        ]

    def _labels(self) -> dict[str, str]:
        return {self.label: self.value}

    def _metadata(self, name: str, *, owned: bool = False) -> dict[str, Any]:
        owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": self.workload, "uid": self.owner_uid}
        owners = [{**owner, "controller": True}] if owned else []
        return {"labels": self._labels(), "uid": f"uid-{name}", "ownerReferences": owners}

    def _claim(
        self, name: str, memory: str | None, share_id: str | None, pods: list[Object], *, admin: bool = False
    ) -> Object:
        results = []
        if memory:
            amounts = {"memory": memory, "cores": "10"}
            results = [result("hami-gpu-0", share_id, consumedCapacity=amounts)]
        if admin:
            results = [result("hami-gpu-0", None, adminAccess=True)]
        status: Object = {"allocation": {"devices": {"results": results}}} if results else {}
        if pods:
            status["reservedFor"] = [
                {"resource": "pods", "name": one["metadata"]["name"], "uid": one["metadata"]["uid"]}
                for one in pods
            ]
        spec = _asks(memory or "20Gi")
        return named(
            DRA,
            "ResourceClaim",
            name,
            self.namespace,
            metadata=self._metadata(name),
            spec=spec,
            status=status,
        )

    def _pod(self, name: str, claims: list[str], *, owned: bool = False, node: str = "node-1") -> Object:
        uses = [{"name": f"use-{place}", "resourceClaimName": one} for place, one in enumerate(claims)]
        spec = {
            "containers": [{"name": "app"}],
            "resourceClaims": uses,
            **({"nodeName": node} if node else {}),
        }
        status: Object = {"phase": "Running" if node else "Pending"}
        if not node:
            said = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            status["conditions"] = [{**said, "message": self.message}]
        metadata = self._metadata(name, owned=owned)
        return named("v1", "Pod", name, self.namespace, metadata=metadata, spec=spec, status=status)

    def _waiting(self) -> Object:
        waiting = self._pod(self.waiting, [self.pending], node="")
        made = {"name": "made", "resourceClaimTemplateName": self.template}
        waiting["spec"]["resourceClaims"].append(made)
        return waiting

    def _of_hami(self) -> Object:
        limits = {_GPU: "1", _MEMORY: "1024", _CORES: "10"}
        spec = {"containers": [{"name": self.container, "resources": {"limits": limits}}]}
        metadata = self._metadata(self.hami)
        return named(
            "v1", "Pod", self.hami, self.namespace, metadata=metadata, spec=spec, status={"phase": "Pending"}
        )


_COUNT = "count/resourceclaims.resource.k8s.io"
_FULL = {"hard": {_COUNT: "1"}, "used": {_COUNT: "1"}}


def _asks(memory: str) -> Object:
    capacity = {"requests": {"memory": memory, "cores": "10"}}
    return {
        "devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": HAMI, "capacity": capacity}}]}
    }


class _Mixed(Tenant):
    """A namespace of the other team in which labels give something to one's own."""

    def objects(self, memory: str) -> list[Object]:
        foreign, guest = self._pod(self.user, ["given"]), self._pod("guest", [self.private])
        given = self._claim("given", memory, f"{token_hex(4)}-2222-4222-8222-222222222222", [foreign])
        owner = {"apiVersion": "v1", "kind": "Pod", "name": self.owner, "uid": self.owner_uid}
        given["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
        given["metadata"]["labels"] = guest["metadata"]["labels"] = {"team": "own"}
        foreign["metadata"]["labels"] = {}
        return [
            named("v1", "Namespace", self.namespace),
            given,
            self._claim(self.private, memory, self.share_id, [guest]),
            foreign,
            guest,
        ]

    @property
    def namespace(self) -> str:
        """Whoever sees an object knows where it is."""
        return "mixed"


@dataclass
class World:
    own: Tenant = field(default_factory=Tenant)
    other: Tenant = field(default_factory=Tenant)
    nobody: Tenant = field(default_factory=Tenant)
    mixed: _Mixed = field(default_factory=_Mixed)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Of those who are not one's own."""
        return self.other.token, self.nobody.token, self.mixed.token

    def objects(self) -> list[Object]:
        """Two cards: one that all share, one that is free but for its cores."""
        attributes = {"type": {"string": "hami-gpu"}, "productName": {"string": "NVIDIA L4"}}
        return [
            named("v1", "Node", "node-1", status={}),
            named(DRA, "DeviceClass", HAMI, spec={}),
            resource_slice(*(card(f"hami-gpu-{number}", attributes=attributes) for number in range(2))),
            *self.own.objects("4Gi"),
            *self.other.objects("6Gi"),
            *self.nobody.objects("2Gi"),
            *self.mixed.objects("1Gi"),
        ]

    def settle(self) -> None:
        """Before the cluster is read: whose namespaces are whose, and who is in which team."""
        own = Team.objects.create(slug="own", name="Our Own", colour=1)
        other = Team.objects.create(slug=self.other.slug, name=self.other.name, colour=2)
        TeamNamespace.objects.create(team=own, namespace=self.own.namespace)
        TeamNamespace.objects.create(team=other, namespace=self.other.namespace)
        TeamNamespace.objects.create(team=other, namespace=self.mixed.namespace)
        for team in (own, other):
            TeamQuota.objects.create(
                team=team, dimension="memory", quantity="320Gi", note=f"agreed with {team.name}"
            )
        TeamRule.objects.create(selector=f"of={self.other.slug}", team=other)
        _user("member", own)
        _user("lead", own, role=Membership.Role.LEAD, is_staff=True)
        _user("gone", other, is_active=False)
        _user(self.other.username, other)
        operator = User.objects.create_user("operator", is_superuser=True, is_staff=True)
        operator.groups.add(Group.objects.get_or_create(name="operators")[0])

    def add_to(self, cluster: Cluster) -> None:
        """What no object of the cluster says: things by labels, what went wrong, what people keep."""
        own, other = Team.objects.get(slug="own"), Team.objects.get(slug=self.other.slug)
        Claim.objects.filter(name="given").update(team=own)
        Pod.objects.filter(name="guest").update(team=own)
        Claim.objects.filter(name=self.own.idle).update(team=other)
        holdings.rewrite(list(cluster.pools.values_list("pk", flat=True)))
        for tenant in (self.own, self.other, self.nobody):
            SkippedObject.objects.create(
                cluster=cluster,
                kind="resourceclaims",
                namespace=tenant.namespace,
                name=tenant.skipped,
                reason=tenant.reason,
            )
        Difference.objects.create(cluster=cluster, kind="pods", what=self.other.difference)
        KindState.objects.filter(cluster=cluster, kind="pods").update(
            error_reason="Malformed", error_message=self.other.kind_error
        )
        Cluster.objects.filter(pk=cluster.pk).update(
            differences=1,
            compared_at=cluster.observed_at,
            error_reason="Malformed",
            error_message=self.other.error,
        )
        self._remember(cluster)
        for name in (self.other.username, "member"):
            self._keep(User.objects.get(username=name), cluster)
        self.add_past(cluster)

    def add_past(self, cluster: Cluster) -> None:
        """What happened to the claims of each tenant, and limits that hold since then."""
        read_at = cluster.observed_at
        assert read_at
        for tenant, slug in ((self.own, "own"), (self.other, self.other.slug), (self.nobody, "")):
            for name in (tenant.claim, tenant.past):
                names = {"claim_uid": f"uid-{name}", "claim_name": name, "namespace": tenant.namespace}
                make_event(cluster, "allocated", read_at - _HOUR, team=slug, waited=3, node="node-1", **names)
                make_event(cluster, "deallocated", read_at, team=slug, **names)
        for team in Team.objects.all():
            TeamQuota.objects.create(
                team=team, dimension="cards", quantity="3", starts_at=read_at - _HOUR, note=f"of {team.name}"
            )

    def _remember(self, cluster: Cluster) -> None:
        """That all of it was so for two days, and that each had another claim, which is gone."""
        read_at = cluster.observed_at
        assert read_at
        began = read_at - timedelta(days=2)
        Coverage.objects.create(cluster=cluster, started_at=began, ended_at=read_at)
        for model in (DeviceInterval, ShareInterval, PodInterval):
            model.objects.filter(cluster=cluster).update(started_at=began)
        for tenant in (self.own, self.other, self.nobody):
            ended_at = began + timedelta(hours=6)
            gone = {"claim_name": tenant.past, "claim_uid": f"uid-{tenant.past}", "ended_at": ended_at}
            names = {"pod_name": tenant.past_pod, "workload_name": tenant.past_workload}
            for row, fields in ((ShareInterval, gone), (PodInterval, gone | names)):
                kept = row.objects.get(cluster=cluster, claim_name=tenant.claim)
                kept.pk = None
                for name, value in fields.items():
                    setattr(kept, name, value)
                kept.save()

    def _keep(self, user: User, cluster: Cluster) -> None:
        tenant = self.own if user.username == "member" else self.other
        pods = HamiPod.objects.filter(namespace__name=tenant.namespace)
        ConversionPreview.record(user, pods)
        SavedConversion.objects.create(
            user=user,
            username=user.username,
            manifest=manifest(tenant.saved, tenant.namespace),
            profile="0.2.3",
            cluster=cluster,
            namespace=tenant.namespace,
        )


def manifest(name: str, namespace: str) -> str:
    """Of a Pod that asks HAMi for a part of a card."""
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: {namespace}\nspec:\n"
        f"  containers:\n  - name: app\n    image: app\n    resources:\n      limits:\n"
        f'        {_GPU}: "1"\n        {_MEMORY}: "1024"\n'
    )


def pod_using(claim: str, namespace: str) -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: asked\n  namespace: {namespace}\nspec:\n"
        f"  containers:\n  - name: app\n  resourceClaims:\n  - name: card\n    resourceClaimName: {claim}\n"
    )


def _user(name: str, team: Team, *, role: str = Membership.Role.MEMBER, **fields: Any) -> User:
    user = User.objects.create_user(name, **fields)
    ApiToken.issue(user, f"token-of-{name}", "read", timedelta(days=1))
    Membership.objects.create(team=team, user=user, role=role)
    return user
