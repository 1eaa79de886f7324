import io
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from inventory.models import Cluster, KindState
from tests.factories import make_cluster
from tests.reading import read_recorded_cluster

CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: asked}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: hami-core-gpu.project-hami.io
        capacity: {requests: {memory: %s, cores: 10}}
"""


@pytest.fixture
def cluster(db: None, tmp_path: Path) -> Cluster:
    return read_recorded_cluster(tmp_path)


def run(*arguments: str) -> tuple[int, str]:
    """How it ended, and what it printed."""
    out = io.StringIO()
    try:
        call_command("fit", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert caught.value.returncode == 2
    return str(caught.value)


def gone(*_: Any) -> Any:
    raise OperationalError("it is gone")


def written(folder: Path, text: str) -> str:
    path = folder / "claim.yaml"
    path.write_text(text)
    return str(path)


def test_a_claim_that_fits_ends_well_with_every_node_and_device(cluster: Cluster, tmp_path: Path) -> None:
    code, told = run(written(tmp_path, CLAIM % "8Gi"))
    assert code == 0
    assert told.startswith("Cluster lab-1, as of 20")
    assert "ResourceClaim default/asked: It fits now on 2 nodes." in told
    (line,) = [one for one in told.splitlines() if "gpu-node-1" in one]
    for part in ("hami-gpu-0", "NVIDIA A100-SXM4-80GB", "10 %", "8 GiB"):
        assert part in line


def test_a_claim_that_does_not_fit_ends_with_1_and_the_nearest_miss_first(
    cluster: Cluster, tmp_path: Path
) -> None:
    code, told = run(written(tmp_path, CLAIM % "90Gi"))
    lines = told.splitlines()
    assert code == 1
    headline = lines.index("ResourceClaim default/asked: No node can meet it now.")
    assert "cores" in lines[headline + 2]
    assert "10 %" in lines[headline + 2]
    assert "at most 5 % left" in lines[headline + 2]


def test_a_pod_is_asked_about_by_its_name(cluster: Cluster) -> None:
    code, told = run("team-vision/share-c", "--cluster", "lab-1")
    assert code == 1
    assert "Pod team-vision/share-c: It would fit on" in told
    assert "nodeSelector wants kubernetes.io/hostname=npu-node-2" in told


def test_a_manifest_comes_from_stdin_too(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((CLAIM % "8Gi").encode())))
    code, told = run("-", "--namespace", "team-vision")
    assert code == 0
    assert "ResourceClaim team-vision/asked: It fits" in told


def test_a_claim_that_a_quota_refuses_does_not_end_well_though_there_is_room(
    cluster: Cluster, tmp_path: Path
) -> None:
    two = (CLAIM % "1Gi").replace("        capacity", "        count: 2\n        capacity")
    code, told = run(written(tmp_path, two), "--namespace", "team-quota")
    assert code == 1
    assert "2 needed, 2 of 3 used" in told


def test_an_answer_that_rests_on_what_was_never_read_says_so(cluster: Cluster) -> None:
    KindState.objects.filter(kind="resourceslices").update(succeeded_at=None)
    code, told = run("team-batch/too-big")
    assert code == 3
    assert told.startswith("Cluster lab-1, never read in full, which is stale")
    assert "never read from cluster lab-1: resourceslices" in told


def test_what_a_terminal_would_take_for_a_command_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    odd = (CLAIM % "8Gi").replace("name: asked", 'name: "a\\e[2Jb"')
    _, told = run(written(tmp_path, odd))
    assert "\x1b" not in told
    assert "a\ufffd[2Jb" in told


@pytest.mark.parametrize(
    ("subject", "told"),
    [
        ("nothing", "nothing: no such file; expected a file, - or namespace/name"),
        ("a/b/c", "no such file"),
        ("./team-vision/share-c", "no such file"),
        ("team-vision/claim.yaml", "no such file"),
        ("/name", "no such file"),
        ("team-vision/nothing", "neither a claim nor a Pod team-vision/nothing is in cluster lab-1"),
    ],
)
def test_a_subject_that_is_not_there_is_refused(cluster: Cluster, subject: str, told: str) -> None:
    assert told in refusal(subject)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: Pod\n\tspec: {}", "claim.yaml: line 2: "),
        (
            CLAIM % "lots",
            "claim.yaml: ResourceClaim default/asked: spec.devices.requests[gpu].capacity.requests[memory]",
        ),
        ("#" * (1024 * 1024 + 1), "claim.yaml: longer than 1024 KiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_place(
    cluster: Cluster, tmp_path: Path, text: str, told: str
) -> None:
    assert told in refusal(written(tmp_path, text))


def test_a_folder_is_no_file(cluster: Cluster, tmp_path: Path) -> None:
    assert "Is a directory" in refusal(str(tmp_path))


def test_the_cluster_is_named_where_there_are_several(cluster: Cluster) -> None:
    make_cluster("lab-2")
    several = "--cluster: there are several clusters, name one; known: lab-1, lab-2"
    assert refusal("team-vision/share-c") == several
    nowhere = "--cluster: there is no cluster nowhere; known: lab-1, lab-2"
    assert refusal("a/b", "--cluster", "nowhere") == nowhere


def test_without_a_cluster_there_is_nobody_to_ask(db: None) -> None:
    assert refusal("a/b") == "--cluster: no cluster is kept yet"


def test_a_name_is_a_name_whatever_files_there_are(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "team-vision").mkdir()
    (tmp_path / "team-vision" / "share-c").write_text(CLAIM % "8Gi")
    assert "Pod team-vision/share-c: " in run("team-vision/share-c")[1]
    assert "ResourceClaim default/asked: " in run("./team-vision/share-c")[1]


def test_the_kind_says_what_has_the_name(cluster: Cluster) -> None:
    assert "Pod team-vision/share-c: " in run("team-vision/share-c", "--kind", "Pod")[1]
    told = refusal("team-vision/share-c", "--kind", "ResourceClaim")
    assert told == "team-vision/share-c: no ResourceClaim team-vision/share-c is in cluster lab-1"
    assert refusal("share-c", "--kind", "Pod") == "share-c: expected namespace/name"


def test_what_does_not_fit_counts_for_more_than_what_cannot_be_told(cluster: Cluster, tmp_path: Path) -> None:
    expression = "ip('10.0.0.1').family() == 4"
    selectors = f'        selectors: [{{cel: {{expression: "{expression}"}}}}]\n'
    unknown = (CLAIM % "8Gi").replace("        capacity", f"{selectors}        capacity")
    assert run(written(tmp_path, unknown))[0] == 3
    assert run(written(tmp_path, f"{unknown}\n---\n{CLAIM % '8Gi'}"))[0] == 3
    assert run(written(tmp_path, f"{unknown}\n---\n{CLAIM % '90Gi'}"))[0] == 1


def test_without_a_database_there_is_no_answer(cluster: Cluster) -> None:
    with connection.execute_wrapper(gone):
        assert "the database cannot be read: it is gone" in refusal("team-vision/share-c")
