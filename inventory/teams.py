"""Which namespace belongs to which team."""

from django.db.models import F

from inventory.models import Claim, Cluster, Namespace, Pod
from inventory.sync.places import teams_of


def assign_namespaces() -> None:
    """Bring every namespace's team up to date with the assignments; polls do the same for what they read."""
    for cluster in Cluster.objects.all():
        teams = teams_of(cluster)
        changed = []
        for namespace in Namespace.objects.filter(cluster=cluster):
            if namespace.team_id != teams.get(namespace.name):
                namespace.team_id = teams.get(namespace.name)
                changed.append(namespace)
        if changed:
            Namespace.objects.bulk_update(changed, ["team"], batch_size=500)
            for namespace in changed:
                for model in (Claim, Pod):
                    model._default_manager.filter(namespace=namespace).update(team=namespace.team_id)
            Cluster.objects.filter(pk=cluster.pk).update(revision=F("revision") + 1)
