"""Where what people already have says whose a namespace or a Pod is."""

from collections.abc import Mapping
from typing import NamedTuple

from inventory.ownership.rulebook import Subject
from inventory.texts import marked


class PresetRule(NamedTuple):
    """The value under this key names the team."""

    subject: Subject
    key: str
    in_annotations: bool = False


class Preset(NamedTuple):
    """`source` says where the keys are written down, `about` what to know before using it.

    Title and `about` are marked for translation.
    """

    name: str
    title: str
    rules: tuple[PresetRule, ...]
    source: str
    about: str


_PRESETS = (
    Preset(
        "rancher",
        marked("Rancher projects"),
        (PresetRule(Subject.NAMESPACE, "field.cattle.io/projectId", in_annotations=True),),
        "https://ranchermanager.docs.rancher.com/api/workflows/projects",
        marked(
            "The value is <cluster>:<project>, not the project's display name: name the teams afterwards."
        ),
    ),
    Preset(
        "kubesphere",
        marked("KubeSphere workspaces"),
        (PresetRule(Subject.NAMESPACE, "kubesphere.io/workspace"),),
        "https://github.com/kubesphere/kubesphere: kubesphere.io/api/tenant/v1beta1/workspace_types.go",
        marked("KubeSphere's own namespaces are in system-workspace."),
    ),
    Preset(
        "capsule",
        marked("Capsule tenants"),
        (PresetRule(Subject.NAMESPACE, "capsule.clastix.io/tenant"),),
        "https://github.com/projectcapsule/capsule: pkg/api/meta/labels.go",
        marked("Capsule writes the label when a tenant's owner makes the namespace."),
    ),
    Preset(
        "kueue",
        marked("Kueue queues"),
        (
            PresetRule(Subject.POD, "kueue.x-k8s.io/local-queue-name"),
            PresetRule(Subject.POD, "kueue.x-k8s.io/queue-name"),
        ),
        "https://github.com/kubernetes-sigs/kueue: pkg/controller/constants/constants.go",
        marked("A queue's name is unique in its namespace only: two queues named alike become one team."),
    ),
    Preset(
        "volcano",
        marked("Volcano queues"),
        (
            PresetRule(Subject.POD, "volcano.sh/queue-name"),
            PresetRule(Subject.POD, "scheduling.volcano.sh/queue-name", in_annotations=True),
            PresetRule(Subject.NAMESPACE, "scheduling.volcano.sh/queue-name", in_annotations=True),
        ),
        "https://github.com/volcano-sh/volcano: pkg/controllers/job/job_controller_util.go, "
        "pkg/webhooks/admission/podgroups/mutate/mutate_podgroup.go",
        marked(
            "Pods of Volcano's Jobs have the label, other Pods the annotation; both go before the namespace. "
            "Jobs that name no queue are in the queue default, which becomes a team as well."
        ),
    ),
)

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _PRESETS}


def annotations(subject: Subject) -> set[str]:
    """Kept whether a rule asks for them or not, so that one can be tried out."""
    return {
        rule.key
        for preset in _PRESETS
        for rule in preset.rules
        if rule.subject is subject and rule.in_annotations
    }
