"""All rules, in the order in which a reader wants to know."""

from collections.abc import Callable, Iterator, Sequence

from inventory.hami.converted import Mutation
from inventory.hami.surroundings import UNKNOWN, Surroundings
from inventory.hami.warnings import amounts, chips, choices, cluster, cores, leftovers, placement
from inventory.hami.warnings.view import View
from inventory.hami.warnings.warning import ConversionWarning, Severity
from inventory.hami.webhook.configuration import NVIDIA
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.profiles import Profile, behaviour
from inventory.kube.objects import Raw

Rule = Callable[[View], Iterator[ConversionWarning]]
RULES: tuple[Rule, ...] = (
    leftovers.leftovers,
    amounts.counts,
    amounts.memory,
    cores.cores,
    choices.types,
    choices.uuids,
    choices.dropped,
    chips.chips,
    chips.runtime_class,
    placement.sharing,
    placement.overwritten,
    placement.scheduling,
    placement.privileged,
    placement.records,
    cluster.classes,
    cluster.both_ways,
    cluster.sharing,
    cluster.quotas,
)
_ORDER = tuple(Severity)


def warnings(
    pod: Raw,
    mutation: Mutation,
    devices: Sequence[DraDevice],
    profile: Profile,
    surroundings: Surroundings = UNKNOWN,
) -> tuple[ConversionWarning, ...]:
    """Of one Pod as given and what the webhook makes of it; the gravest first."""
    how = behaviour(profile)
    converted = tuple(one for one in devices if one.vendor == NVIDIA or not how.only_nvidia)
    view = View(pod, mutation, converted, how, surroundings)
    found = [warning for rule in RULES for warning in rule(view)]
    return tuple(sorted(found, key=lambda one: _ORDER.index(one.severity)))
