"""What the webhook makes of a Pod, and where every part of it comes from."""

from enum import StrEnum

import msgspec

from inventory.hami.webhook.devices import DraDevice
from inventory.kube.objects import Raw

# The object of an origin that lies in the Pod.
POD = "Pod"


class Rule(StrEnum):
    """How a field came about."""

    AS_IS = "as_is"
    # The whole number that is not below it.
    COUNT = "count"
    MIB_TO_BYTES = "mib_to_bytes"
    PERCENT_OF_UNITS = "percent_of_units"
    LIST_OF_UUIDS = "list_of_uuids"
    LIST_OF_MODELS = "list_of_models"
    # Given by the configuration of the webhook, or by what it always writes.
    CONFIGURED = "configured"
    # Put together from namespace, Pod, container and kind of card.
    NAMED = "named"
    REMOVED = "removed"
    REPRINTED = "printed_anew"


class Origin(msgspec.Struct, frozen=True):
    """One field that was produced, taken away or printed anew.

    `field` is its path in the object, such as `spec.devices.requests[0].exactly.capacity.requests.memory`,
    and `value` its text there, empty where it was removed. `source` is the path in the Pod as given, such as
    `spec.containers[0].resources.limits["huawei.com/Ascend310P-memory"]`, with the text `given` there; both
    are empty for what no field of the Pod decides.
    """

    # The claim's name, or POD.
    object: str
    field: str
    value: str
    rule: Rule
    source: str = ""
    given: str = ""


class ConvertedClaim(msgspec.Struct, frozen=True):
    """A claim, or a template of one, as it is sent to the API server."""

    # ResourceClaim or ResourceClaimTemplate.
    kind: str
    namespace: str
    name: str
    # The name of the container that asks for it, and where it stands in spec.containers.
    container: str
    container_index: int
    device: DraDevice
    raw: Raw
    origins: tuple[Origin, ...] = ()

    @property
    def vendor(self) -> str:
        return self.device.vendor

    @property
    def label(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class Failure(msgspec.Struct, frozen=True):
    """The webhook denies the Pod: its own text, with the status code of its answer."""

    message: str
    code: int
    # Where in the Pod, if it is about one field.
    field: str = ""


class Refusal(msgspec.Struct, frozen=True):
    """Kubernetes would not take what came out: its own words, one for each field."""

    # "ResourceClaim ml/x" or "Pod ml/p".
    object: str
    reasons: tuple[str, ...]

    @property
    def message(self) -> str:
        """Joined as Kubernetes joins them: each once."""
        told = list(dict.fromkeys(self.reasons))
        return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


class Mutation(msgspec.Struct, frozen=True):
    """The answer of the webhook to the creation of one Pod.

    With a failure the Pod is as given, and the claims are those that the webhook leaves behind: none but
    with 0.0.1. `calls` are what it asks of the API server, in order: the verb, the object, and the refusal if
    there is one.
    """

    claims: tuple[ConvertedClaim, ...]
    pod: Raw
    # Whether the Pod was changed at all.
    patched: bool
    failure: Failure | None = None
    refusals: tuple[Refusal, ...] = ()
    # Of the Pod's changes; those of a claim are with the claim.
    origins: tuple[Origin, ...] = ()
    calls: tuple[str, ...] = ()
