"""Everything that is said of one Pod before it is converted, put together."""

from collections.abc import Container, Iterator, Sequence
from enum import StrEnum

import msgspec

from inventory.hami.asked import CONTAINERS, containers
from inventory.hami.converted import Mutation
from inventory.hami.differences import Difference, difference
from inventory.hami.percentages import PercentageError, Resolved, percentage, resolved
from inventory.hami.proposals import Proposal, Proposals, alternatives, proposals
from inventory.hami.surroundings import UNKNOWN, Surroundings
from inventory.hami.warnings.rules import warnings
from inventory.hami.warnings.warning import ConversionWarning, Severity
from inventory.hami.webhook.configuration import NVIDIA
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.kube.objects import Raw

_PERCENTAGE = "nvidia.com/gpumem-percentage"


class Outcome(StrEnum):
    """What comes of a Pod; of several the gravest stands for all."""

    UNCHANGED = "unchanged"
    CONVERTED = "converted"
    # Converted, and something means something else than before.
    WITH_WARNINGS = "with_warnings"
    # The webhook denies the Pod, or Kubernetes would not take what comes out.
    REFUSED = "refused"


class Settings(msgspec.Struct, frozen=True):
    """Which version of the webhook, and the kinds of cards that it is configured for."""

    profile: Profile
    devices: tuple[DraDevice, ...]


class MemoryShare(msgspec.Struct, frozen=True):
    """A percentage of memory on each model of card; `problem` says why there is none."""

    field: str
    container: str
    given: str
    models: tuple[Resolved, ...] = ()
    problem: str = ""


class PodPreview(msgspec.Struct, frozen=True):
    """`alternatives` are claims for a vendor's own driver in the place of HAMi's."""

    pod: Raw
    mutation: Mutation
    warnings: tuple[ConversionWarning, ...]
    proposals: Proposals
    alternatives: tuple[Proposal, ...]
    memory_shares: tuple[MemoryShare, ...]

    @property
    def outcome(self) -> Outcome:
        if self.mutation.failure is not None or self.mutation.refusals:
            return Outcome.REFUSED
        if any(one.severity is not Severity.NOTE for one in self.warnings):
            return Outcome.WITH_WARNINGS
        return Outcome.CONVERTED if self.mutation.patched else Outcome.UNCHANGED

    def difference(self) -> Difference:
        """As much work as all the rest. Raises UnwritableError."""
        return difference(f"Pod {_named(self.pod)}", self.pod, self.mutation.pod)


def pod_preview(
    pod: Raw,
    settings: Settings,
    surroundings: Surroundings = UNKNOWN,
    existing: Container[tuple[str, str]] = frozenset(),
) -> PodPreview:
    """Raises PodError."""
    mutation = mutate(pod, settings.devices, settings.profile, existing=existing)
    return PodPreview(
        pod=pod,
        mutation=mutation,
        warnings=warnings(pod, mutation, settings.devices, settings.profile, surroundings),
        proposals=proposals(pod, settings.devices),
        alternatives=alternatives(pod),
        memory_shares=tuple(_memory_shares(pod, settings.devices, surroundings)),
    )


def _named(pod: Raw) -> str:
    metadata = pod.get("metadata") or {}
    return f"{metadata.get('namespace', '')}/{metadata.get('name') or metadata.get('generateName') or ''}"


def _memory_shares(
    pod: Raw, devices: Sequence[DraDevice], surroundings: Surroundings
) -> Iterator[MemoryShare]:
    driver = next((one.driver for one in devices if one.vendor == NVIDIA), None)
    if driver is None:
        return
    cards = surroundings.cards_of(driver)
    for asked in containers(pod):
        if asked.part != CONTAINERS or _PERCENTAGE not in asked.limits:
            continue
        given, field = str(asked.limits[_PERCENTAGE]), asked.place(_PERCENTAGE)
        try:
            models = resolved(percentage(asked.limits[_PERCENTAGE]), cards)
        except PercentageError as error:
            yield MemoryShare(field, asked.name, given, problem=str(error))
        else:
            yield MemoryShare(field, asked.name, given, models)
