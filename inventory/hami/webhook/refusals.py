"""What Kubernetes 1.36 would not take of a conversion: the claims as created, the Pod as it is afterwards."""

from collections.abc import Iterable

from inventory.hami.converted import ConvertedClaim, Refusal
from inventory.hami.webhook import claim_refusals, pod_refusals
from inventory.hami.webhook.reading import mapping, text
from inventory.kube.objects import Raw


def of_claims(claims: Iterable[ConvertedClaim]) -> tuple[Refusal, ...]:
    found = ((claim.label, tuple(claim_refusals.reasons(claim))) for claim in claims)
    return tuple(Refusal(label, reasons) for label, reasons in found if reasons)


def of_pod(pod: Raw) -> tuple[Refusal, ...]:
    """Raises PodError."""
    reasons = tuple(pod_refusals.reasons(pod))
    if not reasons:
        return ()
    metadata = mapping(pod.get("metadata"), "metadata")
    namespace, name = (text(metadata.get(field), f"metadata.{field}") for field in ("namespace", "name"))
    generated = text(metadata.get("generateName"), "metadata.generateName")
    return (Refusal(f"Pod {namespace}/{name or generated}", reasons),)
