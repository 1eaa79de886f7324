"""All that a rule looks at."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from inventory.hami.asked import CONTAINERS, Asked, annotations, containers, labels, mapping, quantity
from inventory.hami.converted import ConvertedClaim, Mutation
from inventory.hami.surroundings import Surroundings
from inventory.hami.vendors import RESOURCE_NAMES
from inventory.hami.warnings.warning import Code, ConversionWarning, Correction, Severity, warn
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.go import quote
from inventory.hami.webhook.profiles import Behaviour
from inventory.kube.objects import Raw
from inventory.kube.quantity import Quantity


class Use:
    """A container that asks for a kind of card in the way that the webhook converts."""

    def __init__(self, asked: Asked, device: DraDevice) -> None:
        self.asked, self.device = asked, device

    def given(self, resource: str) -> Quantity | None:
        """The limit; None where there is none or one that is no quantity."""
        return quantity(self.asked.limits[resource]) if resource in self.asked.limits else None

    def written(self, resource: str) -> str:
        return str(self.asked.limits.get(resource))

    def warning(
        self,
        code: Code,
        severity: Severity,
        resource: str,
        values: Mapping[str, Any] | None = None,
        instead: str | Correction = "",
    ) -> ConversionWarning:
        """About one of the container's resources, which its texts may name along with what is given of it."""
        named: dict[str, Any] = {
            "resource": resource,
            "given": self.written(resource),
            "vendor": self.device.vendor,
        }
        named |= values or {}
        return warn(code, severity, self.asked.place(resource), self.asked.name, named, instead)


class View:
    """A Pod as given, with what the webhook makes of it and what is known of the cluster."""

    def __init__(
        self,
        pod: Raw,
        mutation: Mutation,
        devices: tuple[DraDevice, ...],
        behaviour: Behaviour,
        surroundings: Surroundings,
    ) -> None:
        self.pod, self.mutation = pod, mutation
        self.devices, self.behaviour, self.surroundings = devices, behaviour, surroundings

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        return containers(self.pod)

    @cached_property
    def left(self) -> tuple[Asked, ...]:
        """The containers with what the webhook leaves in them; as given where it denies the Pod."""
        return containers(self.mutation.pod)

    @cached_property
    def annotations(self) -> Mapping[str, str]:
        return annotations(self.pod)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        return labels(self.pod)

    @cached_property
    def known(self) -> frozenset[str]:
        """HAMi's names for cards: its own defaults, and those that the webhook is configured for."""
        return RESOURCE_NAMES.union(*(device.names() for device in self.devices)) - {""}

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        return mapping(self.pod.get("spec"))

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """In the order of the webhook: containers outside, kinds of cards inside."""
        return tuple(self._uses())

    def _uses(self) -> Iterator[Use]:
        for asked in self.asked:
            if asked.part == CONTAINERS:
                yield from (Use(asked, one) for one in self.devices if one.count in asked.limits)

    @cached_property
    def used(self) -> tuple[DraDevice, ...]:
        """The kinds of cards that the Pod asks for, each once."""
        return tuple(dict.fromkeys(use.device for use in self.uses))

    def claim_of(self, use: Use) -> ConvertedClaim | None:
        """None where the webhook denies the Pod."""
        for claim in self.mutation.claims:
            if claim.container_index == use.asked.index and claim.device.suffix == use.device.suffix:
                return claim
        return None

    def requested(self, use: Use, dimension: str) -> str:
        """What its claim asks for of a dimension, as printed there; empty for nothing."""
        claim = self.claim_of(use)
        fields = claim.origins if claim is not None else ()
        end = f".capacity.requests.{dimension}"
        return next((one.value for one in fields if one.field.endswith(end)), "")


def annotation_place(name: str) -> str:
    return f"metadata.annotations[{quote(name)}]"
