"""Things that go wrong and stay so. The incomplete pool and the tainted card are in the fleet."""

from demo import resources
from demo.story import devices
from demo.story.fleet import A100_NODE, T4_NODE, publish
from demo.story.manifests import PodClaim, claim, pod, request
from demo.story.selecting import attribute_selector
from demo.story.stage import Stage

LEAKED_CLAIM = "team-rec-comfyui-jk42w-comfyui-nvidia"
LOST_CARD = "hami-gpu-7"
TOO_LARGE = "too-large"
_T4 = attribute_selector(devices.HAMI, "productName", "Tesla T4")


def strike(stage: Stage) -> None:
    _lose_a_card(stage)
    _leak_a_claim(stage)
    _ask_for_too_much(stage)
    stage.settle()


def _lose_a_card(stage: Stage) -> None:
    """The card of a running Pod fails, and HAMi's driver publishes the slice without it."""
    bus = attribute_selector(devices.HAMI, "pcieBusID", "0000:48:00.0")
    wanted = request("gpu", devices.HAMI, capacity={"cores": "60", "memory": "10Gi"}, selectors=[_T4, bus])
    stage.control.create_claim(claim("segmentation", "team-vision", [wanted]))
    image = "registry.example.com/segmentation:0.9"
    stage.enter(
        pod("segmentation", "team-vision", image=image, claims=[PodClaim("gpu", claim="segmentation")])
    )
    stage.settle()
    for each in stage.store.objects(resources.RESOURCE_SLICES):
        spec = each["spec"]
        if (spec["driver"], spec["nodeName"]) == (devices.HAMI, T4_NODE):
            left = [device for device in spec["devices"] if device["name"] != LOST_CARD]
            pool = spec["pool"] | {"generation": spec["pool"]["generation"] + 1}
            publish(stage.store, each | {"spec": spec | {"devices": left, "pool": pool}})


def _leak_a_claim(stage: Stage) -> None:
    """HAMi's webhook was away when the Pod was deleted, so the claim without owner stays allocated."""
    selectors = [attribute_selector(devices.HAMI, "type", "hami-gpu"), _T4]
    wanted = request("gpu", devices.HAMI, capacity={"memory": "8589934592"}, selectors=selectors)
    stage.control.create_claim(claim(LEAKED_CLAIM, "team-rec", [wanted]))
    gone = pod(
        "comfyui-jk42w",
        "team-rec",
        image="registry.example.com/comfyui:0.3",
        container="comfyui",
        claims=[PodClaim(LEAKED_CLAIM, claim=LEAKED_CLAIM)],
        labels={"hami.io/dra": "true"},
    )
    stage.enter(gone)
    stage.settle()
    stage.store.delete(resources.PODS, "team-rec", "comfyui-jk42w")


def _ask_for_too_much(stage: Stage) -> None:
    """More memory than any card has: the claim stays pending."""
    wanted = request("gpu", devices.HAMI, capacity={"cores": "50", "memory": "96Gi"})
    stage.control.create_claim(claim(TOO_LARGE, "team-nlp", [wanted]))
    waiting = pod(
        TOO_LARGE,
        "team-nlp",
        image="registry.example.com/train:1.0",
        claims=[PodClaim("gpu", claim=TOO_LARGE)],
        node_selector={"kubernetes.io/hostname": A100_NODE},
    )
    stage.enter(waiting)
