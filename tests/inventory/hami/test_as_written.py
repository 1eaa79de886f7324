from inventory.hami.as_written import as_written, is_record

TOKEN = "kube-api-access-x7k2p"


def test_what_the_api_server_fills_in_goes() -> None:
    metadata = {"name": "p", "uid": "1", "resourceVersion": "2", "managedFields": [], "labels": {"a": "b"}}

    assert as_written({"kind": "Deployment", "metadata": metadata, "spec": {}, "status": {}}) == {
        "kind": "Deployment",
        "metadata": {"name": "p", "labels": {"a": "b"}},
        "spec": {},
    }


def test_records_go_and_choices_stay() -> None:
    annotations = {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "hami.io/vgpu-node": "n1",
        "hami.io/Ascend310P-devices-allocated": ";",
        "nvidia.com/use-gputype": "A100",
    }

    assert as_written({"metadata": {"annotations": annotations}}) == {
        "metadata": {"annotations": {"nvidia.com/use-gputype": "A100"}}
    }
    assert as_written({"metadata": {"annotations": {"hami.io/vgpu-time": "1"}}}) == {"metadata": {}}


def test_a_pod_of_a_cluster_loses_its_node_and_its_token() -> None:
    mounts = [{"name": TOKEN}, {"name": "models"}]
    spec = {
        "nodeName": "n1",
        "volumes": [{"name": "models"}, {"name": TOKEN}],
        "containers": [{"name": "app", "volumeMounts": mounts}, {"name": "side", "volumeMounts": mounts[:1]}],
    }

    assert as_written({"kind": "Pod", "metadata": {"uid": "1"}, "spec": spec})["spec"] == {
        "volumes": [{"name": "models"}],
        "containers": [{"name": "app", "volumeMounts": [{"name": "models"}]}, {"name": "side"}],
    }


def test_a_pod_that_somebody_wrote_stays_as_it_is() -> None:
    one = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "n1", "volumes": []}}

    assert as_written(one) == one


def test_odd_shapes_stay_as_they_are() -> None:
    one = {
        "kind": "Pod",
        "metadata": {"uid": "1", "annotations": []},
        "spec": {"containers": [1], "volumes": 2},
    }

    assert as_written(one) == {**one, "metadata": {"annotations": []}}
    assert as_written({"metadata": 1}) == {"metadata": 1}


def test_records_are_told_from_other_annotations() -> None:
    assert is_record("hami.io/vgpu-devices-to-allocate")
    assert not is_record("hami.io/use-Ascend310P-uuid")
