"""The webhook's answer to the creation of a Pod (pkg/webhook/dra/mutating.go of HAMi-DRA)."""

from collections.abc import Container as Collection
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from inventory.hami.converted import ConvertedClaim, Failure, Mutation
from inventory.hami.webhook.amounts import AmountError
from inventory.hami.webhook.claims import Asked, NoReferenceError, claim
from inventory.hami.webhook.cluster import Cluster, CreateError
from inventory.hami.webhook.configuration import NVIDIA, NVIDIA_DRIVER
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.patch import Patch
from inventory.hami.webhook.profiles import Behaviour, Profile, behaviour
from inventory.hami.webhook.reading import containers, decoded, mapping, text, texts
from inventory.hami.webhook.refusals import of_claims, of_pod
from inventory.hami.webhook.selectors import NoUsableValueError
from inventory.kube.objects import Raw

_FAILURES = (NoReferenceError, NoUsableValueError, CreateError)
_BAD_REQUEST, _SERVER_ERROR = 400, 500


def mutate(
    pod: Raw,
    devices: Sequence[DraDevice],
    profile: Profile,
    *,
    existing: Collection[tuple[str, str]] = frozenset(),
    dry_run: bool = False,
) -> Mutation:
    """`existing` are namespace and name of claims (or templates) that are there already.

    The Pod has to have its namespace. In a dry run of a version that knows what that is, the claims are those
    that would be made. Raises PodError.
    """
    rules = behaviour(profile)
    try:
        read = decoded(pod)
    except AmountError as error:
        return Mutation((), pod, patched=False, failure=Failure(str(error), _BAD_REQUEST, error.field))
    cluster = Cluster(existing, is_dry_run=dry_run and rules.knows_dry_run)
    try:
        made = _claims(_asked(pod, read.pod, _known(devices, rules)), rules, cluster)
    except _FAILURES as error:
        failure = Failure(str(error), _SERVER_ERROR)
        left, calls = tuple(cluster.created), tuple(cluster.calls)
        return Mutation(left, pod, patched=False, failure=failure, calls=calls)
    if not made:
        return Mutation((), pod, patched=False, refusals=of_pod(pod))
    patch = Patch(read.pod, pod, rules)
    patch.apply(made, read.reprinted)
    # Of a Pod whose claims are not taken nothing is said: it never gets there.
    refusals = of_claims(made) or of_pod(patch.pod)
    return Mutation(
        tuple(made),
        patch.pod,
        patched=True,
        refusals=refusals,
        origins=tuple(patch.origins),
        calls=tuple(cluster.calls),
    )


def _known(devices: Sequence[DraDevice], rules: Behaviour) -> Sequence[DraDevice]:
    if not rules.only_nvidia:
        return devices
    return [
        msgspec.structs.replace(device, device_class=NVIDIA_DRIVER, driver=NVIDIA_DRIVER)
        for device in devices
        if device.vendor == NVIDIA
    ]


def _claims(
    asked_by_container: Iterable[Sequence[Asked]], rules: Behaviour, cluster: Cluster
) -> list[ConvertedClaim]:
    """Those of all containers in order. On a failure the webhook deletes twice what it made before."""
    made: list[ConvertedClaim] = []
    for asked_by_one in asked_by_container:
        of_one: list[ConvertedClaim] = []
        try:
            for asked in asked_by_one:
                of_one += [_claim(asked, rules, cluster)]
        except _FAILURES:
            if rules.rolls_back:
                cluster.delete([*made, *of_one])
                cluster.delete(made)
            raise
        made += of_one
    return made


def _claim(asked: Asked, rules: Behaviour, cluster: Cluster) -> ConvertedClaim:
    made = claim(asked, rules)
    cluster.create(made)
    return made


def _asked(given: Raw, pod: Raw, devices: Sequence[DraDevice]) -> Iterator[list[Asked]]:
    metadata = mapping(pod.get("metadata"), "metadata")
    namespace = text(metadata.get("namespace"), "metadata.namespace")
    name = text(metadata.get("name"), "metadata.name")
    annotations = texts(metadata.get("annotations"), "metadata.annotations")
    pairs = zip(containers(pod), containers(given), strict=True)
    for index, (container, as_given) in enumerate(pairs):
        yield [
            Asked(namespace, name, annotations, container, index, device, as_given.limits)
            for device in devices
            if device.count in container.limits
        ]
