"""Claims for cards that the webhook does not convert: a proposal of ours, no conversion of HAMi's.

A driver that gives whole devices cannot share them, so each proposal says what of the Pod it does not say.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from inventory.hami.asked import CONTAINERS, Asked, annotations, containers, quantity
from inventory.hami.claiming import Need
from inventory.hami.vendors import RESOURCE_NAMES, VENDORS, VendorResources
from inventory.hami.webhook.devices import ChoosingAnnotations, DraDevice
from inventory.hami.webhook.go import quote, trimmed
from inventory.kube.objects import Raw
from inventory.kube.quantity import NANO, Quantity

_MEBIBYTE = 1024 * 1024


class Lost(StrEnum):
    """What a proposal does not say."""

    # The driver gives whole devices.
    SHARING = "sharing"
    # Only where the driver runs with shares; whole devices otherwise.
    SHARING_UNLESS_CONFIGURED = "sharing-unless-configured"
    CORES = "cores"
    MEMORY_PERCENTAGE = "memory-percentage"
    PRIORITY = "priority"
    # The driver publishes no UUID.
    UUIDS = "uuids"


class Loss(msgspec.Struct, frozen=True):
    """`field` is the path in the Pod of what is not said, `given` what is written there."""

    lost: Lost
    field: str
    given: str


class Driver(msgspec.Struct, frozen=True):
    """A DRA driver of a vendor's own, and HAMi's names for its cards."""

    vendor: str
    suffix: str
    driver: str
    device_class: str
    request: str
    resources: VendorResources
    choices: ChoosingAnnotations
    # What the type attribute of a whole card is; empty where the class selects it.
    whole: str = ""
    has_uuids: bool = True
    # Whether its devices may be shared at all.
    may_share: bool = False


class Proposal(msgspec.Struct, frozen=True):
    driver: Driver
    need: Need
    losses: tuple[Loss, ...]


class WithoutProposal(StrEnum):
    """Why there is no claim to propose."""

    # The webhook does it, once it is configured for these names.
    BY_WEBHOOK = "by-webhook"
    # No DRA driver of the vendor is known.
    NONE_KNOWN = "none-known"
    # The vendor has one, of which nothing is known here.
    OWN = "own"
    ANNOUNCED = "announced"


class Unavailable(msgspec.Struct, frozen=True):
    """A container's resources that no claim is known for."""

    vendor: str
    container: str
    resources: tuple[str, ...]
    reason: WithoutProposal


class Proposals(msgspec.Struct, frozen=True):
    claims: tuple[Proposal, ...]
    unavailable: tuple[Unavailable, ...]


def _resources(count: str) -> VendorResources:
    return next(one for one in VENDORS if one.count == count)


AMD = Driver(
    "AMD",
    "amd",
    "gpu.amd.com",
    "gpu.amd.com",
    "gpu",
    _resources("amd.com/gpu"),
    ChoosingAnnotations(
        "amd.com/use-gpu-uuid", "amd.com/nouse-gpu-uuid", "amd.com/use-gputype", "amd.com/nouse-gputype"
    ),
    whole="amdgpu",
    has_uuids=False,
)
NVIDIA = Driver(
    "NVIDIA",
    "nvidia",
    "gpu.nvidia.com",
    "gpu.nvidia.com",
    "gpu",
    _resources("nvidia.com/gpu"),
    ChoosingAnnotations(
        "nvidia.com/use-gpuuuid",
        "nvidia.com/nouse-gpuuuid",
        "nvidia.com/use-gputype",
        "nvidia.com/nouse-gputype",
    ),
    may_share=True,
)
_REASONS = {
    "NVIDIA": WithoutProposal.BY_WEBHOOK,
    "Ascend": WithoutProposal.BY_WEBHOOK,
    "Hygon": WithoutProposal.BY_WEBHOOK,
    "AWS Neuron": WithoutProposal.OWN,
    "Enflame": WithoutProposal.ANNOUNCED,
    "Iluvatar": WithoutProposal.ANNOUNCED,
    "MetaX": WithoutProposal.ANNOUNCED,
}


def proposals(pod: Raw, devices: Sequence[DraDevice]) -> Proposals:
    """For what a Pod asks of HAMi and the webhook, configured for `devices`, does not convert."""
    asking = [asked for asked in containers(pod) if not RESOURCE_NAMES.isdisjoint(asked.names())]
    converted = frozenset(name for device in devices for name in device.names())
    rest = [vendor for vendor in VENDORS if converted.isdisjoint(vendor.names())] if asking else []
    claims = _proposed(pod, AMD, asking) if AMD.resources in rest else ()
    unavailable = [one for vendor in rest if vendor != AMD.resources for one in _unavailable(vendor, asking)]
    return Proposals(tuple(claims), tuple(unavailable))


def alternatives(pod: Raw) -> tuple[Proposal, ...]:
    """The driver of NVIDIA's own in the place of HAMi's."""
    return tuple(_proposed(pod, NVIDIA, containers(pod)))


