"""What it costs to preview the conversion of many Pods, beside the bare parse of their manifests.

    python -m benchmarks.conversion --pods 10000 --devices 10000 --database sqlite
    python -m benchmarks.conversion --pods 10000 --devices 10000 --database postgresql --json

Pods of eight shapes, each with a name of its own, against a cluster whose cards are listed and partly held.
Every run is a process of its own, whose memory is told.

    floor    the manifests from their JSON, and nothing else
    webhook  what the webhook makes of each, with the origin of every field
    preview  the same with warnings and proposals, without a cluster
    list     from the rows of the Pods to what the page of many Pods tells, with whether each would fit
    whole    the same with every claim, difference and place, as the API tells it
    encode   the whole answer as JSON
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
import msgspec

from benchmarks.measuring import clock, machine_line, peak_mib, ratio_to_floor, summary
from benchmarks.surroundings import DATABASES, measured

_PARTS = ("floor", "webhook", "preview", "list", "whole", "encode")
_SHAPES: tuple[tuple[dict[str, str], dict[str, str]], ...] = (
    ({"nvidia.com/gpu": "1"}, {}),
    ({"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4096"}, {}),
    ({"nvidia.com/gpu": "1", "nvidia.com/gpumem": "8192", "nvidia.com/gpucores": "30"}, {}),
    ({"nvidia.com/gpu": "2", "nvidia.com/gpumem": "1024", "nvidia.com/gpucores": "10"}, {}),
    ({"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "25"}, {}),
    (
        {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4096", "nvidia.com/gpucores": "20"},
        {"nvidia.com/use-gputype": "A100", "nvidia.com/nouse-gpuuuid": "GPU-1,GPU-2"},
    ),
    (
        {
            "huawei.com/Ascend310P": "1",
            "huawei.com/Ascend310P-memory": "8192",
            "huawei.com/Ascend310P-core": "50",
        },
        {"hami.io/use-Ascend310P-uuid": "card-1"},
    ),
    ({"cambricon.com/vmlu": "1", "cambricon.com/mlu.smlu.vmemory": "16"}, {}),
)
_NAMESPACES = 50


def manifests(pods: int) -> Iterator[dict[str, Any]]:
    for number in range(pods):
        limits, annotations = _SHAPES[number % len(_SHAPES)]
        yield {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": f"team-{number % _NAMESPACES}",
                "name": f"work-{number}",
                "annotations": annotations,
            },
            "spec": {
                "schedulerName": "hami-scheduler",
                "containers": [
                    {"name": "app", "resources": {"limits": {"cpu": "4", "memory": "16Gi", **limits}}},
                    {"name": "side", "resources": {"limits": {"cpu": "500m"}}},
                ],
            },
        }


def once(pods: int) -> dict[str, Any]:
    """In a process with a database that holds the cluster and the Pods."""
    django.setup()
    from dashboard.api.wire import encode, wire
    from inventory.hami.previews import pod_preview
    from inventory.hami.webhook.mutate import mutate
    from inventory.models import HamiPod
    from inventory.queries.conversion.previews import of_pods
    from inventory.queries.conversion.settings import settings
    from inventory.snapshot import snapshot
    from inventory.viewer import EVERYTHING

    chosen = settings()
    texts = [msgspec.json.encode(one) for one in manifests(pods)]
    floor, given = clock(lambda: [msgspec.json.decode(text) for text in texts])
    webhook, _ = clock(lambda: [mutate(pod, chosen.devices, chosen.profile) for pod in given])
    preview, _ = clock(lambda: [pod_preview(pod, chosen) for pod in given])

    def answered(*, in_brief: bool) -> Any:
        with snapshot():
            rows = HamiPod.objects.select_related("cluster", "namespace").order_by("pk")
            return of_pods(rows.iterator(chunk_size=1_000), chosen, viewer=EVERYTHING, in_brief=in_brief)

    listed, _ = clock(lambda: answered(in_brief=True))
    list_peak = peak_mib()
    whole, answer = clock(lambda: answered(in_brief=False))
    encoded, body = clock(lambda: encode(wire(answer)))
    found = answer.summary
    warned = found.refused + found.with_warnings
    if found.objects != pods or found.unreadable or not found.fitting or not warned:
        raise SystemExit(f"not the Pods that were meant: {found}")
    seconds = dict(zip(_PARTS, (floor, webhook, preview, listed, whole, encoded), strict=True))
    told = {"megabytes": len(body) / 1e6, "summary": msgspec.to_builtins(found)}
    return {"seconds": seconds, "list_peak_mib": list_peak, "peak_mib": peak_mib(), **told}


def _fill(pods: int, devices: int, folder: Path) -> None:
    """A cluster that was polled, and Pods that ask HAMi for cards."""
    django.setup()
    from demo import generated
    from demo.server import ApiServer
    from inventory.models import Cluster, Namespace, Pod
    from inventory.sync.poll import poll_cluster

    with ApiServer(generated.cluster(devices, devices, managed_fields=False)) as server:
        kubeconfig = server.kubeconfig(folder / "kubeconfig")
        cluster = Cluster.objects.create(name="generated", kubeconfig=str(kubeconfig))
        outcome = poll_cluster(cluster.pk)
    if outcome.ended != "applied":
        raise SystemExit(f"the generated cluster was not read: {outcome}")
    names = {
        f"team-{number}": Namespace.objects.get_or_create(cluster=cluster, name=f"team-{number}")[0]
        for number in range(_NAMESPACES)
    }
    rows = (
        Pod(
            cluster=cluster,
            namespace=names[one["metadata"]["namespace"]],
            name=one["metadata"]["name"],
            uid=f"hami-{number}",
            resource_version="1",
            phase="Running",
            hami_manifest=one,
        )
        for number, one in enumerate(manifests(pods))
    )
    Pod.objects.bulk_create(rows, batch_size=1_000)


def rows(found: list[dict[str, Any]], pods: int) -> Iterator[str]:
    yield "| part | median | least | most | Pods a second | times the floor |"
    yield "|---|---|---|---|---|---|"
    for part in _PARTS:
        one = summary([run["seconds"][part] for run in found])
        yield (
            f"| {part} | {one['median']:.4g} s | {one['least']:.4g} s | {one['most']:.4g} s "
            f"| {pods / one['median']:,.0f} | {ratio_to_floor(found, part):.3g} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--devices", type=int, default=10_000)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print the ratios as one line")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fill is not None:
        _fill(arguments.pods, arguments.devices, arguments.fill)
        return
    if arguments.once:
        print(json.dumps(once(arguments.pods)))
        return
    given = {"pods": arguments.pods, "devices": arguments.devices}
    found = measured("benchmarks.conversion", given, arguments.database, arguments.runs)
    medians = {part: summary([run["seconds"][part] for run in found])["median"] for part in _PARTS}
    ratios = {f"{part} to floor": round(medians[part] / medians["floor"], 2) for part in _PARTS[1:]}
    ratios |= {
        "Pods a second, list": round(arguments.pods / medians["list"]),
        "Pods a second, whole": round(arguments.pods / medians["whole"]),
        "peak MiB, list": round(summary([run["list_peak_mib"] for run in found])["median"]),
        "peak MiB, whole": round(summary([run["peak_mib"] for run in found])["median"]),
    }
    if arguments.json:
        print(json.dumps(ratios))
        return
    sizes = f"{arguments.pods} Pods, {arguments.devices} devices, {arguments.database}"
    print(f"{machine_line()}, {sizes}, runs: {arguments.runs}")
    print("", *rows(found, arguments.pods), "", sep="\n")
    for name, value in ratios.items():
        print(f"{name}: {value:,}")
    print(f"answer: {found[0]['megabytes']:.1f} MB, {found[0]['summary']}")


if __name__ == "__main__":
    main()
