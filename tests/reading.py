"""The recorded cluster in the database, read over HTTP as a real one is."""

from pathlib import Path

from demo import recorded
from demo.server import ApiServer
from inventory.models import Cluster, Team, TeamNamespace
from inventory.sync.poll import poll_cluster

TEAMS = ("nlp", "vision", "batch", "infra", "fabric", "gang", "quota")


def read_recorded_cluster(folder: Path) -> Cluster:
    """With a team for each of its team namespaces; colours in that order."""
    for colour, slug in enumerate(TEAMS, start=1):
        team = Team.objects.create(slug=slug, name=slug, colour=colour)
        TeamNamespace.objects.create(team=team, namespace=f"team-{slug}")
    with ApiServer(recorded.store()) as server:
        path = server.kubeconfig(folder / "kubeconfig")
        cluster = Cluster.objects.create(name="lab-1", kubeconfig=str(path))
        assert poll_cluster(cluster.pk).ended == "applied"
    return cluster
