"""Jobs that come and go over several teams and all kinds of devices."""

from collections import Counter

import msgspec

from demo import resources
from demo.store import Object
from demo.story import devices
from demo.story.devices import ASCEND, ASCEND_UUIDS
from demo.story.manifests import PodClaim, owner_reference, pod, request, template, workload
from demo.story.selecting import attribute_selector, uuid_selector
from demo.story.stage import Stage

_A100 = attribute_selector(devices.HAMI, "productName", "NVIDIA A100-SXM4-80GB")
_T4 = attribute_selector(devices.HAMI, "productName", "Tesla T4")
_PAUSE = (12.0, 30.0)
_WORK = (120.0, 480.0)
_KEPT_AFTER_WORK = 90.0
_MOST_OF_A_PROFILE = 3


class Profile(msgspec.Struct, frozen=True):
    """One kind of job: who runs it, how many Pods it has, and what each of them asks for."""

    name: str
    namespace: str
    pods: int
    requests: tuple[Object, ...]


PROFILES = (
    Profile(
        "train-resnet",
        "team-vision",
        2,
        (request("gpu", devices.HAMI, capacity={"cores": "30", "memory": "20Gi"}, selectors=[_A100]),),
    ),
    Profile(
        "augment",
        "team-vision",
        1,
        (
            request(
                "npu",
                "hami-vnpu-core.project-hami.io",
                capacity={"cores": "30", "memory": "6Gi"},
                selectors=[uuid_selector(ASCEND, ASCEND_UUIDS[1])],
            ),
        ),
    ),
    Profile(
        "finetune", "team-nlp", 1, (request("gpu", devices.NVIDIA, count=2), request("nic", devices.NETWORK))
    ),
    Profile("tokenize", "team-nlp", 2, (request("cpu", devices.CPU, capacity={"dra.cpu/cpu": "16"}),)),
    Profile(
        "render",
        "team-batch",
        3,
        (request("gpu", devices.HAMI, capacity={"cores": "50", "memory": "6Gi"}, selectors=[_T4]),),
    ),
    Profile(
        "score",
        "team-batch",
        2,
        (
            request(
                "mig", "mig.nvidia.com", selectors=[attribute_selector(devices.NVIDIA, "profile", "1g.10gb")]
            ),
        ),
    ),
    Profile(
        "simulate",
        "team-batch",
        1,
        (request("hcu", devices.HYGON, capacity={"cores": "60", "memory": "20Gi"}),),
    ),
    Profile(
        "rank",
        "team-rec",
        2,
        (request("gpu", devices.HAMI, capacity={"cores": "50", "memory": "30Gi"}, selectors=[_A100]),),
    ),
    Profile("embed", "team-rec", 1, (request("gpu", devices.AMD),)),
    Profile("smoke", "team-infra", 1, (request("gpu", devices.INTEL),)),
)


class Jobs:
    """Starts a job every few seconds, of whatever profile has not enough of them yet."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._live: Counter[str] = Counter()

    def open(self) -> None:
        for profile in PROFILES:
            labels = {"app": profile.name}
            self._stage.store.put(template(_template(profile), profile.namespace, profile.requests, labels))
        self._next()

    def _next(self) -> None:
        free = [profile for profile in PROFILES if self._live[profile.name] < _MOST_OF_A_PROFILE]
        if free:
            self._start(self._stage.random.choice(free))
        self._stage.timeline.after(self._stage.random.uniform(*_PAUSE), self._next)

    def _start(self, profile: Profile) -> None:
        self._live[profile.name] += 1
        name = f"{profile.name}-{self._stage.control.suffix()}"
        labels = {"app": profile.name, "batch.kubernetes.io/job-name": name}
        job = self._stage.store.put(workload("Job", name, profile.namespace, profile.pods, labels))
        for _ in range(profile.pods):
            work = self._stage.random.uniform(*_WORK)
            self._stage.enter(self._pod(profile, job), work_seconds=work)
        self._stage.settle()
        self._stage.timeline.after(_WORK[0], lambda: self._clean_up(profile, job))

    def _pod(self, profile: Profile, job: Object) -> Object:
        name = job["metadata"]["name"]
        return pod(
            f"{name}-{self._stage.control.suffix()}",
            profile.namespace,
            image=f"registry.example.com/{profile.name}:1.8",
            claims=[PodClaim("devices", template=_template(profile))],
            restart="Never",
            generateName=f"{name}-",
            labels=job["metadata"]["labels"],
            ownerReferences=[owner_reference(job)],
        )

    def _clean_up(self, profile: Profile, job: Object) -> None:
        """Jobs and their Pods are removed some time after the last Pod has ended."""
        mine = [each for each in self._stage.store.objects(resources.PODS) if _is_owned(each, job)]
        if any(each["status"]["phase"] != "Succeeded" for each in mine):
            self._stage.timeline.after(_KEPT_AFTER_WORK, lambda: self._clean_up(profile, job))
            return
        for each in mine:
            self._stage.store.delete(resources.PODS, profile.namespace, each["metadata"]["name"])
        self._stage.store.delete(resources.JOBS, profile.namespace, job["metadata"]["name"])
        self._live[profile.name] -= 1


def _template(profile: Profile) -> str:
    return f"{profile.name}-devices"


def _is_owned(each: Object, job: Object) -> bool:
    uid = job["metadata"]["uid"]
    return any(owner["uid"] == uid for owner in each["metadata"].get("ownerReferences", []))
