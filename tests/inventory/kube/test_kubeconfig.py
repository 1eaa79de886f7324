import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from inventory.kube.errors import KubeconfigError
from inventory.kube.kubeconfig import select

SECRET = "a-token-nobody-may-read"


def written(path: Path, **changes: Any) -> str:
    content = {
        "current-context": "lab",
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "reader"}}],
        "clusters": [{"name": "lab", "cluster": {"server": "https://lab.example:6443"}}],
        "users": [{"name": "reader", "user": {"token": SECRET}}],
    }
    path.write_text(yaml.safe_dump({**content, **changes}))
    return str(path)


def test_the_current_context_is_used_when_none_is_named(tmp_path: Path) -> None:
    selection = select(written(tmp_path / "config"), "")

    assert (selection.context, selection.server) == ("lab", "https://lab.example:6443")


def test_a_missing_file_is_named_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match=re.escape(f"not found at {tmp_path / 'nowhere'}")):
        select(str(tmp_path / "nowhere"), "")


def test_an_unknown_context_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    path = written(tmp_path / "config")

    with pytest.raises(KubeconfigError, match=r"Context 'prod' is not in kubeconfig .*Known contexts: lab\."):
        select(path, "prod")


def test_without_a_current_context_one_has_to_be_named(tmp_path: Path) -> None:
    path = written(tmp_path / "config", **{"current-context": ""})

    with pytest.raises(KubeconfigError, match=r"sets no current-context.*Known contexts: lab\."):
        select(path, "")


def test_without_a_path_the_environment_names_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'missing'}:{written(tmp_path / 'config')}")

    assert select("", "").context == "lab"


def test_without_path_and_environment_the_home_folder_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    with pytest.raises(KubeconfigError, match=re.escape(f"{tmp_path}/.kube/config")):
        select("", "")


def test_of_several_files_the_first_to_name_something_wins(tmp_path: Path) -> None:
    first = written(tmp_path / "first", users=None, contexts=[])
    second = written(
        tmp_path / "second",
        **{
            "current-context": "other",
            "clusters": [{"name": "lab", "cluster": {"server": "https://second.example"}}],
        },
    )

    selection = select(f"{first}:{second}", "")

    assert (selection.context, selection.server) == ("lab", "https://lab.example:6443")


def test_a_context_without_its_cluster_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "config", clusters=None)

    with pytest.raises(KubeconfigError, match="names the cluster 'lab', which is not there"):
        select(path, "")


@pytest.mark.parametrize(
    "cluster",
    [
        None,
        {},
        *({"server": server} for server in ("api.example", "ftp://api.example", "https://", "https://[::")),
    ],
)
def test_a_cluster_without_an_address_is_told(tmp_path: Path, cluster: Any) -> None:
    path = written(tmp_path / "config", clusters=[{"name": "lab", "cluster": cluster}])

    with pytest.raises(KubeconfigError, match="cluster 'lab' has no `server` like https://host:port"):
        select(path, "")


def test_a_context_without_its_user_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "config", users=[])

    with pytest.raises(KubeconfigError, match="names the user 'reader', who is not there"):
        select(path, "")


def test_a_context_may_do_without_a_user(tmp_path: Path) -> None:
    path = written(tmp_path / "config", contexts=[{"name": "lab", "context": {"cluster": "lab"}}], users=None)

    assert select(path, "").plugin == ""


def test_the_credential_plugin_of_the_user_is_known(tmp_path: Path) -> None:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws", "args": ["eks", "get-token"]}
    path = written(tmp_path / "config", users=[{"name": "reader", "user": {"exec": plugin}}])

    assert select(path, "").plugin == "aws"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (f"users:\n- user: {{token: {SECRET}\n", "it is no YAML, see line 3"),
        (f"users: {SECRET}\n", "Expected `array | null`, got `str` - at `$.users`"),
        (f"- {SECRET}\n", "Expected `object`, got `array`"),
        (f"users: [{{user: {{token: {SECRET}}}}}]\n", "missing required field `name`"),
        ("\0", "it is no YAML"),
        ("", "sets no current-context"),
        ("[" * 5000, "it is nested too deeply"),
    ],
)
def test_what_is_no_kubeconfig_is_told_without_quoting_it(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "config"
    path.write_text(content)

    with pytest.raises(KubeconfigError) as raised:
        select(str(path), "")

    assert str(path) in str(raised.value)
    assert problem in str(raised.value)
    assert SECRET not in str(raised.value)


def test_a_binary_file_is_no_kubeconfig(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(KubeconfigError, match="it is no UTF-8 text"):
        select(str(path), "")


def test_a_folder_is_no_kubeconfig(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match="Is a directory"):
        select(str(tmp_path), "")
