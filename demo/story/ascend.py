"""The seed of the story: three Pods want half a 310P3 each, and only two halves exist.

While share-a and share-b run, share-c waits, although it would find memory: the cores are spent.
When share-a is deleted, share-c gets its place; later all starts over. Names and objects are those
that HAMi's webhook 0.2.3 makes.
"""

from demo import resources
from demo.store import Object
from demo.story.devices import ASCEND, ASCEND_UUIDS
from demo.story.manifests import PodClaim, claim, pod, request
from demo.story.selecting import uuid_selector
from demo.story.stage import Stage

NAMESPACE = "team-vision"
SHARE_A, SHARE_B, SHARE_C = "ascend-share-a", "ascend-share-b", "ascend-share-c"
CARD = "npu-0-0"
_CONTAINER = "app"
_TYPE = f'device.driver == "{ASCEND}" && device.attributes["{ASCEND}"].type == "HAMivNPUCore"'
# 8192 MiB in plain bytes, which is how the webhook writes it.
_HALF = {"cores": "50", "memory": "8589934592"}


def claim_name(pod_name: str) -> str:
    return f"{NAMESPACE}-{pod_name}-{_CONTAINER}-ascend310p"


class AscendStory:
    """The three Pods, and the two steps between their states."""

    def __init__(self, stage: Stage, pause: float) -> None:
        self._stage = stage
        self._pause = pause

    def open(self) -> None:
        for name in (SHARE_A, SHARE_B, SHARE_C):
            self._submit(name)

    def play(self) -> None:
        """Delete and restore share-a in turn, forever."""
        self._stage.timeline.after(self._pause, self._delete_and_go_on)

    def delete_share_a(self) -> None:
        """share-a leaves, share-c takes its place."""
        if self._exists(SHARE_A):
            self._stage.leave(NAMESPACE, SHARE_A)
            self._stage.settle()

    def restore_share_a(self) -> None:
        """share-a is back, share-c is submitted anew and waits again."""
        if not self._exists(SHARE_A):
            self._stage.leave(NAMESPACE, SHARE_C)
            self._submit(SHARE_A)
            self._submit(SHARE_C)

    def _submit(self, name: str) -> None:
        selectors = [_TYPE, uuid_selector(ASCEND, ASCEND_UUIDS[0])]
        wanted = request("npu", "hami-vnpu-core.project-hami.io", capacity=_HALF, selectors=selectors)
        self._stage.control.create_claim(claim(claim_name(name), NAMESPACE, [wanted]))
        self._stage.enter(_pod(name))
        self._stage.settle()

    def _exists(self, name: str) -> bool:
        return self._stage.store.get(resources.PODS, NAMESPACE, name) is not None

    def _delete_and_go_on(self) -> None:
        self.delete_share_a()
        self._stage.timeline.after(self._pause, self._restore_and_go_on)

    def _restore_and_go_on(self) -> None:
        self.restore_share_a()
        self.play()


def _pod(name: str) -> Object:
    made = claim_name(name)
    submitted = pod(
        name,
        NAMESPACE,
        image="quay.io/ascend/vllm-ascend:v0.23.0-310p",
        container=_CONTAINER,
        claims=[PodClaim(made, claim=made)],
        labels={"hami.io/dra": "true", "hami.io/webhook": "ignore"},
        annotations={"hami.io/use-Ascend310P-uuid": ASCEND_UUIDS[0]},
    )
    return submitted | {"spec": submitted["spec"] | {"runtimeClassName": "ascend"}}
