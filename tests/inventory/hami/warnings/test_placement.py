from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.webhook.profiles import Profile
from tests.inventory.hami.pods import codes, container, pod, pod_of, warned

GPU = {"nvidia.com/gpu": 1}


def test_the_claims_of_two_containers_may_share_a_card() -> None:
    warning = warned(pod_of(container(GPU), container(GPU, "side")))[Code.MAY_SHARE_ONE_CARD]

    assert warning.severity is Severity.NOTE
    assert warning.values["containers"] == "app, side"
    assert warning.instead == "constraints:\n- distinctAttribute: hami-core-gpu.project-hami.io/uuid"


def test_the_devices_of_one_request_and_of_two_drivers_are_apart() -> None:
    assert Code.MAY_SHARE_ONE_CARD not in codes(pod({"nvidia.com/gpu": 2}))
    assert Code.MAY_SHARE_ONE_CARD not in codes(pod({**GPU, "hygon.com/hcunum": 1}))


def test_two_chips_of_one_driver_may_share_a_card() -> None:
    one = pod({"huawei.com/Ascend310P": 1, "huawei.com/Ascend910B4": 1})

    assert Code.MAY_SHARE_ONE_CARD in codes(one)


def test_the_first_version_takes_a_container_s_own_claims() -> None:
    one = pod_of({"name": "app", "resources": {"limits": GPU, "claims": [{"name": "net"}]}})

    assert warned(one, profile=Profile.V0_0_1)[Code.CLAIMS_OVERWRITTEN].values["claims"] == "net"
    assert codes(one) == set()


def test_a_pod_with_a_node_is_never_started() -> None:
    warning = warned(pod(GPU, nodeName="n1"))[Code.NODE_NAME]

    assert warning.severity is Severity.NEVER_FITS
    assert warning.instead == "nodeSelector:\n  kubernetes.io/hostname: n1"


def test_another_scheduler_is_worth_a_note() -> None:
    assert Code.OTHER_SCHEDULER in codes(pod(GPU, schedulerName="hami-scheduler"))
    assert codes(pod(GPU, schedulerName="default-scheduler")) == set()


def test_hami_refuses_privileged_containers() -> None:
    privileged = container(GPU, securityContext={"privileged": True})

    assert Code.PRIVILEGED in codes(pod_of(privileged))
    assert Code.PRIVILEGED not in codes(
        pod_of(container(GPU), container(name="x", securityContext={"privileged": True}))
    )


def test_hami_s_records_are_of_no_use() -> None:
    one = pod(GPU, {"hami.io/vgpu-node": "n1", "hami.io/vgpu-devices-allocated": "GPU-a,NVIDIA,1024,0:;"})

    assert (
        warned(one)[Code.HAMI_RECORDS].values["names"] == "hami.io/vgpu-node, hami.io/vgpu-devices-allocated"
    )


def test_a_pod_without_cards_may_go_anywhere() -> None:
    assert codes(pod({"cpu": 1}, nodeName="n1", schedulerName="volcano")) == set()