def _unavailable(vendor: VendorResources, asking: Iterable[Asked]) -> Iterator[Unavailable]:
    reason = _REASONS.get(vendor.vendor, WithoutProposal.NONE_KNOWN)
    for asked in asking:
        if names := tuple(sorted(vendor.names() & asked.names())):
            yield Unavailable(vendor.vendor, asked.name, names, reason)


def _proposed(pod: Raw, driver: Driver, asking: Iterable[Asked]) -> Iterator[Proposal]:
    """For the containers that have cards: of none, a part or less than none there is no claim."""
    count = driver.resources.count
    for asked in asking:
        amount = quantity(asked.limits[count]) if count in asked.limits else None
        if asked.part == CONTAINERS and amount is not None and amount.nanos > 0 and not amount.nanos % NANO:
            yield _proposal(pod, driver, asked)


def _proposal(pod: Raw, driver: Driver, asked: Asked) -> Proposal:
    chosen = annotations(pod)
    exactly: Raw = {"deviceClassName": driver.device_class}
    if selectors := list(_selectors(driver, asked, chosen)):
        exactly["selectors"] = [{"cel": {"expression": one}} for one in selectors]
    count = quantity(asked.limits[driver.resources.count]) or Quantity.of(1)
    exactly |= {"allocationMode": "ExactCount", "count": count.rounded_up()}
    if driver.may_share and (memory := _memory(driver, asked)) is not None:
        exactly["capacity"] = {"requests": {"memory": str(memory)}}
    spec = {"devices": {"requests": [{"name": driver.request, "exactly": exactly}]}}
    names = tuple(sorted(driver.resources.names() & asked.names()))
    need = Need(asked.name, asked.index, driver.suffix, names, spec)
    return Proposal(driver, need, tuple(_losses(driver, asked, chosen)))


def _memory(driver: Driver, asked: Asked) -> Quantity | None:
    """In bytes; None for the whole card."""
    name = driver.resources.memory
    amount = quantity(asked.limits[name]) if name in asked.limits else None
    return Quantity.of(amount.rounded_up() * _MEBIBYTE) if amount is not None and amount.nanos > 0 else None


def _selectors(driver: Driver, asked: Asked, chosen: Mapping[str, str]) -> Iterator[str]:
    attributes = f"device.attributes[{quote(driver.driver)}]"
    if driver.whole:
        yield f"{attributes}.type == {quote(driver.whole)}"
    if not driver.may_share and (memory := _memory(driver, asked)) is not None:
        # Whole devices are given, so only those with enough memory will do.
        capacity = f"device.capacity[{quote(driver.driver)}].memory"
        yield f"{capacity}.compareTo(quantity({quote(str(memory))})) >= 0"
    for annotation, form, excludes in _choices(driver):
        if values := _values(chosen.get(annotation, "")):
            expression = form(attributes, values)
            yield f"!({expression})" if excludes else expression


# Makes the expression that one of the values holds of the attributes.
_Form = Callable[[str, Sequence[str]], str]


def _choices(driver: Driver) -> Iterator[tuple[str, _Form, bool]]:
    """The annotations that are read, and whether they exclude."""
    names = driver.choices
    if driver.has_uuids:
        yield names.use_uuid, _uuid_in, False
        yield names.no_use_uuid, _uuid_in, True
    yield names.use_type, _type_with, False
    yield names.no_use_type, _type_with, True


def _uuid_in(attributes: str, values: Sequence[str]) -> str:
    return f"{attributes}.uuid in [{', '.join(map(quote, values))}]"


def _type_with(attributes: str, values: Sequence[str]) -> str:
    """Any part of a product name, in capital letters or small, as HAMi compares them."""
    name = f"{attributes}.productName.lowerAscii()"
    return " || ".join(f"{name}.contains({quote(_small(value))})" for value in values)


def _small(text: str) -> str:
    """As lowerAscii() of CEL: other letters stay."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def _values(written: str) -> list[str]:
    return [value for part in written.split(",") if (value := trimmed(part))]


def _losses(driver: Driver, asked: Asked, chosen: Mapping[str, str]) -> Iterator[Loss]:
    resources = driver.resources
    sharing = Lost.SHARING_UNLESS_CONFIGURED if driver.may_share else Lost.SHARING
    lost = ((resources.memory, sharing), (resources.cores, Lost.CORES))
    others = ((name, _lost_other(name)) for name in resources.others)
    for name, what in (*lost, *others):
        if name in asked.names():
            yield Loss(what, asked.place(name), str(asked.amount(name)))
    for name in _lost_choices(driver):
        if name in chosen:
            yield Loss(Lost.UUIDS, f"metadata.annotations[{quote(name)}]", chosen[name])


def _lost_other(name: str) -> Lost:
    return Lost.PRIORITY if name.endswith("/priority") else Lost.MEMORY_PERCENTAGE


def _lost_choices(driver: Driver) -> Iterable[str]:
    return () if driver.has_uuids else (driver.choices.use_uuid, driver.choices.no_use_uuid)
