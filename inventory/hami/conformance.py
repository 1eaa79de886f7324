"""Answers of the real webhook beside ours: vectors that anybody can record and send.

A file is a JSON object with `cases`, and with more of them in `extra_cases`: the vendors and the
configuration of the webhook, a Pod, and what came of it. Amounts are compared by what they are, everything
else to the letter.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from inventory.dra.conformance import Outcome, VectorError
from inventory.hami.converted import ConvertedClaim, Mutation
from inventory.hami.webhook.amounts import AmountError, from_json
from inventory.hami.webhook.configuration import configured
from inventory.hami.webhook.device_config import ConfigurationError
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.hami.webhook.reading import PodError, containers, mapping
from inventory.kube.objects import Raw

# By the part of an answer that it is.
Parts = dict[str, Any]


class _Case(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    pod: Raw
    vendors: list[str] = []
    config: Any = None
    pod_out: Raw | None = msgspec.field(default=None, name="pod_out")
    error: str | None = None
    code: int | None = None
    calls: list[str] | None = None
    config_error: str | None = None


class _ClaimsCase(_Case, frozen=True, rename="camel"):
    claims: list[Raw] | None = None
    existing_claims: list[str] = []
    api_rejects_claim: list[str] = []
    api_rejects_pod: list[str] = []


class _ObjectsCase(_Case, frozen=True, rename="camel"):
    objects: list[Raw] | None = None
    existing: list[str] = []
    resource_claim_template: bool = True
    dry_run: bool = False


def conversion(vectors: Mapping[str, Any]) -> Iterator[Outcome]:
    """Raises VectorError."""
    profile = _profile(vectors)
    for case in _cases(vectors, _ClaimsCase):
        expected = {
            **_expected(case),
            "claims": _plain(case.claims),
            "apiRejectsClaim": sorted(case.api_rejects_claim),
            "apiRejectsPod": sorted(case.api_rejects_pod),
        }
        found = _found(case, profile, case.existing_claims)
        if expected["apiRejectsClaim"] == found["firstRejectedClaim"]:
            found["apiRejectsClaim"] = found["firstRejectedClaim"]
        yield _outcome(case.id, expected, found)


def conversion_template(vectors: Mapping[str, Any]) -> Iterator[Outcome]:
    """Raises VectorError."""
    for case in _cases(vectors, _ObjectsCase):
        profile = Profile.TEMPLATE if case.resource_claim_template else Profile.LATER
        expected = {**_expected(case), "objects": _plain(case.objects)}
        yield _outcome(case.id, expected, _found(case, profile, case.existing, dry_run=case.dry_run))


def _profile(vectors: Mapping[str, Any]) -> Profile:
    try:
        return Profile(vectors.get("profile", Profile.V0_2_3))
    except ValueError:
        known = ", ".join(Profile)
        raise VectorError(f"profile: {vectors['profile']} is none; known are {known}") from None


def _cases(vectors: Mapping[str, Any], type_: Any) -> Iterator[Any]:
    for field in ("cases", "extra_cases"):
        listed = vectors.get(field, [] if field == "extra_cases" else None)
        if not isinstance(listed, list):
            raise VectorError(f"expected an object with a list `{field}`")
        for index, raw in enumerate(listed):
            try:
                yield msgspec.convert(raw, type_)
            except msgspec.ValidationError as error:
                raise VectorError(f"{field}, {index}: {error}") from error


def _expected(case: _Case) -> Parts:
    told = {"code": case.code, "calls": case.calls}
    return {
        "configuration": case.config_error,
        "error": case.error,
        **{part: value for part, value in told.items() if value is not None},
        **{f"Pod: {part}": _plain(value) for part, value in (case.pod_out or {}).items()},
    }


def _found(case: _Case, profile: Profile, existing: list[str], *, dry_run: bool = False) -> Parts:
    taken = {(namespace, name) for namespace, _, name in (one.partition("/") for one in existing)}
    try:
        devices = configured(case.vendors, case.config)
        mutation = mutate(case.pod, devices, profile, existing=taken, dry_run=dry_run)
    except ConfigurationError as error:
        return {**_NOT_REFUSED, "configuration": str(error)}
    except PodError as error:
        return {**_NOT_REFUSED, "error": str(error)}
    return _parts(mutation, is_sent=not dry_run)


_NOT_REFUSED: Mapping[str, Any] = {"apiRejectsClaim": [], "firstRejectedClaim": [], "apiRejectsPod": []}


def _parts(mutation: Mutation, *, is_sent: bool) -> Parts:
    """All that a file may tell."""
    calls = list(mutation.calls)
    if failure := mutation.failure:
        return {**_NOT_REFUSED, "error": failure.message, "code": failure.code, "calls": calls}
    return {
        "calls": calls,
        "claims": [_plain(_told(claim)) for claim in mutation.claims],
        "objects": [_plain(claim.raw) for claim in mutation.claims] if is_sent else [],
        **_refused(mutation),
        **{f"Pod: {part}": _plain(value) for part, value in _pod(mutation).items()},
    }


def _told(claim: ConvertedClaim) -> Raw:
    # A template has the spec of a claim in its own.
    spec = claim.raw["spec"].get("spec", claim.raw["spec"])
    (request,) = spec["devices"]["requests"]
    exactly = request["exactly"]
    return {
        "name": claim.name,
        "namespace": claim.namespace,
        "request": request["name"],
        "deviceClassName": exactly["deviceClassName"],
        "allocationMode": exactly["allocationMode"],
        "count": exactly.get("count", 0),
        "capacity": exactly["capacity"].get("requests", {}),
        "selectors": [one["cel"]["expression"] for one in exactly["selectors"]],
        "spec": spec,
    }


def _refused(mutation: Mutation) -> Parts:
    """An API server refuses the first claim and is asked for no other; a validation can go on to the next."""
    of_pod, of_claims = list[str](), list[list[str]]()
    for refusal in mutation.refusals:
        if refusal.object.startswith("Pod "):
            of_pod += refusal.reasons
        else:
            of_claims.append(sorted(refusal.reasons))
    return {
        "apiRejectsClaim": sorted(reason for reasons in of_claims for reason in reasons),
        "firstRejectedClaim": of_claims[0] if of_claims else [],
        "apiRejectsPod": sorted(of_pod),
    }


def _pod(mutation: Mutation) -> Raw:
    spec = mapping(mutation.pod.get("spec"), "spec")
    metadata = mapping(mutation.pod.get("metadata"), "metadata")
    parts: Raw = {
        "patched": mutation.patched,
        "labels": metadata.get("labels") or {},
        "resourceClaims": spec.get("resourceClaims") or [],
        "containers": _containers(mutation.pod, spec, "containers"),
        "initContainers": _containers(mutation.pod, spec, "initContainers"),
    }
    return {**spec, **parts}


def _containers(pod: Raw, spec: Raw, field: str) -> list[Raw]:
    raw = spec.get(field) or []
    return [
        {
            "name": container.name,
            "limits": container.limits,
            "requests": container.requests,
            "claims": (one.get("resources") or {}).get("claims") or [],
        }
        for one, container in zip(raw, containers(pod, field), strict=True)
    ]


_AMOUNTS = ("limits", "requests", "capacity")


def _plain(value: Any, *, is_amount: bool = False) -> Any:
    """With every amount as a number of billionths."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return _billionths(value) if is_amount else value
    return {
        key: _plain_amounts(one) if key in _AMOUNTS and isinstance(one, dict) else _plain(one)
        for key, one in value.items()
    }


def _plain_amounts(value: Raw) -> Raw:
    return {
        key: _plain_amounts(one) if isinstance(one, dict) else _plain(one, is_amount=True)
        for key, one in value.items()
    }


def _billionths(value: Any) -> Any:
    try:
        return from_json(value).billionths()
    except AmountError:
        return value


def _outcome(name: str, expected: Parts, found: Parts) -> Outcome:
    """In words only what differs, so that it can be found."""
    differing = [part for part, value in expected.items() if value != found.get(part)]
    if not differing:
        summary = _summary(found)
        return Outcome(name, summary, summary)
    return Outcome(name, _shown(expected, differing), _shown(found, differing))


def _summary(found: Parts) -> str:
    refusal = found.get("configuration") or found.get("error")
    if refusal:
        return f"refused: {refusal}"
    return f"{len(found['claims'])} claims, the Pod is {'' if found['Pod: patched'] else 'not '}changed"


def _shown(parts: Parts, differing: list[str]) -> str:
    return "; ".join(
        f"{part}: {json.dumps(parts.get(part), ensure_ascii=False, sort_keys=True)}" for part in differing
    )


KINDS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Outcome]]] = {
    "conversion": conversion,
    "conversion-template": conversion_template,
}
