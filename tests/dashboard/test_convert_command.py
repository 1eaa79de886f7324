import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command

from tests.reading import read_recorded_cluster

# Only what asks for a cluster has a database: pytest refuses it to the others.
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: embed, namespace: team-nlp}
spec:
  replicas: 3
  selector: {matchLabels: {app: embed}}
  template:
    metadata:
      labels: {app: embed}
    spec:
      containers:
      - name: app
        image: registry.example/embed:4
        resources:
          limits: {cpu: "4", nvidia.com/gpu: 1, nvidia.com/gpumem: 8192, nvidia.com/gpucores: 30}
"""
WITHOUT_CORES = DEPLOYMENT.replace(", nvidia.com/gpucores: 30", "")
MALFORMED = DEPLOYMENT.replace("limits: {", "limits: {\n            ").replace("gpumem: 8192", "gpumem: 8x92")
DENIED = DEPLOYMENT.replace("labels: {app: embed}", 'annotations: {nvidia.com/use-gpuuuid: ","}')


def written(folder: Path, text: str, name: str = "pods.yaml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def run(*arguments: str) -> tuple[int, str, str]:
    """How it ended, what it printed, and what it complained of."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("convert", *arguments, stdout=out, stderr=err)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_every_field_is_told_with_where_it_comes_from(tmp_path: Path) -> None:
    code, told, _ = run(written(tmp_path, DEPLOYMENT))
    assert code == 0
    assert told.startswith("1 object: 1 converted\n")
    (memory,) = [line for line in told.splitlines() if "capacity.requests.memory" in line]
    assert memory.strip() == (
        "spec.devices.requests[0].exactly.capacity.requests.memory: 8589934592  <- "
        'spec.containers[0].resources.limits["nvidia.com/gpumem"] 8192 (MiB to bytes, × 1,048,576)'
    )


def test_yaml_for_a_repository_is_complete_and_goes_through_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {a: 'yes'}\n"
    stdin = io.TextIOWrapper(io.BytesIO(f"{config_map}---{DEPLOYMENT}".encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, told, complaints = run("-", "-o", "yaml")
    assert (code, complaints) == (0, "")
    other, template, deployment = yaml.safe_load_all(told)
    assert other == yaml.safe_load(config_map)
    assert (template["kind"], template["metadata"]) == (
        "ResourceClaimTemplate",
        {"name": "embed-app-nvidia", "namespace": "team-nlp"},
    )
    spec = deployment["spec"]["template"]["spec"]
    assert spec["resourceClaims"] == [{"name": "app-nvidia", "resourceClaimTemplateName": "embed-app-nvidia"}]
    assert spec["containers"][0]["resources"] == {"limits": {"cpu": "4"}, "claims": [{"name": "app-nvidia"}]}
    # What came out asks HAMi for nothing any more.
    again = run(written(tmp_path, told), "-o", "yaml")
    assert list(yaml.safe_load_all(again[1])) == list(yaml.safe_load_all(told))


def test_yaml_as_the_webhook_makes_it(tmp_path: Path) -> None:
    code, told, _ = run(written(tmp_path, DEPLOYMENT), "-o", "yaml", "--as", "webhook")
    claim, pod = yaml.safe_load_all(told)
    assert code == 0
    assert (claim["kind"], claim["metadata"]["name"]) == ("ResourceClaim", "team-nlp-<rand5>-app-nvidia")
    assert pod["metadata"]["labels"] == {"app": "embed", "hami.io/dra": "true"}


def test_strict_ends_with_2_where_a_meaning_changes(tmp_path: Path) -> None:
    file = written(tmp_path, WITHOUT_CORES)
    assert run(file)[0] == 0
    code, told, _ = run(file, "--strict")
    assert code == 2
    assert "differs: Cores are not written down" in told


def test_what_is_refused_or_unreadable_ends_with_1_and_the_rest_is_still_told(tmp_path: Path) -> None:
    code, told, complaints = run(written(tmp_path, f"{DEPLOYMENT}---{DENIED}---\na: [\n"), "-o", "json")
    result = json.loads(told)
    assert code == 1
    assert [one["outcome"] for one in result["conversions"]] == ["converted", "refused"]
    assert result["unreadable"][0]["document"] == 3
    code, told, complaints = run(written(tmp_path, f"{DEPLOYMENT}---{DENIED}"), "-o", "yaml")
    assert code == 1
    assert 'annotation nvidia.com/use-gpuuuid has no usable value: ","' in complaints
    kinds = [one["kind"] for one in yaml.safe_load_all(told)]
    assert kinds == ["ResourceClaimTemplate", "Deployment"]


def test_what_kubernetes_would_refuse_and_what_means_something_else_is_told_beside_the_yaml(
    tmp_path: Path,
) -> None:
    long = DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet").replace(
        "name: embed,", f"name: {'e' * 70},"
    )
    code, _, complaints = run(written(tmp_path, long), "-o", "yaml", "--as", "webhook", "--profile", "0.0.1")
    assert code == 1
    assert "error: StatefulSet team-nlp/" in complaints
    assert "Kubernetes refuses" in complaints
    code, _, complaints = run(written(tmp_path, WITHOUT_CORES), "-o", "yaml", "--strict")
    assert code == 2
    assert "warning: Deployment team-nlp/embed: Cores are not written down" in complaints


def test_an_amount_that_is_none_is_found_by_its_field_and_line(tmp_path: Path) -> None:
    code, told, _ = run(written(tmp_path, f"---\nkind: List\napiVersion: v1\nitems: []\n---{MALFORMED}"))
    assert code == 1
    assert "quantities must match the regular expression" in told
    assert '(spec.containers[0].resources.limits["nvidia.com/gpumem"], line 21)' in told


def test_a_cluster_cannot_be_looked_for_without_tables(tmp_path: Path) -> None:
    environment = {**os.environ, "SLICEBOARD_STATE": str(tmp_path), "DATABASE_URL": ""}
    command = [sys.executable, "manage.py", "convert", written(tmp_path, DEPLOYMENT), "--cluster", "lab"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: no database to look for the cluster in: ")
    assert "Traceback" not in done.stderr


def test_a_cluster_says_whether_it_would_fit_now(db: None, tmp_path: Path) -> None:
    cluster = read_recorded_cluster(tmp_path)
    code, told, _ = run(written(tmp_path, DEPLOYMENT), "--cluster", cluster.name)
    assert code == 0
    assert "1 would fit now" in told
    assert "would it fit now? It fits now on 2 nodes." in told


def test_a_cluster_that_is_not_known_ends_with_1(db: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such cluster: nowhere; known: none") as caught:
        run(written(tmp_path, DEPLOYMENT), "--cluster", "nowhere")
    assert caught.value.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--vendors", "metax"], 'vendors: unsupported device vendor "metax"'),
        (["--config", "/nowhere/config.yaml"], "/nowhere/config.yaml"),
    ],
)
def test_options_that_cannot_be_used_end_with_1(tmp_path: Path, arguments: list[str], told: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(written(tmp_path, DEPLOYMENT), *arguments)
    assert caught.value.returncode == 1
    assert told in str(caught.value)


def test_a_file_that_is_not_there_ends_with_1() -> None:
    with pytest.raises(CommandError) as caught:
        run("/nowhere/pods.yaml")
    assert caught.value.returncode == 1
