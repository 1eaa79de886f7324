from pathlib import Path

import pytest

from dashboard import declared_clusters
from dashboard.declared_clusters import Declaration, DeclarationError
from inventory.models import Cluster


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("lab=/etc/lab.yaml", Declaration("lab", "/etc/lab.yaml")),
        ("lab = /etc/lab.yaml#admin@lab", Declaration("lab", "/etc/lab.yaml", "admin@lab")),
        ("lab=#second", Declaration("lab", "", "second")),
        ("lab=in-cluster", Declaration("lab", in_cluster=True)),
        ("lab=~/lab.yaml", Declaration("lab", str(Path.home() / "lab.yaml"))),
    ],
)
def test_a_cluster_is_named_with_where_its_access_comes_from(text: str, declared: Declaration) -> None:
    assert declared_clusters.parse(text) == declared


@pytest.mark.parametrize("text", ["lab", "lab=", "=/etc/lab.yaml", "Lab 1=/etc/lab.yaml"])
def test_what_names_no_cluster_is_quoted_back(text: str) -> None:
    with pytest.raises(DeclarationError, match=f"'{text}'"):
        declared_clusters.parse(text)


@pytest.mark.django_db
def test_registering_again_brings_a_cluster_up_to_date_and_leaves_others_alone() -> None:
    Cluster.objects.create(name="by-hand", kubeconfig="/etc/by-hand.yaml")
    declared_clusters.register([Declaration("lab", "/old.yaml", "first")])
    declared_clusters.register([Declaration("lab", "/new.yaml")])
    found = Cluster.objects.values_list("name", "kubeconfig", "context")
    assert set(found) == {("by-hand", "/etc/by-hand.yaml", ""), ("lab", "/new.yaml", "")}


def test_without_a_declaration_it_is_what_kubectl_would_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert declared_clusters.of_this_machine() == []
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").touch()
    assert declared_clusters.of_this_machine() == [Declaration("default")]
    monkeypatch.setenv("KUBECONFIG", "/etc/lab.yaml")
    assert declared_clusters.of_this_machine() == [Declaration("default")]
