"""What the validation of Kubernetes 1.36 says of a claim that the webhook makes."""

from collections.abc import Iterator

from inventory.dra.cel.errors import CompileError, UnsupportedError
from inventory.dra.cel.selectors import compiled, complaint
from inventory.hami.converted import ConvertedClaim, Rule
from inventory.hami.webhook import field_errors
from inventory.hami.webhook.claims import TEMPLATE
from inventory.hami.webhook.go import quote
from inventory.hami.webhook.kubernetes_names import label_faults, subdomain_faults
from inventory.hami.webhook.names import sample
from inventory.kube.objects import Raw

_LONGEST_EXPRESSION = 10 * 1024
# What is put together from quoted texts always compiles.
_QUOTED = (Rule.LIST_OF_UUIDS, Rule.LIST_OF_MODELS)


def reasons(claim: ConvertedClaim) -> Iterator[str]:
    metadata = claim.raw["metadata"]
    yield from field_errors.names(
        "metadata.name", metadata["name"], subdomain_faults(sample(metadata["name"]))
    )
    yield from _of_namespace(metadata["namespace"])
    path, spec = "spec", claim.raw["spec"]
    if claim.kind == TEMPLATE:
        path, spec = "spec.spec", spec["spec"]
    (request,) = spec["devices"]["requests"]
    quoted = frozenset(origin.value for origin in claim.origins if origin.rule in _QUOTED)
    yield from _of_request(request, f"{path}.devices.requests[0]", quoted)


def _of_namespace(namespace: str) -> Iterator[str]:
    path = "metadata.namespace"
    if not namespace:
        yield field_errors.required(path)
    else:
        yield from field_errors.names(path, namespace, label_faults(namespace))


def _of_request(request: Raw, path: str, quoted: frozenset[str]) -> Iterator[str]:
    yield from field_errors.names(f"{path}.name", request["name"], label_faults(request["name"]))
    exactly = request["exactly"]
    device_class = exactly["deviceClassName"]
    yield from field_errors.names(
        f"{path}.exactly.deviceClassName", device_class, subdomain_faults(device_class)
    )
    for index, selector in enumerate(exactly["selectors"]):
        place = f"{path}.exactly.selectors[{index}].cel.expression"
        expression = selector["cel"]["expression"]
        yield from _of_expression(expression, place, is_quoted=expression in quoted)
    # Left out, it is 0, and the API server puts a 1 before it validates.
    if (count := exactly.get("count", 1)) < 0:
        yield field_errors.invalid(f"{path}.exactly.count", str(count), "must be greater than zero")


def _of_expression(expression: str, path: str, *, is_quoted: bool) -> Iterator[str]:
    if len(expression.encode()) > _LONGEST_EXPRESSION:
        yield field_errors.too_long(path, _LONGEST_EXPRESSION)
        return
    if is_quoted:
        return
    try:
        compiled(expression)
    except CompileError as error:
        detail = f"compilation failed: {complaint(expression) or error.reason}"
        yield field_errors.invalid(path, quote(expression), detail)
    except UnsupportedError:
        # Not told: nobody here knows what Kubernetes says of it.
        return
