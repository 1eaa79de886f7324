"""A past of some days, made by chance, with all that makes adding up difficult."""

from datetime import datetime, timedelta
from random import Random

from inventory.models import Cluster, ShareInterval
from tests.factories import make_cluster
from tests.past import after, make_coverage, make_held, make_published, make_used

DAYS = 4
HOURS = 24 * DAYS
_CONSUMED: tuple[dict[str, str | None], ...] = (
    {"memory": "20Gi", "cores": "10"},
    {"memory": "7Gi"},
    {"memory": "100m", "cores": "33"},
    {"cores": "0"},
    {"memory": None, "cores": "50"},
    {},
)
_CAPACITIES: tuple[dict[str, str | None], ...] = (
    {"memory": "80Gi", "cores": "100"},
    {"memory": "24Gi"},
    {"memory": None, "cores": "100"},
)


def make_past(chance: Random) -> None:
    for name in ("lab", "west"):
        _make_cluster(chance, make_cluster(name))


def _make_cluster(chance: Random, cluster: Cluster) -> None:
    borders = sorted(chance.sample(range(2, HOURS), 4))
    for start, end in ((0.3, borders[0] + 0.5), (borders[1], borders[2]), (borders[3] + 0.25, HOURS)):
        make_coverage(start, end, cluster=cluster)
    for number in range(4):
        _publish(chance, cluster, f"gpu-{number}")
    for number in range(40):
        _hold(chance, cluster, f"gpu-{number % 4}")


def _publish(chance: Random, cluster: Cluster, device: str) -> None:
    moments = [0, *sorted(chance.uniform(0, HOURS) for _ in range(3))]
    for place, start in enumerate(moments):
        following = moments[place + 1] if place + 1 < len(moments) else None
        gone = following is not None and chance.random() < 0.3
        end = (start + following) / 2 if gone and following is not None else following
        make_published(
            device,
            start,
            end,
            cluster=cluster,
            node=chance.choice(("node-1", "node-2")),
            product=chance.choice(("A100", "H100", "")),
            accelerator=chance.random() < 0.9,
            card=chance.choice((device, "card")),
            partitioned=chance.random() < 0.3,
            capacity=chance.choice(_CAPACITIES),
        )


def _hold(chance: Random, cluster: Cluster, device: str) -> ShareInterval:
    start = chance.uniform(-10, HOURS)
    end = None if chance.random() < 0.2 else start + chance.expovariate(1 / 10)
    share = make_held(
        device,
        start,
        end,
        cluster=cluster,
        consumed=chance.choice(_CONSUMED),
        dedicated=chance.random() < 0.3,
        team_slug=chance.choice(("vision", "speech", "")),
        namespace=chance.choice(("team-vision", "team-speech")),
        admin_access=chance.random() < 0.1,
    )
    for pod in range(chance.randrange(3)):
        began = start + pod if end is None else min(start + pod, end)
        make_used(share, f"pod-{pod}", began, end, workload_name=chance.choice(("web", "api")))
    return share


def some_period(chance: Random) -> tuple[datetime, datetime]:
    """Sometimes of whole days or hours."""
    start, end = sorted(chance.uniform(-24, HOURS + 24) for _ in range(2))
    unit = chance.choice((24, 1, 1 / 3600))
    first = after(start // unit * unit)
    return first, max(after(end // unit * unit), first + timedelta(seconds=1))
