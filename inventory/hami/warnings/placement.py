"""Where the Pod may go, and by whose hand."""

from collections.abc import Iterator

from inventory.hami.as_written import is_record
from inventory.hami.asked import CONTAINERS, mapping
from inventory.hami.warnings.view import View, annotation_place
from inventory.hami.warnings.warning import Code, ConversionWarning, Severity, warn, written

_DEFAULT_SCHEDULER = "default-scheduler"


def sharing(view: View) -> Iterator[ConversionWarning]:
    """Each container has a claim of its own, and nothing keeps the claims of a Pod on different cards."""
    for driver in dict.fromkeys(device.driver for device in view.used):
        uses = [use for use in view.uses if use.device.driver == driver]
        if len(uses) < 2:
            continue
        names = list(dict.fromkeys(use.asked.name for use in uses))
        values = {"containers": ", ".join(names), "driver": driver, "claims": str(len(uses))}
        instead = f"constraints:\n- distinctAttribute: {driver}/uuid"
        yield warn(Code.MAY_SHARE_ONE_CARD, Severity.NOTE, f"spec.{CONTAINERS}", "", values, instead)


def overwritten(view: View) -> Iterator[ConversionWarning]:
    """The first version puts its claim in the place of those that a container has."""
    if view.behaviour.appends_claims:
        return
    for use in view.uses:
        claims = mapping(use.asked.raw.get("resources")).get("claims")
        if isinstance(claims, list) and claims:
            place = f"{use.asked.path}.resources.claims"
            names = ", ".join(str(mapping(one).get("name")) for one in claims)
            yield warn(Code.CLAIMS_OVERWRITTEN, Severity.DIFFERS, place, use.asked.name, {"claims": names})


def scheduling(view: View) -> Iterator[ConversionWarning]:
    if not view.uses:
        return
    if node := view.spec.get("nodeName"):
        instead = written({"nodeSelector": {"kubernetes.io/hostname": str(node)}})
        yield warn(Code.NODE_NAME, Severity.NEVER_FITS, "spec.nodeName", "", {"node": str(node)}, instead)
    scheduler = view.spec.get("schedulerName")
    if scheduler and scheduler != _DEFAULT_SCHEDULER:
        values, instead = {"scheduler": str(scheduler)}, f"schedulerName: {_DEFAULT_SCHEDULER}"
        yield warn(Code.OTHER_SCHEDULER, Severity.NOTE, "spec.schedulerName", "", values, instead)


def privileged(view: View) -> Iterator[ConversionWarning]:
    """HAMi refuses them: a privileged container sees every card of its node."""
    for asked in dict.fromkeys(use.asked.index for use in view.uses):
        one = next(use.asked for use in view.uses if use.asked.index == asked)
        if mapping(one.raw.get("securityContext")).get("privileged") is True:
            place = f"{one.path}.securityContext.privileged"
            yield warn(Code.PRIVILEGED, Severity.NOTE, place, one.name, instead="privileged: false")


def records(view: View) -> Iterator[ConversionWarning]:
    found = [name for name in view.annotations if is_record(name)]
    if found and view.uses:
        values = {"names": ", ".join(found)}
        yield warn(Code.HAMI_RECORDS, Severity.NOTE, annotation_place(found[0]), "", values)
